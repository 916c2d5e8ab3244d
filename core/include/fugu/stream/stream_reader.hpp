// A stream whose series are already sums. CSV, wide: header `time,<series>…`, one row a slot, ascending.
//
// Rules. An empty cell is missing, and so is every cell of a slot that has no row between two that have. A slot twice,
// a slot after a later one and a time between two slots are errors. The stream starts with its first row, with the
// slot of `origin` when that is given, or where skip_before() says. A row is printed with the offset it was written
// with, a slot without row with that of the row before. A file with a header only is a stream of no slots.
//
// Guarantee: one row moves the stream on by at most `gap_slots_max` slots, and with a wall clock to no slot that begins
// more than one slot after now. A row that would is an error before any slot is handed out because of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/source.hpp"

namespace fugu {

struct StreamOptions {
  UnitStep unit_step = {};
  /// When times are stamps; without it, the time between the first two rows. A live stream should give it: otherwise
  /// its first row waits for the second.
  std::optional<std::int64_t> slot_s = {};
  std::optional<Stamp> origin = {};                       ///< only when times are stamps
  std::optional<std::int32_t> default_utc_offset_s = {};  ///< for stamps without one
  std::string time_column = "time";
  Slot gap_slots_max = kGapSlotsMax;  ///< a row further ahead is an error: a typo, or an outage to be confirmed
  WallClock wall_clock_s = {};        ///< for live streams with stamps; none: times are taken as they are
  std::size_t block_size = BlockReader::kBlockSize;
  std::function<void(const std::string& message)> warn = {};  ///< told once, when the first value gets rounded
};

/// Memory: one block and one row.
class StreamReader final : public SlotSource {
 public:
  /// Reads the header.
  static Result<StreamReader> open(Input input, StreamOptions options);

  /// To resume: the stream starts at `slot`, and rows before it are passed over. Call it before next().
  void skip_before(Slot slot) { skip_before_ = slot; }

  Result<bool> next(SlotRow& row) override;
  bool would_wait() override;
  const std::vector<std::string>& series() const override { return series_; }

  /// Known after the first call of next(); until then it counts slots.
  const Clock& clock() const { return clock_; }

 private:
  StreamReader(LineReader lines, std::vector<std::string> series, StreamOptions options);

  Result<void> start();
  Result<void> start_clock(Stamp first, std::string_view time);
  Result<void> parse_first_stamp(std::string_view time, Stamp& first) const;
  Result<std::int64_t> slot_length(Stamp first);
  Result<void> read_row();
  Result<void> check_ahead(Slot before, std::string_view time) const;
  Result<void> parse_cells(std::string_view line);
  Error time_error(std::string_view time, std::string_view found, std::string_view expected) const;

  LineReader lines_;
  std::vector<std::string> series_;
  StreamOptions options_;
  std::optional<Slot> skip_before_;
  Clock clock_;

  enum class Stage : std::uint8_t { before_first_row, running, ended };
  Stage stage_ = Stage::before_first_row;
  SlotRow ahead_;                   // the row read last; not yet handed out when its slot ≥ next_slot_
  Slot next_slot_ = 0;              // to be handed out next
  std::int32_t last_offset_s_ = 0;  // of the row handed out last
};

}  // namespace fugu
