// Rules that say from policies alone how much each slot may cost.
//
// A planner looks at no data and draws no noise: it turns the policies known so far into a rate for the next slot. The
// same object serves a strategy, which asks the kernel for an answer at that rate, and `fugu plan`, which shows the
// noise before anything is released. What a planner says is a wish: the accountant has the last word.
#pragma once

#include "fugu/policy/book.hpp"

namespace fugu {

/// Rates are losses per step: a Laplace answer of scale λ steps has rate 1/λ. Under a promise with δ > 0 they are ρ per
/// squared step: a Gaussian answer of variance v has rate 1/(2v).
class Planner {
 public:
  virtual ~Planner() = default;

  /// A policy became known. Its interval begins at or after the slot that rate() is asked about next.
  virtual void add(MeterId meter, const Policy& policy) = 0;
  /// A policy that was added was taken back before its interval began.
  virtual void withdraw(MeterId meter, const Policy& policy) = 0;

  /// The rate at which to answer `slot`: called once for every slot, in order. Infinite when no policy is relevant in
  /// it; 0 to repeat the last release.
  virtual double rate(Slot slot) = 0;
  /// What the slot that rate() was asked about last has really cost, which may be less (a floor, a refusal) or nothing.
  virtual void spent(double rate) = 0;
  /// Instead of spent(), of a slot in which no policy is relevant and which was released nevertheless: as it is, or
  /// under a floor. `moved`: it shows something else than the slot before.
  virtual void released_idle(bool moved) {
    static_cast<void>(moved);
    spent(0);
  }
};

}  // namespace fugu
