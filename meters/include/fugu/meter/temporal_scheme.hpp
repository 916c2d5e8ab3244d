// When a reading is sent, and with which time stamp: temporal perturbation (Yang, Ren, Yang, McCann), as published and
// lagged (ours). What is hidden is when something was measured; how much stays exact.
//
// Published: the stamp is moved by Laplace(0, b) slots. A report that is kept or delayed goes out at its new stamp; one
// that is moved back goes out after an exponential delay instead. Guarantee: stamps alone are (slots moved)/b
// indistinguishable; who sees when reports arrive has no promise at all, as nothing arrives before it was measured.
//
// Lagged: a report goes out `lag` slots after its new stamp, and the shift never exceeds ±lag. Guarantee: stamps and
// arrivals together are (ε, δ)-indistinguishable between streams in which one reading was taken up to `moved_slots`
// earlier or later; δ is summed over the law that is drawn from. Cost: `lag` slots of delay.
// Neither hides that a reading exists, its value, or sums over time. docs/guarantees/temporal.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fugu/meter/shift_law.hpp"

namespace fugu {

/// What the lagged form is to promise for one reading that is moved, with all of its parts.
struct LaggedPromise {
  double epsilon;        ///< above 0
  double delta;          ///< above 1e-13, where rounding begins to show, and below 1
  Slot moved_slots = 1;  ///< by how much a reading may be moved, at least 1
  unsigned parts = 1;    ///< reports a reading is divided into: they are all moved
};

class TemporalScheme {
 public:
  /// `b` and the mean delay 1/λ are in slots. The paper does not print its λ; without it 1/b is taken.
  static Result<TemporalScheme> published(double b, std::optional<double> lambda = {});
  /// With the smallest lag that keeps the promise. An error of Cause::usage when there is none up to 100,000 slots.
  static Result<TemporalScheme> lagged(const LaggedPromise& promise);

  struct Dispatch {
    Slot stamp;
    Slot send;  ///< never before `slot`
  };
  /// For a reading of `slot`. Both words must be uniform.
  Dispatch dispatch(Slot slot, std::uint64_t shift_word, std::uint64_t delay_word) const;

  bool is_lagged() const { return promise_.has_value(); }
  const std::optional<LaggedPromise>& promise() const { return promise_; }
  double b() const { return b_; }
  /// Slots between a stamp and the arrival of a report that is in time: 0 as published.
  Slot lag_slots() const { return lag_slots_; }
  const ShiftLaw& shift() const { return shift_; }
  const ShiftLaw& delay() const { return delay_; }
  /// The law of arrival minus slot.
  ShiftLaw arrival() const;
  /// The longest that a report can be held back.
  Slot hold_slots_max() const;

  /// Share of the reports that arrive in time for their stamp: 1 − ½e^(−1/(2b)) as published, 1 lagged.
  double timely_share() const { return shift_.at_least(is_lagged() ? shift_.lowest() : 0); }
  /// q_{−k} of equation 12: how much the slot k before weighs in the estimate of a slot. k ≥ 0 as published.
  double weight_of_slot_before(Slot k) const { return shift_.probability(k) / timely_share(); }
  /// The variance of a sum of timely reports as a share of the sum of their squares: 1 − Σp²/Σp over timely shifts.
  double sampling_variance_share() const;

  /// Everything that decides a dispatch, as text: two schemes with equal text act alike.
  std::string text() const;

 private:
  TemporalScheme(double b, ShiftLaw shift, ShiftLaw delay, Slot lag_slots, std::optional<LaggedPromise> promise);

  double b_;
  ShiftLaw shift_;
  ShiftLaw delay_;  // as published: of reports that are moved back
  Slot lag_slots_;
  std::optional<LaggedPromise> promise_;
};

}  // namespace fugu
