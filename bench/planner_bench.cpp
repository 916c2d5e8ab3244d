// What planning costs: every published rule on one household over years, and on a city over a day.
#include <benchmark/benchmark.h>

#include <random>

#include "fugu/strategy/published_planners.hpp"

namespace fugu {
namespace {

constexpr Slot kSlotsPerDay = 96;

/// A policy of an appliance on some day, much as the simulated households state them.
Policy appliance(Slot day, std::mt19937_64& random) {
  const auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  const int length = pick(1, 10);
  const int slots = length + pick(6, 30);
  const Slot first = day * kSlotsPerDay + pick(0, static_cast<int>(kSlotsPerDay) - slots);
  return {.interval = {first, first + slots - 1},
          .length_slots = static_cast<std::uint64_t>(length),
          .magnitude_steps = static_cast<std::uint64_t>(pick(100, 3000)),
          .epsilon = Budget::round_down(1)};
}

void plan_all(Planner& planner, Slot slots) {
  for (Slot slot = 0; slot < slots; ++slot) {
    const double rate = planner.rate(slot);
    benchmark::DoNotOptimize(rate);
    planner.spent(rate);
  }
}

/// One meter, 1563 days: adding is part of it.
void household(benchmark::State& state, const PublishedPlanner* rule) {
  constexpr Slot kDays = 1563;
  std::mt19937_64 random(1);
  std::vector<Policy> policies;
  for (Slot day = 0; day < kDays; ++day) {
    for (std::int64_t i = 0; i < state.range(0); ++i) policies.push_back(appliance(day, random));
  }
  for (auto _ : state) {
    const auto planner = rule->make({.sensitivity_steps = 20'000, .delta = *Delta::make(1e-6)});
    for (const Policy& policy : policies) planner->add(0, policy);
    plan_all(*planner, kDays * kSlotsPerDay);
  }
  state.counters["per_slot"] =
      benchmark::Counter(static_cast<double>(kDays * kSlotsPerDay),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Many meters with ten policies each, one day. Making up the policies is part of it.
void city(benchmark::State& state, const PublishedPlanner* rule) {
  for (auto _ : state) {
    std::mt19937_64 random(1);
    const auto planner = rule->make({.sensitivity_steps = 20'000, .delta = *Delta::make(1e-6)});
    for (MeterId meter = 0; meter < static_cast<MeterId>(state.range(0)); ++meter) {
      for (int i = 0; i < 10; ++i) planner->add(meter, appliance(0, random));
    }
    plan_all(*planner, kSlotsPerDay);
  }
}

const int kRegistered = [] {
  for (const PublishedPlanner& rule : published_planners()) {
    const std::string name(rule.name);
    benchmark::RegisterBenchmark(("household/" + name).c_str(), household, &rule)->Arg(10)->Arg(20);
    benchmark::RegisterBenchmark(("city/" + name).c_str(), city, &rule)
        ->Arg(100'000)
        ->Arg(1'000'000)
        ->Iterations(1)
        ->Unit(benchmark::kSecond);
  }
  return 0;
}();

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
