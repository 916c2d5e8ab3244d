// Exponential variates compiled for different processors. Private to src/noise and its tests.
#pragma once

#include <array>

#include "fugu/noise/exponentials.hpp"

namespace fugu::detail {

using ExponentialState = std::array<Exponentials::Lanes, 4>;
using ExponentialValues = std::array<double, Exponentials::kCount>;

/// Both make the same numbers of the same state; the second only where `has_avx2()`.
void fill_exponentials_portable(ExponentialState& state, ExponentialValues& values);
void fill_exponentials_avx2(ExponentialState& state, ExponentialValues& values);

}  // namespace fugu::detail
