// Time, as the rest of fugu sees it.
#pragma once

#include <cstdint>

namespace fugu {

/// Index of an equidistant interval, from 0. A Clock maps it to time.
using Slot = std::int64_t;

/// Position of a series in the stream's header or series map, from 0.
using SeriesId = std::uint32_t;

}  // namespace fugu
