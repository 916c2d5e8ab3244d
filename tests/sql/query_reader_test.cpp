// What of SQL is understood, and that everything else is refused without a word of it being shown.
#include "fugu/sql/query_reader.hpp"

#include <gtest/gtest.h>

#include "sql/builders.hpp"

namespace fugu::querylog {
namespace {

using test::read;
using test::refusal;
using test::repeated;

/// `customer.town` for a column that is one attribute, `=town.people+r.a` for what is computed of some.
std::string name_of(const Statement& statement, const Expression& column) {
  std::string result = column.is_computed ? "=" : "";
  for (const auto source : column.sources) {
    const Attribute attribute = statement.attribute(source);
    if (!result.empty() && result != "=") result += "+";
    result += test::shop().relation_of(attribute).name + "." + test::shop().column(attribute).name;
  }
  return result;
}

std::string outputs_of(std::string_view text) {
  const Statement statement = read(text);
  std::string result;
  for (const Output& output : statement.query.outputs) {
    if (!result.empty()) result += " ";
    result += name_of(statement, output.expression);
  }
  return result;
}

TEST(Names, ResolveByAliasAndWithout) {
  EXPECT_EQ(outputs_of("SELECT town FROM customer"), "customer.town");
  EXPECT_EQ(outputs_of("SELECT Customer.TOWN FROM CUSTOMER"), "customer.town");
  EXPECT_EQ(outputs_of("SELECT x.town, y.people FROM customer x, town AS y"), "customer.town town.people");
  EXPECT_EQ(outputs_of("SELECT \"town\" FROM \"customer\""), "customer.town");
  EXPECT_EQ(refusal("SELECT \"Town\" FROM customer"), "byte 8: a column that is not in FROM");
  EXPECT_EQ(refusal("SELECT customer.town FROM customer x"), "byte 8: a column that is not in FROM");
  EXPECT_EQ(refusal("SELECT town FROM customer, town"), "byte 8: a column that several relations have");
  EXPECT_EQ(refusal("SELECT 1 FROM town, customer town"), "byte 21: a name that stands for two things in FROM");
}

TEST(Names, StarStandsForAllColumns) {
  EXPECT_EQ(outputs_of("SELECT * FROM s"), "s.a s.d");
  EXPECT_EQ(outputs_of("SELECT x.*, b FROM s x, r"), "s.a s.d r.b");
  EXPECT_EQ(outputs_of("SELECT * FROM r JOIN s USING (a)"), "r.a r.b r.c s.d");
  EXPECT_EQ(outputs_of("SELECT * FROM r RIGHT JOIN s USING (a)"), "r.b r.c s.a s.d");
  EXPECT_EQ(refusal("SELECT y.* FROM s x"), "byte 8: * of something that is not in FROM");
}

TEST(Names, UsingMakesAColumnOneAgain) {
  EXPECT_EQ(outputs_of("SELECT a FROM r JOIN s USING (a)"), "r.a");
  EXPECT_EQ(outputs_of("SELECT a, s.a FROM r RIGHT JOIN s USING (a)"), "s.a s.a");
  EXPECT_EQ(refusal("SELECT a FROM r JOIN s ON r.a = s.a"), "byte 8: a column that several relations have");
  EXPECT_EQ(refusal("SELECT 1 FROM r JOIN s USING (b)"), "a column that is not in FROM");
}

TEST(Names, GoThroughSubqueriesAndWith) {
  EXPECT_EQ(outputs_of("SELECT x.t FROM (SELECT town AS t FROM customer) x"), "customer.town");
  EXPECT_EQ(outputs_of("SELECT x.n FROM (SELECT a + d AS n FROM s) x"), "=s.a+s.d");
  EXPECT_EQ(outputs_of("SELECT v FROM (SELECT a FROM r) x(v)"), "r.a");
  EXPECT_EQ(outputs_of("WITH c AS (SELECT town FROM customer) SELECT p.town, q.town FROM c p, c q"),
            "customer.town customer.town");
  EXPECT_EQ(outputs_of("WITH r AS (SELECT town FROM customer) SELECT * FROM r"), "customer.town");
  EXPECT_EQ(outputs_of("SELECT * FROM (SELECT a FROM r UNION SELECT d FROM s) x"), "=r.a+s.d");
  EXPECT_EQ(refusal("SELECT a FROM (SELECT b FROM r) x"), "byte 8: a column that is not in FROM");
  EXPECT_EQ(refusal("SELECT (SELECT 1 FROM c) FROM (WITH c AS (SELECT a FROM r) SELECT a FROM c) x"),
            "byte 23: a relation that the schema does not have");
}

TEST(Names, OfTheQueryAroundASubquery) {
  const Statement statement = read("SELECT a FROM r WHERE EXISTS (SELECT 1 FROM s WHERE s.d = r.b AND c = 'x')");
  const Query& inner = *statement.query.where->query;
  EXPECT_EQ(name_of(statement, inner.where->operands[0].operands[1]), "r.b");
  EXPECT_EQ(name_of(statement, inner.where->operands[1].operands[0]), "r.c");
  EXPECT_NE(inner.block, statement.query.block);
  EXPECT_EQ(refusal("SELECT (SELECT 1 FROM s), d FROM r"), "byte 27: a column that is not in FROM");
}

TEST(Names, OfOutputsInOrderByAndGroupBy) {
  const auto key = [](std::string_view text) {
    const Statement statement = read(text);
    return name_of(statement, statement.query.order_by.empty() ? statement.query.group_by[0]
                                                               : statement.query.order_by[0].expression);
  };
  EXPECT_EQ(key("SELECT a AS b, b AS x FROM r ORDER BY b"), "r.a");  // the output goes first
  EXPECT_EQ(key("SELECT a AS b, b AS x FROM r GROUP BY b"), "r.b");  // the column goes first
  EXPECT_EQ(key("SELECT a AS z FROM r GROUP BY z"), "r.a");
  EXPECT_EQ(key("SELECT a, b FROM r ORDER BY 2"), "r.b");
  EXPECT_EQ(key("SELECT b FROM r UNION SELECT d FROM s ORDER BY b"), "=r.b+s.d");
  EXPECT_EQ(refusal("SELECT a FROM r ORDER BY 2"), "byte 26: the number of a column that there is not");
  EXPECT_EQ(refusal("SELECT a FROM r UNION SELECT d FROM s ORDER BY d"), "byte 48: a column that is not in FROM");
}

TEST(Joins, SayOfWhichRelationsTheyKeepOnlySome) {
  const auto restricted = [](std::string_view word) {
    return read("SELECT 1 FROM r " + std::string(word) + " s ON r.a = s.a").query.joins[0].restricted;
  };
  using Occurrences = std::vector<std::uint32_t>;
  EXPECT_EQ(restricted("JOIN"), (Occurrences{0, 1}));
  EXPECT_EQ(restricted("LEFT JOIN"), (Occurrences{1}));
  EXPECT_EQ(restricted("RIGHT JOIN"), (Occurrences{0}));
  EXPECT_EQ(restricted("FULL JOIN"), (Occurrences{}));
  const Statement statement = read("SELECT 1 FROM r LEFT JOIN s ON true");
  EXPECT_FALSE(statement.occurrences[0].is_optional);
  EXPECT_TRUE(statement.occurrences[1].is_optional);
}

TEST(Constants, HaveOneForm) {
  const auto constant = [](std::string_view text) {
    return read("SELECT " + std::string(text)).query.outputs[0].expression.constant.text;
  };
  EXPECT_EQ(constant("5.0"), "5");
  EXPECT_EQ(constant("-0.0"), "0");
  EXPECT_EQ(constant("- 5"), "-5");
  EXPECT_EQ(constant("1e3"), "1000");
  EXPECT_EQ(constant("E'a\\'b'"), "a'b");
  EXPECT_EQ(constant("$$a$$"), "a");
  EXPECT_EQ(constant("TRUE"), "true");
  EXPECT_EQ(refusal("SELECT 1e99999"), "byte 8: a number of too many digits");
}

struct Refused {
  const char* text;
  const char* why;
};

TEST(Refusals, SayConstructAndPlace) {
  for (const auto& [text, why] : std::initializer_list<Refused>{
           {"", "no statement"},
           {" ; ", "no statement"},
           {"SELECT 1; SELECT 2", "several statements"},
           {"SELEC secret", "byte 1: text that PostgreSQL does not parse"},
           {"SELECT 'secret", "byte 8: text that is no SQL"},
           {"INSERT INTO secret VALUES (1)", "a statement that is not SELECT"},
           {"DELETE FROM secret", "a statement that is not SELECT"},
           {"CREATE TABLE secret (a int)", "a statement that is not SELECT"},
           {"SELECT 1 INTO secret", "SELECT INTO"},
           {"VALUES (1)", "VALUES"},
           {"SELECT a FROM secret", "byte 15: a relation that the schema does not have"},
           {"SELECT secret FROM r", "byte 8: a column that is not in FROM"},
           {"SELECT a FROM r WHERE c = \"secret\"", "byte 27: a column that is not in FROM"},
           {"SELECT secret(a) FROM r", "byte 8: a function that is not on the list"},
           {"SELECT secret.lower(c) FROM r", "byte 8: a function that is not on the list"},
           {"SELECT a::secret FROM r", "byte 9: a type that is not on the list"},
           {"SELECT a::int[] FROM r", "byte 9: a type that is not on the list"},
           {"SELECT a <-> b FROM r", "byte 10: an operator that is not on the list"},
           {"SELECT a FROM secret.r", "byte 15: a relation with the name of a schema"},
           {"SELECT secret.r.a FROM r", "byte 8: a name of more than two parts"},
           {"SELECT $1", "byte 8: a parameter, whose value is not in the text"},
           {"SELECT ARRAY[1]", "an expression of a kind that is not on the list"},
           {"SELECT (a, b) FROM r", "an expression of a kind that is not on the list"},
           {"SELECT c COLLATE \"secret\" FROM r", "an expression of a kind that is not on the list"},
           {"SELECT CURRENT_USER", "byte 8: a function that is not on the list"},
           {"SELECT B'101'", "byte 8: a constant of a kind that is not on the list"},
           {"SELECT rank() FROM r", "byte 8: a window function without OVER"},
           {"SELECT rank() OVER w FROM r", "byte 20: a named window, or one with a frame"},
           {"SELECT sum(a) OVER (ORDER BY b ROWS 1 PRECEDING) FROM r", "byte 20: a named window, or one with a frame"},
           {"SELECT count(*) FILTER (WHERE a > 1) FROM r", "byte 8: FILTER"},
           {"SELECT string_agg(c, ',' ORDER BY a) FROM r", "byte 8: an aggregate with ORDER BY"},
           {"SELECT DISTINCT ON (a) a FROM r", "DISTINCT ON"},
           {"SELECT a FROM r GROUP BY ROLLUP (a)", "an expression of a kind that is not on the list"},
           {"SELECT a FROM r FOR UPDATE", "FOR UPDATE or another lock"},
           {"SELECT a FROM r ORDER BY a FETCH FIRST 1 ROW WITH TIES", "WITH TIES"},
           {"SELECT 1 FROM generate_series(1, 2)", "something in FROM that is no relation, subquery or join"},
           {"SELECT 1 FROM r TABLESAMPLE SYSTEM (1)", "something in FROM that is no relation, subquery or join"},
           {"SELECT 1 FROM r NATURAL JOIN s", "NATURAL JOIN"},
           {"SELECT 1 FROM r, LATERAL (SELECT r.a) x", "LATERAL"},
           {"SELECT 1 FROM ONLY r", "byte 20: ONLY"},
           {"WITH RECURSIVE x AS (SELECT 1) SELECT 1 FROM x", "byte 1: WITH RECURSIVE"},
           {"WITH x AS (DELETE FROM r RETURNING a) SELECT 1", "byte 6: a statement in WITH that is not SELECT"},
           {"SELECT a FROM r UNION SELECT a, d FROM s", "a set operation on different numbers of columns"},
           {"SELECT 1 FROM r WHERE a = 'secret'", "byte 25: a constant that does not fit the type of its attribute"},
           {"SELECT 1 FROM customer WHERE since > '1/2/03'",
            "byte 36: a constant that does not fit the type of its attribute"},
       }) {
    EXPECT_EQ(refusal(text), why) << text;
  }
}

TEST(Refusals, OfBytesThatAreNoText) {
  EXPECT_EQ(refusal(std::string_view("SELECT 1\0, 2", 12)), "byte 9: a NUL character");
  EXPECT_EQ(refusal("SELECT '\xC3'"), "byte 9: bytes that are not UTF-8");
  EXPECT_EQ(refusal("SELECT '\xED\xA0\x80'"), "byte 9: bytes that are not UTF-8");
  EXPECT_EQ(refusal("SELECT 'Ü' , secret FROM r"), "byte 15: a column that is not in FROM");
  EXPECT_EQ(refusal("SELECT 'ÜÜÜ' FROM FROM"), "byte 22: text that PostgreSQL does not parse");
}

TEST(Refusals, OfTextOnWhichTheParserWouldCrash) {
  const std::string tokens = "more than 10000 tokens";
  EXPECT_EQ(refusal("SELECT 1" + repeated("+1", 10'000)), tokens);
  EXPECT_EQ(refusal("SELECT 1" + repeated(" UNION SELECT 1", 10'000)), tokens);
  EXPECT_EQ(refusal("SELECT " + repeated("(", 100'000) + "1" + repeated(")", 100'000)), tokens);
  EXPECT_EQ(refusal("SELECT " + std::string(300 * 1024, '1')), "more than 256 KiB of text");
}

/// The deepest trees that the number of tokens allows: they need most stack.
TEST(Refusals, OfDeepTreesOfAsManyTokensAsThereMayBe) {
  const std::string levels = "more than 200 levels of nesting";
  EXPECT_EQ(refusal("SELECT 1" + repeated("+1", 4'999)), levels);
  EXPECT_EQ(refusal("SELECT " + repeated("NOT ", 9'900) + "true"), levels);
  EXPECT_EQ(refusal("SELECT " + repeated("- ", 9'900) + "a"), levels);
  EXPECT_EQ(refusal("SELECT 1" + repeated(" UNION SELECT 1", 3'332)), levels);
  EXPECT_EQ(refusal("SELECT a" + repeated(" IS NULL", 4'999)), levels);
  EXPECT_EQ(refusal("SELECT a" + repeated("::int", 4'999)), levels);
  EXPECT_EQ(refusal("SELECT 1 FROM a" + repeated(" JOIN a ON b", 2'498)), levels);
  EXPECT_EQ(refusal("SELECT " + repeated("f(", 3'332) + "1" + repeated(")", 3'332)), levels);
  for (const char* const open : {"(SELECT ", "CASE WHEN ", "(VALUES ((SELECT 1 FROM "}) {  // some are no SQL that deep
    EXPECT_NE(refusal("SELECT " + repeated(open, 4'900) + "1"), "none");
  }
  EXPECT_EQ(refusal("SELECT " + repeated("(SELECT ", 3'300) + "1" + repeated(")", 3'300)), levels);
}

TEST(Refusals, AlsoOnAShortStack) {
  EXPECT_EQ(refusal("SELECT " + repeated("NOT ", 300) + "true"), "more than 200 levels of nesting");  // parsed here
  EXPECT_EQ(refusal("SELECT 1" + repeated("+1", 90)), "none");
  EXPECT_EQ(refusal("SELECT " + repeated("(", 180) + "1" + repeated(")", 180)), "none");
}

TEST(Statements, MayBeNearlyAsDeepAsTheLimit) {
  EXPECT_EQ(refusal("SELECT a" + repeated(" + a", 190) + " FROM r"), "none");
  EXPECT_EQ(refusal("SELECT 1 FROM r WHERE " + repeated("NOT ", 190) + "a = 1"), "none");
  EXPECT_EQ(refusal("SELECT 1" + repeated(" UNION SELECT 1", 190)), "none");
  EXPECT_EQ(refusal("SELECT " + repeated("(SELECT ", 45) + "1" + repeated(")", 45)), "none");
}

TEST(Statements, LongListsAreNotDeep) {
  const Statement statement = read("SELECT 1 FROM r WHERE a IN (1" + repeated(",1", 4'000) + ") AND b > 2;");
  EXPECT_EQ(statement.query.where->operands[0].operands.size(), 4'002u);
}

}  // namespace
}  // namespace fugu::querylog
