// DSAT_w: how many samples fall into a window, the split of ε, and what the published code does instead.
#include "fugu/strategy/dsat.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "fugu/comparison/dsat_as_published.hpp"
#include "fugu/simulate/simulation.hpp"
#include "support/builders.hpp"
#include "support/simulating.hpp"

namespace fugu::test {
namespace {

const std::uint64_t kSeed = seed_or(20'261'119);
constexpr std::uint64_t kWindow = 40;
constexpr std::size_t kSamples = 6;  // ⌈0.15 · 40⌉

/// The fewest and the most samples in any window of w slots.
struct PerWindow {
  std::size_t least;
  std::size_t most;
};

PerWindow count_per_window(const std::vector<Slot>& sampled, Slot slots, std::uint64_t window) {
  PerWindow counts{sampled.size(), 0};
  for (Slot first = 0; first + static_cast<Slot>(window) <= slots; ++first) {
    const auto inside = static_cast<std::size_t>(std::count_if(sampled.begin(), sampled.end(), [&](Slot slot) {
      return slot >= first && slot < first + static_cast<Slot>(window);
    }));
    counts.least = std::min(counts.least, inside);
    counts.most = std::max(counts.most, inside);
  }
  return counts;
}

Simulated run(std::size_t series, const TrueStream& truth) {
  return simulate_stream({define(Protects::w_event, 1, 0, kWindow), expose_disjoint(series, 1), NoiseKind::laplace,
                          std::make_unique<Dsat>()},
                         truth, kSeed);
}

Simulated run_as_published(const TrueStream& truth) {
  return simulate_strategy("dsat-w-as-published", define(Protects::w_event, 1, 0, kWindow), expose_one(1), truth,
                           kSeed);
}

TrueStream random_walk(Slot slots, std::size_t series, std::int64_t by) {
  std::mt19937_64 random(kSeed);
  std::vector<std::int64_t> value(series, 0);
  return stream_of(slots, series, [&](Slot, std::size_t i) {
    value[i] += by * (static_cast<std::int64_t>(random() % 7) - 3);
    return value[i];
  });
}

TEST(Dsat, BetweenHalfOfCAndCSamplesFallIntoEveryWindow) {
  constexpr Slot kSlots = 1200;
  const auto season = [](Slot slot, std::size_t) {
    return static_cast<std::int64_t>(1000 + 900 * std::sin(static_cast<double>(slot) / 12));
  };
  for (const std::size_t series : {std::size_t{1}, std::size_t{20}}) {
    const std::vector<std::pair<const char*, TrueStream>> streams{
        {"still", stream_of(kSlots, series, [](Slot, std::size_t) { return 100; })},
        {"season", stream_of(kSlots, series, season)},
        {"walk", random_walk(kSlots, series, 20)},
        {"wild walk", random_walk(kSlots, series, 100'000)},
    };
    for (const auto& [name, truth] : streams) {
      const PerWindow counts = count_per_window(run(series, truth).sampled(), kSlots, kWindow);
      EXPECT_GE(counts.least, (kSamples + 1) / 2) << name << ", " << series;
      EXPECT_LE(counts.most, kSamples) << name << ", " << series;
    }
  }
}

TEST(Dsat, FollowsJumpsFasterThanFixedSampling) {
  // Jumps that do not come in step with sampling every sixth or seventh slot.
  const TrueStream truth = stream_of(1200, 1, [](Slot slot, std::size_t) { return 50'000 * ((slot / 23) % 2); });
  const Definition definition = define(Protects::w_event, 1, 0, kWindow);
  const double adaptive = run(1, truth).mean_error(truth);
  const double fixed = simulate_strategy("hybrid", definition, expose_one(1), truth, kSeed, 7).mean_error(truth);
  EXPECT_LT(adaptive, 0.7 * fixed);
}

TEST(Dsat, SplitIsARealNumberThatFollowsTheSeries) {
  double before = 1;
  for (const std::size_t series : {std::size_t{1}, std::size_t{3}, std::size_t{30}}) {
    auto made = std::make_unique<Dsat>();
    const Dsat& strategy = *made;
    Simulation simulation(
        {define(Protects::w_event, 1, 0, kWindow), expose_disjoint(series, 1), NoiseKind::laplace, std::move(made)},
        std::make_unique<SimulationNoise>(kSeed));
    ASSERT_TRUE(simulation.step(row_of(0, std::vector<std::optional<std::int64_t>>(series, 10))));
    EXPECT_EQ(strategy.samples_per_window(), kSamples);
    // 0.15 · ∛(20/d²)
    const double worth = 0.15 * std::cbrt(20 / static_cast<double>(series * series));
    EXPECT_NEAR(strategy.decision_part(), worth / (1 + worth), 1e-9);
    EXPECT_LT(strategy.decision_part(), before);
    before = strategy.decision_part();
  }
}

TEST(Dsat, PublishedSplitIsZeroOrItsLimit) {
  for (const std::size_t series : {std::size_t{1}, std::size_t{2000}}) {
    auto made = std::make_unique<DsatAsPublished>();
    const DsatAsPublished& strategy = *made;
    Simulation simulation(
        {define(Protects::w_event, 1, 0, kWindow), expose_disjoint(series, 1), NoiseKind::laplace, std::move(made)},
        std::make_unique<SimulationNoise>(kSeed), false);
    ASSERT_TRUE(simulation.step(row_of(0, std::vector<std::optional<std::int64_t>>(series, 1))));
    EXPECT_EQ(strategy.decision_part(), series == 1 ? 1 - 0.15 : 0.0);
  }
}

TEST(Dsat, PublishedCountPutsOneMoreIntoAWindow) {
  const TrueStream truth = random_walk(1200, 1, 100'000);
  const auto flawed = run_as_published(truth);
  EXPECT_EQ(count_per_window(flawed.sampled(), 1200, kWindow).most, kSamples + 1);
  EXPECT_LE(count_per_window(run(1, truth).sampled(), 1200, kWindow).most, kSamples);
}

/// As published everything is sampled at once, and then nothing until the window has passed.
TEST(Dsat, PublishedThresholdSinksToZeroAndSamplesInBursts) {
  const TrueStream truth = stream_of(1200, 1, [](Slot slot, std::size_t) {
    return static_cast<std::int64_t>(1000 + 900 * std::sin(static_cast<double>(slot) / 12));
  });
  const auto in_bursts = [](const std::vector<Slot>& sampled) {  // the part of samples right after another
    std::size_t count = 0;
    for (std::size_t i = 1; i < sampled.size(); ++i) count += sampled[i] - sampled[i - 1] <= 2 ? 1 : 0;
    return static_cast<double>(count) / static_cast<double>(sampled.size());
  };
  EXPECT_GT(in_bursts(run_as_published(truth).sampled()), 0.6);
  EXPECT_LT(in_bursts(run(1, truth).sampled()), 0.3);
}

}  // namespace
}  // namespace fugu::test
