// The discrete Laplace sampler compiled for different processors. Private to noise and its tests.
#pragma once

#include <cstdint>

#include "fugu/base/avx2.hpp"
#include "fugu/base/rational.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu::detail {

/// Both give the same draws from the same bits; the second only where `has_avx2()`.
std::int64_t discrete_laplace_portable(BitSource& bits, Rational scale);
std::int64_t discrete_laplace_avx2(BitSource& bits, Rational scale);

}  // namespace fugu::detail
