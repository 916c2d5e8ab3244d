// What temporal perturbation costs a gateway: nanoseconds per reading (shift, queue, report) and bytes of state per
// meter; and what saving that state costs.
#include <benchmark/benchmark.h>

#include "fugu/meter/gateway.hpp"

namespace fugu {
namespace {

MeterKeyFile keys_of(std::int64_t meters) {
  MeterKeyFile file;
  for (std::int64_t i = 0; i < meters; ++i) {
    file.meters.intern(std::string("meter-").append(std::to_string(i)));
    file.keys.push_back({SecretKey::make(), SecretKey::make()});
  }
  return file;
}

TemporalScheme scheme_of(std::int64_t lagged) {
  return lagged != 0 ? *TemporalScheme::lagged({.epsilon = 1, .delta = 1e-6}) : *TemporalScheme::published(2);
}

void run_slot(Gateway& gateway, Slot slot) {
  for (NameTable::Id meter = 0; meter < gateway.meters().size(); ++meter) gateway.measure(meter, slot, 1000 + meter);
  gateway.end_slot(slot);
  gateway.clear_outbox();
}

void reading(benchmark::State& state) {
  auto gateway = Gateway::make({.scheme = scheme_of(state.range(1))}, keys_of(state.range(0)));
  Slot slot = 0;
  for (auto _ : state) run_slot(*gateway, slot++);
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["queued_most"] = static_cast<double>(gateway->counters().queued_most);
  state.counters["state_bytes"] = static_cast<double>(Gateway::state_bytes(gateway->counters().queued_most));
  state.counters["law_bytes"] = static_cast<double>(gateway->rules().scheme.shift().bytes());
}
BENCHMARK(reading)->ArgNames({"meters", "lagged"})->Args({1, 0})->Args({1, 1})->Args({1000, 0})->Args({1000, 1});

void state_text(benchmark::State& state) {
  auto gateway = Gateway::make({.scheme = scheme_of(1)}, keys_of(state.range(0)));
  for (Slot slot = 0; slot < 100; ++slot) run_slot(*gateway, slot);
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string text = gateway->state();
    bytes = text.size();
    benchmark::DoNotOptimize(text.data());
  }
  state.counters["bytes_per_meter"] = static_cast<double>(bytes) / static_cast<double>(state.range(0));
}
BENCHMARK(state_text)->ArgNames({"meters"})->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
