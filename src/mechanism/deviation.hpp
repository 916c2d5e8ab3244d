// How far values lie from their mean, compiled for different processors. Private to the kernel and its tests.
#pragma once

#include <cstdint>
#include <span>

namespace fugu::detail {

/// n · Σ |value − mean| of n values: an integer. At most 2^11 values, each below 2^40 in magnitude, and at least one.
/// Both give the same; the second only where `has_avx2()`.
std::int64_t scaled_deviation_portable(std::span<const std::int64_t> values);
std::int64_t scaled_deviation_avx2(std::span<const std::int64_t> values);

}  // namespace fugu::detail
