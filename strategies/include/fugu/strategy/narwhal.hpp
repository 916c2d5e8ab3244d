// Narwhal: plans the noise of a whole busy period at once.
//
// A busy period is a run of slots in which policies follow each other without a gap. When the stream reaches one, its
// rates are planned together (narwhal_plan.hpp), which takes the budget where it is worth most. When policies become
// known or are withdrawn later, what is left of the period is planned anew, with the past as it was spent.
//
// Policies that become known late would find the budget of those they overlap spent. Once that has happened, or could
// have, plans hold a reserve back, as large as experience says: with more notice than the longest interval, none.
//
// Guarantees (docs/guarantees/narwhal.md): whatever becomes known when, rates asked for and spent keep L(J) ≤ budget
// for every policy. For a book known before the first slot, no slot gets a smaller rate than the reference planner
// would give it. (Busy periods of more than 2^20 slots are planned piece by piece, without a reference.)
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fugu/base/budget.hpp"
#include "fugu/strategy/narwhal_plan.hpp"
#include "fugu/strategy/planner.hpp"
#include "fugu/strategy/published_planners.hpp"

namespace fugu {

/// Makes the planner that Narwhal must not stay behind, knowing nothing yet. It is asked for rates from the first slot
/// of a busy period on, and told of the policies of this period only.
using PlannerFactory = std::function<std::unique_ptr<Planner>()>;

struct NarwhalOptions {
  /// Absent: pure, rates per step. Present: rates are ρ per squared step, and a policy has zcdp_rho(ε, δ) to spend.
  std::optional<Delta> delta = {};
  /// Absent: expected absolute error, which is p = 1, or 1/2 with δ.
  std::optional<PlanObjective> objective = {};
  /// No rate above this is asked for, because something else (a floor) would not permit it.
  double rate_max = std::numeric_limits<double>::infinity();
  /// Plans stop at this relative gap.
  double tolerance = 0.02;
  std::uint32_t sweeps_max = 200;
  /// How far ahead a plan that starts within a busy period looks.
  std::uint64_t horizon_slots = 1024;
};

class Narwhal final : public Planner {
 public:
  explicit Narwhal(NarwhalOptions options, PlannerFactory reference = nullptr);

  void add(MeterId meter, const Policy& policy) override;
  void withdraw(MeterId meter, const Policy& policy) override;
  double rate(Slot slot) override;
  void spent(double rate) override;

  /// A policy that binds, and what one more unit of its budget would be worth to the plan's objective.
  struct Binding {
    MeterId meter;
    Policy policy;
    double price;
  };

  /// The plan in force, for those who want to explain it: its slots include the part of the past that mattered. Empty
  /// before the first busy period.
  const Plan& plan() const { return plan_; }
  Interval plan_slots() const { return plan_slots_; }
  /// Who binds. Valid until a policy is added or withdrawn; looks at all policies of the plan.
  std::vector<Binding> binding() const;
  std::uint64_t plans_made() const { return plans_made_; }

 private:
  void take_pending();
  void learn_lateness(MeterId meter, const Policy& psi);
  double reserve(const Policy& policy) const;
  void begin_period(Slot slot);
  void forget_before(Slot slot);
  bool touches_plan(const Policy& policy) const { return planned_ && policy.interval.overlaps(plan_slots_); }
  Slot busy_until(Slot slot) const;
  void make_plan(Slot slot);
  std::vector<double> reference_rates(Interval period) const;
  double budget_of(const Policy& policy) const;
  double budget_within_plan(const Collection& collection, const Policy& policy) const;
  Currency currency() const { return options_.delta ? Currency::rho : Currency::epsilon; }

  NarwhalOptions options_;
  PlannerFactory reference_;
  std::vector<Collection> collections_;              // by meter
  std::vector<std::pair<MeterId, Policy>> pending_;  // added since the last rate()
  std::size_t held_ = 0;                             // policies in collections_
  std::size_t held_after_forgetting_ = 0;
  std::map<Slot, Slot> reach_;                            // first slot → last slot any policy from there reaches
  mutable std::map<std::uint64_t, double> budget_cache_;  // by units of ε: zcdp_rho takes microseconds

  PlanSolver solver_;
  Plan plan_;
  Interval plan_slots_;
  Slot plan_now_ = 0;     // the first slot it planned
  bool planned_ = false;  // plan_ holds for the next slot, if plan_slots_ contains it
  std::uint64_t plans_made_ = 0;
  mutable bool reserved_ = false;  // it holds something back for policies not known yet

  // Experience with policies that became known while the stream ran.
  std::uint64_t learned_ = 0;           // policies
  Slot notice_slots_ = kPolicySlotMax;  // the least there was between becoming known and beginning
  double losses_ = 0;                   // that policies cause each other and themselves
  double late_losses_ = 0;              // of them, in intervals that had begun

  bool started_ = false;  // rate() was asked
  Slot slot_ = 0;         // that rate() was asked about last
  double asked_ = 0;
  double unspent_ = 0;         // in slots, since the plan was made
  Slot busy_first_ = 0;        // of the busy period slot_ lies in
  std::vector<double> spent_;  // rates of slots busy_first_ … slot_
};

/// Narwhal as it publishes: it must not stay behind unicorn-ps. Reads δ and the largest rate from `options`.
std::unique_ptr<Narwhal> make_narwhal(const PlannerOptions& options);

}  // namespace fugu
