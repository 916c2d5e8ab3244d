// Exact two-sided geometric noise.
#pragma once

#include <cstdint>

#include "fugu/base/rational.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu {

/// The scales the sampler accepts: from 2^-16 to 2^44 grid steps.
bool is_laplace_scale(Rational scale) noexcept;

/// Draws an integer with P(k) = tanh(1 / (2·scale)) · exp(−|k| / scale). Needs `is_laplace_scale(scale)`.
///
/// Guarantee: if the bits are independent and fair, the law is exactly this one: no floating point and no rounding on
/// the way. Bits taken and time spent depend on the scale only, except in fewer than 2^-9 of the draws, where more bits
/// settle a comparison exactly. |k| < 2^62 (the contrary has a probability below exp(−2^17) and ends the program).
/// docs/guarantees/noise.md.
std::int64_t discrete_laplace(BitSource& bits, Rational scale);

}  // namespace fugu
