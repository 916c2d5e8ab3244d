#include "fugu/report/scale.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace {

using fugu::report::drawable;
using fugu::report::Interval;
using fugu::report::LinearScale;
using fugu::report::nice_domain;
using fugu::report::nice_ticks;

std::vector<std::string> labels(Interval domain, int count_max) {
  std::vector<std::string> labels;
  for (const auto& tick : nice_ticks(domain, count_max)) labels.push_back(tick.label);
  return labels;
}

using Labels = std::vector<std::string>;

TEST(Scale, MapsDomainToRange) {
  const LinearScale scale({10.0, 20.0}, {400.0, 0.0});
  EXPECT_EQ(scale(10.0), 400.0);
  EXPECT_EQ(scale(20.0), 0.0);
  EXPECT_EQ(scale(15.0), 200.0);
}

TEST(Ticks, AreRoundAndLabelledAlike) {
  EXPECT_EQ(labels({0.0, 1.0}, 6), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels({-7.0, 12.0}, 5), (Labels{"−5", "0", "5", "10"}));
  EXPECT_EQ(labels({0.0, 399.0}, 5), (Labels{"0", "100", "200", "300"}));
  EXPECT_EQ(labels({0.0, 1.0e5}, 3), (Labels{"0", "50k", "100k"}));
  EXPECT_EQ(labels({0.0, 2.0e6}, 5), (Labels{"0", "0.5M", "1.0M", "1.5M", "2.0M"}));
  EXPECT_EQ(labels({0.0, 5.0e-4}, 3), (Labels{"0", "5×10⁻⁴"}));
  EXPECT_EQ(labels({0.0, 4.0e-4}, 3), (Labels{"0", "2×10⁻⁴", "4×10⁻⁴"}));
}

TEST(Ticks, NiceDomainEndsOnTicks) {
  EXPECT_EQ(nice_domain({-214.0, 1000.0}, 9), (Interval{-400.0, 1000.0}));
  EXPECT_EQ(nice_domain({0.03, 0.97}, 7), (Interval{0.0, 1.0}));
}

TEST(Ticks, NothingToShowStillGivesAnAxis) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(drawable({nan, nan}), (Interval{0.0, 1.0}));
  EXPECT_EQ(drawable({infinity, -infinity}), (Interval{0.0, 1.0}));
  EXPECT_EQ(drawable({0.0, 0.0}), (Interval{-1.0, 1.0}));
  EXPECT_EQ(drawable({50.0, 50.0}), (Interval{45.0, 55.0}));
}

RC_GTEST_PROP(Ticks, AreOrderedDistinctAndInside, ()) {
  const double centre = *rc::gen::inRange(-1'000'000, 1'000'000) * std::pow(10.0, *rc::gen::inRange(-30, 30));
  const double width = *rc::gen::inRange(0, 1'000'000) * std::pow(10.0, *rc::gen::inRange(-30, 30));
  const int count_max = *rc::gen::inRange(3, 20);
  const Interval domain = nice_domain({centre, centre + width}, count_max);
  const auto ticks = nice_ticks(domain, count_max);
  RC_ASSERT(domain.lo <= centre + 1e-6 * domain.width());
  RC_ASSERT(domain.hi >= centre + width - 1e-6 * domain.width());
  RC_ASSERT(ticks.size() >= 2U);
  RC_ASSERT(ticks.size() <= static_cast<std::size_t>(count_max));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (i > 0) RC_ASSERT(ticks[i].value > ticks[i - 1].value);
    RC_ASSERT(seen.insert(ticks[i].label).second);
  }
}

RC_GTEST_PROP(Ticks, SurviveAnyDoubles, (double lo, double hi)) {
  const int count_max = *rc::gen::inRange(2, 20);
  RC_ASSERT(nice_ticks({lo, hi}, count_max).size() <= static_cast<std::size_t>(count_max));
}

}  // namespace
