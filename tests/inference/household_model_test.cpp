#include "fugu/inference/household_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "homes.hpp"

namespace fugu::grid {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(HouseholdModel, EveryRowIsALaw) {
  const HouseholdModel model = *HouseholdModel::learn(test::made_up_homes(20, 7));
  for (std::size_t hour = 0; hour < kHoursPerDay; ++hour) {
    const auto marginal = model.marginal(hour);
    EXPECT_NEAR(std::accumulate(marginal.begin(), marginal.end(), 0.0), 1, 1e-12);
    for (std::size_t from = 0; from < HouseholdModel::kBins; ++from) {
      const auto row = model.transitions(hour).subspan(from * HouseholdModel::kBins, HouseholdModel::kBins);
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
      for (const double probability : row) EXPECT_GT(probability, 0);  // nothing is impossible
    }
  }
}

TEST(HouseholdModel, KnowsTheEveningAndThatLoadsStay) {
  const HouseholdModel model = *HouseholdModel::learn(test::made_up_homes(40, 14));
  EXPECT_GT(model.mean(19), 1.8 * model.mean(10));
  const std::size_t bin = model.bin_of(1.0);
  const std::size_t at = bin * HouseholdModel::kBins + bin;
  EXPECT_GT(model.transitions(10)[at], 3 * model.marginal(10)[bin]);
}

TEST(HouseholdModel, MeansOfHoursAverageToTheLevel) {
  const HouseholdModel model = *HouseholdModel::learn(test::made_up_homes(20, 7));
  double sum = 0;
  for (std::size_t hour = 0; hour < kHoursPerDay; ++hour) sum += model.mean(hour);
  EXPECT_NEAR(sum / kHoursPerDay, 1, 1e-12);
}

TEST(HouseholdModel, BinsHoldEveryLoadOfTheSample) {
  HouseholdSample sample = test::made_up_homes(5, 3);
  sample.kw[0][17] = -2;  // panels on the roof
  const HouseholdModel model = *HouseholdModel::learn(sample);
  const auto edges = model.edges();
  ASSERT_EQ(edges.size(), HouseholdModel::kBins + 1);
  EXPECT_TRUE(std::ranges::is_sorted(edges));
  for (const auto& home : sample.kw) {
    const double level = std::accumulate(home.begin(), home.end(), 0.0) / static_cast<double>(home.size());
    for (const double kw : home) {
      const std::size_t bin = model.bin_of(kw / level);
      EXPECT_LE(edges[bin], kw / level);
      EXPECT_GE(edges[bin + 1], kw / level);
    }
  }
  EXPECT_EQ(model.bin_of(-1e9), 0U);
  EXPECT_EQ(model.bin_of(1e9), HouseholdModel::kBins - 1);
}

TEST(HouseholdModel, MissingValuesAreNoLoads) {
  HouseholdSample sample = test::made_up_homes(10, 4);
  for (std::size_t i = 0; i < sample.kw[3].size(); i += 3) sample.kw[3][i] = kNone;
  EXPECT_TRUE(HouseholdModel::learn(sample).has_value());
}

TEST(HouseholdModel, WhatIsNoSampleIsRefused) {
  const auto error_of = [](const HouseholdSample& sample) {
    const auto model = HouseholdModel::learn(sample);
    return model ? std::string() : model.error().message;
  };
  EXPECT_NE(error_of({}).find("no households"), std::string::npos);
  HouseholdSample sample = test::made_up_homes(3, 3);
  sample.slot_min = 7;
  EXPECT_NE(error_of(sample).find("7 minutes"), std::string::npos);
  sample = test::made_up_homes(3, 1);
  EXPECT_NE(error_of(sample).find("household 1"), std::string::npos);
  sample = test::made_up_homes(3, 3);
  sample.kw[1].assign(sample.kw[1].size(), 0.0);
  EXPECT_NE(error_of(sample).find("household 2"), std::string::npos);
  sample = test::made_up_homes(1, 3);
  for (std::size_t i = 0; i < sample.kw[0].size(); ++i) {
    if (i % 96 >= 8 && i % 96 < 12) sample.kw[0][i] = kNone;
  }
  EXPECT_NE(error_of(sample).find("between 2:00 and 3:00"), std::string::npos);
}

}  // namespace
}  // namespace fugu::grid
