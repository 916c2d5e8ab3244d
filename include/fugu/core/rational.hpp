// Positive rationals: noise scales and variances, exact on their way from the budget to the sampler.
#pragma once

#include <cstdint>

namespace fugu {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/// num / den, both positive. Not necessarily reduced: two Rationals are equal when they are the same fraction.
struct Rational {
  std::uint64_t num = 1;
  std::uint64_t den = 1;

  double to_double() const { return static_cast<double>(num) / static_cast<double>(den); }

  friend bool operator==(Rational a, Rational b) {
    return static_cast<uint128>(a.num) * b.den == static_cast<uint128>(b.num) * a.den;
  }
};

/// The smallest rational of at most 62-bit numerator and power-of-two denominator (at most 2^62) that is not below
/// num / den and exceeds it by less than one part in 2^60. Both arguments must be positive and num / den below 2^62.
/// Scales are rounded with it, so that rounding can only add noise.
Rational round_up(uint128 num, uint128 den);

}  // namespace fugu
