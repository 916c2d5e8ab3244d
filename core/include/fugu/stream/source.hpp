// Where slots come from: a wide stream file, a file or pipe of readings, a simulation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/base/digest.hpp"
#include "fugu/base/result.hpp"
#include "fugu/stream/raw.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

class SeriesMap;

/// Who counts into what, and by how much one meter can change a series in a slot.
struct Counting {
  const SeriesMap* map = nullptr;
  std::uint64_t change_of_one_meter_steps = 0;
  /// Of what meters send instead of their readings: the hash of each version, oldest first, the last is in use. None
  /// when readings are summed as they are. A ledger goes on with a descendant of its last version only.
  std::span<const Digest> versions = {};
  /// One for each series, where one meter can change some of them by more than others.
  std::span<const std::uint64_t> change_by_series = {};

  std::uint64_t change_steps(SeriesId series) const {
    return change_by_series.empty() ? change_of_one_meter_steps : change_by_series[series];
  }
};

/// The true values of all series in one slot, and the public facts about that slot.
struct SlotRow {
  Slot slot = 0;
  std::int32_t utc_offset_s = 0;  ///< offset in which this slot's time stamp is printed
  std::vector<Raw> values;        ///< one per series
  /// Where totals are sums of readings: set in the first row, and in each from which on meters count differently. Valid
  /// until the next row is asked for.
  std::optional<Counting> counting = std::nullopt;
};

/// Yields consecutive slots: each call's slot is the previous one plus 1, gaps in the input come as missing values.
class SlotSource {
 public:
  virtual ~SlotSource() = default;

  /// Fills `row` with the next slot. False at the end of the stream.
  /// After an error the source must not be used again; rows handed out before stay valid.
  virtual Result<bool> next(SlotRow& row) = 0;

  /// True when the next call of next() would have to wait for input: the moment to make durable and flush what
  /// has been released so far. Sources that never wait return false.
  virtual bool would_wait() = 0;

  /// The series in the order of SlotRow::values.
  virtual const std::vector<std::string>& series() const = 0;
};

}  // namespace fugu
