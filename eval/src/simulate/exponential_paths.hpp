// Exponential variates compiled for different processors. Private to simulate and its tests.
#pragma once

#include <array>
#include <span>

#include "fugu/simulate/exponentials.hpp"

namespace fugu::detail {

using ExponentialState = std::array<Exponentials::Lanes, 4>;
using ExponentialValues = std::array<double, Exponentials::kCount>;

/// Both make the same numbers of the same state; the second only where `has_avx2()`.
void fill_exponentials_portable(ExponentialState& state, ExponentialValues& values);
void fill_exponentials_avx2(ExponentialState& state, ExponentialValues& values);

/// Adds ⌊λ·e⌋ − ⌊λ·e'⌋ to each value, of the next two variates each, with λ at most 2^44. Likewise.
void add_differences_portable(std::span<const double> variates, double scale, std::span<std::int64_t> values);
void add_differences_avx2(std::span<const double> variates, double scale, std::span<std::int64_t> values);

}  // namespace fugu::detail
