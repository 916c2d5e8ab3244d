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

/// A rational that is not below num / den and exceeds it by less than one part in 2^60, or by less than 2^-62 where
/// that is more: at most 62 bits over a power of two of at most 2^62. Scales are rounded with it, so rounding can only
/// add noise. Both arguments must be positive and num / den at most 2^61.
Rational round_up(uint128 num, std::uint64_t den);

/// ceil(a · b · 2^shift / divisor), or the largest uint64 when that does not fit. Charges are computed with it, so
/// rounding can only overstate them. `shift` must be below 64 and `divisor` positive.
std::uint64_t multiply_divide_up(uint128 a, std::uint64_t b, unsigned shift, std::uint64_t divisor);

}  // namespace fugu
