// Readings of many meters, summed into series. CSV, long: header `time,meter,value` in any order of columns, one row a
// reading, rows in any order within the grace period.
//
// Rules (docs/concepts/streams.md has them for the administrator; Aggregator for how readings become sums):
// - The stream starts with the slot of the first row, or with the slot of `origin` when that is given, or where
//   skip_before() says. Earlier readings are late.
// - Slot s is handed out when a reading for a slot later than s + grace arrives, or at the end of the input; with sum 0
//   when nobody reported. Nothing in a SlotRow is missing.
// - With a wall clock (live input), a reading for a slot that begins later than now + grace is refused as a late one
// is:
//   an error, or dropped. Either way it closes no slot.
// - With close_by_clock, slot s is handed out when the wall clock has passed its end plus grace and all that had
// arrived
//   by then was read, or at the end of the input. No reading closes a slot before that, so none can make another late.
//   Slots that were over when the reader was opened wait for one grace period from then.
// - One reading moves the stream on by at most gap_slots_max slots, and the clock by at most as many without a reading;
//   beyond that is an error, before any slot is closed for it.
// - The offset in which slots are printed is that of `origin` or of the first row, for the whole stream: a reading
//   further on cannot change it.
// - An error names the first wrong row in the order of the file. All slots that close before it have been handed out.
//
// Memory is flat whatever the length of the input: a few blocks, the series map, the open slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/stream/aggregator.hpp"
#include "fugu/stream/block_reader.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/series_map.hpp"
#include "fugu/stream/source.hpp"

namespace fugu {

/// What to do with a reading whose slot was already handed out.
enum class LateRule : std::uint8_t { error, drop };
/// What to do with a reading outside the clamp range. The error depends on private data; it is for checking files.
enum class BeyondRule : std::uint8_t { clamp, error };

struct ReadingsOptions {
  UnitStep unit_step = {};
  ClampRange clamp = {};  ///< no default that would make sense: set it
  /// Instead, one for each series of the map. Neither with clamp_over_time nor with a transform.
  std::vector<ClampRange> clamp_by_series = {};
  /// Where it is narrower in some slots: asked once, when it is known when slots are.
  std::function<Result<SlotSchedule<ClampRange>>(const Clock& clock, std::int32_t utc_offset_s)> clamp_over_time = {};
  std::optional<std::int64_t> slot_s = {};                ///< needed when times are stamps, not used otherwise
  std::optional<Stamp> origin = {};                       ///< only when times are stamps
  std::optional<std::int32_t> default_utc_offset_s = {};  ///< for stamps without one
  Slot grace_slots = 1;                                   ///< 0 to 10,000
  Slot gap_slots_max = kGapSlotsMax;                      ///< more is an error: a typo, or an outage to be confirmed
  WallClock wall_clock_s = {};                            ///< for live input with stamps; none: times are believed
  bool close_by_clock = false;  ///< needs a wall clock and stamps; grace is at most 5,000 then
  LateRule late = LateRule::error;
  BeyondRule beyond = BeyondRule::clamp;
  std::shared_ptr<ReadingTransform> transform = {};  ///< what meters send instead of their readings
  std::string value_column = "value";  ///< its name says what the values are: others are not taken for readings
  /// Live inputs: asked before each slot whether meters count differently from now on. What it gives was read with
  /// SeriesMap::read_again() and holds from the first slot on that got no reading yet. With a transform it is asked,
  /// too, to be able to say something, but no other map is taken.
  std::function<std::optional<SeriesMap>(const SeriesMap& now)> new_map = {};
  unsigned threads = 2;  ///< 1 or 2; live inputs use 1
  std::size_t block_size = BlockReader::kBlockSize;
  std::function<void(const std::string& message)> warn = {};  ///< told once of clamping, rounding, dropping early ones
};

/// How many rows, and what became of them. For the administrator: exact counts of private events, not for release.
struct ReadingsCounters {
  std::uint64_t rows = 0;
  std::uint64_t missing = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t late = 0;
  std::uint64_t early = 0;  ///< ahead of the wall clock
  std::uint64_t clamped = 0;
  std::uint64_t skipped = 0;    ///< before skip_before()
  std::uint64_t elsewhere = 0;  ///< of meters that counted into no series at the time
};

class ReadingsReader final : public SlotSource {
 public:
  /// Reads the header.
  static Result<ReadingsReader> open(Input input, SeriesMap map, ReadingsOptions options);
  ReadingsReader(ReadingsReader&&) noexcept;
  ReadingsReader& operator=(ReadingsReader&&) noexcept;
  ~ReadingsReader() override;

  /// To resume: the stream starts at `slot`, and readings before it are passed over. Call it before next().
  void skip_before(Slot slot);

  Result<bool> next(SlotRow& row) override;
  bool would_wait() override;
  const std::vector<std::string>& series() const override;

  const SeriesMap& series_map() const;
  /// Follows the map as it changes; outlived by the reader.
  CurrentMap current_map() const;
  /// Known after the first call of next(); until then it counts slots.
  const Clock& clock() const;
  const ReadingsCounters& counters() const;

 private:
  class Impl;
  explicit ReadingsReader(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace fugu
