// What an operator looks at: are voltages and line loadings within limits, and if not, where and when?
//
//     FUGU_ASSIGN(const Monitor monitor, Monitor::make(network));
//     monitor.observe(flow, states);                  // voltages and currents of a batch of time stamps
//     monitor.violations(states, first_stamp);        // what is out of limits in it
//
// A year is looked at in batches of a day or a week: nothing here keeps one. Formulas and where they differ from the
// thesis: docs/concepts/monitoring.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/loadflow/branch_flows.hpp"
#include "fugu/loadflow/loadflow.hpp"
#include "fugu/network/network.hpp"

namespace fugu::grid {

/// A value exactly at a limit is within it.
struct MonitoringLimits {
  double under_percent = 5;     ///< below the nominal voltage
  double over_percent = 5;      ///< above it
  double loading_percent = 90;  ///< of a line's ampacity
};

/// A service cable is a line below which there is exactly one customer: all it carries is what that customer draws, so
/// its current is that customer's secret. A chain of such lines is one cable in pieces; each piece counts. All other
/// lines are mains: they carry sums, or nothing.
enum class LineKind : std::uint8_t { main, service };

/// The kind of each line. In networks with loops, lines of a loop and lines behind which there is one are mains.
std::vector<LineKind> line_kinds(const Network& network);

/// What a load flow says about a batch of time stamps: one row a stamp, in the network's order.
struct GridStates {
  std::size_t nodes = 0;
  std::size_t lines = 0;
  std::vector<double> voltage_v = {};  ///< between phases
  std::vector<double> current_a = {};  ///< of a conductor, at that end of the line where it is larger

  std::size_t stamps() const { return nodes == 0 ? 0 : voltage_v.size() / nodes; }
  std::span<const double> voltages_v(std::size_t stamp) const {
    return std::span(voltage_v).subspan(stamp * nodes, nodes);
  }
  std::span<const double> currents_a(std::size_t stamp) const {
    return std::span(current_a).subspan(stamp * lines, lines);
  }
  /// Whether the load flow converged there. Otherwise its numbers are none.
  bool is_solved(std::size_t stamp) const;
};

enum class ViolationKind : std::uint8_t { undervoltage, overvoltage, main_loading, service_loading };

struct Violation {
  std::size_t stamp;
  ViolationKind kind;
  std::uint32_t place;  ///< a node for voltages, a line for loadings
  double value;         ///< V, or percent of the ampacity
  friend bool operator==(const Violation&, const Violation&) = default;
};

/// How often each kind of violation occurs, and where.
struct ViolationCounts {
  std::vector<std::uint64_t> under_by_node = {};
  std::vector<std::uint64_t> over_by_node = {};
  std::vector<std::uint64_t> overload_by_line = {};
  std::uint64_t undervoltages = 0;
  std::uint64_t overvoltages = 0;
  std::uint64_t main_overloads = 0;
  std::uint64_t service_overloads = 0;
  std::uint64_t stamps = 0;           ///< that were looked at
  std::uint64_t stamps_unsolved = 0;  ///< of these without convergence: nothing is known about them
};

/// Limits in the units of states. Constant once made: threads may share it.
class Monitor {
 public:
  /// Limits have to be positive and finite, and no voltage may be below 0.
  static Result<Monitor> make(const Network& network, const MonitoringLimits& limits = {});

  /// The states of a load flow in `network`. The memory of `states` is used again.
  void observe(const LoadFlow& flow, GridStates& states) const;

  /// Everything out of limits, by stamp; stamps are counted from `first_stamp`. The busbar is not looked at: its
  /// voltage is the transformer's. A line without ampacity has no loading, so no violation. Stamps without convergence
  /// have none either: `count` says how many there are.
  std::vector<Violation> violations(const GridStates& states, std::size_t first_stamp = 0) const;
  /// Adds the violations of a batch to `counts`, empty at first.
  void count(const GridStates& states, ViolationCounts& counts) const;

  struct LineLimit {
    LineKind kind;
    double most_a;              ///< infinite without ampacity
    double percent_per_ampere;  ///< 0 without ampacity
  };
  std::span<const LineLimit> line_limits() const { return lines_; }
  std::size_t nodes() const { return nodes_; }
  std::uint32_t root() const { return root_; }
  bool is_under(double voltage_v) const { return voltage_v < least_v_; }
  bool is_over(double voltage_v) const { return voltage_v > most_v_; }

 private:
  Monitor(const Network& network, const MonitoringLimits& limits);

  BranchFlows flows_;
  std::vector<LineLimit> lines_;
  std::size_t nodes_;
  std::uint32_t root_;
  double nominal_v_;
  double least_v_;
  double most_v_;
};

}  // namespace fugu::grid
