// Exact fractions for the audit, on GMP: deliberately not the arithmetic of the accountants.
#pragma once

#include <gmp.h>

#include <cstdint>
#include <initializer_list>

#include "fugu/core/rational.hpp"

namespace fugu::audit {

/// Loss in units of 2^-60. Rounded up wherever it is rounded.
using Units = uint128;
inline constexpr Units kTooMuch = Units{1} << 100;

/// Not below `units`, and exact for anything below 2^64 units.
long double up_to_long_double(Units units);

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
  /// This, rounded up to Units; saturates at kTooMuch.
  Units up() const;

 private:
  mpq_t value_;
};

/// log δ for which ρ-zCDP implies (ε, δ), an upper bound.
double log_delta(long double rho, long double epsilon);

}  // namespace fugu::audit
