// Readings on the meter's side: CSV, long, header `time,meter,value` in any order of columns, rows ordered by time.
//
// Unlike ReadingsReader, which sums readings into series, this hands out single readings; the meter owns them. An empty
// value is missing, which is not zero: nothing is reported for it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fugu/meter/report.hpp"

namespace fugu {

class MeterReadings {
 public:
  struct Options {
    UnitStep unit_step = {};
    std::optional<std::int64_t> slot_s = {};                    ///< needed when times are stamps, not used otherwise
    std::function<void(const std::string& message)> warn = {};  ///< told once, when the first value gets rounded
    std::string expected_meter = "a meter of the keys";         ///< for the error about any other
    std::string value_column = "value";                         ///< its name says what the values are
  };
  /// Reads the header and looks at the first row, which says how times are written. `meters` must outlive the reader.
  static Result<MeterReadings> open(Input input, const NameTable& meters, Options options);

  struct Row {
    Slot slot = 0;
    NameTable::Id meter = 0;
    std::optional<std::int64_t> value_steps;
  };
  /// False at the end. A row earlier than the one before is an error, and so is a second value of a meter for a slot.
  Result<bool> next(Row& row);
  /// Waits for the next row, or the end.
  Result<void> wait();
  /// From now on `meters`, which has the meters of before under the same ids, and must outlive the reader.
  void follow(const NameTable& meters) { meters_ = &meters; }
  bool would_wait() { return lines_.would_wait(); }
  /// Rows come as they are measured: through a pipe, not from a file.
  bool is_live() const { return lines_.is_live(); }
  /// The row that next() gave last.
  Location here() const { return lines_.at(1); }
  /// Not a single row: how times are written is not known then.
  bool empty() const { return empty_; }
  /// Where the slot of the row that next() gave last ends, in seconds since 1970; nothing when slots are numbers.
  std::optional<std::int64_t> end_s() const {
    if (!last_ || !format_.clock.has_time()) return std::nullopt;
    return format_.clock.start_of(*last_ + 1);
  }
  /// How reports of these readings are written. Slots of time stamps count from 1970, so that every file agrees.
  const ReportFormat& format() const { return format_; }

 private:
  MeterReadings(LineReader lines, const NameTable& meters, std::array<std::size_t, 3> columns);
  Result<void> find_clock(const Options& options);

  LineReader lines_;
  const NameTable* meters_;
  std::array<std::size_t, 3> columns_;  // of time, meter, value
  bool empty_ = false;
  ReportFormat format_;
  std::function<void(const std::string& message)> warn_;
  std::string expected_meter_;
  std::optional<Slot> last_;
  std::vector<std::optional<Slot>> valued_;  // by meter: the slot of its last value
};

}  // namespace fugu
