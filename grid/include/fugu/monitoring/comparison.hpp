// How far what an operator computes from other measurements is from the truth: the metrics of section 6.2 of the
// thesis. Evaluation only: it reads the truth.
//
//     StateComparison comparison(monitor);
//     comparison.add(truth, other);           // batch after batch, any size: only sums are kept
//     comparison.errors().voltage_v;
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/loadflow/loadflow.hpp"
#include "fugu/monitoring/monitor.hpp"
#include "fugu/network/network.hpp"

namespace fugu::grid {

/// Violations are pairs of a place and a stamp.
struct ViolationErrors {
  std::uint64_t in_truth = 0;
  std::uint64_t in_other = 0;
  std::uint64_t missed = 0;    ///< in the truth only
  std::uint64_t invented = 0;  ///< in the other only

  /// Er_L1 of the indicator, as a sum: what Table 6.5 prints.
  std::uint64_t differing() const { return missed + invented; }
  ViolationErrors& operator+=(const ViolationErrors& more);
};

/// Of a set of lines.
struct LineErrors {
  double current_a;               ///< mean over stamps of the largest error; not a number for no lines
  double loading_points;          ///< the same in percent of the ampacity; not a number when no line has one
  ViolationErrors overloads;      ///< loading above the limit
  std::size_t lines;              ///< in the set
  std::size_t lines_no_ampacity;  ///< of these without ampacity: no part in loadings and overloads
};

/// Not a number where no stamp was compared.
struct StateErrors {
  std::uint64_t stamps;           ///< compared
  std::uint64_t truth_unsolved;   ///< left out: the truth did not converge
  std::uint64_t other_unsolved;   ///< left out: the truth converged, the other did not
  double voltage_v;               ///< mean over stamps of the largest error of all nodes but the busbar
  ViolationErrors voltages;       ///< hasVoltVio: over or under. Under here and over there is no difference
  ViolationErrors undervoltages;  ///< alone
  ViolationErrors overvoltages;   ///< alone
  LineErrors lines;               ///< all: what the thesis has
  LineErrors mains;
  LineErrors services;
};

/// Collects errors of voltages, currents and violations. Keeps sums only.
class StateComparison {
 public:
  explicit StateComparison(const Monitor& monitor);

  /// Batches of the same stamps. A stamp counts when both converged; others are left out and counted.
  void add(const GridStates& truth, const GridStates& other);
  StateErrors errors() const;

 private:
  /// Over all stamps so far.
  struct LineSums {
    double current_a = 0;
    double loading_points = 0;
    ViolationErrors overloads = {};
  };
  void add_voltages(std::span<const double> truth_v, std::span<const double> other_v);
  void add_currents(std::span<const double> truth_a, std::span<const double> other_a);
  LineErrors line_errors(const LineSums& sums, std::size_t lines, std::size_t lines_no_ampacity) const;

  Monitor monitor_;
  std::array<std::size_t, 2> lines_ = {};  // by LineKind
  std::array<std::size_t, 2> lines_no_ampacity_ = {};
  std::uint64_t stamps_ = 0;
  std::uint64_t truth_unsolved_ = 0;
  std::uint64_t other_unsolved_ = 0;
  double voltage_sum_v_ = 0;
  ViolationErrors voltages_;
  ViolationErrors undervoltages_;
  ViolationErrors overvoltages_;
  LineSums all_;
  std::array<LineSums, 2> by_kind_;
};

/// Mean absolute errors of powers. Not a number where there was nothing to compare.
struct PowerErrors {
  double p_kw;
  double q_kvar;
};

/// The sanitization error: over residential customers and all stamps, whether the load flow converges there or not.
class PowerComparison {
 public:
  explicit PowerComparison(const Network& network);

  /// Batches of the same stamps.
  void add(const LoadBatch& truth, const LoadBatch& other);
  PowerErrors errors() const;

 private:
  std::size_t customers_;
  std::vector<std::uint32_t> residential_;
  std::uint64_t values_ = 0;
  double p_sum_kw_ = 0;
  double q_sum_kvar_ = 0;
};

}  // namespace fugu::grid
