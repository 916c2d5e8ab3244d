#include "fugu/measurement/own_meters.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "fugu/loadflow/branch_flows.hpp"
#include "fugu/monitoring/measurement.hpp"
#include "fugu/monitoring/monitor.hpp"

namespace fugu::grid {
namespace {

/// Stamps that are solved at once: a week of quarter hours.
constexpr std::size_t kBatch = 672;

LoadBatch part_of(const LoadBatch& loads, std::size_t first, std::size_t count, std::size_t customers) {
  return {.stamps = count,
          .p_kw = loads.p_kw.subspan(first * customers, count * customers),
          .q_kvar = loads.q_kvar.subspan(first * customers, count * customers),
          .voltage_pu = loads.voltage_pu.empty() ? loads.voltage_pu : loads.voltage_pu.subspan(first, count)};
}

/// Reads all meters of one stamp, without errors.
class Meters {
 public:
  Meters(const Network& network, OwnMeters& into) : network_(network), flows_(network), into_(into) {}

  void read(std::span<const std::complex<double>> voltage_pu, std::span<const double> p_kw,
            std::span<const double> q_kvar) {
    const TransformerFlow flow = flows_.transformer(voltage_pu, p_kw, q_kvar);
    into_.transformer_kw.push_back(flow.lv_kw);
    into_.transformer_kvar.push_back(flow.lv_kvar);
    into_.busbar_v.push_back(network_.nominal_v() * std::abs(voltage_pu[network_.root()]));
    into_.unsolved += std::isnan(into_.busbar_v.back());
    for (std::size_t i = 0; i < into_.sensors.size(); ++i)
      into_.sensor_v[i].push_back(network_.nominal_v() * std::abs(voltage_pu[into_.sensors[i]]));
  }

 private:
  const Network& network_;
  BranchFlows flows_;
  OwnMeters& into_;
};

Result<void> add_errors(const Network& network, const OwnMeterOptions& options, BitSource& bits, OwnMeters& meters) {
  FUGU_TRY(add_measurement_error(meters.transformer_kw, bits, options.power_sigma));
  FUGU_TRY(add_measurement_error(meters.transformer_kvar, bits, options.power_sigma));
  const double voltage_sigma = options.voltage_sigma_v / network.nominal_v();  // voltages are near the nominal one
  FUGU_TRY(add_measurement_error(meters.busbar_v, bits, voltage_sigma));
  for (auto& sensor : meters.sensor_v) FUGU_TRY(add_measurement_error(sensor, bits, voltage_sigma));
  return {};
}

}  // namespace

std::vector<std::uint32_t> main_ends(const Network& network, std::size_t count) {
  const std::vector<LineKind> kinds = line_kinds(network);
  std::vector<bool> is_on_a_path(network.nodes().size(), false);
  is_on_a_path[network.root()] = true;
  std::vector<std::uint32_t> ends;
  while (ends.size() < count) {
    std::vector<double> added_ohm(network.nodes().size(), 0);  // of the path from those that are there
    std::uint32_t best = network.root();
    for (const std::uint32_t node : network.order().subspan(1)) {  // parents first
      const std::uint32_t line = network.parent_line(node);
      if (is_on_a_path[node] || kinds[line] == LineKind::service) continue;
      added_ohm[node] = added_ohm[network.parent(node)] + network.lines()[line].r_ohm;
      if (added_ohm[node] > added_ohm[best]) best = node;
    }
    if (best == network.root()) break;  // none is left
    ends.push_back(best);
    for (std::uint32_t node = best; !is_on_a_path[node]; node = network.parent(node)) is_on_a_path[node] = true;
  }
  return ends;
}

Result<OwnMeters> measure(const Network& network, const LoadBatch& loads, const OwnMeterOptions& options,
                          BitSource& bits) {
  FUGU_ASSIGN(const LoadFlowSolverPtr solver, make_solver(network, {.threads = options.threads}));
  OwnMeters meters{.sensors = options.sensors, .sensor_v = std::vector<std::vector<double>>(options.sensors.size())};
  Meters read(network, meters);
  const std::size_t customers = network.customers().size();
  LoadFlow flow;
  for (std::size_t first = 0; first < loads.stamps; first += kBatch) {
    const LoadBatch batch = part_of(loads, first, std::min(kBatch, loads.stamps - first), customers);
    FUGU_TRY(solver->solve(batch, flow));
    for (std::size_t i = 0; i < batch.stamps; ++i)
      read.read(flow.row(i), batch.p_kw.subspan(i * customers, customers),
                batch.q_kvar.subspan(i * customers, customers));
  }
  FUGU_TRY(add_errors(network, options, bits, meters));
  return meters;
}

}  // namespace fugu::grid
