#include "fugu/estimation/similarity.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace fugu::test {
namespace {

ShortHistory history(std::initializer_list<double> values, std::size_t length = 3) {
  ShortHistory result(length);
  for (const double value : values) result.add(value);
  return result;
}

TEST(PearsonCorrelation, OfSmallRows) {
  const std::vector<double> a{1, 2, 3};
  EXPECT_DOUBLE_EQ(pearson_correlation(a, std::vector<double>{10, 20, 30}), 1);
  EXPECT_DOUBLE_EQ(pearson_correlation(a, std::vector<double>{5, 4, 3}), -1);
  EXPECT_DOUBLE_EQ(pearson_correlation(a, std::vector<double>{1, 3, 2}), 0.5);
  EXPECT_EQ(pearson_correlation(a, std::vector<double>{4, 4, 4}), 0);
  EXPECT_EQ(pearson_correlation(std::vector<double>{7, 7}, std::vector<double>{4, 4}), 1);
}

TEST(ShortHistory, KeepsTheLatest) {
  const ShortHistory seen = history({1, 2, 3, 4, 5, 6, 7, 8}, 6);
  EXPECT_EQ(seen.count(), 6u);
  EXPECT_EQ(std::vector<double>(seen.values().begin(), seen.values().end()), (std::vector<double>{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(seen.latest(), 8);
  EXPECT_EQ(seen.mean(), 5.5);
  EXPECT_EQ(seen.squares(), 17.5);
  EXPECT_DOUBLE_EQ(seen.variance(), 17.5 / 6);
}

TEST(ShortHistory, IsNothingAtFirst) {
  ShortHistory seen(3);
  EXPECT_EQ(seen.count(), 0u);
  EXPECT_EQ(seen.mean(), 0);
  EXPECT_EQ(seen.variance(), 0);
  seen.add(4);
  EXPECT_FALSE(seen.full());
  EXPECT_EQ(seen.mean(), 4);
  EXPECT_EQ(seen.variance(), 0);
}

TEST(AreSimilar, WhatMovesAlikeNearby) {
  const SimilarityRule rule{.smallest_correlation = 0.5, .largest_distance = 5, .still_variance = 0};
  EXPECT_TRUE(are_similar(history({1, 2, 3}), history({2, 3, 4}), rule));
  EXPECT_FALSE(are_similar(history({1, 2, 3}), history({12, 13, 14}), rule)) << "too far";
  EXPECT_FALSE(are_similar(history({1, 2, 3}), history({4, 3, 2}), rule)) << "the other way";
  EXPECT_FALSE(are_similar(history({1, 2}), history({1, 2, 3}), rule)) << "too short";
  EXPECT_TRUE(are_similar(history({9, 1, 2, 3}), history({2, 3, 4}), rule)) << "the latest three count";
}

TEST(AreSimilar, NoiseIsNoMovement) {
  const SimilarityRule rule{.smallest_correlation = 0.5, .largest_distance = 5, .still_variance = 4};
  EXPECT_TRUE(are_similar(history({1, 2, 3}), history({4, 3, 2}), rule));
  EXPECT_FALSE(are_similar(history({1, 2, 3}), history({-9, 2, 13}), rule)) << "one moves";
  EXPECT_FALSE(are_similar(history({13, 2, -9}), history({-9, 2, 13}), rule)) << "both do, against each other";
}

}  // namespace
}  // namespace fugu::test
