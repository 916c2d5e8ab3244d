// What a slot costs: Uniform on one series, through the same kernel, accountant and ledger as `fugu publish`.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/mechanism/release_writer.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/registry.hpp"

namespace fugu {
namespace {

constexpr Slot kSlots = 10'000'000;

Mechanism uniform(std::uint64_t w, std::size_t series) {
  auto definition =
      Definition::make({.protects = Protects::w_event, .epsilon = *Epsilon::make(1.0), .window_slots = w});
  auto exposure = Exposure::make(
      {.sensitivity_steps = std::vector<std::uint64_t>(series, 1000), .signatures = Exposure::all_shared(series)});
  auto strategy = make_strategy("uniform", {.window_slots = w});
  return {*definition, *exposure, NoiseKind::laplace, *std::move(strategy)};
}

/// A stream that costs nothing to read.
class ConstantSource final : public SlotSource {
 public:
  ConstantSource(Slot slots, std::size_t series) : slots_(slots), names_(series, "load") {}

  Result<bool> next(SlotRow& row) override {
    if (next_ == slots_) return false;
    row.slot = next_++;
    row.values.assign(names_.size(), Raw(123456));
    return true;
  }
  bool would_wait() override { return false; }
  const std::vector<std::string>& series() const override { return names_; }

 private:
  Slot slots_;
  Slot next_ = 0;
  std::vector<std::string> names_;
};

/// Takes releases and keeps nothing, so that the kernel's work is what is measured.
class NoSink final : public ReleaseSink {
 public:
  void prepare(const Release& release) override { benchmark::DoNotOptimize(release.values().data()); }
  Result<void> emit() override { return {}; }
};

void check(const Result<void>& result, benchmark::State& state) {
  if (!result) state.SkipWithError(result.error().message.c_str());
}

void simulation(benchmark::State& state) {
  for (auto _ : state) {
    Simulation run(uniform(96, 1), std::make_unique<SimulationNoise>(1));
    ConstantSource source(kSlots, 1);
    SlotRow row;
    while (*source.next(row)) benchmark::DoNotOptimize(*run.step(row));
  }
  state.SetItemsProcessed(state.iterations() * kSlots);
}

void secure(benchmark::State& state) {
  for (auto _ : state) {
    NoSink sink;
    Publisher publisher(uniform(96, 1), std::make_unique<SecureNoise>(), sink);
    ConstantSource source(kSlots, 1);
    check(publisher.run(source, {}), state);
  }
  state.SetItemsProcessed(state.iterations() * kSlots);
}

LedgerWriter new_ledger(const std::string& path, const Mechanism& mechanism) {
  std::filesystem::remove(path);
  auto ledger = LedgerWriter::create(path, {mechanism.definition, mechanism.exposure, {"load"}, {}, "bench"});
  return *std::move(ledger);
}

/// The ledger lies in the working directory: on a real disk, not in memory.
void secure_with_ledger(benchmark::State& state) {
  const std::string path = "bench.ledger";
  for (auto _ : state) {
    NoSink sink;
    Mechanism mechanism = uniform(96, 1);
    LedgerWriter ledger = new_ledger(path, mechanism);
    Publisher publisher(std::move(mechanism), std::make_unique<SecureNoise>(), sink, std::move(ledger));
    ConstantSource source(kSlots, 1);
    check(publisher.run(source, {}), state);
  }
  std::filesystem::remove(path);
  state.SetItemsProcessed(state.iterations() * kSlots);
}

/// With the CSV of the releases, written to nowhere.
void secure_with_ledger_and_csv(benchmark::State& state) {
  const std::string path = "bench.ledger";
  for (auto _ : state) {
    Mechanism mechanism = uniform(96, 1);
    LedgerWriter ledger = new_ledger(path, mechanism);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    auto writer = ReleaseWriter::make({.clock = Clock(0, 900),
                                       .unit_step = UnitStep(),
                                       .series = {"load"},
                                       .currency = Currency::epsilon,
                                       .interval = std::nullopt,
                                       .filter = ""},
                                      nowhere, "nowhere");
    Publisher publisher(std::move(mechanism), std::make_unique<SecureNoise>(), *writer, std::move(ledger));
    ConstantSource source(kSlots, 1);
    check(publisher.run(source, {}), state);
    ::close(nowhere);
  }
  std::filesystem::remove(path);
  state.SetItemsProcessed(state.iterations() * kSlots);
}

/// How the cost of a slot grows with the window (it should not) and with the number of series (linearly).
void simulation_window(benchmark::State& state) {
  const auto slots = Slot{1'000'000};
  for (auto _ : state) {
    Simulation run(uniform(static_cast<std::uint64_t>(state.range(0)), 1), std::make_unique<SimulationNoise>(1));
    ConstantSource source(slots, 1);
    SlotRow row;
    while (*source.next(row)) benchmark::DoNotOptimize(*run.step(row));
  }
  state.SetItemsProcessed(state.iterations() * slots);
}

void simulation_series(benchmark::State& state) {
  const auto series = static_cast<std::size_t>(state.range(0));
  const Slot slots = 1'000'000 / state.range(0);
  for (auto _ : state) {
    Simulation run(uniform(96, series), std::make_unique<SimulationNoise>(1));
    ConstantSource source(slots, series);
    SlotRow row;
    while (*source.next(row)) benchmark::DoNotOptimize(*run.step(row));
  }
  state.SetItemsProcessed(state.iterations() * slots * state.range(0));
}

BENCHMARK(simulation)->Name("uniform_slot/simulation")->Unit(benchmark::kMillisecond);
BENCHMARK(secure)->Name("uniform_slot/secure")->Unit(benchmark::kMillisecond);
BENCHMARK(secure_with_ledger)->Name("uniform_slot/secure_durable_ledger")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(secure_with_ledger_and_csv)
    ->Name("uniform_slot/secure_durable_ledger_csv")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(simulation_window)->Name("uniform_slot/w")->Arg(1)->Arg(96)->Arg(35040)->Unit(benchmark::kMillisecond);
BENCHMARK(simulation_series)->Name("uniform_value/series")->Arg(1)->Arg(20)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
