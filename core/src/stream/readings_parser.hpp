// Text of readings → compact readings, one block at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/stream/block_reader.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/raw.hpp"
#include "fugu/stream/series_map.hpp"

namespace fugu {

/// Positions of the three columns.
struct ReadingColumns {
  std::size_t time = 0;
  std::size_t meter = 1;
  std::size_t value = 2;
};

/// One row of the file.
struct Reading {
  Raw value;
  MeterId meter;
  std::uint32_t line;  ///< in its block, from 0
};

/// Consecutive readings of one slot: those before `end` that are not in the run before.
struct SlotRun {
  Slot slot;
  std::uint32_t end;
};

/// The first row that is wrong.
struct RowFault {
  std::uint32_t line;  ///< in its block, from 0
  std::size_t column;
  std::string found;
  std::string expected;
};

/// A parsed block: the readings up to its end, or up to the first wrong row.
struct ParsedReadings {
  std::vector<Reading> readings;
  std::vector<SlotRun> runs;
  std::uint32_t lines = 0;
  std::optional<RowFault> fault;
  std::string rounding;  ///< what to tell people when a value is not on the grid, else empty
};

/// Finds meters by name. Files mostly list meters in the same order in every slot, so it first tries the one that came
/// after the last one before: comparing with it is faster than searching for it.
class MeterFinder {
 public:
  explicit MeterFinder(const SeriesMap& map);

  std::optional<MeterId> find(std::string_view name);

 private:
  const SeriesMap* map_;
  std::vector<MeterId> after_;  // which meter came after each
  MeterId last_ = 0;
};

/// Has a memory: each thread needs a copy of its own.
class ReadingsParser {
 public:
  /// `map` must outlive the parser.
  ReadingsParser(const SeriesMap& map, ReadingColumns columns, UnitStep unit_step, Clock clock,
                 std::optional<std::int32_t> default_utc_offset_s);

  /// Replaces what is in `parsed`; its memory is reused.
  void parse(const LineBlock& block, ParsedReadings& parsed);

  /// From now on names are those of another map, which must outlive the parser.
  void look_up_meters_in(const SeriesMap& map) { meters_ = MeterFinder(map); }

  /// The time field of a row that was parsed before, for an error found later.
  std::string_view time_of(std::string_view row) const;

 private:
  using Fields = std::array<std::string_view, 3>;
  struct LastTime;

  static bool split(std::string_view row, Fields& fields);
  bool parse_row(std::string_view row, LastTime& last, ParsedReadings& parsed);
  RowFault diagnose(std::string_view row) const;

  MeterFinder meters_;
  ReadingColumns columns_;
  UnitStep unit_step_;
  Clock clock_;
  std::optional<std::int32_t> default_utc_offset_s_;
};

}  // namespace fugu
