#include "fugu/metric/anomaly.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace fugu {
namespace {

TEST(Knn, ByHand) {
  // Sorted: 0, 1, 3, 7, 15. The second nearest of 3 is 0 or 7, of 15 it is 3.
  EXPECT_EQ(knn_scores(std::vector<double>{3, 0, 15, 1, 7}, 2), (std::vector<double>{3, 3, 12, 2, 6}));
}

TEST(Knn, WithFewOthersTheFurthestCounts) {
  EXPECT_EQ(knn_scores(std::vector<double>{1, 5}, 10), (std::vector<double>{4, 4}));
}

TEST(Knn, EqualValuesAreNeighboursAtNoDistance) {
  EXPECT_EQ(knn_scores(std::vector<double>{2, 2, 2, 9}, 2), (std::vector<double>{0, 0, 0, 7}));
}

RC_GTEST_PROP(Knn, IsTheDistanceToTheKthNearest, ()) {
  const auto whole =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(2, 40), rc::gen::inRange(-9, 9));
  const auto k = *rc::gen::inRange<std::size_t>(1, 12);
  const std::vector<double> values(whole.begin(), whole.end());
  const std::vector<double> scores = knn_scores(values, k);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> distances;
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (j != i) distances.push_back(std::abs(values[i] - values[j]));
    }
    std::ranges::sort(distances);
    RC_ASSERT(scores[i] == distances[std::min(k, distances.size()) - 1]);
  }
}

TEST(Lof, ByHand) {
  // One neighbour each. Sorted 0, 1, 3: the nearest of 0 is 1, of 1 it is 0, of 3 it is 1; reach 1, 1, 2.
  // Reach-distances: 0→1: max(1, 1) = 1; 1→0: 1; 3→1: max(1, 2) = 2. Densities 1, 1, ½. Factors 1, 1, 1/½ = 2.
  const std::vector<double> factors = lof_scores(std::vector<double>{3, 1, 0}, 1);
  EXPECT_NEAR(factors[0], 2, 1e-8);
  EXPECT_NEAR(factors[1], 1, 1e-8);
  EXPECT_NEAR(factors[2], 1, 1e-8);
}

TEST(Lof, TwoNeighboursByHand) {
  // Sorted 0, 1, 2, 10; reach 2, 1, 2, 9.
  // 0 → {1, 2}: max(1, 1) and max(2, 2), mean 1.5; 1 → {0, 2}: 2 and 2, mean 2; 2 → {0, 1}: 2 and 1, mean 1.5;
  // 10 → {1, 2}: 9 and 8, mean 8.5.
  // Factors: 0: (1/2 + 1/1.5)/2 · 1.5 = 0.875; 1: (1/1.5) · 2 = 4/3; 10: (1/2 + 1/1.5)/2 · 8.5 = 119/24.
  const std::vector<double> factors = lof_scores(std::vector<double>{0, 1, 2, 10}, 2);
  EXPECT_NEAR(factors[0], 0.875, 1e-8);
  EXPECT_NEAR(factors[1], 4.0 / 3, 1e-8);
  EXPECT_NEAR(factors[2], 0.875, 1e-8);
  EXPECT_NEAR(factors[3], 119.0 / 24, 1e-8);
}

TEST(Lof, EqualValuesAreACrowd) {
  for (const double factor : lof_scores(std::vector<double>(10, 3.0), 4)) EXPECT_DOUBLE_EQ(factor, 1);
}

TEST(RocAuc, ByHand) {
  // Anomalies have 3 and 1, the others 2 and 0: three of four pairs are won.
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<double>{3, 1, 2, 0}, {true, true, false, false}), 0.75);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<double>{5, 1, 2, 0}, {true, false, false, false}), 1);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<double>{0, 1, 2, 5}, {true, false, false, false}), 0);
}

TEST(RocAuc, EqualScoresCountHalf) {
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<double>(6, 1.0), {true, false, false, true, false, false}), 0.5);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<double>{2, 1, 1}, {true, true, false}), 0.75);
}

TEST(RocAuc, NeedsBothKinds) {
  EXPECT_TRUE(std::isnan(roc_auc(std::vector<double>{1, 2}, {true, true})));
  EXPECT_TRUE(std::isnan(roc_auc(std::vector<double>{1, 2}, {false, false})));
}

}  // namespace
}  // namespace fugu
