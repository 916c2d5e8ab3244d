// Public bounds that vary over time, from a CSV file: --sensitivity-schedule and --clamp-schedule.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/accounting/definition.hpp"
#include "fugu/mechanism/run_facts.hpp"
#include "fugu/stream/aggregator.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/location.hpp"
#include "fugu/stream/slot_schedule.hpp"

namespace fugu::cli {

/// The rows of a file, before it is known when slots are. Each holds from its time on until that of the next row. Times
/// are slot numbers or time stamps, as the stream has them, and the last row holds for ever; or times of day such as
/// 06:00, which come again every day.
class ScheduleFile {
 public:
  /// Header `time,WHAT`, or one column for each of `series`, in their order.
  static Result<ScheduleFile> read(const std::string& path, std::string_view what,
                                   std::span<const std::string> series = {});

  std::size_t rows() const { return rows_.size(); }
  /// Of a row after its time: one for all series, or one for each.
  const std::vector<std::string>& cells(std::size_t row) const { return rows_[row].cells; }
  Error wrong_cell(std::size_t row, std::size_t cell, std::string_view found, std::string_view expected) const;

  /// When the rows hold, with a value for each. Rows that change nothing are left out.
  template <class T>
  Result<SlotSchedule<T>> schedule(const RunClock& clock, const std::vector<T>& values) const {
    FUGU_ASSIGN(const Places places, place(clock));
    SlotSchedule<T> made{.period_slots = places.period_slots};
    for (const auto& [from, row] : places.rows) {
      if (made.rows.empty() || !(made.rows.back().value == values[row])) made.rows.push_back({from, values[row]});
    }
    if (made.rows.size() == 1) made.period_slots = 0;
    return made;
  }

  /// "00:00 2, 06:00 10": for the record.
  std::string text() const;

 private:
  struct Row {
    std::string time;
    std::vector<std::string> cells;
    std::uint64_t line;
  };
  /// Which row begins to hold when: from slot 0 on, in order.
  struct Places {
    struct Place {
      Slot from;
      std::size_t row;
    };
    std::vector<Place> rows = {};
    Slot period_slots = 0;
  };
  Result<void> add_row(std::string_view line, std::uint64_t number);
  Result<Places> place(const RunClock& clock) const;
  Result<Places> place_in_stream(const RunClock& clock) const;
  Result<Places> place_in_day(const RunClock& clock) const;
  Error wrong_time(std::size_t row, std::string_view found, std::string_view expected) const;

  std::string path_;
  std::size_t columns_ = 0;  // of a row, without its time
  std::vector<Row> rows_;
};

/// The sensitivity of each series in the rows of a file, rounded up to the grid.
struct SensitivityRows {
  static Result<SensitivityRows> of(const ScheduleFile& file, const UnitStep& unit_step, std::size_t series);
  /// Of each series, in any row.
  std::vector<std::uint64_t> largest() const;

  std::vector<std::vector<std::uint64_t>> steps;
};

/// Sensitivities over time, once it is known when slots are; those of `largest` hold for all slots.
Result<Exposure> exposure_over_time(const Exposure& largest, const ScheduleFile& file, const SensitivityRows& rows,
                                    const RunClock& clock);

/// What readings are clamped to in the rows of a file.
struct ClampRows {
  static Result<ClampRows> of(const ScheduleFile& file, const UnitStep& unit_step);
  /// Holds all of them.
  ClampRange widest() const;
  /// By how much a unit can change each series under each of them, when `bound` says it for widest().
  SensitivityRows sensitivities(const Exposure& bound) const;

  std::vector<ClampRange> ranges;
};

}  // namespace fugu::cli
