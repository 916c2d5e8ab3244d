// Where a real estimate becomes a released number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fugu {

/// An estimate on the grid. What no stream can reach is cut off.
inline std::int64_t nearest_steps(double value) {
  constexpr double kLargest = 0x1p61;
  return std::llround(std::clamp(value, -kLargest, kLargest));
}

}  // namespace fugu
