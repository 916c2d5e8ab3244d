// The worst loss of a policy, as a formula: a sum of largest window sums.
//
//     L(J) = Σ over terms of weight · (largest Σ x_t over `length_slots` consecutive slots of `interval`)
//
// Pure promises: one term for each policy ψ of the same meter that overlaps J, with weight d_ψ. Promises with δ > 0,
// where x counts ρ per squared step: the square of a sum of changes has a term d_ψ² for each policy and 2·d_ψ·d_χ for
// each two that can meet. docs/guarantees/swellfish.md derives both. Convex and increasing in x either way.
#pragma once

#include <algorithm>
#include <vector>

#include "fugu/accounting/accountant.hpp"
#include "fugu/base/rational.hpp"
#include "fugu/policy/book.hpp"

namespace fugu {

struct LossTerm {
  Interval interval;               ///< within J
  std::uint64_t length_slots = 1;  ///< at most interval.slots()
  uint128 weight = 0;              ///< in steps, or squared steps
};

/// The terms of policy `phi` of `collection`, of which it is a member. A policy with a shape counts as its envelope:
/// magnitude_steps for length_slots.
template <class Visit>
void for_loss_terms(const Collection& collection, const Policy& phi, Currency currency, Visit&& visit) {
  const auto term = [&](const Interval& interval, std::uint64_t length, uint128 weight) {
    visit(LossTerm{interval, std::min(length, interval.slots()), weight});
  };
  collection.for_overlapping(phi.interval, [&](const Policy& psi) {
    const Interval within = common(phi.interval, psi.interval);
    if (currency == Currency::epsilon) {
      term(within, psi.length_slots, psi.magnitude_steps);
      return;
    }
    term(within, psi.length_slots, uint128{psi.magnitude_steps} * psi.magnitude_steps);
    collection.for_overlapping(within, [&](const Policy& chi) {
      if (&chi <= &psi) return;  // each two once
      term(common(within, chi.interval), std::min(psi.length_slots, chi.length_slots),
           2 * uint128{psi.magnitude_steps} * chi.magnitude_steps);
    });
  });
}

}  // namespace fugu
