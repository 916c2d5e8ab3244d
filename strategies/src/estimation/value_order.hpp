// The values of a group in order, while one after the other is replaced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fugu::detail {

inline constexpr std::size_t kOrdered = 64;
using OrderedValues = std::array<double, kOrdered>;
/// Which values are lowest, second lowest and so on; before and after them a byte, so that they can move by one.
using ValueOrder = std::array<std::uint8_t, kOrdered + 2>;

/// Puts `value` in the place of another and brings the order up to date.
/// Both do the same; the second only where `has_avx2()`.
void replace_portable(OrderedValues& values, std::uint8_t place, double value, ValueOrder& order);
void replace_avx2(OrderedValues& values, std::uint8_t place, double value, ValueOrder& order);

}  // namespace fugu::detail
