// Facts about the noise laws, for error bands and predictions. Doubles: nothing here reaches a released value's noise.
#pragma once

#include <cstdint>

#include "fugu/base/rational.hpp"
#include "fugu/noise/noise.hpp"

namespace fugu {

/// The law of one draw: `parameter` is the scale of the discrete Laplace, or the variance parameter of the discrete
/// Gaussian. Every function takes a bounded time, whatever the parameter, and is accurate to about nine digits.
struct NoiseLaw {
  NoiseKind kind;
  Rational parameter;

  /// E N².
  double variance() const;
  /// E|N|: the mean absolute error of a value with this noise.
  double expected_magnitude() const { return expected_magnitude_around(0); }
  /// E|N + offset|: the mean absolute error of a value with this noise and that bias.
  double expected_magnitude_around(std::int64_t offset) const;
  /// P(|N| > bound) for bound ≥ 0.
  double exceedance(std::int64_t bound) const;
  /// The smallest q with P(|N| ≤ q) ≥ level, for a level strictly between 0 and 1.
  std::int64_t magnitude_quantile(double level) const;
};

}  // namespace fugu
