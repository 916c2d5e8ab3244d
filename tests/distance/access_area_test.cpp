// Access areas, against small examples and against every row of a small relation.
#include "fugu/distance/access_area.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "distance/builders.hpp"

namespace fugu::querylog {
namespace {

using mining::Fraction;
using test::areas_of;
using test::By;
using test::distance;
using test::Texts;

std::string area_where(const std::string& condition) {
  const Texts areas = areas_of("SELECT 1 FROM customer WHERE " + condition);
  return areas.empty() ? "none" : *areas.begin();
}

TEST(Areas, AreOfClosedIntervalsWhereThereIsANextValue) {
  EXPECT_EQ(area_where("customer_id > 5"), "customer.customer_id: [6, 2147483648)");
  EXPECT_EQ(area_where("customer_id >= 6"), area_where("customer_id > 5"));
  EXPECT_EQ(area_where("customer_id > 5.5"), area_where("customer_id > 5"));
  EXPECT_EQ(area_where("customer_id = 5.5"), "customer.customer_id: nothing");
  EXPECT_EQ(area_where("customer_id <> 3 AND customer_id BETWEEN 2 AND 4"), "customer.customer_id: [2, 3) [4, 5)");
  EXPECT_EQ(area_where("customer_id IN (1, 2, 3)"), "customer.customer_id: [1, 4)");
  EXPECT_EQ(area_where("debts > 1"), "customer.debts: [1.01, 1000000)");
  EXPECT_EQ(area_where("since >= '1970-01-03' AND since <= '1970-01-04'"), "customer.since: [2, 4)");
  EXPECT_EQ(area_where("active"), "customer.active: [1, 2)");
  EXPECT_EQ(area_where("NOT active"), area_where("active = false"));
}

TEST(Areas, KeepOpenAndClosedEndsApartElsewhere) {
  EXPECT_EQ(area_where("town > 'a' AND town <= 'b'"), "customer.town: ('a', 'b']");
  EXPECT_EQ(area_where("town LIKE 'ab%'"), "customer.town: ['ab', 'ac')");
  EXPECT_EQ(area_where("town LIKE 'ab'"), area_where("town = 'ab'"));
  EXPECT_EQ(area_where("town LIKE '%b' OR town LIKE 'a_'"), "customer.town: (-∞, ∞)");
  const Texts price = areas_of("SELECT 1 FROM purchase WHERE price < 2.5 OR price >= 3");
  EXPECT_EQ(*price.begin(), "purchase.price: (-∞, 2.5) [3, ∞)");
}

TEST(Areas, AndNull) {
  EXPECT_EQ(area_where("town IS NULL"), "customer.town: NULL");
  EXPECT_EQ(area_where("town IS NOT NULL"), "customer.town: (-∞, ∞)");
  EXPECT_EQ(area_where("town = NULL"), "customer.town: nothing");
  EXPECT_EQ(area_where("town NOT IN ('a', NULL)"), "customer.town: nothing");
  EXPECT_EQ(area_where("customer_id IS NULL"), "customer.customer_id: nothing");  // it cannot be
  EXPECT_EQ(area_where("NOT (town = 'a' OR town IS NULL)"), "customer.town: (-∞, 'a') ('a', ∞)");
}

TEST(Areas, OfCasts) {
  EXPECT_EQ(area_where("CAST(customer_id AS bigint) > 5"), area_where("customer_id > 5"));
  EXPECT_EQ(area_where("CAST(town AS integer) > 5"), "customer.town: (-∞, ∞)");
  EXPECT_EQ(*areas_of("SELECT 1 FROM purchase WHERE CAST(at AS date) = cast('1970-01-02' AS date)").begin(),
            "purchase.at: [86400000000, 172800000000)");
}

TEST(Areas, AreOfAttributesThatFilterJoinGroupOrSort) {
  EXPECT_EQ(areas_of("SELECT firstname, count(debts) FROM customer"), Texts{});
  EXPECT_EQ(areas_of("SELECT 1 FROM s GROUP BY a HAVING min(d) > 3 ORDER BY a"),
            (Texts{"s.a: [-2147483648, 2147483648)", "s.d: [-2147483648, 2147483648) NULL"}));
  EXPECT_EQ(areas_of("SELECT 1 FROM s GROUP BY d HAVING d > 3"), (Texts{"s.d: [4, 2147483648)"}));
  EXPECT_EQ(areas_of("SELECT 1 FROM r, s WHERE r.b = s.d AND r.b > 3"),
            (Texts{"r.b: [4, 2147483648)", "s.d: [-2147483648, 2147483648)"}));
}

TEST(Areas, OfOuterJoins) {
  const auto joined = [](const std::string& end) { return areas_of("SELECT 1 FROM r LEFT JOIN s ON " + end); };
  EXPECT_EQ(joined("r.b > 3"), (Texts{"r.b: [-2147483648, 2147483648) NULL"}));  // keeps all rows of r
  EXPECT_EQ(joined("s.d > 3"), (Texts{"s.d: [4, 2147483648)"}));
  EXPECT_EQ(areas_of("SELECT 1 FROM r LEFT JOIN s ON true JOIN town ON s.d IS NULL"),
            (Texts{"s.d: [-2147483648, 2147483648) NULL"}));
  EXPECT_EQ(joined("true WHERE s.d > 3"), (Texts{"s.d: [4, 2147483648)"}));
  EXPECT_EQ(joined("true WHERE s.d IS NULL"), (Texts{"s.d: [-2147483648, 2147483648) NULL"}));  // or no row of s
}

TEST(Areas, OfARelationThatIsNamedTwiceAreUnited) {
  EXPECT_EQ(areas_of("SELECT 1 FROM s WHERE d = 1 UNION SELECT 1 FROM s WHERE d = 5"), (Texts{"s.d: [1, 2) [5, 6)"}));
  EXPECT_EQ(areas_of("SELECT 1 FROM s x, s y WHERE x.d = 1 AND y.d = 5"), (Texts{"s.d: [1, 2) [5, 6)"}));
  EXPECT_EQ(areas_of("SELECT 1 FROM r WHERE EXISTS (SELECT 1 FROM s WHERE d = r.a AND d < 4)"),
            (Texts{"r.a: [-2147483648, 2147483648)", "s.d: [-2147483648, 4)"}));
  // What is filtered outside of a subquery restricts nothing inside.
  EXPECT_EQ(areas_of("SELECT 1 FROM (SELECT d FROM s LIMIT 1) x WHERE x.d = 5"),
            (Texts{"s.d: [-2147483648, 2147483648) NULL"}));
}

// --- the distance ---

const Schema& tiny() {
  static const auto schema = Schema::from_text(
      "s", "CREATE TABLE t (a integer CHECK (a >= 0 AND a < 5), b integer CHECK (b IN (0, 1, 2, 3, 4)))");
  return *schema;
}

TEST(AccessAreaDistance, OfTheThesis) {
  const std::string q1 = "SELECT * FROM t WHERE a > 5";
  const std::string q2 = "SELECT * FROM t WHERE a > 3";
  const auto schema = [](const char* check) {
    return *Schema::from_text("s", "CREATE TABLE t (a integer CHECK (a BETWEEN " + std::string(check) + "))");
  };
  EXPECT_EQ(distance(By::access_area, q1, q2, schema("0 AND 100")), (Fraction{1, 2}));
  EXPECT_EQ(distance(By::access_area, q1, q2, schema("10 AND 100")), (Fraction{0, 1}));
}

TEST(AccessAreaDistance, CountsEqualOverlappingAndOther) {
  const auto d = [](const char* a, const char* b) {
    const std::string start = "SELECT 1 FROM r WHERE ";
    return distance(By::access_area, start + a, start + b);
  };
  EXPECT_EQ(d("a > 5", "a >= 6"), (Fraction{0, 1}));
  EXPECT_EQ(d("a > 5", "a < 7"), (Fraction{1, 2}));
  EXPECT_EQ(d("a > 5", "a < 6"), (Fraction{1, 1}));
  EXPECT_EQ(d("a = 1 AND b = 1", "a = 1 AND b = 2"), (Fraction{1, 2}));
  EXPECT_EQ(d("a = 1 AND a = 2", "a > 3 AND a < 3"), (Fraction{0, 1}));  // both read nothing
}

// An order-preserving encryption knows of no next value: with ciphertexts for 5 and 6 the integers would be as far
// apart as floating point is. So areas are put into closed intervals before.
TEST(AccessAreaDistance, KnowsTheNextInteger) {
  const auto d = [](const std::string& attribute) {
    const std::string start = "SELECT 1 FROM purchase WHERE " + attribute;
    return distance(By::access_area, start + " > 5", start + " >= 6");
  };
  EXPECT_EQ(d("item"), (Fraction{0, 1}));
  EXPECT_EQ(d("price"), (Fraction{1, 2}));
}

TEST(AccessAreaDistance, OfAttributesThatOneQueryLacks) {
  EXPECT_EQ(distance(By::access_area, "SELECT 1", "SELECT a FROM r"), (Fraction{0, 1}));  // none in either
  EXPECT_EQ(distance(By::access_area, "SELECT 1 FROM r WHERE a = 1", "SELECT a FROM r"), (Fraction{1, 2}));
  EXPECT_EQ(distance(By::access_area, "SELECT 1 FROM r WHERE a = 1", "SELECT a FROM s"), (Fraction{1, 1}));
  EXPECT_EQ(distance(By::access_area, "SELECT 1 FROM r ORDER BY a", "SELECT a FROM r"), (Fraction{0, 1}));
}

TEST(AccessAreaDistance, TakesAnotherOverlap) {
  const Domains domains(test::shop());
  const auto areas = [&](const char* text) { return access_areas(test::read(text), test::shop(), domains); };
  const std::vector<AccessAreas> all = {areas("SELECT 1 FROM r WHERE a > 5 AND b = 1"),
                                        areas("SELECT 1 FROM r WHERE a > 6 AND b = 2")};
  EXPECT_EQ(access_area_distance(all[0], all[1], domains, {1, 3}), (Fraction{4, 6}));
  EXPECT_EQ(access_area_distances(all, domains, {1, 3}).fraction(0, 1), (Fraction{2, 3}));
}

// So many areas of one attribute that they are compared anew for each pair.
TEST(AccessAreaDistance, OfManyDifferentAreas) {
  const Domains domains(tiny());
  std::vector<AccessAreas> queries;
  for (int i = 0; i < 1100; ++i) {
    const Area area = Area::above(tiny().column({0, 0}).type, Value(DecimalNumber(i)), true);
    queries.push_back({.relations = {0}, .areas = {{{0, 0}, i % 7 == 0 ? Area::null() : area}}});
  }
  const auto matrix = access_area_distances(queries, domains);
  for (std::size_t a = 0; a < queries.size(); a += 13) {
    for (std::size_t b = 0; b < a; ++b) {
      ASSERT_EQ(matrix.fraction(a, b), access_area_distance(queries[a], queries[b], domains));
    }
  }
}

// The page says so: 1/4 + 1/4 < 1. Indexes for metrics must not be built on it.
TEST(AccessAreaDistance, IsNoMetric) {
  const char* const x = "SELECT 1 FROM s WHERE a = 1";
  const char* const y = "SELECT 1 FROM s ORDER BY d";
  const char* const z = "SELECT 1 FROM s WHERE a = 2";
  EXPECT_EQ(distance(By::access_area, x, y), (Fraction{1, 4}));
  EXPECT_EQ(distance(By::access_area, y, z), (Fraction{1, 4}));
  EXPECT_EQ(distance(By::access_area, x, z), (Fraction{1, 1}));
}

// --- every row of a small relation: code of its own, which evaluates conditions as SQL says ---

using Cell = std::optional<int>;  // nothing: NULL
using Truth = std::optional<bool>;

struct Condition {
  std::string text;
  std::function<Truth(Cell a, Cell b)> holds;
};

Truth truth_and(Truth x, Truth y) {
  if (x == false || y == false) return false;
  if (!x || !y) return std::nullopt;
  return true;
}
Truth truth_not(Truth x) { return x ? Truth(!*x) : std::nullopt; }

Condition predicate(bool on_a) {
  const std::string name = on_a ? "a" : "b";
  const int c = *rc::gen::inRange(-1, 6);
  const int d = *rc::gen::inRange(-1, 6);
  const std::string text_c = std::to_string(c);
  const auto of = [on_a](auto compare) {
    return [on_a, compare](Cell a, Cell b) -> Truth {
      const Cell x = on_a ? a : b;
      return x ? Truth(compare(*x)) : std::nullopt;
    };
  };
  switch (*rc::gen::inRange(0, 9)) {
    case 0: return {name + " < " + text_c, of([c](int x) { return x < c; })};
    case 1: return {text_c + " <= " + name, of([c](int x) { return c <= x; })};
    case 2: return {name + " = " + text_c, of([c](int x) { return x == c; })};
    case 3: return {name + " <> " + text_c + ".0", of([c](int x) { return x != c; })};
    case 4: return {name + " > " + text_c + ".5", of([c](int x) { return x > c + 0.5; })};
    case 5:
      return {name + " BETWEEN " + text_c + " AND " + std::to_string(d),
              of([c, d](int x) { return x >= c && x <= d; })};
    case 6:
      return {name + " NOT IN (" + text_c + ", '" + std::to_string(d) + "')",
              of([c, d](int x) { return x != c && x != d; })};
    case 7: return {name + " IS NULL", [on_a](Cell a, Cell b) -> Truth { return !(on_a ? a : b); }};
    default: return {name + " >= NULL", [](Cell, Cell) -> Truth { return std::nullopt; }};
  }
}

Condition condition(int depth, bool with_b) {
  const int kind = depth == 0 ? 0 : *rc::gen::inRange(0, 4);
  if (kind == 0) return predicate(!with_b || *rc::gen::arbitrary<bool>());
  const Condition x = condition(depth - 1, with_b);
  if (kind == 1) return {"NOT (" + x.text + ")", [x](Cell a, Cell b) { return truth_not(x.holds(a, b)); }};
  const Condition y = condition(depth - 1, with_b);
  if (kind == 2) {
    return {"(" + x.text + ") AND (" + y.text + ")",
            [x, y](Cell a, Cell b) { return truth_and(x.holds(a, b), y.holds(a, b)); }};
  }
  return {"(" + x.text + ") OR (" + y.text + ")",
          [x, y](Cell a, Cell b) { return truth_not(truth_and(truth_not(x.holds(a, b)), truth_not(y.holds(a, b)))); }};
}

const std::vector<Cell> kCells = {std::nullopt, 0, 1, 2, 3, 4};

/// The cells of `a` in rows that meet a condition.
std::set<Cell> cells_of_a(const Condition& condition) {
  std::set<Cell> result;
  for (const Cell a : kCells) {
    for (const Cell b : kCells) {
      if (condition.holds(a, b) == true) result.insert(a);
    }
  }
  return result;
}

std::set<Cell> cells_in(const Area& area) {
  const Type& type = tiny().column({0, 0}).type;
  std::set<Cell> result;
  for (const Cell cell : kCells) {
    const Area one = cell ? Area::equal_to(type, Value(DecimalNumber(*cell))) : Area::null();
    if (!one.intersected(area).is_empty()) result.insert(cell);
  }
  return result;
}

AccessAreas areas_by(const Condition& condition) {
  return access_areas(test::read("SELECT 1 FROM t WHERE " + condition.text, tiny()), tiny(), Domains(tiny()));
}

RC_GTEST_PROP(AreasOfEveryRow, AreExactWithOneAttribute, ()) {
  const Condition any = condition(4, false);
  const AccessAreas areas = areas_by(any);
  RC_ASSERT(areas.areas.size() == 1u);
  RC_ASSERT(cells_in(areas.areas.at({0, 0})) == cells_of_a(any));
}

RC_GTEST_PROP(AreasOfEveryRow, AreNeverTooSmallWithTwo, ()) {
  const Condition any = condition(3, true);
  const AccessAreas areas = areas_by(any);
  RC_PRE(areas.areas.contains({0, 0}));
  const std::set<Cell> found = cells_in(areas.areas.at({0, 0}));
  for (const Cell cell : cells_of_a(any)) RC_ASSERT(found.contains(cell));
}

RC_GTEST_PROP(AreasOfEveryRow, GiveTheDistanceOfTheThesis, ()) {
  const Condition x = condition(3, false);
  const Condition y = condition(3, false);
  const std::set<Cell> cells_x = cells_of_a(x);
  const std::set<Cell> cells_y = cells_of_a(y);
  const bool overlap = std::ranges::any_of(cells_x, [&](Cell cell) { return cells_y.contains(cell); });
  const Fraction expected = cells_x == cells_y ? Fraction{0, 1} : overlap ? Fraction{1, 2} : Fraction{1, 1};
  const Domains domains(tiny());
  RC_ASSERT(access_area_distance(areas_by(x), areas_by(y), domains) == expected);
}

RC_GTEST_PROP(AccessAreaDistance, IsSymmetricAndBounded, ()) {
  const AccessAreas x = areas_by(condition(2, true));
  const AccessAreas y = areas_by(condition(2, true));
  const Domains domains(tiny());
  const Fraction d = access_area_distance(x, y, domains);
  RC_ASSERT(d == access_area_distance(y, x, domains));
  RC_ASSERT(!(Fraction{1, 1} < d));
  RC_ASSERT(access_area_distance(x, x, domains) == (Fraction{0, 1}));
}

}  // namespace
}  // namespace fugu::querylog
