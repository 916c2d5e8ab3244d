// Exact fractions for the audit, on GMP: deliberately not the arithmetic of the accountants.
#pragma once

#include <gmp.h>

#include <cstdint>
#include <initializer_list>

#include "fugu/base/rational.hpp"

namespace fugu::audit {

/// Loss in units of 2^-60, or, for losses per step, which are multiplied by magnitudes, of 2^-84. Rounded up wherever
/// it is rounded.
using Units = uint128;
inline constexpr unsigned kLossBits = 60;
inline constexpr unsigned kRateBits = 84;
/// Breaks every promise, in either unit.
inline constexpr Units kTooMuch = Units{1} << 100;

/// Breaks every promise in units of 2^-60, as no promise is above 2^16. Losses that are added up are cut to it, so that
/// no sum of as many as fit into a file wraps around.
inline constexpr Units kLargestLoss = Units{1} << 80;

/// `units` of 2^-bits: not below, and exact for anything below 2^64 units.
long double up_to_long_double(Units units, unsigned bits = kLossBits);

/// A non-negative fraction.
class Fraction {
 public:
  Fraction(std::initializer_list<std::uint64_t> numerator, std::initializer_list<std::uint64_t> denominator);
  ~Fraction() { mpq_clear(value_); }
  Fraction(const Fraction& other);
  Fraction& operator=(const Fraction&) = delete;

  Fraction& operator+=(const Fraction& other);
  Fraction times(std::uint64_t n) const;
  /// (n · this)² / 2
  Fraction half_square(std::uint64_t n) const;
  /// This in units of 2^-bits, rounded up; saturates at kTooMuch.
  Units up(unsigned bits = kLossBits) const;

 private:
  mpq_t value_;
};

/// log δ for which ρ-zCDP implies (ε, δ), an upper bound.
double log_delta(long double rho, long double epsilon);

}  // namespace fugu::audit
