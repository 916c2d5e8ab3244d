// What a meter sends: one part of a reading under a moved time stamp, numbered and authenticated. And the files of
// keys.
//
// CSV, header `arrival,meter,number,slot,value,mac`. `arrival` is when it went out (in the collector's file: when it
// came in), and is not part of what is authenticated; `slot` is the moved stamp. Times are slot numbers, which may be
// negative, or time stamps. Numbers count what a meter sent, from 0 in the order of sending, not of measuring: they say
// nothing that the order of arrival does not.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/meter/keyed_hash.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/input.hpp"
#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/name_table.hpp"

namespace fugu {

using ReportMac = std::array<std::uint8_t, 16>;

struct Report {
  Slot arrival = 0;
  std::uint64_t number = 0;
  Slot stamp = 0;
  std::int64_t value_steps = 0;
  ReportMac mac{};

  friend bool operator==(const Report&, const Report&) = default;
};

/// HMAC-SHA-256 of meter, number, stamp and value, cut to 128 bits.
ReportMac report_mac(KeyedHash& hash, const SecretKey& report_key, std::string_view meter, const Report& report);

/// How times and values are written.
struct ReportFormat {
  Clock clock = {};
  std::int32_t utc_offset_s = 0;
  UnitStep unit_step = {};

  /// Appends a row with its line end.
  void append(std::string& text, std::string_view meter, const Report& report) const;
  std::string time_text(Slot slot) const { return clock.text(slot, utc_offset_s); }
};

inline constexpr std::string_view kReportHeader = "arrival,meter,number,slot,value,mac";

/// The fields of a row after the meter's name and the meter's name; errors name `where`'s file and line.
/// For files that hold rows of reports among others: the state of a meter.
struct ReportRow {
  std::string_view meter;
  Report report;
};
Result<ReportRow> parse_report(std::string_view row, const Location& where, const ReportFormat& format);

/// Reads reports, checks that their meter is known and their MAC is right.
class ReportReader {
 public:
  /// What to do with a report that its meter did not make: its MAC is wrong.
  enum class Forged : std::uint8_t { error, skip };
  /// `keys` are the meters' report keys, by id in `meters`; both must outlive the reader.
  static Result<ReportReader> open(Input input, const NameTable& meters, const std::vector<SecretKey>& keys,
                                   ReportFormat format, Forged forged = Forged::error);

  struct Row {
    NameTable::Id meter = 0;
    Report report;
  };
  /// False at the end.
  Result<bool> next(Row& row);
  /// Reports skipped because their MAC was wrong.
  std::uint64_t forged() const { return forged_count_; }
  Location here() const { return lines_.at(1); }

 private:
  ReportReader(LineReader lines, const NameTable& meters, const std::vector<SecretKey>& keys, ReportFormat format,
               Forged forged);

  LineReader lines_;
  const NameTable* meters_;
  const std::vector<SecretKey>* keys_;
  ReportFormat format_;
  Forged forged_;
  std::uint64_t forged_count_ = 0;
  KeyedHash hash_;
};

/// What a meter knows. Whoever has the shift key can undo every shift: it never leaves the meter's side.
struct MeterKeys {
  SecretKey shift;
  SecretKey report;
};

/// CSV `meter,shift_key,report_key`, for the meter's side.
struct MeterKeyFile {
  NameTable meters;
  std::vector<MeterKeys> keys;  ///< by id

  static Result<MeterKeyFile> read(Input input);
  /// Makes keys for a meter that has none here. A name that read() would not take is an error at `where`.
  Result<void> add(std::string_view meter, const Location& where);
  std::string text() const;
  /// What the collector gets: CSV `meter,report_key`.
  std::string collector_text() const;
  /// Makes two new files, durable, that their owner alone can read. A file that is there is an error (Cause::usage):
  /// what was made with its keys needs them.
  Result<void> create(const std::string& path, const std::string& collector_path) const;
};

/// CSV `meter,report_key`. A file that also holds shift keys is refused: with them a collector could undo the shifts.
struct CollectorKeyFile {
  NameTable meters;
  std::vector<SecretKey> keys;

  static Result<CollectorKeyFile> read(Input input);
};

}  // namespace fugu
