// An adversary who knows everybody else, and watches for long. It has to tell two households apart.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>

#include "fugu/base/digest.hpp"
#include "fugu/distributional/meter_transform.hpp"
#include "fugu/simulate/seeded_bits.hpp"
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

/// A month of quarter hours at event level, ε = 1.
HabitWatch month_of(DistributionalPlan plan, std::int64_t sensitivity_steps) {
  return {.plan = std::move(plan),
          .by_hour = example_habits(),
          .slot_scale = {static_cast<std::uint64_t>(sensitivity_steps), 1},
          .days = 28,
          .trials = 300};
}

DistributionalPlan habits_plan(DistributionalForm form, std::string_view by) {
  const bool hidden = form == DistributionalForm::hidden;
  return {.form = form,
          .clamp = {0, 1000},
          .epsilon = 1,
          .delta = hidden ? 1e-6 : 0,
          .spread_steps = 100,
          .half_width_steps = hidden ? 800 : 400,
          .circumstances = *Circumstances::parse(by)};
}

double habits_found(const HabitWatch& watch, HabitRule rule, std::uint64_t seed) {
  HabitWatch again = watch;
  again.seed = seed;
  const auto result = habit_advantage(again, rule);
  EXPECT_TRUE(result);
  return result ? *result : 0;
}

// A household and a twin that does the same twelve hours later have one law when hours are not told apart. The order of
// readings tells them apart all the same, unless laws are learned by the hour.
TEST(HabitWatch, FindsTheHourUnlessLawsAreLearnedByTheHour) {
  const double allowed = advantage_bound(1, 1e-6) + margin(300);
  for (const DistributionalForm form : {DistributionalForm::capped, DistributionalForm::hidden}) {
    const std::int64_t sensitivity = form == DistributionalForm::capped ? 800 : 1600;
    const std::string name(name_of(form));
    const auto by = [&](std::string_view circumstances) {
      return month_of(habits_plan(form, circumstances), sensitivity);
    };
    HabitWatch one_law = by("none");
    if (form == DistributionalForm::hidden) one_law.days = 112;  // which has twice the noise in each slot
    EXPECT_GT(habits_found(one_law, HabitRule::as_planned, 11), allowed)
        << name << ": the broken twin, one law for all hours, must be caught";
    EXPECT_LE(habits_found(by("hour"), HabitRule::as_planned, 12), allowed) << name;
    HabitWatch one_level = by("hour");
    one_level.plan.one_level = true;
    EXPECT_LE(std::fabs(habits_found(one_level, HabitRule::as_planned, 13)), margin(300))
        << name << ": the streams have the same law";
  }
  EXPECT_GT(habits_found(month_of(habits_plan(DistributionalForm::capped, "none"), 1000), HabitRule::readings, 14),
            allowed)
      << "event level alone gives habits away";
}

// Half of the day at one end of the clamp, the other half at the other: as far apart as households can be.
TEST(HabitWatch, ConstantsOfAllHoursShareEpsilon) {
  HabitWatch watch = month_of(habits_plan(DistributionalForm::capped, "hour"), 8);
  watch.days = 2;
  watch.trials = 1000;
  for (std::size_t hour = 0; hour < watch.by_hour.size(); ++hour) watch.by_hour[hour] = {hour < 12 ? 0 : 1000};
  const double allowed = advantage_bound(1, 0) + margin(watch.trials);
  EXPECT_LE(habits_found(watch, HabitRule::as_planned, 15), allowed);
  EXPECT_GT(habits_found(watch, HabitRule::unshared, 16), allowed) << "24 constants with ε each: 24 ε";
}

// What is promised is what was learned. Habits that change afterwards show, as without circumstances.
TEST(HabitWatch, FindsHabitsThatChangedAfterLearning) {
  const HabitWatch watch = month_of(habits_plan(DistributionalForm::capped, "hour"), 800);
  EXPECT_GT(habits_found(watch, HabitRule::drifted, 17), advantage_bound(1, 0) + margin(watch.trials));
}

// --- What one meter sends, seen by whoever gets it: nobody else's readings are in it, and no noise of a kernel.

struct Household {
  std::vector<std::int64_t> readings;  ///< each equally likely
};

MeterTransform prepared_meter(const Household& household) {
  const ClampRange clamp{0, 100};
  const DistributionalPlan plan{
      .form = DistributionalForm::capped, .clamp = clamp, .epsilon = 1, .spread_steps = 40, .half_width_steps = 160};
  auto state =
      DistributionalState::prepare(plan, *map_of_one_meter("h"), {MeterProfile::learn(household.readings, clamp)});
  EXPECT_TRUE(state);
  return *MeterTransform::make(*std::move(state));
}

/// The same profile and constants, but draws of their own.
MeterTransform with_another_key(const MeterTransform& meter) {
  std::string text = meter.state().text();
  text.resize(text.rfind("end,"));
  text.replace(text.find("key,") + 4, 64, SecretKey::make().hex());
  const std::string version = to_hex(sha256({text}));
  text.append("end,").append(version).append("\n");
  return *MeterTransform::make(*DistributionalState::read(Input::from_memory("h.state", text)));
}

/// Which of two households it is, says somebody who works one number out of all that a meter sent.
double advantage_at_meter(const Household& first, const Household& second, double threshold, int trials,
                          const std::function<double(MeterTransform&, const Household&, SeededBits&)>& number) {
  SeededBits bits(21);
  int more = 0;
  for (int trial = 0; trial < trials; ++trial) {
    MeterTransform a = prepared_meter(first);
    MeterTransform b = prepared_meter(second);
    more += (number(b, second, bits) > threshold ? 1 : 0) - (number(a, first, bits) > threshold ? 1 : 0);
  }
  return static_cast<double>(more) / trials;
}

std::int64_t reading_of(const Household& household, SeededBits& bits) {
  return household.readings[uniform_below(bits, household.readings.size())];
}

constexpr Slot kWatchedSlots = 400;

TEST(MeterWatch, CannotTellMeansApartFromWhatAMeterSends) {
  constexpr int kTrials = 1000;
  using Value = std::function<std::int64_t(MeterTransform&, Slot, std::int64_t)>;
  const auto found_in = [&](const Value& value) {
    return advantage_at_meter({{0}}, {{100}}, 50, kTrials,
                              [&](MeterTransform& meter, const Household& household, SeededBits& bits) {
                                double sum = 0;
                                for (Slot slot = 0; slot < kWatchedSlots; ++slot)
                                  sum += static_cast<double>(value(meter, slot, reading_of(household, bits)));
                                return sum / kWatchedSlots;
                              });
  };
  const double allowed = advantage_bound(1, 0) + margin(kTrials);
  const double protected_one =
      found_in([](MeterTransform& meter, Slot slot, std::int64_t reading) { return meter.sent(slot, reading); });
  EXPECT_LE(protected_one, allowed);
  EXPECT_NEAR(protected_one, 1 - std::exp(-0.5), margin(kTrials)) << "the adversary is as good as it can be";
  EXPECT_GT(found_in([](MeterTransform&, Slot, std::int64_t reading) { return reading; }), 0.99) << "untransformed";
  EXPECT_GT(found_in([](MeterTransform& meter, Slot slot, std::int64_t reading) {
              return meter.sent(slot, reading) - meter.card().levels[0] + meter.state().means_of(0)[0];
            }),
            0.99)
      << "the broken twin without constants, which whoever adds up would add, must be caught";
}

// The meter is asked for every slot twice, say because it was restored from a backup. What it sends is the same, so
// that only the public law shows. Drawn anew, both have the reading in common, and together show how far readings
// spread.
TEST(MeterWatch, CannotTellSpreadsApartWhenSlotsAreAskedForAgain) {
  constexpr int kTrials = 200;
  const auto found_with = [&](bool anew) {
    return advantage_at_meter({{50}}, {{10, 90}}, anew ? 800 : 1600, kTrials,
                              [&](MeterTransform& meter, const Household& household, SeededBits& bits) {
                                MeterTransform again =
                                    anew ? with_another_key(meter) : *MeterTransform::make(meter.state());
                                const auto level = static_cast<double>(meter.card().levels[0]);
                                double products = 0;
                                for (Slot slot = 0; slot < kWatchedSlots; ++slot) {
                                  const std::int64_t reading = reading_of(household, bits);
                                  products += (static_cast<double>(meter.sent(slot, reading)) - level) *
                                              (static_cast<double>(again.sent(slot, reading)) - level);
                                }
                                return products / kWatchedSlots;
                              });
  };
  EXPECT_LE(std::fabs(found_with(false)), margin(kTrials)) << "capped, spreads cost nothing: there is nothing to see";
  EXPECT_GT(found_with(true), 0.9) << "the broken twin, which draws anew, must be caught";
}

// A household and its twin of twelve hours later, as above, but with nobody else's readings and no noise in between.
TEST(MeterWatch, CannotFindTheHourFromWhatAMeterSends) {
  constexpr int kTrials = 200;
  constexpr int kDays = 14;
  const std::vector<std::vector<std::int64_t>> habits = example_habits();
  std::vector<double> pattern;  // what the household has more than its twin, by hour
  for (std::size_t hour = 0; hour < 24; ++hour) {
    const auto mean = [&](std::size_t at) {
      return std::accumulate(habits[at].begin(), habits[at].end(), 0.0) / static_cast<double>(habits[at].size());
    };
    pattern.push_back(mean(hour) - mean((hour + 12) % 24));
  }
  const auto resemblance = [&](std::string_view by, std::size_t shift, SeededBits& bits) {
    DistributionalPlan plan = habits_plan(DistributionalForm::capped, by);
    plan.one_level = by != "none";
    std::vector<std::int64_t> all;
    for (const auto& values : habits) all.insert(all.end(), values.begin(), values.end());
    const MeterProfile whole = MeterProfile::learn(all, plan.clamp);
    std::vector<MeterProfile> profiles;
    for (std::size_t hour = 0; plan.one_level && hour < 24; ++hour)
      profiles.push_back(MeterProfile::learn(habits[(hour + shift) % 24], plan.clamp)
                             .at_level(whole.mean_steps(), whole.variance_steps()));
    if (!plan.one_level) profiles.push_back(whole);
    auto state = DistributionalState::prepare(plan, *map_of_one_meter("h"), std::move(profiles));
    EXPECT_TRUE(state);
    MeterTransform meter = *MeterTransform::make(*std::move(state));
    meter.start(Clock(0, 3600));
    const auto level = static_cast<double>(meter.card().levels[0]);
    double sum = 0;
    for (Slot slot = 0; slot < kDays * 24; ++slot) {
      const auto hour = static_cast<std::size_t>(slot % 24);
      const Household now{habits[(hour + shift) % 24]};
      sum += pattern[hour] * (static_cast<double>(meter.sent(slot, reading_of(now, bits))) - level);
    }
    return sum;
  };
  const auto found_by = [&](std::string_view by) {
    SeededBits bits(31);
    int more = 0;
    for (int trial = 0; trial < kTrials; ++trial)
      more += (resemblance(by, 0, bits) > 0 ? 1 : 0) - (resemblance(by, 12, bits) > 0 ? 1 : 0);
    return static_cast<double>(more) / kTrials;
  };
  EXPECT_LE(std::fabs(found_by("hour")), margin(kTrials)) << "the streams have the same law";
  EXPECT_GT(found_by("none"), 0.99) << "the broken twin, one law for all hours, must be caught";
}

}  // namespace
}  // namespace fugu::test
