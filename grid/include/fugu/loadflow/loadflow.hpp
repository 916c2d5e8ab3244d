// Load flow: the voltages of a network, from what its customers draw.
//
// Loads are constant powers; the network is its one-phase equivalent (network.hpp). Two solvers give the same answers:
// a backward-forward sweep of ours for radial networks, and Newton-Raphson of power-grid-model (LF Energy) for all,
// where fugu was built with it. Currents and loadings follow from voltages: branch_flows.hpp.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/network/network.hpp"

namespace fugu::grid {

/// Where the voltage is known.
enum class VoltageAt : std::uint8_t {
  source,  ///< above the transformer, whose voltage drop is computed
  busbar,  ///< below it, where an operator measures
};

struct LoadFlowOptions {
  VoltageAt voltage_at = VoltageAt::source;
  unsigned threads = 0;              ///< 0: as many as the machine has
  double tolerance_pu = 1e-9;        ///< iterations end when no voltage changes by more
  std::size_t iterations_max = 500;  ///< of the sweep. Newton-Raphson has 20: they do more each
};

/// What customers draw at each time stamp: one row a stamp, one column a customer, in the network's order.
struct LoadBatch {
  std::size_t stamps = 0;
  std::span<const double> p_kw;    ///< negative: feeds in
  std::span<const double> q_kvar;  ///< positive: inductive
  /// The known voltage of each stamp, in parts of hv_kv or of the nominal voltage. Empty: source_pu of the transformer,
  /// or nominal at the busbar.
  std::span<const double> voltage_pu = {};
};

/// A time stamp whose iterations did not end: more load than the network can carry.
struct NoConvergence {
  std::size_t stamp;
  std::optional<std::uint32_t> node;  ///< whose voltage still changed most; not known in networks with loops
};

/// The voltages of a batch.
struct LoadFlow {
  std::size_t nodes = 0;
  /// In parts of the nominal voltage: one row a stamp, one column a node, in the network's order. Network::nominal_v()
  /// times this is volts between phases. Not a number where there was no convergence.
  std::vector<std::complex<double>> voltage_pu = {};
  std::vector<NoConvergence> failures = {};  ///< by stamp

  std::size_t stamps() const { return nodes == 0 ? 0 : voltage_pu.size() / nodes; }
  std::span<const std::complex<double>> row(std::size_t stamp) const {
    return std::span(voltage_pu).subspan(stamp * nodes, nodes);
  }
};

/// Keeps what it needs of its network. One call at a time.
class LoadFlowSolver {
 public:
  virtual ~LoadFlowSolver() = default;

  virtual std::string_view name() const = 0;
  /// Solves all stamps into `flow`, whose memory is used again. A stamp without convergence is no error: it is listed
  /// among the failures, and the others are solved. A batch of the wrong size is an error, and so is a power or voltage
  /// that is no number: whoever has gaps has to fill them. The result of a stamp depends on that stamp alone.
  Result<void> solve(const LoadBatch& batch, LoadFlow& flow);

 protected:
  explicit LoadFlowSolver(const Network& network);

 private:
  /// `batch` is checked, `flow` has its size.
  virtual Result<void> solve_checked(const LoadBatch& batch, LoadFlow& flow) = 0;

  std::size_t nodes_;
  std::vector<std::string> customers_;
};

using LoadFlowSolverPtr = std::unique_ptr<LoadFlowSolver>;

/// The faster one that can: the sweep for radial networks, power-grid-model otherwise.
Result<LoadFlowSolverPtr> make_solver(const Network& network, const LoadFlowOptions& options = {});
/// Backward-forward sweep. Radial networks only.
Result<LoadFlowSolverPtr> make_sweep(const Network& network, const LoadFlowOptions& options = {});
/// Newton-Raphson of power-grid-model. An error where fugu was built without it.
Result<LoadFlowSolverPtr> make_newton_raphson(const Network& network, const LoadFlowOptions& options = {});
/// Whether fugu was built with power-grid-model.
bool has_newton_raphson() noexcept;

}  // namespace fugu::grid
