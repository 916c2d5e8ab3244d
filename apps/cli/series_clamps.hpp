// What the readings of each series are clamped to, from a CSV file: --clamp-by-series.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/aggregator.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu::cli {

struct SeriesClamps {
  /// Header `series,clamp`; a series may be a pattern such as `*.p`, a clamp is K or LO:HI as for --clamp. Every series
  /// is in exactly one row. Lists all mistakes at once.
  static Result<SeriesClamps> read(const std::string& path, const UnitStep& unit_step,
                                   std::span<const std::string> series);

  std::vector<ClampRange> ranges;  ///< by series
  std::string text;                ///< "*.p 0:12, *.q -2:6": for the record
};

}  // namespace fugu::cli
