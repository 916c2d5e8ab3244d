// Made-up wishes of households: policies to try things on.
//
// Each use of an appliance becomes one policy, hidden in an interval four times as long as the use, around it, as in
// the thesis' case study. A household's day is a function of seed, meter and day alone. Nothing here is measured.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/policy/policy.hpp"

namespace fugu {

struct WishOptions {
  std::uint64_t seed = 1;
  double uses_per_day = 12;  ///< on average, 0.1 … 1000
  double epsilon = 1;
  std::uint64_t steps_per_kw = 1000;
};

/// The policies of one meter whose uses begin on that day of 96 quarter hours, ordered by interval. Intervals reach
/// into neighbouring days; on day 0 they begin at slot 0 at the earliest.
std::vector<Policy> simulated_wishes(const WishOptions& options, std::uint64_t meter, std::uint64_t day);

/// All policies of one meter in the first `days` days, ordered by interval, each once.
std::vector<Policy> simulated_wishes_of_days(const WishOptions& options, std::uint64_t meter, std::uint64_t days);

}  // namespace fugu
