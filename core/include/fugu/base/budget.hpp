// Privacy loss as an exact number.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "fugu/base/check.hpp"
#include "fugu/base/result.hpp"

namespace fugu {

/// What a Budget counts. Pure promises add up ε; promises with δ > 0 add up ρ of zero-concentrated privacy.
enum class Currency : std::uint8_t { epsilon, rho };

/// An amount of privacy loss: a multiple of 2^-48, at most 2^16. Whether it counts ε or ρ is its accountant's Currency.
///
/// Fixed point, so that window sums stay exact however long a stream runs: nothing drifts, and a sum that is at most
/// the limit is so in real arithmetic. What is granted is rounded down to it, what is charged is rounded up.
class Budget {
 public:
  static constexpr unsigned kFractionBits = 48;

  constexpr Budget() = default;
  static constexpr Budget from_units(std::uint64_t units) { return Budget(units); }
  /// The largest Budget that is at most `amount` (0 for anything below one unit).
  static Budget round_down(double amount);

  constexpr std::uint64_t units() const { return units_; }
  double to_double() const { return static_cast<double>(units_) * 0x1p-48; }

  friend constexpr auto operator<=>(Budget, Budget) = default;
  /// Saturates: a loss too large to count stays too large to be granted.
  friend constexpr Budget operator+(Budget a, Budget b) {
    const std::uint64_t sum = a.units_ + b.units_;
    return Budget(sum < a.units_ ? std::numeric_limits<std::uint64_t>::max() : sum);
  }
  friend constexpr Budget operator-(Budget a, Budget b) {
    FUGU_CHECK(a >= b);
    return Budget(a.units_ - b.units_);
  }
  /// Rounded down, so that n shares never exceed the whole.
  friend constexpr Budget operator/(Budget a, std::uint64_t n) {
    FUGU_CHECK(n > 0);
    return Budget(a.units_ / n);
  }
  constexpr Budget& operator+=(Budget b) { return *this = *this + b; }
  constexpr Budget& operator-=(Budget b) { return *this = *this - b; }

 private:
  constexpr explicit Budget(std::uint64_t units) : units_(units) {}
  std::uint64_t units_ = 0;
};

/// ε of a promise: positive and at most 2^15. There is no default: somebody has to choose it.
class Epsilon {
 public:
  static Result<Epsilon> make(double value);
  double value() const { return value_; }

 private:
  explicit Epsilon(double value) : value_(value) {}
  double value_;
};

/// δ of a promise: 0 (pure) or between 1e-300 and 1, exclusive.
class Delta {
 public:
  static constexpr Delta zero() { return Delta(0); }
  static Result<Delta> make(double value);
  constexpr double value() const { return value_; }

 private:
  constexpr explicit Delta(double value) : value_(value) {}
  double value_;
};

}  // namespace fugu
