// How far values lie from their mean or from others, compiled for different processors. Private to the kernel and its
// tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fugu::detail {

/// n · Σ |value − mean| of the first n values: an integer. 1 to 2^11 of them, each below 2^40 in magnitude. There are
/// more up to a multiple of kDeviationBlock, which play no part: groups grow slot by slot, and a loop that ends
/// elsewhere each time is slower than one that looks at more.
/// Both give the same; the second only where `has_avx2()`.
constexpr std::size_t kDeviationBlock = 16;
std::int64_t scaled_deviation_portable(std::span<const std::int64_t> values, std::size_t n);
std::int64_t scaled_deviation_avx2(std::span<const std::int64_t> values, std::size_t n);

/// Σ |value − reference| of at most 2^11 values; kTooFar when one of these distances is 2^52 or more. Likewise.
constexpr std::uint64_t kTooFar = ~std::uint64_t{0};
std::uint64_t small_distance_portable(std::span<const std::int64_t> values, std::span<const std::int64_t> reference);
std::uint64_t small_distance_avx2(std::span<const std::int64_t> values, std::span<const std::int64_t> reference);

}  // namespace fugu::detail
