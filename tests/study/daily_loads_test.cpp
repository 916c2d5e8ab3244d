// Real households day after day: the tests of a law know what they are given, and what the files say is pinned.
#include "fugu/study/daily_loads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "fugu/distributional/reference_law.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

double normal(BitSource& bits) {
  return normal_upper_quantile((static_cast<double>(bits.take64() >> 12) + 0.5) * 0x1p-52);
}

TEST(ScoreCorrelation, TellsNormalValuesFromOthers) {
  const double least = least_normal_score_correlation(kDailyLoadDays, 1);
  EXPECT_NEAR(least, 0.985, 0.005);
  SeededBits bits(2);
  int normal_refused = 0, lognormal_refused = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(kDailyLoadDays);
    for (double& value : values) value = normal(bits);
    normal_refused += score_correlation(values) < least;
    for (double& value : values) value = std::exp(value);
    lognormal_refused += score_correlation(values) < least;
  }
  EXPECT_NEAR(normal_refused / static_cast<double>(kTrials), 0.05, 5 * std::sqrt(0.05 * 0.95 / kTrials));
  EXPECT_EQ(lognormal_refused, kTrials);
}

TEST(Mixture, IsFoundWhereThereIsOneAndNotElsewhere) {
  SeededBits bits(3);
  int single = 0, mixed = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(kDailyLoadDays);
    for (double& value : values) value = std::exp(-1.5 + 0.6 * normal(bits));
    single += is_mixture(values);
    for (std::size_t i = 0; i < values.size(); i += 4) values[i] *= 12;  // the oven is on every fourth day
    mixed += is_mixture(values);
  }
  EXPECT_LE(single, kTrials / 20);
  EXPECT_GE(mixed, kTrials * 19 / 20);
  EXPECT_FALSE(is_mixture(std::vector<double>(kDailyLoadDays, 0.0))) << "an empty house";
}

TEST(DailyLoads, OfRealHouseholds) {
  if (!std::filesystem::exists(std::string(FUGU_SHARED_DATA).append("/sgsc_newcastle"))) GTEST_SKIP() << "no data";
  const auto loads = read_daily_loads(FUGU_SHARED_DATA);
  ASSERT_TRUE(loads) << loads.error().message;
  EXPECT_EQ(loads->size(), 10 * kHalfHours);
  for (const DailyLoad& load : *loads) EXPECT_EQ(load.kwh.size(), kDailyLoadDays);

  const auto autocorrelations = daily_autocorrelations(*loads);
  ASSERT_EQ(autocorrelations.size(), 30U);
  EXPECT_EQ(autocorrelations.front().by_lag.size(), kDailyLoadDays - kAutocorrelationPairs);
  EXPECT_NEAR(share_outside_band(autocorrelations), 0.069, 0.0005);

  std::size_t not_normal = 0, mixtures = 0;
  for (const LoadShape& shape : load_shapes(*loads, 1)) {
    EXPECT_EQ(shape.half_hours, kHalfHours);
    EXPECT_LE(shape.least, shape.noon);
    EXPECT_LE(shape.noon, shape.largest);
    not_normal += shape.not_normal;
    mixtures += shape.mixtures;
  }
  EXPECT_EQ(not_normal, 480U) << "none of 480";
  EXPECT_NEAR(static_cast<double>(mixtures), 414, 2) << "the criterion has doubles in it";
}

TEST(DailyLoads, AFolderWithoutThemIsAnError) {
  const auto none = read_daily_loads("nowhere");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().cause, Cause::bad_input);
  EXPECT_NE(none.error().message.find("sgsc_newcastle"), std::string::npos);
  const TempDir directory;
  std::filesystem::create_directories(directory / "sgsc_newcastle");
  write_file(directory / "sgsc_newcastle/load_kwh_10.csv.gz",
             "timestamp,c1_kwh\n2012-02-10T00:00,1\n2012-02-10T00:30,2\n");
  const auto few = read_daily_loads(directory.path());
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().message.find("found no household with 88 days in a row"), std::string::npos);
}

}  // namespace
}  // namespace fugu::test
