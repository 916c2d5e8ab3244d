#include "fugu/loadflow/loadflow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fugu/stream/location.hpp"

namespace fugu::grid {
namespace {

Error wrong_size(std::string_view what, std::size_t found, std::size_t expected) {
  return {Cause::usage, "a batch with " + std::to_string(found) + " values of " + std::string(what) + "; expected " +
                            std::to_string(expected) + ", one row a time stamp"};
}

Result<void> check_powers(std::string_view what, std::span<const double> values, std::size_t stamps,
                          const std::vector<std::string>& customers) {
  if (values.size() != stamps * customers.size()) return wrong_size(what, values.size(), stamps * customers.size());
  const auto is_gap = [](double value) { return !std::isfinite(value); };
  const auto gap = std::find_if(values.begin(), values.end(), is_gap);
  if (gap == values.end()) return {};
  const auto at = static_cast<std::size_t>(gap - values.begin());
  const auto gaps = std::count_if(gap, values.end(), is_gap);
  return Error{Cause::bad_input, "time stamp " + std::to_string(at / customers.size()) + ", customer " +
                                     shown(customers[at % customers.size()]) + ": found no number for " +
                                     std::string(what) + "; expected one for every customer and time stamp (" +
                                     std::to_string(gaps) + " missing)"};
}

Result<void> check_voltages(std::span<const double> voltages, std::size_t stamps) {
  if (voltages.empty()) return {};
  if (voltages.size() != stamps) return wrong_size("voltage_pu", voltages.size(), stamps);
  const auto is_wrong = [](double value) { return !(value >= 0.1 && value <= 10); };
  const auto wrong = std::find_if(voltages.begin(), voltages.end(), is_wrong);
  if (wrong == voltages.end()) return {};
  return Error{Cause::bad_input, "time stamp " + std::to_string(wrong - voltages.begin()) +
                                     ": found a voltage_pu that is none; expected about 1"};
}

}  // namespace

LoadFlowSolver::LoadFlowSolver(const Network& network) : nodes_(network.nodes().size()) {
  for (const Customer& customer : network.customers()) customers_.push_back(customer.id);
}

Result<void> LoadFlowSolver::solve(const LoadBatch& batch, LoadFlow& flow) {
  FUGU_TRY(check_powers("p_kw", batch.p_kw, batch.stamps, customers_));
  FUGU_TRY(check_powers("q_kvar", batch.q_kvar, batch.stamps, customers_));
  FUGU_TRY(check_voltages(batch.voltage_pu, batch.stamps));
  flow.nodes = nodes_;
  flow.voltage_pu.resize(batch.stamps * nodes_);
  flow.failures.clear();
  if (batch.stamps == 0) return {};
  FUGU_TRY(solve_checked(batch, flow));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const NoConvergence& failure : flow.failures) {
    std::fill_n(flow.voltage_pu.begin() + static_cast<std::ptrdiff_t>(failure.stamp * nodes_), nodes_,
                std::complex(nan, nan));
  }
  return {};
}

Result<LoadFlowSolverPtr> make_solver(const Network& network, const LoadFlowOptions& options) {
  return network.is_radial() ? make_sweep(network, options) : make_newton_raphson(network, options);
}

}  // namespace fugu::grid
