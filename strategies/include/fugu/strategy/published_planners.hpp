// The rules of the Swellfish papers as planners: which noise they would use, slot by slot.
//
// Proofs, witnesses and what was repaired: docs/guarantees/{tes-tenat,unicorn,conference-rules}.md. Where the papers
// have one ε and policies have their own, the smallest counts; where a rule looks at each policy, its own. Meters: the
// rate is the smallest that any meter's policies allow. A withdrawal does not loosen what a rule takes from the whole
// book: longest interval, smallest ε, largest sensitivity.
//
// "Sound" means: for policies that become known before any policy of the same meter that they overlap begins. Some
// rules stay sound for policies that become known later, and say so; for the others the accountant refuses what would
// break a promise.
//
// Rates are in double arithmetic and may exceed a promise by rounding: whoever asks the kernel takes the smaller of
// this and what the accountant has.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "fugu/base/budget.hpp"
#include "fugu/strategy/planner.hpp"
#include "fugu/strategy/release_allowance.hpp"

namespace fugu {

struct PlannerOptions {
  /// ΔQ, global sensitivity. Where a slot's temporal sensitivity is larger, that counts from then on.
  std::uint64_t sensitivity_steps = 1;
  /// Above 0: rates are ρ per squared step, a policy has zcdp_rho(ε, δ) to spend, and losses grow with the square of
  /// the sensitivity; each rule else as printed, and as sound. make_conference_repaired() knows no such form.
  Delta delta = Delta::zero();
  /// No rate above this will be granted, because of a floor. Only a rule that plans ahead can make use of it.
  double rate_max = std::numeric_limits<double>::infinity();
};

/// Thesis, Theorem 11: w-event with w = longest interval known so far, the smallest ε and ΔQ. Answers every slot from
/// the first policy on, relevant policies or not, as a w-event rule does. Sound, also for policies added later.
std::unique_ptr<Planner> make_w_event_uniform(const PlannerOptions& options);
/// The same, but the whole ε in one slot of every w.
std::unique_ptr<Planner> make_w_event_sample(const PlannerOptions& options);

/// What a rule with the slot's own temporal sensitivity does with slots in which that is 0.
enum class IdleSlots : std::uint8_t {
  scheduled,  ///< as with others: released only when the rule would sample, and what it then counts as spent is gone
  free,       ///< released all, and nothing counts as spent
};

/// As before with the slot's own temporal sensitivity. Sound, also for policies added later. The thesis replaces the
/// sensitivity and leaves the rest of a rule as it is (section 7.4.1): IdleSlots::scheduled.
std::unique_ptr<Planner> make_tes_uniform(const PlannerOptions& options = {});
std::unique_ptr<Planner> make_tes_sample(IdleSlots idle, const PlannerOptions& options = {});

/// For a strategy that decides by the data whether to answer: a part of ε for answers, the rest for decisions. rate()
/// and spent() are about answers only.
class DecidingPlanner : public Planner {
 public:
  /// The rate of the decision in the slot that rate() was asked about last: it does not depend on what was answered, so
  /// it needs no account.
  virtual double decision_rate() const = 0;
};

/// BD and BA under Theorem 11: half of the smallest ε for decisions in w = longest interval slots, the other half for
/// answers, handed out as ReleaseAllowance does. Sound, also for policies added later (docs/guarantees/tes-tenat.md).
std::unique_ptr<DecidingPlanner> make_w_event_division(Allocation allocation, const PlannerOptions& options);
/// The same with the slot's own temporal sensitivity: TeSBD and TeSBA are those with IdleSlots::scheduled.
std::unique_ptr<DecidingPlanner> make_tes_division(Allocation allocation, IdleSlots idle,
                                                   const PlannerOptions& options = {});

/// min over relevant policies of ε/δ(J), with ΔQ. Sound.
std::unique_ptr<Planner> make_tenat_uniform(const PlannerOptions& options);
/// UnicornIS with ΔQ. Sound, also for policies added later.
std::unique_ptr<Planner> make_tenat_sample(const PlannerOptions& options);

/// Answers a slot when no relevant policy's interval holds an earlier answer, with the whole ε. Sound, also for
/// policies added later. With many meters it hardly ever answers: some interval always does.
std::unique_ptr<Planner> make_unicorn_is(const PlannerOptions& options = {});
/// Algorithm 9. Sound.
std::unique_ptr<Planner> make_unicorn_ps(const PlannerOptions& options = {});

/// Algorithm 9 for Unicorn. answer_share: between 0 and 1, exclusive; the thesis has ½.
std::unique_ptr<DecidingPlanner> make_unicorn_allocation(double answer_share, const PlannerOptions& options = {});

/// Conference paper, Theorem 9: the rates of DominantSecrets after fit_to_policies(). Sound; for a policy added while
/// another of its meter is relevant, what is left of that one's ε is divided anew. Plans a whole run of busy slots when
/// the first of them is asked for, and again after a change: costs what fit_to_policies() costs, and remembers the run.
std::unique_ptr<Planner> make_conference_repaired();

struct PublishedPlanner {
  std::string_view name;
  std::unique_ptr<Planner> (*make)(const PlannerOptions& options);
};
/// All of the above but those that decide by the data: they are not planners alone.
std::span<const PublishedPlanner> published_planners();

}  // namespace fugu
