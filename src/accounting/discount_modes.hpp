// How a discount is kept up to date in constant time and memory: as a sum of exponentials that is never too small.
//
// αʲ is one exponential. 1/z = ∫ s·e^(−s·z) d(log s), so 1/(1 + βj) is nearly a sum of terms h·s·e^(−s)·(e^(−sβ))ʲ, one
// for each s of a geometric grid. The trapezoidal rule is off by at most 2·Σ|Γ(1 + 2πik/h)|, relatively, whatever z is;
// weights are raised by more than that. Proof: docs/guarantees/discounted.md.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/core/rational.hpp"

namespace fugu {

/// A loss of j slots ago, j ≥ 1, counts Σ over modes of weight · ratioʲ.
struct DiscountMode {
  static constexpr int kLargestShift = 100;

  std::uint64_t weight;  ///< weight · 2^(weight_shift + 48), at least the true one
  unsigned weight_shift;
  std::uint64_t forgets;  ///< (1 − ratio) · 2^64, at most the true one; 0 for what is never forgotten

  /// What `state` (multiples of 2^-96) is one slot after `units` (multiples of 2^-48, at most 2^63) were added to it.
  uint128 step(uint128 state, std::uint64_t units) const {
    if (units != 0) {
      const uint128 rounding_up = (uint128{1} << weight_shift) - 1;
      state += (static_cast<uint128>(units) * weight + rounding_up) >> weight_shift;
    }
    const auto high = static_cast<std::uint64_t>(state >> 64);
    const auto low = static_cast<std::uint64_t>(state);
    // What is forgotten is rounded down.
    return state - (static_cast<uint128>(high) * forgets + ((static_cast<uint128>(low) * forgets) >> 64));
  }
};

/// The modes of a discount: one when it is exponential, some ninety when it is hyperbolic.
///
/// Guarantee: their sum is not below the true weight at any age of at least one slot, and up to an age of 2^32 slots
/// exceeds it by less than one part in 2^29.
std::vector<DiscountMode> discount_modes(const Discount& discount);

}  // namespace fugu
