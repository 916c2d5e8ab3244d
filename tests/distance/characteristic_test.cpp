// Tokens and features: what docs/concepts/query-distances.md says they are.
#include "fugu/distance/characteristic.hpp"

#include <gtest/gtest.h>

#include "distance/builders.hpp"

namespace fugu::querylog {
namespace {

using mining::Fraction;
using test::By;
using test::distance;
using test::features_of;
using test::Texts;
using test::tokens_of;

// --- tokens ---

TEST(Tokens, OfTheThesis) {
  EXPECT_EQ(tokens_of("SELECT a FROM r WHERE b > 5"), (Texts{"SELECT", "a", "FROM", "r", "WHERE", "b > 5"}));
}

TEST(Tokens, DoNotDependOnHowTheTextIsWritten) {
  const Texts expected = tokens_of("SELECT a FROM r WHERE b > 5");
  for (const char* const same : {"select A from R where ((B > 5))", "SELECT r.a FROM r WHERE 5 < r.b;",
                                 "SELECT x.a AS y FROM r AS x WHERE x.b > 5.0", "SELECT a -- b\nFROM r WHERE b > '5'",
                                 "SELECT a FROM r WHERE \"b\" > 5e0"}) {
    EXPECT_EQ(tokens_of(same), expected) << same;
  }
}

TEST(Tokens, OfEveryClause) {
  EXPECT_EQ(tokens_of("SELECT DISTINCT town, count(*) FROM customer GROUP BY town HAVING sum(debts) > 3 "
                      "ORDER BY 2 DESC LIMIT 10 OFFSET 5"),
            (Texts{"SELECT", "DISTINCT", "town", "function count", "*", "FROM", "customer", "GROUP BY", "HAVING",
                   "function sum", "debts", ">", "3", "ORDER BY", "DESC", "LIMIT", "10", "OFFSET", "5"}));
  EXPECT_EQ(tokens_of("SELECT * FROM r LEFT JOIN s ON r.a = s.a AND NOT c LIKE 'x%'"),
            (Texts{"SELECT", "*", "FROM", "r", "s", "LEFT JOIN", "ON", "AND", "NOT", "a = a", "c LIKE 'x%"}));
  EXPECT_EQ(tokens_of("SELECT a FROM r UNION ALL SELECT d FROM s"),
            (Texts{"SELECT", "a", "d", "FROM", "r", "s", "UNION ALL"}));
  EXPECT_EQ(tokens_of("WITH x AS (SELECT a FROM r) SELECT y.a FROM x y WHERE y.a IN (SELECT d FROM s)"),
            (Texts{"WITH", "SELECT", "FROM", "r", "a", "WHERE", "IN", "d", "s"}));
}

TEST(Tokens, OfWindows) {
  EXPECT_EQ(tokens_of("SELECT rank() OVER (PARTITION BY c ORDER BY a DESC) FROM r"),
            (Texts{"SELECT", "OVER", "function rank", "PARTITION BY", "c", "ORDER BY", "DESC", "a", "FROM", "r"}));
  EXPECT_EQ(features_of("SELECT sum(b) OVER (PARTITION BY c ORDER BY a DESC) FROM r"),
            (Texts{"SELECT r.a", "SELECT r.b", "SELECT r.c", "FROM r"}));  // not of a group
}

TEST(Tokens, OfFromAlsoWhereItNamesNoRelation) {
  EXPECT_EQ(tokens_of("WITH x AS (SELECT 1 AS n) SELECT n FROM x"), (Texts{"WITH", "SELECT", "1", "FROM"}));
}

TEST(Tokens, PredicatesOfOtherForms) {
  EXPECT_EQ(tokens_of("SELECT 1 WHERE 1 = 1 OR NULL"), (Texts{"SELECT", "1", "WHERE", "=", "OR", "NULL"}));
  const std::string start = "SELECT 1 FROM r WHERE ";
  const auto predicate = [&](const std::string& condition) {
    Texts tokens = tokens_of(start + condition);
    for (const char* const other : {"SELECT", "1", "FROM", "r", "WHERE"}) tokens.erase(other);
    return tokens;
  };
  EXPECT_EQ(predicate("a IN (3, 1, 3.0)"), (Texts{"a IN 1 3"}));
  EXPECT_EQ(predicate("a BETWEEN 3 AND 1"), (Texts{"a BETWEEN 3 1"}));
  EXPECT_EQ(predicate("b IS NOT NULL"), (Texts{"b IS NOT NULL"}));
  EXPECT_EQ(predicate("b > a"), (Texts{"a < b"}));
  EXPECT_EQ(predicate("CAST(c AS integer) = '07'"), (Texts{"c CAST integer = 7"}));
  EXPECT_EQ(predicate("a + 1 = 2"), (Texts{"=", "+", "a", "2"}));  // the 1 is a token of SELECT as well
  EXPECT_EQ(predicate("lower(c) = 'x'"), (Texts{"=", "function lower", "c", "'x"}));
}

// An attribute and a relation of one name, a number and a text of one writing: the role tells them apart.
TEST(Tokens, CarryTheirRole) {
  EXPECT_EQ(distance(By::token, "SELECT town FROM town", "SELECT town FROM customer"), (Fraction{2, 5}));
  EXPECT_NE(distance(By::token, "SELECT '5'", "SELECT 5"), (Fraction{0, 1}));
}

/// What tokens without roles would give: the texts alone.
Fraction without_roles(std::string_view a, std::string_view b, const Schema& schema) {
  const Texts first = test::tokens_of(a, schema);
  const Texts second = test::tokens_of(b, schema);
  std::uint32_t common = 0;
  for (const std::string& text : first) common += second.contains(text) ? 1 : 0;
  const auto all = static_cast<std::uint32_t>(first.size() + second.size()) - common;
  return {all - common, all};
}

// Encryption depends on the role, so `town` becomes two names. With roles that changes no distance.
TEST(Tokens, KeepTheirDistanceUnderNewNamesAndWithoutRolesDoNot) {
  const auto renamed = Schema::from_text("s", "CREATE TABLE r1 (a1 varchar(9)); CREATE TABLE r2 (a1 varchar(9));");
  ASSERT_TRUE(renamed);
  const Fraction encrypted = distance(By::token, "SELECT a1 FROM r1", "SELECT a1 FROM r2", *renamed);
  EXPECT_EQ(distance(By::token, "SELECT town FROM town", "SELECT town FROM customer"), encrypted);
  // `town` and `town` as texts are one token: 1/4 in plain text, 2/5 encrypted.
  EXPECT_EQ(without_roles("SELECT town FROM town", "SELECT town FROM customer", test::shop()), (Fraction{1, 4}));
  EXPECT_EQ(without_roles("SELECT a1 FROM r1", "SELECT a1 FROM r2", *renamed), (Fraction{2, 5}));
}

// --- features ---

TEST(Features, OfTheThesis) {
  EXPECT_EQ(features_of("SELECT a FROM r WHERE b > 5"), (Texts{"SELECT r.a", "FROM r", "WHERE r.b", "WHERE r.b >"}));
  EXPECT_EQ(distance(By::structure, "SELECT a FROM r WHERE b > 5", "SELECT a FROM r WHERE b < 5"), (Fraction{2, 5}));
}

TEST(Features, HaveNoConstants) {
  EXPECT_EQ(distance(By::structure, "SELECT a FROM r WHERE b > 5 LIMIT 3", "SELECT a FROM r WHERE b > 6"),
            (Fraction{0, 1}));
  const auto inner = [](const char* constant) {
    return "SELECT a FROM r WHERE a IN (SELECT a FROM s WHERE d = " + std::string(constant) + ")";
  };
  EXPECT_EQ(distance(By::structure, inner("1"), inner("2")), (Fraction{0, 1}));
}

TEST(Features, OfEveryClause) {
  EXPECT_EQ(
      features_of("SELECT town, count(*), sum(debts) FROM customer GROUP BY town HAVING max(since) > '2020-01-01' "
                  "ORDER BY town"),
      (Texts{"SELECT customer.town", "SELECT count *", "SELECT customer.debts", "SELECT sum customer.debts",
             "FROM customer", "GROUP BY customer.town", "HAVING customer.since", "HAVING max customer.since",
             "ORDER BY customer.town"}));
  EXPECT_EQ(features_of("SELECT * FROM s JOIN r ON s.a = r.a"),
            (Texts{"SELECT s.a", "SELECT s.d", "SELECT r.a", "SELECT r.b", "SELECT r.c", "FROM s", "FROM r",
                   "WHERE r.a", "WHERE s.a", "WHERE r.a = s.a"}));
  EXPECT_EQ(features_of("SELECT * FROM s"), features_of("SELECT d, a FROM s"));
  EXPECT_EQ(features_of("SELECT a FROM r INTERSECT SELECT a FROM s"),
            (Texts{"SELECT r.a", "SELECT s.a", "FROM r", "FROM s", "INTERSECT"}));
}

TEST(Features, OfSubqueries) {
  EXPECT_EQ(features_of("SELECT a FROM r WHERE a IN (SELECT d FROM s)"),
            (Texts{"SELECT r.a", "FROM r", "WHERE r.a", "subquery IN ( FROM s ) ( SELECT s.d )"}));
  EXPECT_EQ(features_of("SELECT a FROM r WHERE a = ANY (SELECT d FROM s)"),
            features_of("SELECT a FROM r WHERE a IN (SELECT d FROM s)"));
  EXPECT_EQ(features_of("SELECT a FROM r WHERE a > SOME (SELECT d FROM s)"),
            features_of("SELECT a FROM r WHERE a > ANY (SELECT d FROM s)"));
  // One that stands for a value, and one in FROM, is a part of the query like any other.
  EXPECT_EQ(features_of("SELECT (SELECT d FROM s) FROM r"), (Texts{"SELECT s.d", "FROM s", "FROM r"}));
  EXPECT_EQ(features_of("SELECT x.n FROM (SELECT a + b AS n FROM r WHERE c = 'z') x WHERE x.n > 3"),
            (Texts{"SELECT r.a", "SELECT r.b", "FROM r", "WHERE r.c", "WHERE r.c =", "WHERE r.a", "WHERE r.b",
                   "WHERE r.a r.b >"}));
}

TEST(Features, OfAnEqualityDoNotDependOnSides) {
  const Texts expected = features_of("SELECT 1 FROM r, s WHERE r.a = s.a");
  EXPECT_EQ(features_of("SELECT 1 FROM s, r WHERE s.a = r.a"), expected);
  EXPECT_EQ(features_of("SELECT 1 FROM s JOIN r USING (a)"), expected);
  EXPECT_EQ(features_of("SELECT 1 FROM r x, r y WHERE x.a < y.b"),
            features_of("SELECT 1 FROM r x, r y WHERE y.b > x.a"));
  EXPECT_EQ(features_of("SELECT 1 FROM r x, r y WHERE x.a < y.a"),
            features_of("SELECT 1 FROM r x, r y WHERE x.a > y.a"));
}

TEST(Features, OfNothingAreEqual) {
  EXPECT_EQ(features_of("SELECT 1"), Texts{});
  EXPECT_EQ(distance(By::structure, "SELECT 1", "SELECT 2 LIMIT 5"), (Fraction{0, 1}));
  EXPECT_EQ(distance(By::structure, "SELECT 1", "SELECT a FROM r"), (Fraction{1, 1}));
}

}  // namespace
}  // namespace fugu::querylog
