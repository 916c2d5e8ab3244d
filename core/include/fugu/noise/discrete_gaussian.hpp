// Exact discrete Gaussian noise.
#pragma once

#include <cstdint>

#include "fugu/base/rational.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu {

/// The variances the sampler accepts: from 2^-6 to 2^62 squared grid steps.
bool is_gaussian_variance(Rational variance) noexcept;

/// Draws an integer with P(k) ∝ exp(−k² / (2·variance)), by rejection from the discrete Laplace law (Canonne, Kamath
/// and Steinke 2020, Algorithm 3). Needs `is_gaussian_variance(variance)`. Note that `variance` is the parameter of the
/// law; below about 1 the variance of the draws is smaller (see NoiseLaw).
///
/// Guarantee: if the bits are independent and fair, the law is exactly this one: no floating point and no rounding on
/// the way. The number of trials varies, and is independent of the result. docs/guarantees/noise.md, "Gaussian".
std::int64_t discrete_gaussian(BitSource& bits, Rational variance);

}  // namespace fugu
