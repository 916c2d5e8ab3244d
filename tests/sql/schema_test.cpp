#include "fugu/sql/schema.hpp"

#include <gtest/gtest.h>

#include "sql/builders.hpp"

namespace fugu::querylog {
namespace {

std::string error_of(const std::string& text) {
  const auto schema = Schema::from_text("s", text);
  return schema ? "none" : schema.error().message;
}

TEST(Schemas, AreTheSameAsScriptAndAsLines) {
  const auto script = Schema::from_text("s.sql",
                                        "CREATE TABLE t (a int, \"B c\" decimal(8, 2)); -- end\n"
                                        "CREATE TABLE u (x varchar(3));");
  const auto lines = Schema::from_text("s.csv",
                                       "Table, Field, Type\nT, A, int(11), YES, -\nT, B c, decimal(8,2), NO\n"
                                       "-, -, -\n\nU, X, varchar(3)\n");
  ASSERT_TRUE(script) << script.error().message;
  ASSERT_TRUE(lines) << lines.error().message;
  for (const Schema* schema : {&*script, &*lines}) {
    ASSERT_EQ(schema->relations().size(), 2u);
    const Relation& t = schema->relations()[*schema->relation("t")];
    ASSERT_EQ(t.columns.size(), 2u);
    EXPECT_EQ(t.columns[1].type.places, 2);
    EXPECT_EQ(schema->relations()[1].columns[0].type.length, 3u);
  }
  EXPECT_TRUE(script->relations()[0].column("B c"));
  EXPECT_TRUE(lines->relations()[0].column("b c"));
}

TEST(Schemas, AreToldApart) {
  EXPECT_EQ(error_of("-- tables, as of today\nCREATE  TABLE t (a int);"), "none");
  EXPECT_EQ(error_of("table,column,type\nt,create,int\nt,created,int\n"), "none");
}

TEST(Schemas, ConstraintsThatSayWhatMayBeNull) {
  const auto& customer = test::shop().relations()[*test::shop().relation("customer")];
  EXPECT_FALSE(customer.columns[*customer.column("customer_id")].is_nullable);
  EXPECT_TRUE(customer.columns[*customer.column("town")].is_nullable);
  const auto schema =
      Schema::from_text("s", "CREATE TABLE t (a int, b int, PRIMARY KEY (a), UNIQUE (b), CHECK (b > a));");
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_FALSE(schema->relations()[0].columns[0].is_nullable);
  EXPECT_EQ(schema->relations()[0].checks.size(), 1u);
}

TEST(Schemas, RefuseWhatTheyDoNotUnderstand) {
  const std::string tables = "; expected CREATE TABLE statements with columns of known types";
  EXPECT_EQ(error_of("CREATE TABLE t (a int);\n\nCREATE TABLE u (\n  a int,\n  b secret);"),
            "s:5: found a type that is not on the list" + tables);
  EXPECT_EQ(error_of("CREATE TABLE t (a int);\nDROP TABLE secret;"),
            "s:2: found a statement that is not CREATE TABLE" + tables);
  EXPECT_EQ(error_of("CREATE TABLE t (a int, a int)"), "s:1: found a column twice" + tables);
  EXPECT_EQ(error_of("CREATE TABLE t (a int); CREATE TABLE t (b int)"),
            "s: found a relation twice; expected each relation once");
  EXPECT_EQ(error_of("CREATE TABLE t (a int CHECK (a > secret))"), "s:1: found a column that is not in FROM" + tables);
  EXPECT_EQ(error_of("CREATE TABLE t (a int EXCLUDE)"), "s:1: found text that PostgreSQL does not parse" + tables);
  EXPECT_EQ(error_of("CREATE TABLE t (LIKE secret)"), "s:1: found LIKE or another element that is no column" + tables);
  EXPECT_EQ(error_of("CREATE TABLE x.t (a int)"), "s:1: found a relation with the name of a schema" + tables);
  EXPECT_EQ(error_of("table,field,type\nt,a\n"), "s:2: found 2 fields; expected table, column and type");
  EXPECT_EQ(error_of("table,field,type\nt,a,secret\n"),
            "s:2:5: found a type that is not on the list; expected table, column and type");
  EXPECT_EQ(error_of("table,field,type\nt,a,int(x)\n"),
            "s:2:5: found a type that is not on the list; expected table, column and type");
  EXPECT_EQ(error_of("table,field,type\nt,,int\n"), "s:2: found an empty name; expected table, column and type");
  EXPECT_EQ(error_of("table,field,type\nt,a,int\nT,A,int\n"), "s:3: found a column twice; expected each column once");
  EXPECT_EQ(error_of(""), "s: found no relation" + tables);
}

}  // namespace
}  // namespace fugu::querylog
