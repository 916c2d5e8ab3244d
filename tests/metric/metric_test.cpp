#include "fugu/metric/metric.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace {

using fugu::ErrorAccumulator;
using fugu::quantiles;

ErrorAccumulator accumulator(double sanity_bound) { return *ErrorAccumulator::make({.sanity_bound = sanity_bound}); }

TEST(Errors, MatchAHandComputedExample) {
  auto errors = accumulator(2.0);
  errors.add(10.0, 13.0);          // 3, relative 3/10
  errors.add(1.0, 0.0);            // 1, relative 1/2: the sanity bound
  errors.add(-4.0, -8.0);          // 4, relative 4/4
  errors.add(std::nullopt, 99.0);  // skipped
  errors.add(0.0, 0.0);            // 0
  const auto summary = errors.summary();
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->slots, 4);
  EXPECT_EQ(summary->slots_skipped, 1);
  EXPECT_DOUBLE_EQ(summary->mae, 2.0);
  EXPECT_DOUBLE_EQ(summary->rmse, std::sqrt(26.0 / 4.0));
  EXPECT_DOUBLE_EQ(summary->mre, (0.3 + 0.5 + 1.0) / 4.0);
}

TEST(Errors, NothingToCompareGivesNoSummary) {
  auto errors = accumulator(1.0);
  EXPECT_FALSE(errors.summary().has_value());
  errors.add(std::nullopt, 1.0);
  EXPECT_FALSE(errors.summary().has_value());
}

TEST(Errors, NeedAPositiveSanityBound) {
  for (const double bound : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto made = ErrorAccumulator::make({.sanity_bound = bound});
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().cause, fugu::Cause::usage);
  }
}

TEST(Errors, SmallErrorsAfterALargeOneAreNotLost) {
  auto errors = accumulator(1.0);
  errors.add(0.0, 1e16);
  for (int slot = 0; slot < 1'000'000; ++slot) errors.add(0.0, 1.0);
  EXPECT_EQ(errors.summary()->mae * 1'000'001.0, 1e16 + 1e6);  // a plain sum gives 1e16
}

RC_GTEST_PROP(Errors, MeanAbsoluteIsAtMostRootMeanSquare, (const std::vector<std::pair<int, int>>& slots)) {
  auto errors = accumulator(0.5);
  for (const auto& [truth, released] : slots) errors.add(truth, released);
  const auto summary = errors.summary();
  RC_PRE(summary.has_value());
  RC_ASSERT(summary->mae <= summary->rmse);
  RC_ASSERT(summary->mae >= 0.0);
  RC_ASSERT(summary->mre <= summary->mae / 0.5 * (1.0 + 1e-12));
}

TEST(StableSum, SurvivesCancellation) {
  fugu::StableSum sum;
  for (const double term : {1.0, 1e100, 1.0, -1e100}) sum.add(term);
  EXPECT_EQ(sum.value(), 2.0);
}

TEST(Quantiles, InterpolateLikeType7) {
  const std::array probabilities = {0.0, 0.25, 0.5, 0.75, 0.9, 1.0};
  const auto result = quantiles({4.0, 1.0, 3.0, 2.0}, probabilities);
  ASSERT_TRUE(result.has_value());
  const std::vector<double> expected = {1.0, 1.75, 2.5, 3.25, 3.7, 4.0};  // R: quantile(1:4, …)
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR((*result)[i], expected[i], 1e-12);
}

TEST(Quantiles, OfOneValueAreThatValue) {
  const std::array probabilities = {0.0, 0.3, 1.0};
  EXPECT_EQ(*quantiles({7.0}, probabilities), (std::vector<double>{7.0, 7.0, 7.0}));
}

TEST(Quantiles, RefuseWhatMakesNoSense) {
  const std::array half = {0.5};
  const std::array beyond = {1.5};
  const std::array nan = {std::nan("")};
  EXPECT_FALSE(quantiles({}, half).has_value());
  EXPECT_FALSE(quantiles({std::nan("")}, half).has_value());
  EXPECT_FALSE(quantiles({1.0}, beyond).has_value());
  EXPECT_FALSE(quantiles({1.0}, nan).has_value());
}

RC_GTEST_PROP(Quantiles, AreMonotoneAndInRange, (std::vector<int> integers)) {
  RC_PRE(!integers.empty());
  const std::vector<double> values(integers.begin(), integers.end());
  std::vector<double> probabilities;
  for (int i = 0; i <= 20; ++i) probabilities.push_back(i / 20.0);
  const auto result = quantiles(values, probabilities);
  RC_ASSERT(result.has_value());
  RC_ASSERT(std::ranges::is_sorted(*result));
  RC_ASSERT(result->front() == *std::ranges::min_element(values));
  RC_ASSERT(result->back() == *std::ranges::max_element(values));
}

}  // namespace
