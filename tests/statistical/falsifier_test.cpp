// Neighbouring streams through whole mechanisms: the honest ones cannot be told apart better than promised, the broken
// twins can. An honest mechanism fails with probability 1e-6 per case (see Falsifier); what is reported as broken is.
// FUGU_TEST_SEED=<number> repeats a run or tries another.
#include "support/falsifier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fugu/filter/filter.hpp"
#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/baselines.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/builders.hpp"
#include "support/publishing.hpp"
#include "support/strategies.hpp"

namespace fugu::test {
namespace {

const std::uint64_t kSeed = seed_or(20'261'115);

/// True values, slot by slot, series by series.
using Stream = std::vector<std::vector<std::int64_t>>;

/// How the changes of a neighbour are signed.
enum class Signs { up, alternating, random };

/// Two streams that the definition must hide from each other: one meter changes by its whole sensitivity in one slot,
/// in a window, or in all slots, in every series it counts into.
struct Neighbours {
  Stream first;
  Stream second;
};

Neighbours draw_neighbours(const Definition& definition, const Exposure& exposure, std::size_t slots, Signs signs,
                           std::mt19937_64& random) {
  Neighbours pair;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    auto& row = pair.first.emplace_back();
    for (std::size_t i = 0; i < exposure.series_count(); ++i) row.push_back(static_cast<std::int64_t>(random() % 6));
  }
  pair.second = pair.first;
  const bool user = definition.protects() == Protects::user;
  const std::size_t window = user ? slots : std::min<std::size_t>(slots, definition.window_slots());
  const std::size_t start = user ? 0 : random() % (slots - window + 1);
  const auto& reached = exposure.signature(random() % exposure.signature_count());
  for (std::size_t slot = start; slot < start + window; ++slot) {
    const bool down =
        signs == Signs::alternating ? (slot - start) % 2 == 1 : signs == Signs::random && random() % 2 == 0;
    for (const SeriesId series : reached) {
      const auto change = static_cast<std::int64_t>(exposure.sensitivity_steps(series));
      pair.second[slot][series] += down ? -change : change;
    }
  }
  return pair;
}

/// Runs a mechanism through the real kernel and accountant with seeded noise. The transcript has, for each slot and
/// series, the released value, whether it was sampled, and what a filter makes of it.
OneRun run_of(const Recipe& recipe, const Stream& stream, const std::string& filter = "") {
  std::vector<SlotRow> rows;
  for (std::size_t slot = 0; slot < stream.size(); ++slot)
    rows.push_back(row_of(static_cast<Slot>(slot), {stream[slot].begin(), stream[slot].end()}));
  return [recipe, rows, filter](std::uint64_t noise_stream) {
    Simulation simulation(recipe.make(), std::make_unique<SimulationNoise>(kSeed, noise_stream));
    std::vector<std::unique_ptr<Filter>> filters;
    for (std::size_t i = 0; i < recipe.exposure.series_count() && !filter.empty(); ++i)
      filters.push_back(*make_filter_chain(filter));
    Transcript transcript;
    for (const SlotRow& row : rows) {
      const auto release = simulation.step(row);
      if (!release) std::abort();
      for (std::size_t i = 0; i < (*release)->values().size(); ++i) {
        const ReleasedValue& value = (*release)->values()[i];
        transcript.push_back(value.known ? static_cast<double>(value.value.steps) : -1e6);
        transcript.push_back(value.sampled ? 1 : 0);
        if (!filters.empty()) transcript.push_back(filters[i]->apply({transcript.end()[-2], 1, value.sampled}).value);
      }
    }
    return transcript;
  };
}

// --- The tester's own arithmetic ----------------------------------------------------------------------------------

TEST(Falsifier, BoundsAreThoseOfTheBinomialLaw) {
  for (const int n : {1, 7, 40}) {
    for (const double p : {0.01, 0.3, 0.5, 0.97}) {
      double tail = 0;
      for (int k = n; k >= 0; --k) {
        tail += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) * std::pow(p, k) *
                std::pow(1 - p, n - k);
        EXPECT_NEAR(binomial_at_least(k, n, p), tail, 1e-10) << k << " of " << n << " at " << p;
      }
    }
  }
  EXPECT_EQ(lower_bound(0, 100, 1e-6), 0);
  EXPECT_NEAR(upper_bound(0, 100, 1e-6), 1 - std::pow(1e-6, 0.01), 1e-9);
  EXPECT_NEAR(lower_bound(100, 100, 1e-6), std::pow(1e-6, 0.01), 1e-9);
  EXPECT_LT(lower_bound(50, 100, 1e-3), 0.5);
  EXPECT_GT(upper_bound(50, 100, 1e-3), 0.5);
}

// --- Honest mechanisms --------------------------------------------------------------------------------------------

struct HonestCase {
  std::string name;
  Recipe recipe;
  std::size_t slots;
  std::string filter;
};

/// P and Q of one household: Algorithm 5 of the thesis.
std::unique_ptr<Strategy> uniform_split() {
  const std::vector<std::string> names = {"c.p", "c.q"};
  return std::make_unique<EveryKth>(
      1, *ShareSplit::make({{{0}, 700'000'000}, {{1}, 300'000'000}}, expose({3, 2}, {{0, 1}}), names));
}

/// A name as gtest has them: letters, digits and underscores.
std::string test_name(std::string_view name) {
  std::string made(name);
  std::replace(made.begin(), made.end(), '-', '_');
  return made;
}

std::vector<HonestCase> honest_cases() {
  const auto every = [](std::uint64_t k) { return [k] { return std::make_unique<EveryKth>(k); }; };
  const auto named = [](std::string_view name) {
    return [name] { return *make_strategy(name, {.window_slots = 3, .every_slots = 2}); };
  };
  const Exposure one = expose_one(3);
  const auto w_event = [](double epsilon, std::uint64_t w, double delta = 0) {
    return define(Protects::w_event, epsilon, delta, w);
  };
  std::vector<HonestCase> cases{
      {"uniform_event", {define(Protects::event, 1), one, every(1)}, 3, "moving-average:3"},
      {"uniform_w_event", {w_event(1, 3), one, every(1)}, 4, "truncate:0:10"},
      {"uniform_user", {define(Protects::user, 1.5, 0, 4), one, every(1)}, 4, "kalman:2"},
      {"sample_w_event", {w_event(1, 3), one, every(3)}, 5, "moving-average:2"},
      {"sample_user", {define(Protects::user, 1, 0, 4), one, every(4)}, 4, ""},
      {"hybrid_w_event", {w_event(1, 4), one, every(2)}, 5, ""},
      {"hybrid_uneven", {w_event(0.5, 5), one, every(3)}, 5, ""},
      {"two_series_shared", {w_event(1, 2), expose({3, 2}, {{0, 1}}), every(1)}, 3, ""},
      {"two_registers_split", {w_event(1, 2), expose({3, 2}, {{0, 1}}), uniform_split}, 3, "moving-average:2"},
      {"two_series_own", {w_event(1, 2), expose({3, 2}, {{0}, {1}}), every(1)}, 3, ""},
      {"gaussian_event", {define(Protects::event, 1, 0.01), one, every(1), NoiseKind::gaussian}, 2, ""},
      {"gaussian_w_event", {w_event(1, 3, 0.01), one, every(1), NoiseKind::gaussian}, 4, "moving-average:3"},
      {"laplace_with_delta", {w_event(1, 3, 0.01), one, every(1)}, 4, ""},
      {"bd_shared", {w_event(2, 2), expose({3, 2}, {{0, 1}}), named("bd")}, 3, "moving-average:2"},
      {"bd_grouped_two_series", {w_event(2, 3), expose({3, 3}, {{0}, {1}}), named("bd-grouped")}, 12, ""},
      {"sparse_vector", {w_event(2, 3), one, [] { return std::make_unique<SparseVector>(3); }}, 5, ""},
      {"rescuedp_two_series", {w_event(2, 2), expose({3, 3}, {{0, 1}}), named("rescuedp")}, 4, ""},
      {"adapub_two_series", {w_event(2, 3), expose({3, 3}, {{0, 1}}), named("adapub")}, 6, ""},
      {"busy", {w_event(3, 3), one, [] { return std::make_unique<Busy>(3); }}, 5, ""},
  };
  for (const StrategyKind& kind : strategy_kinds()) {
    if (serves(kind, Serves::windows))
      cases.push_back({test_name(kind.name), {w_event(2, 3), one, named(kind.name)}, 5, ""});
  }
  return cases;
}

class Honest : public ::testing::TestWithParam<HonestCase> {};

TEST_P(Honest, CannotBeToldApartBetterThanPromised) {
  const HonestCase& honest = GetParam();
  const Definition& definition = honest.recipe.definition;
  std::mt19937_64 random(kSeed);
  for (const Signs signs : {Signs::up, Signs::alternating}) {
    const Neighbours pair = draw_neighbours(definition, honest.recipe.exposure, honest.slots, signs, random);
    // Making an accountant of δ > 0 takes a while, and each run makes one.
    const bool pure = definition.delta().value() == 0;
    const Falsifier falsifier({.epsilon = definition.epsilon().value(),
                               .delta = definition.delta().value(),
                               .training_runs = pure ? 8000u : 3000u,
                               .test_runs = pure ? 24000u : 9000u});
    const Verdict verdict = falsifier.examine(run_of(honest.recipe, pair.first, honest.filter),
                                              run_of(honest.recipe, pair.second, honest.filter));
    EXPECT_FALSE(verdict.broken) << verdict.evidence << " (alpha 1e-6, FUGU_TEST_SEED=" << kSeed << ")";
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Honest, ::testing::ValuesIn(honest_cases()),
                         [](const auto& tested) { return tested.param.name; });

// --- Broken twins -------------------------------------------------------------------------------------------------

/// A mechanism that promises and does not keep: the transcript of one series.
using Broken = std::function<Transcript(const std::vector<std::int64_t>& truth, SimulationNoise& noise)>;

struct BrokenCase {
  std::string name;
  Definition promised;
  Signs signs;
  std::size_t slots;
  Broken broken;
};

constexpr std::uint64_t kSensitivity = 3;

/// Laplace noise of scale sensitivity/ε · times.
std::int64_t laplace(SimulationNoise& noise, double epsilon, double times = 1) {
  return noise.laplace(
      {static_cast<std::uint64_t>(std::ceil(static_cast<double>(kSensitivity) * times / epsilon * 1024)), 1024});
}

Transcript half_the_noise(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  for (const std::int64_t value : truth) out.push_back(static_cast<double>(value + laplace(noise, 1, 0.5)));
  return out;
}

Transcript released_twice(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  for (const std::int64_t value : truth) {
    out.push_back(static_cast<double>(value + laplace(noise, 1)));
    out.push_back(static_cast<double>(value + laplace(noise, 1)));
  }
  return out;
}

/// Sample, but each repeat gets fresh noise.
Transcript refreshed_repeats(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  for (std::size_t slot = 0; slot < truth.size(); ++slot)
    out.push_back(static_cast<double>(truth[slot - slot % 3] + laplace(noise, 1)));
  return out;
}

Transcript reused_noise(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  const std::int64_t same = laplace(noise, 1);
  for (const std::int64_t value : truth) out.push_back(static_cast<double>(value + same));
  return out;
}

/// Σ |value − mean| over all slots, with the noise that hides a change of one of them.
Transcript deviation_charged_once(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  double mean = 0;
  for (const std::int64_t value : truth) mean += static_cast<double>(value) / static_cast<double>(truth.size());
  double deviation = 0;
  for (const std::int64_t value : truth) deviation += std::fabs(static_cast<double>(value) - mean);
  return {std::floor(deviation) + static_cast<double>(laplace(noise, 1, 2))};
}

/// Sums of the last three slots, each paid for in the slot it is released only.
Transcript average_charged_per_slot(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  for (std::size_t slot = 0; slot < truth.size(); ++slot) {
    std::int64_t sum = 0;
    for (std::size_t back = 0; back < 3 && back <= slot; ++back) sum += truth[slot - back];
    out.push_back(static_cast<double>(sum + laplace(noise, 1)));
  }
  return out;
}

/// Looks at the true value, and lets its parity through.
Transcript peeks_at_parity(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  for (const std::int64_t value : truth) {
    const std::int64_t noisy = value + laplace(noise, 1);
    out.push_back(static_cast<double>(noisy - (noisy & 1) + (value & 1)));
  }
  return out;
}

/// Decides by the true distance when to release; the values themselves have enough noise.
Transcript peeks_to_decide(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  std::int64_t last = truth[0] + laplace(noise, 1, 3);
  std::int64_t at_last = truth[0];
  for (const std::int64_t value : truth) {
    const bool sampled = std::llabs(value - at_last) >= 3;
    if (sampled) last = value + laplace(noise, 1, 3);
    if (sampled) at_last = value;
    out.push_back(static_cast<double>(last));
    out.push_back(sampled ? 1 : 0);
  }
  return out;
}

/// Under w-event with w = 3, every slot with all of ε.
Transcript forgets_the_window(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  for (const std::int64_t value : truth) out.push_back(static_cast<double>(value + laplace(noise, 1)));
  return out;
}

/// Sparse vector without noise in the comparisons, a mistake that was published more than once.
Transcript compares_without_noise(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  Transcript out;
  const std::int64_t threshold = 4 + laplace(noise, 1, 2);
  for (const std::int64_t value : truth) out.push_back(value > threshold ? 1 : 0);
  double first_yes = -1;
  for (std::size_t slot = 0; slot < truth.size(); ++slot) {
    if (out[slot] == 1) {
      first_yes = static_cast<double>(slot);
      break;
    }
  }
  out.push_back(first_yes);
  return out;
}

Transcript half_the_deviation(const std::vector<std::int64_t>& truth, SimulationNoise& noise) {
  // What ρ of (1, 0.01) asks for is a variance of about 40 steps²; a quarter of it is half the standard deviation.
  Transcript out;
  for (const std::int64_t value : truth) out.push_back(static_cast<double>(value + noise.gaussian({10, 1})));
  return out;
}

std::vector<BrokenCase> broken_cases() {
  const Definition event = define(Protects::event, 1);
  const Definition window = define(Protects::w_event, 1, 0, 3);
  return {
      {"half_the_noise", event, Signs::up, 2, half_the_noise},
      {"released_twice", event, Signs::up, 2, released_twice},
      {"refreshed_repeats", window, Signs::up, 6, refreshed_repeats},
      {"reused_noise", event, Signs::up, 3, reused_noise},
      {"deviation_charged_once", define(Protects::w_event, 1, 0, 4), Signs::alternating, 4, deviation_charged_once},
      {"average_charged_per_slot", event, Signs::up, 3, average_charged_per_slot},
      {"peeks_at_parity", event, Signs::up, 2, peeks_at_parity},
      {"peeks_to_decide", window, Signs::alternating, 3, peeks_to_decide},
      {"forgets_the_window", window, Signs::up, 4, forgets_the_window},
      {"compares_without_noise", window, Signs::alternating, 3, compares_without_noise},
      {"half_the_deviation", define(Protects::event, 1, 0.01), Signs::up, 2, half_the_deviation},
  };
}

class Twin : public ::testing::TestWithParam<BrokenCase> {};

TEST_P(Twin, IsToldApart) {
  const BrokenCase& twin = GetParam();
  std::mt19937_64 random(kSeed);
  Neighbours pair = draw_neighbours(twin.promised, expose_one(kSensitivity), twin.slots, twin.signs, random);
  // A calm stream, on which the change stands out: the falsifier may choose the streams, too.
  for (std::size_t slot = 0; slot < twin.slots; ++slot) {
    pair.second[slot][0] += 4 - pair.first[slot][0];
    pair.first[slot][0] = 4;
  }
  if (twin.name == "average_charged_per_slot") {  // the one slot that all three averages hold
    pair.second = pair.first;
    pair.second[0][0] += static_cast<std::int64_t>(kSensitivity);
  }
  if (twin.name == "refreshed_repeats") {
    pair.second = pair.first;
    for (std::size_t slot = 0; slot < 3; ++slot) pair.second[slot][0] += static_cast<std::int64_t>(kSensitivity);
  }
  const auto run = [&](const Stream& stream) -> OneRun {
    std::vector<std::int64_t> truth;
    for (const auto& row : stream) truth.push_back(row[0]);
    return [truth, &twin](std::uint64_t noise_stream) {
      SimulationNoise noise(kSeed, noise_stream);
      return twin.broken(truth, noise);
    };
  };
  const Falsifier falsifier({.epsilon = twin.promised.epsilon().value(), .delta = twin.promised.delta().value()});
  const Verdict verdict = falsifier.examine(run(pair.first), run(pair.second));
  EXPECT_TRUE(verdict.broken) << "not noticed (FUGU_TEST_SEED=" << kSeed << ")";
  if (verdict.broken) std::cout << "  " << verdict.evidence << "\n";
}

INSTANTIATE_TEST_SUITE_P(Broken, Twin, ::testing::ValuesIn(broken_cases()),
                         [](const auto& tested) { return tested.param.name; });

/// One household changes P and Q together. Whoever takes its registers for two households gives each the whole ε.
TEST(TwoRegisters, ChargedAsTwoHouseholdsAreToldApart) {
  const Definition promised = define(Protects::event, 1);
  const Exposure household = expose({3, 2}, {{0, 1}});
  const Exposure strangers = expose({3, 2}, {{0}, {1}});
  const Stream first = {{4, 4}, {4, 4}};
  const Stream second = {{7, 6}, {4, 4}};
  const auto verdict_on = [&](const Recipe& recipe) {
    return Falsifier({.epsilon = promised.epsilon().value()}).examine(run_of(recipe, first), run_of(recipe, second));
  };
  const auto uniform = [] { return std::make_unique<EveryKth>(1); };
  for (const Recipe& honest : {Recipe{promised, household, uniform}, Recipe{promised, household, uniform_split}}) {
    const Verdict verdict = verdict_on(honest);
    EXPECT_FALSE(verdict.broken) << verdict.evidence << " (alpha 1e-6, FUGU_TEST_SEED=" << kSeed << ")";
  }
  const Verdict verdict = verdict_on({promised, strangers, uniform});
  EXPECT_TRUE(verdict.broken) << "not noticed (FUGU_TEST_SEED=" << kSeed << ")";
}

}  // namespace
}  // namespace fugu::test
