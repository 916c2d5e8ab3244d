#include "fugu/metric/analysis.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fugu {
namespace {

/// 0 0 0 8 | 0 0 0 8 | …
std::vector<double> spikes(std::size_t slots) {
  std::vector<double> values(slots, 0.0);
  for (std::size_t t = 3; t < slots; t += 4) values[t] = 8;
  return values;
}

TEST(Analysis, AutocorrelationOfFourValues) {
  // mean 2, deviations −1 1 −1 1: variance 4; lag 1: −3; lag 2: 2.
  const std::vector<double> values = {1, 3, 1, 3};
  EXPECT_DOUBLE_EQ(autocorrelation(values, 0), 1);
  EXPECT_DOUBLE_EQ(autocorrelation(values, 1), -0.75);
  EXPECT_DOUBLE_EQ(autocorrelation(values, 2), 0.5);
  EXPECT_EQ(autocorrelation(values, 4), 0);
  EXPECT_EQ(autocorrelation(std::vector<double>(5, 7.0), 1), 0) << "a constant";
}

TEST(Analysis, TheTruthKeepsEverything) {
  const std::vector<double> truth = spikes(80);
  const StreamAnalysis analysis(truth, {.period_slots = 4});
  EXPECT_GT(analysis.season(truth), 0.9);
  EXPECT_DOUBLE_EQ(analysis.season_kept(truth), 1);
  EXPECT_EQ(analysis.level_error(truth), 0);
  EXPECT_EQ(analysis.amplitude_kept(truth), 1);
  EXPECT_EQ(analysis.peak_error_slots(truth), 0);
  EXPECT_EQ(analysis.changes_found(truth), 1);
  EXPECT_NEAR(analysis.forecast_mae(truth), 0, 1e-9) << "the value a season ago says it all";
}

TEST(Analysis, ARepeatedReleaseHasNoSeasonThoughItIsAlikeOnePeriodApart) {
  const std::vector<double> truth = spikes(160);
  std::vector<double> held(160);
  for (std::size_t t = 0; t < held.size(); ++t) held[t] = (t / 40) % 2 == 0 ? 5 : 1;  // steps far longer than a season
  const StreamAnalysis analysis(truth, {.period_slots = 4});
  EXPECT_GT(analysis.season(held), 0.5) << "which is why the other measure exists";
  EXPECT_LT(analysis.season_kept(held), 0);
}

TEST(Analysis, AConstantLosesEverything) {
  const std::vector<double> truth = spikes(80);
  const std::vector<double> constant(80, 2.0);
  const StreamAnalysis analysis(truth, {.period_slots = 4});
  EXPECT_EQ(analysis.season_kept(constant), 0);
  EXPECT_EQ(analysis.level_error(constant), 2);
  EXPECT_EQ(analysis.amplitude_kept(constant), 0);
  EXPECT_EQ(analysis.peak_error_slots(constant), 3) << "its first slot counts as its largest";
  EXPECT_EQ(analysis.changes_found(constant), 0);
  EXPECT_DOUBLE_EQ(analysis.forecast_mae(constant), (3 * 2 + 6) / 4.0) << "|2 − 0| three times, |2 − 8| once";
}

TEST(Analysis, PeaksThatAreOneSlotEarly) {
  const std::vector<double> truth = spikes(20);
  std::vector<double> early(truth.begin() + 1, truth.end());
  early.push_back(0);
  EXPECT_EQ(StreamAnalysis(truth, {.period_slots = 4}).peak_error_slots(early), 1);
}

TEST(Analysis, ChangePointsOfASteps) {
  // 0 for 10 slots, 6 for 10, 1 for 10.
  std::vector<double> steps(30, 0.0);
  for (std::size_t t = 10; t < 20; ++t) steps[t] = 6;
  for (std::size_t t = 20; t < 30; ++t) steps[t] = 1;
  EXPECT_EQ(change_points(steps, 3, 2), (std::vector<std::size_t>{10, 20}));
  EXPECT_EQ(change_points(steps, 3, 5.5), (std::vector<std::size_t>{10})) << "6 − 0 only";
  EXPECT_TRUE(change_points(steps, 3, 6).empty());
  EXPECT_TRUE(change_points(std::span(steps).first(5), 3, 0.1).empty()) << "shorter than two windows";
}

TEST(Analysis, ChangesFoundIsAnF1Score) {
  std::vector<double> truth(64, 0.0);
  for (std::size_t t = 16; t < 32; ++t) truth[t] = 8;
  for (std::size_t t = 48; t < 64; ++t) truth[t] = 8;  // changes at 16, 32, 48
  std::vector<double> released(64, 0.0);
  for (std::size_t t = 18; t < 64; ++t) released[t] = 8;  // one change, two slots late
  EXPECT_DOUBLE_EQ(StreamAnalysis(truth, {}).changes_found(released), 2 * 1 / (1.0 + 3.0));
}

TEST(Analysis, WithoutASeasonWhatNeedsOneIsNotANumber) {
  const std::vector<double> truth = spikes(40);
  const StreamAnalysis analysis(truth, {});
  EXPECT_TRUE(std::isnan(analysis.season(truth)));
  EXPECT_TRUE(std::isnan(analysis.season_kept(truth)));
  EXPECT_TRUE(std::isnan(analysis.peak_error_slots(truth)));
  EXPECT_FALSE(std::isnan(analysis.forecast_mae(truth)));
  const std::vector<double> flat(40, 3.0);
  EXPECT_TRUE(std::isnan(StreamAnalysis(flat, {.period_slots = 4}).amplitude_kept(truth)));
  EXPECT_EQ(StreamAnalysis(flat, {.period_slots = 4}).changes_found(flat), 1) << "nothing to find, nothing found";
}

TEST(Analysis, AForecastLearnsALine) {
  // x_t = 0.5·x_{t−1} + 1 from 10: the fit on the first half is exact, and so are the forecasts of the second.
  std::vector<double> truth = {10};
  for (int t = 1; t < 40; ++t) truth.push_back(0.5 * truth.back() + 1);
  EXPECT_NEAR(StreamAnalysis(truth, {}).forecast_mae(truth), 0, 1e-9);
  const std::vector<double> one = {1};
  EXPECT_TRUE(std::isnan(StreamAnalysis(one, {}).forecast_mae(one)));
}

}  // namespace
}  // namespace fugu
