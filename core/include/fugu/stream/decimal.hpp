// Decimal text ↔ integer steps of the stream's grid, with integer arithmetic only.
//
// Values are limited to ±2^53 steps, so that a double at the edges (filters, metrics, plots) holds each of them
// exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fugu/base/rational.hpp"
#include "fugu/base/result.hpp"

namespace fugu {

/// The largest magnitude of a value, in steps.
inline constexpr std::int64_t kStepsMax = std::int64_t{1} << 53;

/// Why a text is not a value on the grid.
enum class DecimalFault : std::uint8_t { none, empty, text, nan, infinite, hexadecimal, too_large };

/// What was found, for an error message; never the text itself. Not for `none`.
std::string_view describe(DecimalFault fault) noexcept;

/// How a value between two steps is rounded.
enum class Rounding : std::uint8_t {
  half_up,  ///< to the nearest step, ties upwards: values. Moving a value by n steps moves the result by n, whatever
            ///< its sign, so rounding cannot widen a change beyond the sensitivity (ties away from zero would)
  away,     ///< to the next step away from zero: magnitudes and sensitivities
};

/// The grid: one step is a positive decimal such as 1, 0.1, 0.25 or 1000. The default is 1.
///
/// Text is `[+-]digits[.digits][(e|E)[+-]digits]`; either side of the point may be empty, not both.
/// No call allocates except those that return a string.
class UnitStep {
 public:
  UnitStep() = default;

  /// At most 9 significant digits, between 1e-18 and 1e18. Fails with cause usage.
  static Result<UnitStep> parse(std::string_view text);

  /// Sets `steps` to `text` divided by the step, rounded. On a fault `steps` is left alone.
  DecimalFault steps(std::string_view text, std::int64_t& steps, Rounding rounding = Rounding::half_up) const noexcept;

  /// Whether `text`, which steps() takes, is a whole number of steps, so that rounding loses nothing.
  bool holds(std::string_view text) const noexcept;
  /// What to tell people when it is not: that values, or magnitudes, get rounded, and which step would keep this one,
  /// the first that was found. Says how many digits the text has, never which.
  std::string rounding_text(std::string_view text, Rounding rounding = Rounding::half_up) const;

  /// Room for the longest text of format(): sign, 28 digits, 18 zeros, the point.
  static constexpr std::size_t kTextMax = 64;
  /// Writes `steps` times the step: the shortest decimal that is exactly that, without exponent. Returns its length.
  std::size_t format(std::int64_t steps, std::span<char, kTextMax> out) const noexcept;
  /// The same as a string: 123 steps of 0.1 are "12.3".
  std::string text(std::int64_t steps) const;

  /// The step as a fraction, exactly.
  Rational to_rational() const noexcept;
  /// The step as the nearest double.
  double to_double() const noexcept;

  friend bool operator==(const UnitStep&, const UnitStep&) = default;

 private:
  UnitStep(std::uint32_t mantissa, int exponent) : mantissa_(mantissa), exponent_(exponent) {}

  // The step is mantissa_ · 10^exponent_; mantissa_ is not a multiple of 10.
  std::uint32_t mantissa_ = 1;
  int exponent_ = 0;
};

}  // namespace fugu
