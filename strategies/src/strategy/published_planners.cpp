#include "fugu/strategy/published_planners.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "fugu/accounting/zcdp.hpp"
#include "fugu/base/check.hpp"
#include "fugu/strategy/relevant_policies.hpp"

namespace fugu {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a rule divides by: the sensitivity, the meter's own in the slot or one for all that only grows. Where rates
/// count ρ per squared step, its square.
class Sensitivity {
 public:
  Sensitivity(const RelevantPolicies& relevant, std::optional<std::uint64_t> global_steps)
      : global_steps_(global_steps), global_change_(relevant.change_of(global_steps.value_or(0))) {}

  void advance(const RelevantPolicies& relevant) {
    if (!global_steps_ || !relevant.changed()) return;
    global_steps_ = std::max(*global_steps_, relevant.largest_sensitivity_steps());
    global_change_ = relevant.change_of(*global_steps_);
  }
  /// For the policies of one meter.
  double steps(const RelevantPolicies& relevant, MeterId meter) const {
    return global_steps_ ? global_change_ : relevant.change(meter);
  }
  /// For all meters.
  double steps(const RelevantPolicies& relevant) const {
    return global_steps_ ? global_change_ : relevant.change_of(relevant.largest_sensitivity_steps());
  }

 private:
  std::optional<std::uint64_t> global_steps_;
  double global_change_;
};

/// What all rules do alike: follow the relevant policies. Under a promise with δ > 0 a policy has a ρ to spend instead
/// of its ε, and what it loses grows with the square of the sensitivity; the rules stay as they are.
template <class Base, RelevantPolicies::Affected affected = RelevantPolicies::Affected::ignored>
class Following : public Base {
 public:
  explicit Following(Delta delta)
      : relevant_(affected, delta.value() > 0 ? RelevantPolicies::Loss::squared : RelevantPolicies::Loss::linear),
        delta_(delta) {}
  void add(MeterId meter, const Policy& policy) override { relevant_.add(meter, with_budget(policy)); }
  void withdraw(MeterId meter, const Policy& policy) override {
    FUGU_CHECK(relevant_.withdraw(meter, with_budget(policy)));
  }

 protected:
  /// Its ε, or ρ.
  Budget budget_of(const Policy& policy) {
    if (delta_.value() == 0) return policy.epsilon;
    const auto [found, is_new] = budgets_.try_emplace(policy.epsilon);
    if (is_new) {
      const auto epsilon = Epsilon::make(policy.epsilon.to_double());
      found->second = epsilon ? zcdp_rho(*epsilon, delta_) : Budget();
    }
    return found->second;
  }

  RelevantPolicies relevant_;

 private:
  Policy with_budget(const Policy& policy) {
    Policy planned = policy;
    planned.epsilon = budget_of(policy);
    return planned;
  }

  Delta delta_;
  std::map<Budget, Budget> budgets_;  // by ε: the way to ρ takes microseconds
};

enum class Spacing : std::uint8_t { every_slot, once_a_window };

/// Rules with one window and one ε for the whole book.
class WindowPlanner final : public Following<Planner> {
 public:
  WindowPlanner(Spacing spacing, std::optional<std::uint64_t> global_steps, Delta delta,
                IdleSlots idle_slots = IdleSlots::free)
      : Following(delta), spacing_(spacing), idle_slots_(idle_slots), sensitivity_(relevant_, global_steps) {}

  void add(MeterId meter, const Policy& policy) override {
    Following::add(meter, policy);
    window_slots_ = std::max(window_slots_, policy.interval.slots());
    epsilon_ = std::min(epsilon_, budget_of(policy).to_double());
  }

  double rate(Slot slot) override {
    relevant_.advance(slot);
    sensitivity_.advance(relevant_);
    const double steps = sensitivity_.steps(relevant_);
    const bool due = !last_sample_ || slot - *last_sample_ >= static_cast<Slot>(window_slots_);
    idle_ = window_slots_ == 0 || steps == 0;
    sampling_ = spacing_ == Spacing::once_a_window && due;
    const bool skipped = spacing_ == Spacing::once_a_window && !due;
    if (idle_) return skipped && idle_slots_ == IdleSlots::scheduled ? 0 : kInfinity;
    if (skipped) return 0;
    if (spacing_ == Spacing::once_a_window) return epsilon_ / steps;
    return epsilon_ / (steps * static_cast<double>(window_slots_));
  }

  /// An idle slot keeps its place in the schedule, so that Sample and TeSSample differ in their noise only.
  void spent(double rate) override {
    if (sampling_ && (idle_ || rate > 0)) last_sample_ = relevant_.slot();
  }

 private:
  Spacing spacing_;
  IdleSlots idle_slots_;
  Sensitivity sensitivity_;
  std::uint64_t window_slots_ = 0;
  double epsilon_ = kInfinity;
  bool idle_ = true;
  bool sampling_ = false;
  std::optional<Slot> last_sample_;
};

/// BD and BA with one window and one ε for the whole book, both of which may tighten while the stream runs.
class DivisionPlanner final : public Following<DecidingPlanner> {
 public:
  DivisionPlanner(Allocation allocation, std::optional<std::uint64_t> global_steps, IdleSlots idle_slots,
                  const PlannerOptions& options)
      : Following(options.delta),
        allocation_(allocation),
        idle_slots_(idle_slots),
        sensitivity_(relevant_, global_steps),
        rate_max_(options.rate_max),
        allowance_(allocation, Budget(), 1, 1) {}

  void add(MeterId meter, const Policy& policy) override {
    Following::add(meter, policy);
    const Budget epsilon = budget_of(policy);
    epsilon_ = window_slots_ == 0 ? epsilon : std::min(epsilon_, epsilon);
    window_slots_ = std::max(window_slots_, policy.interval.slots());
    allowance_.tighten(epsilon_ / 2, window_slots_);
  }

  double rate(Slot slot) override {
    relevant_.advance(slot);
    sensitivity_.advance(relevant_);
    allowance_.advance(slot);
    steps_ = sensitivity_.steps(relevant_);
    const bool idle = window_slots_ == 0 || steps_ == 0;
    candidate_ = allowance_.candidate(0);
    if (idle) return may_show_idle() ? kInfinity : 0;
    return std::min(candidate_.to_double() / steps_, rate_max_ - decision_rate());
  }

  double decision_rate() const override {
    const double share = epsilon_.to_double() / 2 / static_cast<double>(window_slots_);
    return std::min(share / steps_, rate_max_ / 2);
  }

  /// Counted as the whole candidate, which is at least what it was.
  void spent(double rate) override {
    if (rate > 0 && candidate_.units() > 0) allowance_.spend(0, candidate_);
  }
  void released_idle(bool moved) override {
    if (idle_slots_ == IdleSlots::scheduled && moved && candidate_.units() > 0) allowance_.spend(0, candidate_);
  }

 private:
  /// BD has always something left, if it be less than can be counted; BA must keep silent after it has absorbed.
  bool may_show_idle() const {
    return idle_slots_ == IdleSlots::free || allocation_ == Allocation::distribution || window_slots_ == 0 ||
           candidate_.units() > 0;
  }

  Allocation allocation_;
  IdleSlots idle_slots_;
  Sensitivity sensitivity_;
  double rate_max_;
  ReleaseAllowance allowance_;
  Budget epsilon_;
  std::uint64_t window_slots_ = 0;
  double steps_ = 0;
  Budget candidate_;
};

/// UnicornIS.
class IntervalSamplePlanner final : public Following<Planner> {
 public:
  IntervalSamplePlanner(std::optional<std::uint64_t> global_steps, Delta delta)
      : Following(delta), sensitivity_(relevant_, global_steps) {}

  double rate(Slot slot) override {
    relevant_.advance(slot);
    sensitivity_.advance(relevant_);
    for (std::size_t i = 0; i < relevant_.size(); ++i) {
      if (relevant_.interval(i).first <= last_sample_) return 0;
    }
    double rate = kInfinity;
    for (std::size_t i = 0; i < relevant_.size(); ++i)
      rate = std::min(rate, relevant_.epsilon(i) / sensitivity_.steps(relevant_, relevant_.meter(i)));
    return rate;
  }

  void spent(double rate) override {
    if (rate > 0 && !relevant_.empty()) last_sample_ = relevant_.slot();
  }

 private:
  Sensitivity sensitivity_;
  Slot last_sample_ = -1;
};

enum class Strategies : std::uint8_t { uniform, uniform_and_absorb };

/// Algorithm 9.
class AffectedSlotsPlanner final : public Following<DecidingPlanner, RelevantPolicies::Affected::counted> {
 public:
  AffectedSlotsPlanner(double answer_share, Strategies strategies, std::optional<std::uint64_t> global_steps,
                       Delta delta)
      : Following(delta), answer_share_(answer_share), strategies_(strategies), sensitivity_(relevant_, global_steps) {}

  double rate(Slot slot) override {
    relevant_.advance(slot);
    sensitivity_.advance(relevant_);
    if (relevant_.changed() && answer_share_ < 1) update_decision_rate();
    double rate = kInfinity;
    for (std::size_t i = 0; i < relevant_.size(); ++i) {
      const double steps = steps_of(i);
      const double uniform = answer_share_ * relevant_.epsilon_per_affected_slot(i);
      // The second strategy only adds to the first: look at it only where the first would lower the minimum.
      if (steps == 0 || uniform >= rate * steps) continue;
      rate = std::min(rate, allowance(i, uniform) / steps);
    }
    return rate;
  }

  void spent(double rate) override {
    if (strategies_ == Strategies::uniform_and_absorb) relevant_.record_spent(rate);
  }

  double decision_rate() const override { return decision_rate_; }

 private:
  void update_decision_rate() {
    decision_rate_ = kInfinity;
    for (std::size_t i = 0; i < relevant_.size(); ++i) {
      const double share = (1 - answer_share_) * relevant_.epsilon_per_affected_slot(i);
      decision_rate_ = std::min(decision_rate_, share / steps_of(i));
    }
  }
  double steps_of(std::size_t i) const { return sensitivity_.steps(relevant_, relevant_.meter(i)); }

  /// ε_t that policy i allows. After δ(J) answers the algorithm's second strategy never exceeds the first, and before
  /// that TOP_δ(J) is all there is: a sum suffices (docs/guarantees/unicorn.md).
  double allowance(std::size_t i, double uniform) const {
    if (strategies_ == Strategies::uniform || relevant_.answered_slots(i) >= relevant_.affected_slots(i))
      return uniform;
    const auto slots_left = static_cast<double>(relevant_.interval(i).last - relevant_.slot() + 1);
    return std::max(uniform, (answer_share_ * relevant_.epsilon(i) - relevant_.spent(i)) / slots_left);
  }

  double answer_share_;
  Strategies strategies_;
  Sensitivity sensitivity_;
  double decision_rate_ = kInfinity;
};

}  // namespace

std::unique_ptr<Planner> make_w_event_uniform(const PlannerOptions& options) {
  return std::make_unique<WindowPlanner>(Spacing::every_slot, options.sensitivity_steps, options.delta);
}

std::unique_ptr<Planner> make_w_event_sample(const PlannerOptions& options) {
  return std::make_unique<WindowPlanner>(Spacing::once_a_window, options.sensitivity_steps, options.delta);
}

std::unique_ptr<Planner> make_tes_uniform(const PlannerOptions& options) {
  return std::make_unique<WindowPlanner>(Spacing::every_slot, std::nullopt, options.delta);
}

std::unique_ptr<Planner> make_tes_sample(IdleSlots idle, const PlannerOptions& options) {
  return std::make_unique<WindowPlanner>(Spacing::once_a_window, std::nullopt, options.delta, idle);
}

std::unique_ptr<DecidingPlanner> make_w_event_division(Allocation allocation, const PlannerOptions& options) {
  return std::make_unique<DivisionPlanner>(allocation, options.sensitivity_steps, IdleSlots::free, options);
}

std::unique_ptr<DecidingPlanner> make_tes_division(Allocation allocation, IdleSlots idle,
                                                   const PlannerOptions& options) {
  return std::make_unique<DivisionPlanner>(allocation, std::nullopt, idle, options);
}

std::unique_ptr<Planner> make_tenat_uniform(const PlannerOptions& options) {
  return std::make_unique<AffectedSlotsPlanner>(1.0, Strategies::uniform, options.sensitivity_steps, options.delta);
}

std::unique_ptr<Planner> make_tenat_sample(const PlannerOptions& options) {
  return std::make_unique<IntervalSamplePlanner>(options.sensitivity_steps, options.delta);
}

std::unique_ptr<Planner> make_unicorn_is(const PlannerOptions& options) {
  return std::make_unique<IntervalSamplePlanner>(std::nullopt, options.delta);
}

std::unique_ptr<Planner> make_unicorn_ps(const PlannerOptions& options) {
  return std::make_unique<AffectedSlotsPlanner>(1.0, Strategies::uniform_and_absorb, std::nullopt, options.delta);
}

std::unique_ptr<DecidingPlanner> make_unicorn_allocation(double answer_share, const PlannerOptions& options) {
  FUGU_CHECK(answer_share > 0 && answer_share < 1);
  return std::make_unique<AffectedSlotsPlanner>(answer_share, Strategies::uniform_and_absorb, std::nullopt,
                                                options.delta);
}

std::span<const PublishedPlanner> published_planners() {
  using Options = const PlannerOptions&;
  static constexpr std::array<PublishedPlanner, 10> kPlanners{{
      {"w-event-uniform", make_w_event_uniform},
      {"w-event-sample", make_w_event_sample},
      {"tes-uniform", make_tes_uniform},
      {"tes-sample", [](Options options) { return make_tes_sample(IdleSlots::scheduled, options); }},
      {"tes-sample-idle", [](Options options) { return make_tes_sample(IdleSlots::free, options); }},
      {"tenat-uniform", make_tenat_uniform},
      {"tenat-sample", make_tenat_sample},
      {"unicorn-is", make_unicorn_is},
      {"unicorn-ps", make_unicorn_ps},
      {"conference-repaired", [](Options) { return make_conference_repaired(); }},
  }};
  return kPlanners;
}

}  // namespace fugu
