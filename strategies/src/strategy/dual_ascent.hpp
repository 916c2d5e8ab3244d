// Row by row ascent of the dual of a plan.
//
// One *cut* of a bound φ is a choice of one window for every term of φ, or a mixture of such choices: a linear function
// a·x ≤ L_φ(x). With prices y ≥ 0 on cuts, and c = Σ y·a, the Lagrangian is least at x_t = (p·w_t / c_t)^(1/(p+1)),
// kept within the box of the slot. The ascent visits one bound at a time, adds its worst cut at the current x if that
// is over budget, and changes the price of each of its cuts until it is met with equality or its price is 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/strategy/narwhal_plan.hpp"

namespace fugu::detail {

/// Largest window sums over a run of slots whose prefix sums are taken once.
class WindowSums {
 public:
  /// Looks at rates[first … last].
  void assign(const double* rates, std::uint32_t first, std::uint32_t last);
  /// Σ over all terms of weight · largest window sum.
  double loss(std::span<const PlanTerm> terms) const;
  /// The same, and adds to `coefficients` (of slots first … last) the weight of each term at its best window.
  double loss(std::span<const PlanTerm> terms, std::vector<double>& coefficients) const;

 private:
  double largest(const PlanTerm& term, std::uint32_t& start) const;

  std::uint32_t first_ = 0;
  std::vector<double> prefix_;
};

/// Box and objective of every slot. A slot that is not planned has weight 0 and at_least = at_most.
struct SlotBoxes {
  std::vector<double> weight;
  std::vector<double> at_least;
  std::vector<double> at_most;
};

class DualAscent {
 public:
  /// Starts with no cuts: every rate at its upper end. `boxes` must outlive the ascent.
  void start(const SlotBoxes& boxes, PlanObjective objective);
  /// Visits bounds 0 … size−1 once, in order or backwards. Bounds may have been appended since the last sweep. Returns
  /// by how much the worst of them was over budget when visited, relatively.
  double sweep(const PlanConstraints& constraints, bool forward);

  std::span<const double> rates() const { return rate_; }
  /// A lower bound of the objective over all rates within the boxes that keep every bound; `free_below`: as if
  /// at_least were 0 in every slot with a weight.
  double bound(const PlanConstraints& constraints, bool free_below);
  /// Sum of the prices of the bound's cuts.
  double price(std::size_t constraint) const;
  /// What one more unit of rate would be worth in a slot whose rate is at its upper end; 0 where it is not.
  double price_of_top(std::size_t slot) const;

 private:
  static constexpr std::uint32_t kCutsMax = 8;

  /// The cuts of one bound: coefficients lie in `pool_`, kCutsMax rows of `width`.
  struct Row {
    std::size_t pool = 0;
    std::uint32_t cuts = 0;
    double price[kCutsMax] = {};
    std::uint32_t begin[kCutsMax] = {};  // coefficients are 0 before begin and from end on
    std::uint32_t end[kCutsMax] = {};
  };

  void append_rows(const PlanConstraints& constraints);
  double visit(const PlanConstraints& constraints, std::size_t index);
  void add_cut(Row& row, std::uint32_t width);
  void merge_cheapest(Row& row, std::uint32_t width);
  void drop_free_cuts(Row& row, std::uint32_t width);
  template <PlanObjective kObjective>
  void settle(double& price, const double* coefficients, std::size_t first, std::size_t width, double budget,
              int steps);
  void settle_all(Row& row, std::uint32_t first, std::uint32_t width, double budget);

  const SlotBoxes* boxes_ = nullptr;
  PlanObjective objective_ = PlanObjective::absolute_error;
  std::vector<double> load_;      // c
  std::vector<double> rate_;      // x
  std::vector<double> unit_;      // p · weight
  std::vector<double> per_unit_;  // 1 / that
  std::vector<Row> rows_;
  std::vector<double> pool_;
  WindowSums windows_;
  std::vector<double> coefficients_;
};

}  // namespace fugu::detail
