// The audit of policies: by how much each may have lost, whatever happened when.
//
//     L(J) = Σ over policies ψ of the same meter that overlap J of the largest, over placements of ψ within its own
//            interval, of Σ over the slots it then shares with J of change · rate
//
// The promise of a policy is L(J) ≤ ε for its interval J; docs/guarantees/swellfish.md has the proof, and the form with
// δ > 0. This is the audit's own computation, from rates of its own (audit_rates.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "audit_policies.hpp"
#include "audit_rates.hpp"
#include "fugu/accounting/audit.hpp"

namespace fugu::audit {

/// Series that lanes of policies in force name, ascending: LossRates has to know them.
std::vector<SeriesId> named_series(const PoliciesHeld& policies, const Exposure& exposure);

/// Finds the worst policy and adds a finding for each that is broken, in one call of judge() for each range of
/// signatures, and a finish().
class PolicyAudit {
 public:
  PolicyAudit(const PoliciesHeld& policies, const Exposure& exposure, Delta delta);

  void judge(const LossRates& rates, AuditReport& report);
  void finish(AuditReport& report) const;

 private:
  /// A policy as "up to `steps` in up to `length_slots` consecutive slots of `interval`": exact without a shape, an
  /// upper bound with one.
  struct Box {
    Interval interval;
    std::uint64_t length_slots = 1;
    Units steps = 0;
    Units allowed = 0;  // ε, or the ρ that ε and δ allow
    std::uint32_t position = 0;
  };
  /// What a policy loses at most when it is placed best, and how that is.
  struct Placed {
    Units loss = 0;
    Slot start = 0;
    std::size_t alternative = 0;
  };
  struct Worst {
    std::uint32_t position = 0;
    std::size_t signature = 0;
    Units loss = 0;
  };
  /// Where losses are looked up: the rates of one signature.
  struct View {
    const LossRates& rates;
    std::size_t signature;
    const RateColumn& column() const { return rates.of_signature(signature); }
  };

  bool pure() const { return delta_.value() == 0; }
  Box box_of(std::uint32_t position);
  Units allowance(const Policy& policy);
  /// The policies of a meter, ordered by where their intervals begin.
  void gather(MeterId meter);
  /// Those of boxes_ that overlap J.
  void find_overlapping(const Interval& interval);

  void judge_meter(const View& view, AuditReport& report);
  /// Whether a loss of at most that much is neither a finding nor the worst.
  bool is_harmless(Units at_most, Units allowed) const;
  bool all_are_harmless(const View& view) const;
  /// Upper bound of the loss over J of the overlapping policies: as if each happened all the time.
  Units bound(const Interval& interval, const View& view) const;
  /// With δ > 0, a bound in between: each policy at its worst, but all products of two as if they met there.
  Units closer_bound_in_rho(const Interval& interval, const View& view) const;
  Units exact_loss(const Interval& interval, const View& view) const;
  Units loss_in_rho(const Interval& interval, const View& view) const;
  /// What one policy loses at most in the slots it shares with `interval`.
  Units worst_placement_loss(const Box& box, const Interval& interval, const View& view) const;
  Placed worst_placement(const Box& box, const Interval& interval, const View& view) const;
  Placed place_shape(const Box& box, const Interval& interval, const View& view) const;
  Units loss_of_profile(const Profile& profile, Slot start, const Interval& interval, const View& view) const;
  bool in_signature(SeriesId series, std::size_t signature) const;

  static long double ratio(Units loss, Units allowed);
  bool is_broken(Units loss, const Box& box) const;
  void note_broken(Units loss, const Box& box, AuditReport& report);
  void describe_worst(const View& view);
  double loss_as_stated(Units loss, const Policy& policy) const;

  const PoliciesHeld& policies_;
  const Exposure& exposure_;
  Delta delta_;
  std::unordered_map<std::uint64_t, Units> allowance_in_rho_;  // by ε
  std::vector<bool> broken_;                                   // by position, once reported
  std::optional<WorstPolicy> worst_policy_;
  long double worst_ratio_ = -1;
  std::optional<Worst> worst_of_pass_;

  // Of the meter at hand.
  std::vector<Box> boxes_;
  std::vector<Slot> latest_;  // of boxes 0 … i: the last slot any of them reaches
  std::vector<const Box*> overlapping_;
};

}  // namespace fugu::audit
