// What meters learn from past readings: a profile for each of them in each of the plan's circumstances.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fugu/distributional/meter_profile.hpp"
#include "fugu/distributional/plan.hpp"
#include "fugu/meter/meter_readings.hpp"

namespace fugu {

/// With fewer past readings than this the learned ranks are off by more than about 5 %, and the difference shows.
inline constexpr std::size_t kFewReadings = 100;

struct Learned {
  /// Of the first meter in each circumstance, of the second, …
  std::vector<MeterProfile> profiles = {};
  std::size_t meters_with_few = 0;        ///< from fewer than kFewReadings in some circumstance, but from one at least
  std::size_t meters_with_unlearned = 0;  ///< from none in some circumstance
  /// Where the readings end, in seconds since 1970; nothing when slots are numbers.
  std::optional<std::int64_t> until_s = {};
};

/// From all readings of the meters in `wanted`, clamped; others are read over. `readings` was opened with `meters`.
/// A meter without any is an error that names it; one without any in some circumstance gets an unlearned profile there,
/// at its overall mean. Circumstances need time stamps: Cause::usage otherwise. Slots of another length than the
/// plan's, if it has one: Cause::refused. Memory: 8 bytes a reading.
Result<Learned> learn_profiles(MeterReadings& readings, const NameTable& meters,
                               const std::vector<NameTable::Id>& wanted, const DistributionalPlan& plan);

}  // namespace fugu
