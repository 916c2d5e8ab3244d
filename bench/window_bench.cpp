// Mechanisms for windows: cost per slot and series through the real kernel and accountant, fresh noise included.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/artificial.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/registry.hpp"

namespace fugu {
namespace {

/// A seasonal stream in every series, shifted against each other. Made before the clock starts.
std::vector<SlotRow> rows_of(std::size_t series, std::size_t slots) {
  auto stream = ArtificialStream::make(
      {.length_slots = static_cast<std::int64_t>(slots + series), .season_slots = 80, .amplitude = 1000});
  std::vector<std::int64_t> values(slots + series);
  for (std::int64_t& value : values) value = std::llround(stream->next());
  std::vector<SlotRow> rows(slots);
  for (std::size_t t = 0; t < slots; ++t) {
    rows[t].slot = static_cast<Slot>(t);
    for (std::size_t s = 0; s < series; ++s) rows[t].values.emplace_back(values[t + s]);
  }
  return rows;
}

void run(benchmark::State& state, std::string_view mechanism, std::size_t series, std::size_t slots, std::uint64_t w) {
  const auto definition =
      Definition::make({.protects = Protects::w_event, .epsilon = *Epsilon::make(1.0), .window_slots = w});
  const auto exposure = Exposure::make(
      {.sensitivity_steps = std::vector<std::uint64_t>(series, 1), .signatures = Exposure::all_disjoint(series)});
  const std::vector<SlotRow> rows = rows_of(series, slots);
  for (auto _ : state) {
    Simulation simulation({*definition, *exposure, NoiseKind::laplace, *make_strategy(mechanism, {.window_slots = w})},
                          std::make_unique<SimulationNoise>(1));
    for (const SlotRow& row : rows) {
      auto release = simulation.step(row);
      if (!release) state.SkipWithError(release.error().message.c_str());
      benchmark::DoNotOptimize(*release);
    }
  }
  const double values = static_cast<double>(slots) * static_cast<double>(series);
  state.counters["value"] = benchmark::Counter(values * static_cast<double>(state.iterations()),
                                               benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void add(const StrategyKind& kind, std::size_t series, std::size_t slots, std::uint64_t w) {
  const std::string name = std::string(kind.name) + "/series:" + std::to_string(series) + "/w:" + std::to_string(w);
  benchmark::RegisterBenchmark(name.c_str(), [&kind, series, slots, w](benchmark::State& state) {
    run(state, kind.name, series, slots, w);
  })->Unit(benchmark::kMillisecond);
}

void register_all() {
  for (const StrategyKind& kind : strategy_kinds()) {
    if (!serves(kind, Serves::windows) || !kind.make({.window_slots = 120})) continue;
    for (const std::uint64_t w : {120u, 12'000u}) add(kind, 1, 100'000, w);
    add(kind, 1000, 500, 120);
  }
}

}  // namespace
}  // namespace fugu

int main(int argc, char** argv) {
  fugu::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
