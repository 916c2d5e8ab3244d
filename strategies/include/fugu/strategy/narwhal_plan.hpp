// The best rates a set of policies permits, with a certificate of how good they are.
//
// Every policy φ bounds the rates: L_φ(x) ≤ budget of φ, where L_φ is a sum of largest window sums (loss_terms.hpp).
// Among all rates that keep every bound, the plan makes Σ weight_t · x_t^(−p) small. The problem is convex; the solver
// ascends its dual, so that it knows at any time how far from the optimum it can be at most. docs/guarantees/narwhal.md
// has the proofs.
//
// Plans depend on policies alone: no data, no chance. The same input gives the same plan.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fugu/accounting/loss_terms.hpp"

namespace fugu {

/// What a plan makes small, p in Σ weight_t · x_t^(−p).
enum class PlanObjective : std::uint8_t {
  absolute_error,  ///< p = 1: expected error of Laplace answers
  variance,        ///< p = 2: their variance, up to a factor
  deviation,       ///< p = 1/2: standard deviation of Gaussian answers, whose rate is 1/(2σ²), up to a factor
};

/// Rate of one slot as the objective counts it: rate^(−p).
double plan_cost(PlanObjective objective, double rate);

/// A window sum of one bound; slots count from the start of the plan.
struct PlanTerm {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t length = 1;
  double weight = 0;
};

/// The bounds of some policies, over a contiguous run of slots.
class PlanConstraints {
 public:
  /// Forgets all bounds. At most 2^31 slots.
  void reset(Interval slots);

  /// The bound of `phi`, a member of `collection`; its interval must overlap the plan. Slots outside of the plan count
  /// as rate 0, which is right for slots that stay unplanned until later.
  void add(const Collection& collection, const Policy& phi, Currency currency, double budget);

  Interval slots() const { return slots_; }
  std::size_t slot_count() const { return static_cast<std::size_t>(slots_.slots()); }
  std::size_t size() const { return budget_.size(); }
  std::uint32_t first(std::size_t index) const { return first_[index]; }
  std::uint32_t last(std::size_t index) const { return last_[index]; }
  std::uint32_t width(std::size_t index) const { return last_[index] - first_[index] + 1; }
  double budget(std::size_t index) const { return budget_[index]; }
  std::span<const PlanTerm> terms(std::size_t index) const {
    return std::span(terms_).subspan(term_begin_[index], term_begin_[index + 1] - term_begin_[index]);
  }

 private:
  Interval slots_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> last_;
  std::vector<double> budget_;
  std::vector<std::size_t> term_begin_ = {0};
  std::vector<PlanTerm> terms_;
};

/// What to plan. Every span is empty or has one entry per slot, unless stated.
struct PlanTask {
  PlanObjective objective = PlanObjective::absolute_error;
  std::span<const double> weight = {};    ///< of the slot in the objective; empty: 1
  std::span<const double> at_least = {};  ///< rates of a feasible rule that the plan must not stay below
  std::span<const double> at_most = {};   ///< for example what a floor permits
  std::span<const double> spent = {};     ///< of the first slots: rates that are fixed, being in the past
  double tolerance = 0.01;                ///< stop at this relative gap
  std::uint32_t sweeps_max = 200;         ///< or after looking at every bound this many times
};

/// What one more unit of budget for a policy would be worth. Where rates of the past alone limit a slot, nobody has the
/// price.
struct PlanPrice {
  std::size_t constraint = 0;  ///< position among the constraints, or among the policies of a PlanBook
  double price = 0;            ///< −d objective / d budget
};

/// The bounds of all policies that overlap slots `now` … slots.last, meter by meter in the order of their collections.
struct PlanBook {
  std::span<const Collection> collections;
  Interval slots;  ///< begins before `now` when rates of the past matter: at or before the first slot of each policy
  Slot now = 0;    ///< the first slot to plan
  Currency currency = Currency::epsilon;
  /// ε or ρ of a policy of a collection. Should be cheap: it is asked whenever the policy is looked at.
  std::function<double(const Collection&, const Policy&)> budget = {};
};

struct Plan {
  /// One per slot: feasible with a margin of at least one part in 10^12 for rounding, at least `at_least` exactly, and
  /// `spent` where that was given. Infinite in slots no bound covers, 0 where the past has left next to
  /// nothing.
  std::vector<double> rate;
  double objective = 0;       ///< over the slots that are planned and not free, before next to nothing became 0
  double bound = 0;           ///< no feasible rates have a smaller objective, `at_least` or not
  double bound_at_least = 0;  ///< no feasible rates that are also at least `at_least` have a smaller one
  double gap = 0;             ///< 1 − bound_at_least / objective
  std::uint32_t sweeps = 0;
  std::vector<PlanPrice> prices;  ///< of the bounds that bind, in order
};

/// Makes plans; keeps its memory between them.
///
/// Cost of a sweep: every term's interval once, and the windows chosen for each bound a few times. Books of households
/// reach 1% in some ten sweeps. Of a book with far more policies than slots, only those that bind are kept in memory;
/// all are looked at a few times, those within a quarter of their budget a few dozen times.
class PlanSolver {
 public:
  PlanSolver();
  ~PlanSolver();
  PlanSolver(PlanSolver&&) noexcept;
  PlanSolver& operator=(PlanSolver&&) noexcept;

  Plan solve(const PlanConstraints& constraints, const PlanTask& task);
  Plan solve(const PlanBook& book, const PlanTask& task);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

/// The worst loss of a bound at these rates.
double plan_loss(const PlanConstraints& constraints, std::size_t index, std::span<const double> rate);

}  // namespace fugu
