// Load flows per second, a year of quarter hours, voltages and the currents of both ends of every line: our sweep, and
// power-grid-model behind our interface beside the library called directly. An item is a time stamp.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "fugu/loadflow/branch_flows.hpp"
#include "fugu/loadflow/loadflow.hpp"
#include "fugu/network/feeder.hpp"
#include "fugu/network/network_reader.hpp"

#ifdef FUGU_POWER_GRID_MODEL
#include "../grid/src/loadflow/pgm_model.hpp"
#endif

namespace fugu::grid {
namespace {

constexpr std::size_t kStamps = 35'040;
constexpr std::size_t kBatch = 2'190;  // a sixteenth: the results of 906 nodes for a year would be a gigabyte
constexpr unsigned kThreads = 2;

struct Case {
  Network network;
  std::vector<double> p_kw = {};
  std::vector<double> q_kvar = {};

  LoadBatch batch(std::size_t first) const {
    const std::size_t customers = network.customers().size();
    return {kBatch, std::span(p_kw).subspan(first * customers, kBatch * customers),
            std::span(q_kvar).subspan(first * customers, kBatch * customers)};
  }
};

Case with_loads(Network network) {
  Case made{std::move(network)};
  std::mt19937 words(1);
  for (std::size_t i = 0; i < kStamps * made.network.customers().size(); ++i) {
    made.p_kw.push_back(static_cast<double>(words() >> 8) * 4 / 0x1p24);
    made.q_kvar.push_back(0.25 * made.p_kw.back());
  }
  return made;
}

const Case* feeder() {
  static const Case made = with_loads(*make_feeder());
  return &made;
}

/// Nothing when the recorded network is not there.
const Case* ieee_eulv() {
  static const auto network = read_network(std::string(FUGU_SHARED_DATA) + "/lvgrid/ieee_eulv");
  if (!network) return nullptr;
  static const Case made = with_loads(*network);
  return &made;
}

const Case* case_of(benchmark::State& state) {
  const Case* const found = state.range(0) == 36 ? feeder() : ieee_eulv();
  if (found == nullptr) state.SkipWithError("the recorded network is not here");
  return found;
}

void currents(const BranchFlows& flows, const LoadFlow& flow, std::vector<double>& from_a, std::vector<double>& to_a) {
  const std::size_t lines = from_a.size() / kBatch;
  for (std::size_t stamp = 0; stamp < kBatch; ++stamp) {
    flows.line_currents_a(flow.row(stamp), std::span(from_a).subspan(stamp * lines, lines),
                          std::span(to_a).subspan(stamp * lines, lines));
  }
}

void run(benchmark::State& state, const Case& given, const Result<LoadFlowSolverPtr>& solver) {
  if (!solver) {
    state.SkipWithError("built without power-grid-model");
    return;
  }
  const BranchFlows flows(given.network);
  LoadFlow flow;
  std::vector<double> from_a(kBatch * given.network.lines().size());
  std::vector<double> to_a(from_a);
  for (auto _ : state) {
    for (std::size_t first = 0; first < kStamps; first += kBatch) {
      if (!(*solver)->solve(given.batch(first), flow)) std::abort();
      currents(flows, flow, from_a, to_a);
    }
    benchmark::DoNotOptimize(flow.voltage_pu.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kStamps));
}

void on_both_feeders(benchmark::internal::Benchmark* bench) {
  bench->ArgName("nodes")->Arg(36)->Arg(906)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
}

void loadflow_sweep(benchmark::State& state) {
  if (const Case* const given = case_of(state)) run(state, *given, make_sweep(given->network, {.threads = kThreads}));
}
BENCHMARK(loadflow_sweep)->Apply(on_both_feeders);

void loadflow_newton(benchmark::State& state) {
  const Case* const given = case_of(state);
  if (given != nullptr) run(state, *given, make_newton_raphson(given->network, {.threads = kThreads}));
}
BENCHMARK(loadflow_newton)->Apply(on_both_feeders);

#ifdef FUGU_POWER_GRID_MODEL
/// What a program does that calls the library for the same results, with its inputs in watt already.
class DirectLoadFlow {
 public:
  explicit DirectLoadFlow(const Network& network)
      : model_(*pgm::make_model(network, VoltageAt::source, handle_)),
        options_(*pgm::make_options({.threads = kThreads}, handle_)),
        magnitudes_(kBatch * (network.nodes().size() + 1)),
        angles_(magnitudes_),
        from_a_(kBatch * network.lines().size()),
        to_a_(from_a_) {}

  void solve(const LoadBatch& batch) {
    PGM_Handle* const handle = handle_.get();
    const pgm::Input input(PGM_create_dataset_const(handle, "update", 1, kBatch));
    const auto loads = pgm::index(batch.p_kw.size());
    PGM_dataset_const_add_buffer(handle, input.get(), "sym_load", loads / pgm::index(kBatch), loads, nullptr, nullptr);
    PGM_dataset_const_add_attribute_buffer(handle, input.get(), "sym_load", "p_specified", batch.p_kw.data());
    PGM_dataset_const_add_attribute_buffer(handle, input.get(), "sym_load", "q_specified", batch.q_kvar.data());
    const pgm::Output output(PGM_create_dataset_mutable(handle, "sym_output", 1, kBatch));
    add(output, "node", "u_pu", magnitudes_, "u_angle", angles_);
    add(output, "line", "i_from", from_a_, "i_to", to_a_);
    PGM_calculate(handle, model_.get(), options_.get(), output.get(), input.get());
    if (!pgm::check(handle_)) std::abort();
  }

 private:
  void add(const pgm::Output& output, const char* component, const char* first, std::vector<double>& first_values,
           const char* second, std::vector<double>& second_values) {
    const auto total = pgm::index(first_values.size());
    PGM_dataset_mutable_add_buffer(handle_.get(), output.get(), component, total / pgm::index(kBatch), total, nullptr,
                                   nullptr);
    PGM_dataset_mutable_add_attribute_buffer(handle_.get(), output.get(), component, first, first_values.data());
    PGM_dataset_mutable_add_attribute_buffer(handle_.get(), output.get(), component, second, second_values.data());
  }

  pgm::Handle handle_{PGM_create_handle()};
  pgm::Model model_;
  pgm::Options options_;
  std::vector<double> magnitudes_;
  std::vector<double> angles_;
  std::vector<double> from_a_;
  std::vector<double> to_a_;
};

Case in_watt(Case given) {
  for (double& value : given.p_kw) value *= 1000;
  for (double& value : given.q_kvar) value *= 1000;
  return given;
}

void loadflow_naive(benchmark::State& state) {
  const Case* const given = case_of(state);
  if (given == nullptr) return;
  DirectLoadFlow direct(given->network);
  const Case watt = in_watt(*given);
  for (auto _ : state) {
    for (std::size_t first = 0; first < kStamps; first += kBatch) direct.solve(watt.batch(first));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kStamps));
}
BENCHMARK(loadflow_naive)->Apply(on_both_feeders);
#endif

}  // namespace
}  // namespace fugu::grid

BENCHMARK_MAIN();
