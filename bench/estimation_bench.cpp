// State estimation beside the load flow it ends with: stamps a second, filter of every household, transformer, tie and
// both load flows included. And the thesis's question at full size: a year of quarter hours, 20 noise scales, 10 runs,
// each with its noise, load flow, currents and errors. An item is a stamp.
#include <benchmark/benchmark.h>

#include <random>

#include "fugu/inference/state_estimator.hpp"
#include "fugu/measurement/own_meters.hpp"
#include "fugu/monitoring/comparison.hpp"
#include "fugu/network/feeder.hpp"
#include "fugu/network/network_reader.hpp"
#include "fugu/simulate/exponentials.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/study/grid_loads.hpp"

namespace fugu::grid {
namespace {

constexpr std::size_t kStamps = 35'040;
constexpr std::size_t kBatch = 2'190;
constexpr unsigned kThreads = 2;
constexpr std::size_t kYearScales = 20;
constexpr std::size_t kYearRuns = 10;

/// A batch of loads that is gone through again and again: homes, and what the operator measures.
struct Case {
  Network network;
  HouseholdModel model;
  GridLoads loads;
  OwnMeters meters;

  LoadBatch batch() const { return loads.batch(0, kBatch); }
  std::size_t customers() const { return network.customers().size(); }
};

Case make_case(Network network) {
  const GridLoadOptions options{.days = 23};
  GridLoads loads = *make_grid_loads(network, options);
  SeededBits bits(1);
  OwnMeters meters = *measure(network, loads.batch(0, kBatch), {.power_sigma = 0.01}, bits);
  return {std::move(network), *learn_homes(options), std::move(loads), std::move(meters)};
}

/// Nullptr when the recorded network is not there.
const Case* case_of(benchmark::State& state) {
  static const Case feeder = make_case(*make_feeder());
  if (state.range(0) == 36) return &feeder;
  static const auto network = read_network(std::string(FUGU_SHARED_DATA) + "/lvgrid/ieee_eulv");
  if (!network) {
    state.SkipWithError("the recorded network is not here");
    return nullptr;
  }
  static const Case recorded = make_case(*network);
  return &recorded;
}

void add_noise(Exponentials& noise, double scale, std::span<const double> truth, std::vector<double>& released) {
  released.resize(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto [first, second] = noise.next_pair();
    released[i] = truth[i] + scale * (first - second);
  }
}

void on_both_feeders(benchmark::internal::Benchmark* bench) {
  bench->ArgName("nodes")->Arg(36)->Arg(906)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
}

void run_load_flow(benchmark::State& state, Result<LoadFlowSolverPtr> (*make)(const Network&, const LoadFlowOptions&)) {
  const Case* const given = case_of(state);
  if (given == nullptr) return;
  const auto solver = make(given->network, {.threads = kThreads});
  if (!solver) {
    state.SkipWithError("built without power-grid-model");
    return;
  }
  LoadFlow flow;
  for (auto _ : state) {
    if (!(*solver)->solve(given->batch(), flow)) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

void estimation_load_flow(benchmark::State& state) { run_load_flow(state, make_sweep); }
BENCHMARK(estimation_load_flow)->Apply(on_both_feeders);

void estimation_load_flow_newton(benchmark::State& state) { run_load_flow(state, make_newton_raphson); }
BENCHMARK(estimation_load_flow_newton)->Apply(on_both_feeders);

void run_estimation(benchmark::State& state, Prior prior) {
  const Case* const given = case_of(state);
  if (given == nullptr) return;
  Exponentials noise(1);
  std::vector<double> released;
  add_noise(noise, 1, given->batch().p_kw, released);
  const std::vector<double> scale(released.size(), 1.0);
  auto estimator = *StateEstimator::make(given->network,
                                         {.prior = prior, .model = &given->model, .load_flow = {.threads = kThreads}});
  GridEstimate estimate;
  for (auto _ : state) {
    if (!estimator.estimate({.stamps = kBatch,
                             .p_kw = released,
                             .p_scale_kw = scale,
                             .transformer_p_kw = given->meters.transformer_kw,
                             .transformer_q_kvar = given->meters.transformer_kvar},
                            estimate))
      std::abort();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}

void estimation_households(benchmark::State& state) { run_estimation(state, Prior::households); }
BENCHMARK(estimation_households)->Apply(on_both_feeders);

void estimation_profile(benchmark::State& state) { run_estimation(state, Prior::releases_and_profile); }
BENCHMARK(estimation_profile)->Apply(on_both_feeders);

/// One year, all scales and runs: what a study of one feeder takes.
void estimation_year_of_load_flows(benchmark::State& state) {
  const Case* const given = case_of(state);
  const Monitor monitor = *Monitor::make(given->network);
  const auto solver = make_sweep(given->network, {.threads = kThreads});
  const std::vector<double> no_q(kBatch * given->customers());
  LoadFlow flow;
  GridStates truth;
  GridStates states;
  if (!(*solver)->solve(given->batch(), flow)) std::abort();
  monitor.observe(flow, truth);
  std::vector<double> released;
  for (auto _ : state) {
    for (std::size_t run = 0; run < kYearScales * kYearRuns; ++run) {
      Exponentials noise(1, run);
      StateComparison comparison(monitor);
      for (std::size_t first = 0; first < kStamps; first += kBatch) {
        add_noise(noise, 0.05 * static_cast<double>(1 + run % kYearScales), given->batch().p_kw, released);
        if (!(*solver)->solve({.stamps = kBatch, .p_kw = released, .q_kvar = no_q}, flow)) std::abort();
        monitor.observe(flow, states);
        comparison.add(truth, states);
      }
      benchmark::DoNotOptimize(comparison.errors().voltage_v);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kStamps * kYearScales * kYearRuns));
}
BENCHMARK(estimation_year_of_load_flows)
    ->ArgName("nodes")
    ->Arg(36)
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace fugu::grid

BENCHMARK_MAIN();
