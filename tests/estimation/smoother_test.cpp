#include "fugu/estimation/smoother.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/builders.hpp"

namespace fugu::test {
namespace {

GroupSmoother with(SmootherKind kind, std::initializer_list<double> values, std::size_t capacity = 8) {
  GroupSmoother smoother(kind, capacity);
  for (const double value : values) smoother.add(value);
  return smoother;
}

TEST(GroupSmoother, MeanAndMedianOfTheGroup) {
  EXPECT_DOUBLE_EQ(with(SmootherKind::mean, {1, 2, 9}).smoothed(1), 4);
  EXPECT_DOUBLE_EQ(with(SmootherKind::median, {9, 1, 2}).smoothed(1), 2);
  EXPECT_DOUBLE_EQ(with(SmootherKind::median, {9, 1, 2, 4}).smoothed(1), 3);
}

TEST(GroupSmoother, JamesSteinPullsTheLatestTowardsTheMean) {
  // Mean 3, squares 4 + 1 + 1 + 4 = 10; kept 1 − 1·2/10.
  EXPECT_DOUBLE_EQ(with(SmootherKind::james_stein, {1, 2, 4, 5}).smoothed(2), 3 + 0.8 * 2);
  EXPECT_DOUBLE_EQ(with(SmootherKind::james_stein, {1, 2, 4, 5}).smoothed(100), 3);
  EXPECT_DOUBLE_EQ(with(SmootherKind::james_stein, {1, 2, 9}).smoothed(100), 9) << "too few to pull";
}

TEST(GroupSmoother, KeepsTheLatestOnly) {
  GroupSmoother smoother = with(SmootherKind::median, {1, 2, 3, 4, 5}, 3);
  EXPECT_EQ(smoother.count(), 3u);
  EXPECT_EQ(smoother.smoothed(1), 4);
  smoother.keep_last(1);
  EXPECT_EQ(smoother.smoothed(1), 5);
  smoother.restart();
  EXPECT_EQ(smoother.count(), 0u);
  smoother.add(7);
  EXPECT_EQ(smoother.smoothed(1), 7);
}

TEST(GroupSmoother, AgreesWithANaiveMedian) {
  std::mt19937_64 random(seed_or(5));
  GroupSmoother smoother(SmootherKind::median, 7);
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) {
    if (random() % 16 == 0) {
      const std::size_t kept = std::min<std::size_t>(random() % 4 + 1, values.size());
      smoother.keep_last(kept);
      values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(kept));
    }
    values.push_back(static_cast<double>(random() % 5));
    smoother.add(values.back());
    if (values.size() > 7) values.erase(values.begin());
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    ASSERT_EQ(smoother.smoothed(1), sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2);
  }
}

TEST(GroupSmoother, TheMedianOfAFullOneAndOfFewKept) {
  std::mt19937_64 random(seed_or(6));
  GroupSmoother smoother(SmootherKind::median, GroupSmoother::kCapacityMax);
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) {
    values.push_back(static_cast<double>(random() % 1000) - 500);
    smoother.add(values.back());
    if (values.size() > GroupSmoother::kCapacityMax) values.erase(values.begin());
    if (random() % 256 == 0) {
      const std::size_t kept = std::min<std::size_t>(random() % GroupSmoother::kCapacityMax, values.size() - 1) + 1;
      smoother.keep_last(kept);
      values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(kept));
    }
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(smoother.count(), values.size());
    ASSERT_EQ(smoother.smoothed(1), (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2);
  }
}

TEST(JamesStein, LeavesThreeAloneAndMergesWhatNoiseExplains) {
  std::vector<double> three{1, 2, 9};
  james_stein(three, 100);
  EXPECT_EQ(three, (std::vector<double>{1, 2, 9}));
  std::vector<double> four{1, 2, 4, 5};
  james_stein(four, 2);
  EXPECT_DOUBLE_EQ(four[0], 3 - 0.8 * 2);
  james_stein(four, 1000);
  EXPECT_EQ(four, (std::vector<double>(4, 3.0)));
}

}  // namespace
}  // namespace fugu::test
