// How a discount is kept up to date in constant time and memory: as a sum of exponentials that is never too small.
//
// αʲ is one exponential. 1/z = ∫ s·e^(−s·z) d(log s), so 1/(1 + βj) is nearly a sum of terms h·s·e^(−s)·(e^(−sβ))ʲ, one
// for each s of a geometric grid. The trapezoidal rule is off by at most 2·Σ|Γ(1 + 2πik/h)|, relatively, whatever z is;
// weights are raised by more than that. Proof: docs/guarantees/discounted.md.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/base/rational.hpp"

namespace fugu {

/// floor(a · b / 2^64); a must be below 2^120.
inline uint128 multiply_high(uint128 a, std::uint64_t b) {
  return (a >> 64) * b + ((static_cast<std::uint64_t>(a) * static_cast<uint128>(b)) >> 64);
}

/// A loss of j slots ago, j ≥ 1, counts Σ over modes of weight · ratioʲ.
struct DiscountMode {
  uint128 weight;         ///< weight · 2^112, at least the true one, at most 2^112
  std::uint64_t forgets;  ///< (1 − ratio) · 2^64, at most the true one; 0 for what is never forgotten

  /// What `state` (multiples of 2^-96) is one slot after `units` (multiples of 2^-48, at most 2^63) were added to it.
  uint128 step(uint128 state, std::uint64_t units) const {
    const bool inexact = static_cast<std::uint64_t>(weight) * units != 0;  // modulo 2^64
    state += multiply_high(weight, units) + (inexact ? 1 : 0);
    return state - multiply_high(state, forgets);  // what is forgotten is rounded down
  }
};

/// The modes of a discount: one when it is exponential, some ninety when it is hyperbolic.
///
/// Guarantee: their sum is not below the true weight at any age of at least one slot, and up to an age of 2^32 slots
/// exceeds it by less than one part in 2^29.
std::vector<DiscountMode> discount_modes(const Discount& discount);

}  // namespace fugu
