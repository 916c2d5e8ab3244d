// An adversary who knows everybody else, and watches for long. It has to tell two households apart.
#include <gtest/gtest.h>

#include <cmath>

#include "fugu/study/distributional_study.hpp"

namespace fugu::test {
namespace {

/// A correct mechanism is accused this often, by each check.
constexpr double kAlarm = 1e-6;

/// Hoeffding: by how much the advantage in so many trials of each household exceeds the true one, but for a false
/// alarm.
double margin(int trials) { return std::sqrt(-std::log(kAlarm) / trials); }

double found(const LongWatch& watch, ConstantsRule rule, std::uint64_t seed) {
  LongWatch again = watch;
  again.seed = seed;
  const auto result = advantage(again, rule);
  EXPECT_TRUE(result);
  return result ? *result : 0;
}

TEST(LongWatch, CannotTellMeansApart) {
  const LongWatch watch{.plan = {.form = DistributionalForm::capped,
                                 .clamp = {0, 100},
                                 .epsilon = 1,
                                 .spread_steps = 10,
                                 .half_width_steps = 40},
                        .first = {0},
                        .second = {100},
                        .slot_scale = {80, 1},  // event level, ε = 1
                        .statistic = LongWatch::Statistic::mean,
                        .threshold = 50,
                        .slots = 500,
                        .trials = 1000};
  const double allowed = advantage_bound(1, 0) + margin(watch.trials);
  EXPECT_GT(found(watch, ConstantsRule::none, 1), 0.99) << "off: per-slot noise alone gives the mean away";
  const double protected_one = found(watch, ConstantsRule::once, 2);
  EXPECT_LE(protected_one, allowed);
  EXPECT_NEAR(protected_one, 1 - std::exp(-0.5), margin(watch.trials)) << "the adversary is as good as it can be";
  EXPECT_GT(found(watch, ConstantsRule::redrawn, 3), allowed) << "the broken twin must be caught";
}

TEST(LongWatch, CannotTellVariancesApart) {
  const DistributionalPlan plan{.form = DistributionalForm::hidden,
                                .clamp = {0, 100},
                                .epsilon = 2,
                                .delta = 1e-3,
                                .spread_steps = 10,
                                .half_width_steps = 80};
  const auto laws = ParameterNoise::make(plan, 1);
  ASSERT_TRUE(laws);
  LongWatch watch{.plan = plan,
                  .first = {50},
                  .second = {40, 60},
                  .slot_scale = {2, 1},  // little per-slot noise, which is in the adversary's favour
                  .statistic = LongWatch::Statistic::variance,
                  .threshold = 2 * 4 + (4 + 100) / 2.0,
                  .slots = 1500,
                  .trials = 250};
  EXPECT_GT(found(watch, ConstantsRule::none, 4), 0.99);
  watch.threshold += static_cast<double>(laws->variance_shift_steps());
  EXPECT_LE(found(watch, ConstantsRule::once, 5), advantage_bound(1, 1e-3) + margin(watch.trials))
      << "ε/2 is for the variance";
}

TEST(LongWatch, IsACoinForLawsWithTheSameMean) {
  // Capped, the variance is the same for every household: no ε is spent on it, and there is nothing to see.
  const LongWatch watch{.plan = {.form = DistributionalForm::capped,
                                 .clamp = {0, 100},
                                 .epsilon = 1,
                                 .spread_steps = 40,
                                 .half_width_steps = 160},
                        .first = {50},
                        .second = {10, 90},
                        .slot_scale = {2, 1},
                        .statistic = LongWatch::Statistic::variance,
                        .threshold = 40 * 40 + 2 * 4,
                        .slots = 1000,
                        .trials = 300};
  EXPECT_LE(std::fabs(found(watch, ConstantsRule::once, 6)), margin(watch.trials));
}

}  // namespace
}  // namespace fugu::test
