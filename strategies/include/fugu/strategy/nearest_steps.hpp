// Where a real estimate becomes a released number.
#pragma once

#include <algorithm>
#include <cstdint>

namespace fugu {

/// An estimate on the grid, as std::llround without the call. What no stream can reach is cut off.
inline std::int64_t nearest_steps(double value) {
  constexpr double kLargest = 0x1p61;
  const double within = std::clamp(value, -kLargest, kLargest);
  const auto whole = static_cast<std::int64_t>(within);
  const double rest = within - static_cast<double>(whole);  // exact
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

}  // namespace fugu
