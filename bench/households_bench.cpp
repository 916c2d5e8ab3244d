// What simulated households cost: a city for a year of quarter hours, nothing written. The target is 10,000 households
// (350 million readings) in 60 seconds on two cores.
#include <benchmark/benchmark.h>

#include "fugu/simulate/households.hpp"

namespace fugu {
namespace {

void year(benchmark::State& state) {
  for (auto _ : state) {
    auto city = Neighbourhood::make({.households = static_cast<std::uint64_t>(state.range(0)),
                                     .days = 365,
                                     .slot_min = state.range(1),
                                     .threads = static_cast<unsigned>(state.range(2))},
                                    HouseholdParameters::shipped());
    while (city->next_day()) benchmark::DoNotOptimize(city->watts(0).data());
  }
  const std::int64_t readings = state.range(0) * 365 * (1440 / state.range(1));
  state.SetItemsProcessed(state.iterations() * readings);
}

BENCHMARK(year)
    ->ArgNames({"households", "slot_min", "threads"})
    ->Args({10'000, 15, 2})
    ->Args({1000, 15, 1})
    ->Args({1000, 1, 1})
    ->Unit(benchmark::kSecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
