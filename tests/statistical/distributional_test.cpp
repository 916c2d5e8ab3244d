// An adversary who knows everybody else, and watches for as long as it likes. It has to tell two households apart.
#include <gtest/gtest.h>

#include <cmath>

#include "fugu/distributional/state.hpp"

namespace fugu::test {
namespace {

constexpr ClampRange kClamp{0, 100};
/// A correct mechanism is accused this often, by each check.
constexpr double kAlarm = 1e-6;

enum class Constants {
  none,     // protection off
  once,     // as they should be
  redrawn,  // broken twin: new ones in every slot
};

struct World {
  DistributionalTransform transform;
  ParameterNoise laws;
  std::int64_t reading_a;
  std::int64_t reading_b;  // the household's reading is one of both, each half of the time
};

World world_of(const DistributionalPlan& plan, std::int64_t a, std::int64_t b) {
  auto transform = DistributionalTransform::make(plan, {MeterProfile::learn({a, b}, kClamp)});
  auto laws = ParameterNoise::make(plan, 1);
  EXPECT_TRUE(transform && laws);
  return {*std::move(transform), *std::move(laws), a, b};
}

struct Moments {
  double mean;
  double variance;
};

/// What the adversary has left of a long release after it took off everybody else: mean and variance over all slots.
Moments watch(const World& world, Constants constants, Rational slot_scale, int slots, std::uint64_t seed) {
  SeededBits bits(seed, 1);
  SimulationNoise noise(seed, 2);
  SeriesConstants drawn = constants == Constants::none ? SeriesConstants{} : world.laws.draw(noise);
  double sum = 0;
  double squares = 0;
  for (int slot = 0; slot < slots; ++slot) {
    if (constants == Constants::redrawn) drawn = world.laws.draw(noise);
    const std::int64_t reading = bits.take64() >> 63 == 0 ? world.reading_a : world.reading_b;
    const auto released = static_cast<double>(world.transform.of_reading(0, reading, bits) + slot_noise(drawn, noise) +
                                              noise.laplace(slot_scale));
    sum += released;
    squares += released * released;
  }
  const double mean = sum / slots;
  return {mean, squares / slots - mean * mean};
}

/// How much more often the adversary says "the second" about the second world than about the first.
template <class Statistic>
double advantage(const World& first, const World& second, Constants constants, Rational slot_scale, int slots,
                 int trials, std::uint64_t seed, Statistic&& says_second) {
  int right = 0;
  int wrong = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto at = seed + 2 * static_cast<std::uint64_t>(trial);
    if (says_second(watch(first, constants, slot_scale, slots, at))) ++wrong;
    if (says_second(watch(second, constants, slot_scale, slots, at + 1))) ++right;
  }
  return static_cast<double>(right - wrong) / trials;
}

/// Hoeffding: the largest advantage in so many trials that (ε, δ) allows, but for a false alarm.
double allowed(double epsilon, double delta, int trials) {
  const double bound = (std::exp(epsilon) - 1 + 2 * delta) / (std::exp(epsilon) + 1);
  return bound + std::sqrt(-std::log(kAlarm) / trials);
}

TEST(LongWatch, CannotTellMeansApart) {
  const DistributionalPlan plan{
      .form = DistributionalForm::capped, .clamp = kClamp, .epsilon = 1, .spread_steps = 10, .half_width_steps = 40};
  const World empty = world_of(plan, 0, 0);
  const World busy = world_of(plan, 100, 100);
  constexpr int kSlots = 500;
  constexpr int kTrials = 1000;
  const Rational slot_scale{80, 1};  // event level, ε = 1
  const auto run = [&](Constants constants, std::uint64_t seed) {
    return advantage(empty, busy, constants, slot_scale, kSlots, kTrials, seed,
                     [](const Moments& seen) { return seen.mean > 50; });
  };
  const double bound = allowed(1, 0, kTrials);
  EXPECT_GT(run(Constants::none, 1'000), 0.99) << "off: per-slot noise alone gives the mean away";
  const double protected_advantage = run(Constants::once, 10'000);
  EXPECT_LE(protected_advantage, bound);
  EXPECT_NEAR(protected_advantage, 1 - std::exp(-0.5), 0.15) << "the adversary is as good as it can be";
  EXPECT_GT(run(Constants::redrawn, 20'000), bound) << "the twin must be caught";
}

TEST(LongWatch, CannotTellVariancesApart) {
  const DistributionalPlan plan{.form = DistributionalForm::hidden,
                                .clamp = kClamp,
                                .epsilon = 2,
                                .delta = 1e-3,
                                .spread_steps = 10,
                                .half_width_steps = 80};
  const World steady = world_of(plan, 50, 50);
  const World restless = world_of(plan, 40, 60);
  constexpr int kSlots = 1500;
  constexpr int kTrials = 250;
  const Rational slot_scale{2, 1};  // little per-slot noise, which is in the adversary's favour
  const double per_slot = 2 * 4.0;
  const auto run = [&](Constants constants, std::uint64_t seed) {
    const auto laws = ParameterNoise::make(plan, 1);
    const double offset = constants == Constants::none ? 0 : static_cast<double>(laws->variance_shift_steps());
    const double middle = offset + per_slot + (4 + 100) / 2.0;
    return advantage(steady, restless, constants, slot_scale, kSlots, kTrials, seed,
                     [&](const Moments& seen) { return seen.variance > middle; });
  };
  EXPECT_GT(run(Constants::none, 30'000), 0.99);
  EXPECT_LE(run(Constants::once, 40'000), allowed(1, 1e-3, kTrials)) << "ε/2 is for the variance";
}

TEST(LongWatch, CannotTellLawsWithTheSameMeanApart) {
  // Capped, the variance is no secret: not even a bit of ε is spent on it, and the adversary is as good as a coin.
  const DistributionalPlan plan{
      .form = DistributionalForm::capped, .clamp = kClamp, .epsilon = 1, .spread_steps = 40, .half_width_steps = 160};
  const World steady = world_of(plan, 50, 50);
  const World restless = world_of(plan, 10, 90);
  constexpr int kTrials = 300;
  const double variance = 40 * 40 + 2 * 4.0;
  const double found = advantage(steady, restless, Constants::once, {2, 1}, 1000, kTrials, 50'000,
                                 [&](const Moments& seen) { return seen.variance > variance; });
  EXPECT_LE(found, std::sqrt(-std::log(kAlarm) / kTrials));
}

}  // namespace
}  // namespace fugu::test
