// Makes any rates keep all policies, by scaling each slot as little as one pass can.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/policy/book.hpp"

namespace fugu {

/// Multiplies the rate of each slot by the smallest factor that a policy relevant in it needs: with L(J) the policy's
/// exact worst loss (loss_terms.hpp, pure), ε / L(J). Afterwards L(J) ≤ ε for every policy, up to rounding, because
/// within J no rate grew by more than that. Factors above 1 use budget that the given rates left.
///
/// rates[i] belongs to slot slots.first + i: not negative, and infinite only where nothing can be lost. Slots without a
/// relevant policy are left alone. The first `released_slots` rates are history: they are counted, not changed, and
/// where they have used up ε the factor is 0. Slots outside `slots` count as not answered.
///
/// Cost: Σ over policies of Σ over those that overlap it of the slots they share.
void fit_to_policies(const PolicyBook& book, const Interval& slots, std::vector<double>& rates,
                     std::uint64_t released_slots = 0);
void fit_to_policies(std::span<const Collection> book, const Interval& slots, std::vector<double>& rates,
                     std::uint64_t released_slots = 0);

}  // namespace fugu
