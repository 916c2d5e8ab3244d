#include "fugu/filter/filter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace {

using fugu::Cause;
using fugu::Estimate;
using fugu::Filter;
using fugu::make_filter;
using fugu::make_filter_chain;

std::unique_ptr<Filter> filter(std::string_view spec) {
  auto made = make_filter_chain(spec);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return *std::move(made);
}

/// A finite value of either sign with three decimals.
rc::Gen<double> any_value() {
  return rc::gen::map(rc::gen::inRange(-1'000'000, 1'000'000), [](int thousandths) { return thousandths / 1000.0; });
}

rc::Gen<Estimate> any_estimate() {
  return rc::gen::map(rc::gen::tuple(any_value(), rc::gen::inRange(0, 10'000), rc::gen::arbitrary<bool>()),
                      [](const std::tuple<double, int, bool>& parts) {
                        return Estimate{std::get<0>(parts), std::get<1>(parts) / 10.0, std::get<2>(parts)};
                      });
}

TEST(Truncate, ClampsToTheRange) {
  auto truncate = filter("truncate:0:5000");
  EXPECT_EQ(truncate->apply({-3.0, 9.0, true}).value, 0.0);
  EXPECT_EQ(truncate->apply({17.5, 9.0, true}).value, 17.5);
  EXPECT_EQ(truncate->apply({5001.0, 9.0, true}).value, 5000.0);
  EXPECT_EQ(truncate->apply({17.5, 9.0, true}).variance, 9.0);
}

TEST(Truncate, WithoutBoundsRemovesNegativeValuesOnly) {
  auto truncate = filter("truncate");
  EXPECT_EQ(truncate->apply({-3.0, 9.0, true}).value, 0.0);
  EXPECT_EQ(truncate->apply({1e300, 9.0, true}).value, 1e300);
}

TEST(Truncate, RoundsToTheStepAndCountsTheRoundingError) {
  auto truncate = filter("truncate:-inf:inf:10");
  EXPECT_EQ(truncate->apply({14.9, 1.0, true}).value, 10.0);
  EXPECT_EQ(truncate->apply({-15.0, 1.0, true}).value, -20.0);
  EXPECT_DOUBLE_EQ(truncate->apply({14.9, 1.0, true}).variance, 1.0 + 100.0 / 12.0);
  EXPECT_EQ(truncate->apply({20.0, 1.0, true}).variance, 1.0);
}

TEST(Truncate, DecimalStepsGiveTheNumbersOneWouldWrite) {
  auto truncate = filter("truncate:0:0.7:0.1");
  EXPECT_EQ(truncate->apply({0.31, 1.0, true}).value, 0.3);
  EXPECT_EQ(truncate->apply({0.9, 1.0, true}).value, 0.7);
}

RC_GTEST_PROP(Truncate, IsIdempotentAndStaysInRange, ()) {
  const double step = *rc::gen::element(0.01, 0.1, 0.25, 1.0, 3.0, 10.0);
  const int lo_steps = *rc::gen::inRange(-1000, 1000);
  const int hi_steps = *rc::gen::inRange(lo_steps, 1001);
  auto made = fugu::Truncate::make({.lo = lo_steps * step, .hi = hi_steps * step, .step = step});
  RC_ASSERT(made.has_value());
  const Estimate once = made->apply(*any_estimate());
  const Estimate twice = made->apply(once);
  RC_ASSERT(once.value >= lo_steps * step - 1e-9);
  RC_ASSERT(once.value <= hi_steps * step + 1e-9);
  RC_ASSERT(twice.value == once.value);
}

RC_GTEST_PROP(Truncate, NeverMovesAwayFromATruthInRange, ()) {
  const int lo = *rc::gen::inRange(-1000, 1000);
  const int hi = *rc::gen::inRange(lo, 1001);
  const double truth = *rc::gen::inRange(lo, hi + 1);
  auto made = fugu::Truncate::make({.lo = static_cast<double>(lo), .hi = static_cast<double>(hi)});
  const Estimate released = *any_estimate();
  RC_ASSERT(std::abs(made->apply(released).value - truth) <= std::abs(released.value - truth));
}

TEST(MovingAverage, AveragesTheLastSlots) {
  auto average = filter("moving-average:3");
  EXPECT_DOUBLE_EQ(average->apply({3.0, 9.0, true}).value, 3.0);
  EXPECT_DOUBLE_EQ(average->apply({6.0, 9.0, true}).value, 4.5);
  EXPECT_DOUBLE_EQ(average->apply({9.0, 9.0, true}).value, 6.0);
  const Estimate full = average->apply({12.0, 9.0, true});
  EXPECT_DOUBLE_EQ(full.value, 9.0);
  EXPECT_DOUBLE_EQ(full.variance, 3.0);  // three independent answers of variance 9
}

TEST(MovingAverage, RepeatsCountAsValuesButNotAsInformation) {
  auto average = filter("moving-average:4");
  average->apply({8.0, 16.0, true});
  average->apply({8.0, 16.0, false});
  EXPECT_DOUBLE_EQ(average->apply({8.0, 16.0, false}).variance, 16.0);
  const Estimate mixed = average->apply({0.0, 16.0, true});
  EXPECT_DOUBLE_EQ(mixed.value, 6.0);
  EXPECT_DOUBLE_EQ(mixed.variance, 16.0 * (9.0 + 1.0) / 16.0);  // shares 3/4 and 1/4
}

RC_GTEST_PROP(MovingAverage, OfAConstantIsTheConstant, ()) {
  const int window_slots = *rc::gen::inRange(1, 40);
  const double constant = *any_value();
  auto average = fugu::MovingAverage::make({.window_slots = window_slots});
  for (int slot = 0; slot < 60; ++slot) {
    const Estimate smoothed = average->apply({constant, 4.0, true});
    RC_ASSERT(std::abs(smoothed.value - constant) <= 1e-12 * std::abs(constant));
    RC_ASSERT(std::abs(smoothed.variance - 4.0 / std::min(slot + 1, window_slots)) < 1e-12);
  }
}

RC_GTEST_PROP(MovingAverage, IsTheMeanOfTheWindow, (int seed_slots)) {
  const auto window_slots = static_cast<std::size_t>(1 + std::abs(seed_slots % 7));
  const auto estimates = *rc::gen::container<std::vector<Estimate>>(any_estimate());
  auto average = fugu::MovingAverage::make({.window_slots = static_cast<std::int64_t>(window_slots)});
  for (std::size_t slot = 0; slot < estimates.size(); ++slot) {
    const std::size_t first = slot + 1 < window_slots ? 0 : slot + 1 - window_slots;
    double sum = 0.0;
    for (std::size_t i = first; i <= slot; ++i) sum += estimates[i].value;
    const Estimate smoothed = average->apply(estimates[slot]);
    RC_ASSERT(std::abs(smoothed.value - sum / static_cast<double>(slot + 1 - first)) < 1e-9);
    RC_ASSERT(smoothed.sampled == estimates[slot].sampled);
  }
}

TEST(Kalman, FollowsTheTextbookByHand) {
  auto kalman = filter("kalman:2");
  const Estimate first = kalman->apply({10.0, 4.0, true});
  EXPECT_EQ(first.value, 10.0);
  EXPECT_EQ(first.variance, 4.0);
  // Predicted variance 6, gain 6/(6 + 6) = 1/2: 10 + (16 − 10)/2, variance 6/2.
  const Estimate second = kalman->apply({16.0, 6.0, true});
  EXPECT_DOUBLE_EQ(second.value, 13.0);
  EXPECT_DOUBLE_EQ(second.variance, 3.0);
  // A repeat is no measurement, whatever it says.
  const Estimate repeat = kalman->apply({16.0, 6.0, false});
  EXPECT_DOUBLE_EQ(repeat.value, 13.0);
  EXPECT_DOUBLE_EQ(repeat.variance, 5.0);
  EXPECT_FALSE(repeat.sampled);
}

TEST(Kalman, WithoutMovementIsTheRunningMean) {
  auto kalman = filter("kalman:0");
  kalman->apply({3.0, 12.0, true});
  kalman->apply({6.0, 12.0, true});
  const Estimate third = kalman->apply({12.0, 12.0, true});
  EXPECT_DOUBLE_EQ(third.value, 7.0);
  EXPECT_DOUBLE_EQ(third.variance, 4.0);
}

TEST(Kalman, TakesATrueValueAsItIs) {
  for (const auto* spec : {"kalman:0", "kalman:5", "kalman"}) {
    auto kalman = filter(spec);
    kalman->apply({3.0, 0.0, true});
    const Estimate exact = kalman->apply({8.0, 0.0, true});
    EXPECT_EQ(exact.value, 8.0) << spec;
    EXPECT_EQ(exact.variance, 0.0) << spec;
  }
}

TEST(Kalman, PassesRepeatsThroughUntilThereIsAnAnswer) {
  auto kalman = filter("kalman:5");
  const Estimate early = kalman->apply({7.0, 2.0, false});
  EXPECT_EQ(early.value, 7.0);
  EXPECT_EQ(kalman->apply({1.0, 2.0, true}).value, 1.0);
}

RC_GTEST_PROP(Kalman, NeverLosesPrecisionAgainstTheAnswer, ()) {
  auto kalman = fugu::Kalman::make({.process_variance = *rc::gen::inRange(0, 1000) / 10.0});
  double variance_before = 0.0;
  bool measured = false;
  for (const Estimate& released : *rc::gen::container<std::vector<Estimate>>(any_estimate())) {
    const Estimate filtered = kalman->apply(released);
    if (released.sampled) RC_ASSERT(filtered.variance <= released.variance * (1.0 + 1e-12));
    if (!released.sampled && measured) RC_ASSERT(filtered.variance >= variance_before);
    measured = measured || released.sampled;
    variance_before = filtered.variance;
  }
}

RC_GTEST_PROP(Kalman, VarianceShrinksWithEveryAnswerWhenNothingMoves, ()) {
  auto kalman = filter("kalman:0");
  const double noise_variance = *rc::gen::inRange(1, 1000);
  double before = std::numeric_limits<double>::infinity();
  for (int slot = 0; slot < 50; ++slot) {
    const double now = kalman->apply({*any_value(), noise_variance, true}).variance;
    RC_ASSERT(now < before);
    before = now;
  }
}

TEST(Kalman, LearnsTheProcessVariance) {
  // A walk with steps of ±3 (variance 9) measured with noise ±6 (variance 36), in every third slot only.
  std::mt19937_64 random(20);
  const auto sign = [&random] { return (random() >> 63) != 0 ? 1.0 : -1.0; };
  auto learned = filter("kalman");
  auto told = filter("kalman:9");
  double truth = 0.0;
  double learned_variance = 0.0;
  double told_variance = 0.0;
  for (int slot = 0; slot < 30'000; ++slot) {
    truth += 3.0 * sign();
    const Estimate released{truth + 6.0 * sign(), 36.0, slot % 3 == 0};
    learned_variance = learned->apply(released).variance;
    told_variance = told->apply(released).variance;
  }
  EXPECT_NEAR(learned_variance / told_variance, 1.0, 0.1);
}

TEST(MakeFilter, NamesReadBack) {
  for (const auto* spec : {"truncate:0:inf", "truncate:-5.5:5000", "truncate:0:0.7:0.1", "moving-average:5", "kalman",
                           "kalman:25", "truncate:0:100,moving-average:3,kalman:0.5"})
    EXPECT_EQ(filter(spec)->name(), spec);
}

TEST(MakeFilter, ChainsApplyFromLeftToRight) {
  auto clamp_first = filter("truncate:0:10,moving-average:2");
  clamp_first->apply({-10.0, 1.0, true});
  EXPECT_DOUBLE_EQ(clamp_first->apply({10.0, 1.0, true}).value, 5.0);
  auto average_first = filter("moving-average:2,truncate:0:10");
  average_first->apply({-10.0, 1.0, true});
  EXPECT_DOUBLE_EQ(average_first->apply({10.0, 1.0, true}).value, 0.0);
}

TEST(MakeFilter, AnEmptyChainChangesNothing) {
  fugu::FilterChain none;
  const Estimate same = none.apply({-1.5, 2.0, false});
  EXPECT_EQ(same.value, -1.5);
  EXPECT_EQ(same.variance, 2.0);
  EXPECT_FALSE(same.sampled);
}

TEST(MakeFilter, RefusesWhatMakesNoSense) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "truncate[:LO:HI[:STEP]]"},
      {"kalmann:3", "kalman[:PROCESS_VARIANCE]"},
      {"Kalman", "moving-average:SLOTS"},
      {"truncate:5", "truncate:0:5000"},
      {"truncate:5:1", "lower bound"},
      {"truncate:inf:inf", "lower bound"},
      {"truncate:nan:1", "'nan' is not a number"},
      {"truncate:0:x", "'x' is not a number"},
      {"truncate:0:", "'' is not a number"},
      {"truncate:0:10:0", "step must be positive"},
      {"truncate:0:10:-1", "step must be positive"},
      {"truncate:0:10.5:1", "multiples of the step"},
      {"truncate:0:10:1:7", "two bounds and a step"},
      {"moving-average", "window in slots"},
      {"moving-average:0", "1 to 1000000 slots"},
      {"moving-average:-3", "1 to 1000000 slots"},
      {"moving-average:2.5", "'2.5' is not a whole number"},
      {"moving-average:99999999999999999999", "not a whole number"},
      {"kalman:-1", "not negative"},
      {"kalman:inf", "finite"},
      {"kalman:1 ", "'1 ' is not a number"},
      {"kalman:1:2", "at most one parameter"},
      {"kalman,", "unknown filter ''"},
  };
  for (const auto& [spec, expected] : cases) {
    const auto made = make_filter_chain(spec);
    ASSERT_FALSE(made.has_value()) << spec;
    EXPECT_EQ(made.error().cause, Cause::usage) << spec;
    EXPECT_NE(made.error().message.find(expected), std::string::npos) << spec << " gives: " << made.error().message;
  }
}

TEST(MakeFilter, EveryKindIsDescribedAndItsExampleWorks) {
  ASSERT_FALSE(fugu::filter_kinds().empty());
  for (const auto& kind : fugu::filter_kinds()) {
    EXPECT_TRUE(make_filter(kind.example).has_value()) << kind.name;
    EXPECT_TRUE(kind.usage.starts_with(kind.name));
    EXPECT_FALSE(kind.description.empty());
  }
}

RC_GTEST_PROP(MakeFilter, SurvivesAnyText, (const std::string& text)) {
  const auto made = make_filter_chain(text);
  if (!made) RC_ASSERT(!made.error().message.empty());
}

TEST(Filters, SayWhatTheyDo) {
  const struct {
    const char* specs;
    bool mixes_slots;
    bool keeps_bands;
  } cases[] = {{"truncate:0:10", false, true},         {"truncate:0:10:2", false, true},
               {"moving-average:1", true, false},      {"kalman:0", true, false},
               {"truncate,truncate:0:9", false, true}, {"truncate,kalman,truncate", true, false}};
  for (const auto& [specs, mixes_slots, keeps_bands] : cases) {
    const auto chain = make_filter_chain(specs);
    ASSERT_TRUE(chain) << specs;
    EXPECT_EQ((*chain)->mixes_slots(), mixes_slots) << specs;
    EXPECT_EQ((*chain)->keeps_bands(), keeps_bands) << specs;
  }
  EXPECT_FALSE(fugu::FilterChain().mixes_slots());
  EXPECT_TRUE(fugu::FilterChain().keeps_bands());
}

}  // namespace
