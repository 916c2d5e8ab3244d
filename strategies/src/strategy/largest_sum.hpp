// The largest sum of some consecutive rates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace fugu {

/// Of the values first … end − 1, the largest sum of `length` consecutive ones; `length` is at most their number.
/// sum_before[i] is the sum of all values before the i-th.
inline double largest_sum(std::span<const double> sum_before, std::size_t first, std::size_t end, std::size_t length) {
  double largest = 0;
  for (std::size_t i = first; i + length <= end; ++i)
    largest = std::max(largest, sum_before[i + length] - sum_before[i]);
  return largest;
}

}  // namespace fugu
