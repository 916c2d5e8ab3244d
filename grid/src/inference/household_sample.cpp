#include "fugu/inference/household_sample.hpp"

#include <limits>
#include <string>

#include "../measurement/wide_reader.hpp"

namespace fugu::grid {

Result<HouseholdSample> read_household_sample(const TimedFile& file, std::int64_t slot_min) {
  constexpr std::int64_t kSecondsPerDay = 86'400;
  const Clock& clock = file.time.clock;
  if (clock.has_time() && clock.slot_s() != 60 * slot_min)
    return Error{Cause::bad_input, file.path + ": found slots of " + std::to_string(clock.slot_s() / 60) +
                                       " minutes; expected " + std::to_string(slot_min) + ", as in the other files"};
  if (clock.has_time() && (clock.origin_s() + file.time.utc_offset_s) % kSecondsPerDay != 0)
    return Error{Cause::bad_input, file.path + ": does not begin at midnight; expected whole days"};
  FUGU_ASSIGN(detail::WideReader reader, detail::WideReader::open(file.path, clock));
  HouseholdSample sample{.slot_min = slot_min, .kw = std::vector<std::vector<double>>(reader.series().size())};
  for (;;) {
    FUGU_ASSIGN(const bool more, reader.next());
    if (!more) return sample;
    for (std::size_t home = 0; home < sample.kw.size(); ++home) {
      // Slots without a row are missing.
      sample.kw[home].resize(static_cast<std::size_t>(reader.slot()), std::numeric_limits<double>::quiet_NaN());
      sample.kw[home].push_back(reader.values()[home]);
    }
  }
}

}  // namespace fugu::grid
