// The best attack on what a policy hides, and what the promise lets it do at most.
//
// The attacker knows everything but whether the secret happened: the rest of the stream, the noise scales, and, in the
// strongest form, when it would have happened. docs/guarantees/attack.md has definitions and proofs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/attack/loss_distribution.hpp"
#include "fugu/base/budget.hpp"
#include "fugu/policy/book.hpp"

namespace fugu {

/// From thinking it is 50:50, the surest an observer can get with a loss of ε: e^ε / (1 + e^ε).
double surest_belief(double epsilon);
/// "73:27"; more digits where one side would be 100.
std::string odds_text(double belief);

/// What every attack on an (ε, δ) promise is bounded by, whatever the mechanism. With δ = 0 all three are
/// surest_belief(ε).
struct AttackBound {
  double belief = 0.5;    ///< the surest, from 50:50, but for a probability of δ
  double accuracy = 0.5;  ///< share of right guesses at 50:50
  double auc = 0.5;
};
AttackBound attack_bound(double epsilon, double delta = 0);
/// The largest detection that the promise permits at this rate of false alarms.
double detection_bound(double false_alarm, double epsilon, double delta = 0);

/// How well the best test does.
struct AttackMeasures {
  double largest_loss = 0;  ///< the smallest ε for which (ε, δ) holds
  double belief = 0.5;      ///< the surest, from 50:50: surest_belief(largest_loss)
  double advantage = 0;
  double advantage_error = 0;  ///< the true one is smaller by at most this
  double auc = 0.5;
  double auc_error = 0;
  double excess = 0;        ///< detection − e^ε · false alarms, at its largest: above δ, the promise is broken
  double excess_error = 0;  ///< the true one is smaller by at most this
  /// More than (ε, δ) permits, beyond what the computation may be wrong by.
  bool exceeds = false;
  /// Not more than (ε, δ) permits. With δ = 0 one of the two is true; otherwise it may be too close to say, or shapes
  /// were taken as their envelopes.
  bool within = true;

  double accuracy() const { return (1 + advantage) / 2; }
};
AttackMeasures measure_attack(const LossDistribution& loss, double epsilon, double delta = 0);

/// What is known of a release about the series that one meter counts into.
struct SlotNoise {
  Interval slots;
  NoiseKind kind = NoiseKind::laplace;
  /// For each series the scale of every slot's answer, in steps. Infinite where nothing new is said (a release that is
  /// repeated), 0 for a true value.
  std::vector<std::vector<double>> scales_steps;

  /// One series, from rates: losses per step of a Laplace answer, or ρ per squared step of a Gaussian one.
  static SlotNoise from_rates(const Interval& slots, NoiseKind kind, std::span<const double> rates);
};

/// By how much a secret changes the meter's series in each slot of an interval.
struct PlacedSecret {
  Slot first = 0;
  std::vector<std::uint64_t> change_steps;
  bool has_envelopes = false;  ///< some policy with a shape counts as its envelope: more than can happen
};
/// The policy's occurrence, where it loses most. A shape counts as its envelope. Empty when no released slot is in it.
PlacedSecret place_alone(const Policy& policy, const SlotNoise& noise);
/// One occurrence of every policy of the meter that overlaps the policy's interval, each where it loses most within
/// that interval: the two streams that the promise is about.
PlacedSecret place_together(const Collection& collection, const Policy& policy, const SlotNoise& noise);
/// The answers that the secret changes.
std::vector<ExposedAnswer> exposed_answers(const PlacedSecret& secret, const SlotNoise& noise);

/// Both attacks on a policy. `alone` is about the one thing that the policy hides; `together` about all that the meter
/// hides within its interval, which is what ε promises.
struct PolicyAttack {
  MeterId meter = 0;
  Policy policy;
  AttackMeasures alone;
  AttackMeasures together;
};
PolicyAttack attack_policy(const Collection& collection, const Policy& policy, const SlotNoise& noise,
                           double delta = 0);

/// Attacks every policy of the book that overlaps the slots, at these rates, one per slot. Order: that of the book.
std::vector<PolicyAttack> attack_book_at_rates(const PolicyBook& book, const Interval& slots,
                                               std::span<const double> rates, NoiseKind kind, double delta = 0);

/// Estimates with their 95 % intervals.
struct SimulatedAttack {
  double auc = 0.5, auc_low = 0, auc_high = 1;
  double accuracy = 0.5, accuracy_low = 0, accuracy_high = 1;
};
/// Plays the attack `runs` times with and without the secret. Known placement: the secret as placed. Else: one
/// occurrence of the policy at a start drawn evenly from its interval, which the attacker does not know.
/// Seeded; the intervals are normal approximations with the largest variance that an AUC can have.
SimulatedAttack simulate_known_placement(const PlacedSecret& secret, const SlotNoise& noise, std::size_t runs,
                                         std::uint64_t seed);
SimulatedAttack simulate_unknown_placement(const Policy& policy, const SlotNoise& noise, std::size_t runs,
                                           std::uint64_t seed);

}  // namespace fugu
