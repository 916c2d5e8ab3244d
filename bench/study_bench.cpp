// What the engine of a study costs besides Simulation::step, and a whole cell through both.
#include <benchmark/benchmark.h>

#include "fugu/simulate/simulation.hpp"
#include "fugu/study/study.hpp"

namespace fugu {
namespace {

constexpr Slot kSlots = 1000;
constexpr std::uint64_t kRuns = 1000;

Study study_of(const std::string& metrics) {
  auto suite = parse_suite(
      "bench.toml", "mechanisms = [\"uniform\"]\nmetrics = [\"mae\"" + metrics + "]\nruns = " + std::to_string(kRuns) +
                        "\n[[stream]]\nlength = " + std::to_string(kSlots) +
                        "\nseason = 40\namplitude = 1000\n[[requirement]]\nepsilon = 1\nw = 120\n");
  return *Study::make(*std::move(suite), {});
}

/// The runs of Uniform as a study does them, on one thread.
void study_cell(benchmark::State& state, const std::string& metrics) {
  const Study study = study_of(metrics);
  for (auto _ : state) {
    const auto done = study.run({.threads = 1}, [](std::size_t, const CellResult& result) -> Result<void> {
      benchmark::DoNotOptimize(result.mae);
      return {};
    });
    if (!done) state.SkipWithError(done.error().message.c_str());
  }
  state.SetItemsProcessed(state.iterations() * kSlots * static_cast<std::int64_t>(kRuns));
}

/// The same runs without the study: only Simulation::step. The difference is what the engine costs.
void simulation_only(benchmark::State& state) {
  const Study study = study_of("");
  const PreparedStream& stream = study.streams()[0];
  for (auto _ : state) {
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      auto definition =
          Definition::make({.protects = Protects::w_event, .epsilon = *Epsilon::make(1.0), .window_slots = 120});
      auto exposure = Exposure::make({.sensitivity_steps = {1}, .signatures = Exposure::all_shared(1)});
      auto strategy = make_strategy("uniform", {.window_slots = 120});
      Simulation simulation({*definition, *exposure, NoiseKind::laplace, *std::move(strategy)},
                            std::make_unique<SimulationNoise>(1, run));
      for (const SlotRow& row : stream.rows()) benchmark::DoNotOptimize(*simulation.step(row));
    }
  }
  state.SetItemsProcessed(state.iterations() * kSlots * static_cast<std::int64_t>(kRuns));
}

BENCHMARK(simulation_only)->Name("study_slot/simulation_only")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_cell, errors, "")
    ->Name("study_slot/errors")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(study_cell, all_metrics,
                  ", \"season\", \"level\", \"amplitude\", \"peak\", \"changes\", \"forecast\"")
    ->Name("study_slot/all_metrics")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
