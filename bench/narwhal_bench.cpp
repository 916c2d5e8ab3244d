// What a plan costs: one household over years, and many households for a day.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "fugu/strategy/narwhal.hpp"

namespace fugu {
namespace {

constexpr Slot kDaySlots = 96;

/// Kinds of appliances: how long the time of use is, how long one use, how many watts.
struct Kind {
  Slot interval_slots;
  std::uint64_t length_slots;
  std::uint64_t watts;
};
constexpr Kind kKinds[] = {{12, 3, 2100}, {16, 4, 2200}, {40, 10, 120}, {64, 16, 200},
                           {4, 1, 1800},  {8, 2, 1000},  {32, 8, 500}};

/// Some policies of one day, by day rather than by night.
std::vector<Policy> day_of(std::mt19937_64& random, Slot day, std::size_t policies) {
  std::vector<Policy> made;
  for (std::size_t i = 0; i < policies; ++i) {
    const Kind& kind = kKinds[random() % std::size(kKinds)];
    const Slot first = day * kDaySlots + 20 + static_cast<Slot>(random() % static_cast<std::uint64_t>(76));
    made.push_back({.interval = {first, first + kind.interval_slots - 1},
                    .length_slots = kind.length_slots,
                    .magnitude_steps = kind.watts * (50 + random() % 100) / 100,
                    .epsilon = Budget::round_down(1.0)});
  }
  return made;
}

/// Time per slot, policies known in advance (notice −1) or so many slots ahead. Argument 0: policies a day.
void one_meter(benchmark::State& state) {
  constexpr Slot kSlots = 150'000;
  std::mt19937_64 random(1);
  std::vector<Policy> policies;
  for (Slot day = 0; day < kSlots / kDaySlots; ++day)
    for (const Policy& policy : day_of(random, day, static_cast<std::size_t>(state.range(0))))
      policies.push_back(policy);
  std::stable_sort(policies.begin(), policies.end(),
                   [](const Policy& a, const Policy& b) { return a.interval.first < b.interval.first; });
  const auto notice = static_cast<Slot>(state.range(1));
  for (auto _ : state) {
    Narwhal narwhal({});
    auto next = policies.begin();
    for (Slot slot = 0; slot < kSlots; ++slot) {
      for (; next != policies.end() && (notice < 0 || next->interval.first - notice <= slot); ++next)
        narwhal.add(0, *next);
      const double rate = narwhal.rate(slot);
      benchmark::DoNotOptimize(rate);
      narwhal.spent(rate);
    }
    state.counters["plans"] = static_cast<double>(narwhal.plans_made());
  }
  state.counters["slot"] = benchmark::Counter(
      static_cast<double>(kSlots), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(one_meter)
    ->ArgNames({"policies_a_day", "notice"})
    ->ArgsProduct({{10, 20}, {-1, kDaySlots}})
    ->Unit(benchmark::kMillisecond);

/// One plan for a day of many meters with ten policies each.
void many_meters(benchmark::State& state) {
  std::mt19937_64 random(2);
  std::vector<Collection> meters(static_cast<std::size_t>(state.range(0)));
  for (Collection& meter : meters) meter.assign(day_of(random, 0, 10));
  const PlanBook book{.collections = meters,
                      .slots = {0, 2 * kDaySlots - 1},
                      .budget = [](const Collection&, const Policy& phi) { return phi.epsilon.to_double(); }};
  for (auto _ : state) {
    const Plan plan = PlanSolver().solve(book, {});
    state.counters["gap"] = plan.gap;
    state.counters["binding"] = static_cast<double>(plan.prices.size());
  }
}
BENCHMARK(many_meters)
    ->ArgName("meters")
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->Unit(benchmark::kSecond)
    ->Iterations(1);

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
