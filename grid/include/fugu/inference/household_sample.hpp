// A public sample of homes from a file.
#pragma once

#include <cstdint>

#include "fugu/inference/household_model.hpp"
#include "fugu/measurement/measurements.hpp"

namespace fugu::grid {

/// CSV wide, `time,HOME…` in kW; a home may miss values. It begins at midnight, in slots of `slot_min` minutes: an
/// error says what was found instead.
Result<HouseholdSample> read_household_sample(const TimedFile& file, std::int64_t slot_min);

}  // namespace fugu::grid
