// Many sparse series: counts of thousands of places or pages, of which a few have most and most have nothing. Shaped as
// Taxi Porto and WorldCup by page (thesis, Table 5.7), which are no longer to be had: what grouping of series is for.
//
// Series i counts, in each slot, a Poisson number of events with mean
//
//     amplitude · (i + 1)^(−skew) · (1 − cos(2π·slot/season)) / 2
//
// so the first series has most, and all rest together once a season. A stream is a function of its options alone, but
// for the last bit of std::exp and std::cos. It is test data; nothing here is fit to protect anything.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu {

struct SparseOptions {
  std::int64_t series = 1000;       ///< 1 … 1,000,000
  std::int64_t length_slots = 672;  ///< at least 1
  std::int64_t season_slots = 24;   ///< 2 … 1,000,000
  double amplitude = 300.0;         ///< of the largest series; above 0, at most 1e9
  double skew = 1.0;                ///< how much more the first series have than the others; 0 … 10
  std::uint64_t seed = 1;           ///< equal seeds give equal streams
};

/// Values lie slot by slot: [slot · series + series]. An error of Cause::usage names the option that is out of range.
Result<std::vector<double>> generate_sparse(const SparseOptions& options);

}  // namespace fugu
