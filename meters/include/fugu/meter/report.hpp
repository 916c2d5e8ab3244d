// What a meter sends: one part of a reading under a moved time stamp, numbered and authenticated. And the files of
// keys.
//
// CSV, header `arrival,meter,number,period,slot,value,reports,mac`. `arrival` is the slot in which the meter sent it;
// `period` the first slot of the period its reading was taken in, where periods are kept (periods.hpp); `slot` is the
// moved stamp. Times are slot numbers, which may be negative, or time stamps. Numbers count what a meter sent, from 0
// in the order of sending, not of measuring: they say nothing that the order of arrival does not.
//
// When a period is over and all of its reports have left, the meter closes it: a row without a value says in `reports`
// how many there were, and in `slot` where the period ended. So a collector notices when the last ones are lost. It
// tells nothing new: how many readings there are is public, and when the last one left is in the arrivals.
//
// The MAC covers every column, and the scheme, the parts, the clock and the unit step: a report that is read with
// another b, or at another time, is not the one that was sent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/meter/keyed_hash.hpp"
#include "fugu/meter/periods.hpp"
#include "fugu/meter/temporal_scheme.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/input.hpp"
#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/name_table.hpp"

namespace fugu {

using ReportMac = std::array<std::uint8_t, 16>;

struct Report {
  Slot arrival = 0;  ///< when the meter sent it
  std::uint64_t number = 0;
  Slot stamp = 0;
  std::int64_t value_steps = 0;
  ReportMac mac{};
  std::optional<Slot> period = {};  ///< the first slot of the period that the reading was taken in
  /// This is no reading: `period` ended before `stamp`, and this many reports of it were sent.
  std::optional<std::uint64_t> closes_after = {};

  friend bool operator==(const Report&, const Report&) = default;
};

/// How times and values are written.
struct ReportFormat {
  Clock clock = {};
  std::int32_t utc_offset_s = 0;
  UnitStep unit_step = {};

  /// Appends a row with its line end.
  void append(std::string& text, std::string_view meter, const Report& report) const;
  std::string time_text(Slot slot) const { return clock.text(slot, utc_offset_s); }
};

inline constexpr std::string_view kReportHeader = "arrival,meter,number,period,slot,value,reports,mac";

/// What meter and collector must agree about, as text.
std::string agreement_text(const TemporalScheme& scheme, unsigned parts, const ReportFormat& format);
/// HMAC-SHA-256 of the agreement (its SHA-256), the meter and all columns, cut to 128 bits.
ReportMac report_mac(KeyedHash& hash, const SecretKey& report_key, const Digest& agreement, std::string_view meter,
                     const Report& report);

/// The fields of a row after the meter's name and the meter's name; errors name `where`'s file and line.
/// For files that hold rows of reports among others: the state of a meter.
struct ReportRow {
  std::string_view meter;
  Report report;
};
Result<ReportRow> parse_report(std::string_view row, const Location& where, const ReportFormat& format);

/// How far a meter is.
struct MeterProgress {
  std::uint64_t next_number = 0;       ///< of its next report
  std::optional<Slot> last_slot = {};  ///< of its last reading

  friend bool operator==(const MeterProgress&, const MeterProgress&) = default;
};

/// What a meter knows. Whoever has the shift key can undo every shift: it never leaves the meter's side.
struct MeterKeys {
  struct Set {
    SecretKey shift;
    SecretKey report;
    MeterProgress since = {};
  };
  SecretKey shift;
  SecretKey report;
  /// How far the meter was when it got these keys: its reports from that number on are made with them, and the readings
  /// after that slot moved by them.
  MeterProgress since = {};
  std::vector<Set> former = {};  ///< oldest first: a state may have been saved with them
  bool removed = false;          ///< takes no more readings; what waits is sent

  void replace(const Set& with);
};

/// CSV `meter,shift_key,report_key,first_number,after_slot`, for the meter's side. A later row of a meter replaces its
/// keys; one with `-` in all columns removes the meter.
struct MeterKeyFile {
  NameTable meters;
  std::vector<MeterKeys> keys;  ///< by id

  static Result<MeterKeyFile> read(Input input);
  /// Makes keys for a meter that has none here. A name that read() would not take is an error at `where`.
  Result<void> add(std::string_view meter, const Location& where);
  /// New keys for a meter that has some, removed or not, and is as far as `since`. Its numbers go on.
  Result<void> rotate(std::string_view meter, const MeterProgress& since, const Location& where);
  /// No more readings of this meter. What waits is sent with new keys, so that the former ones are good for nothing.
  Result<void> remove(std::string_view meter, const MeterProgress& since, const Location& where);
  std::string text() const;
  /// What the collector gets: CSV `meter,report_key,first_number`.
  std::string collector_text() const;
  /// Makes two new files, durable, that their owner alone can read. A file that is there is an error (Cause::usage):
  /// what was made with its keys needs them.
  Result<void> create(const std::string& path, const std::string& collector_path) const;
  /// Replaces both files, the collector's first: it must know a key before a report is made with it.
  Result<void> replace(const std::string& path, const std::string& collector_path) const;

 private:
  Result<NameTable::Id> known(std::string_view meter, const Location& where) const;
};

/// CSV `meter,report_key,first_number`, oldest first where a meter has several: each is good for the numbers from its
/// first one up to where the next key begins. A file that also holds shift keys is refused: with them a collector could
/// undo the shifts.
struct CollectorKeyFile {
  struct Key {
    SecretKey key;
    std::uint64_t first_number;
  };
  NameTable meters;
  std::vector<std::vector<Key>> keys;  ///< by id, oldest first

  static Result<CollectorKeyFile> read(Input input);
};

/// Rows of a file of reports that count for nobody, each with the reason.
class RowsAside {
 public:
  enum class Reason : std::uint8_t {
    malformed,
    unknown_meter,
    unknown_period,
    no_period,
    forged,
    conflict,
    replaced_key,
    billed,
    too_large
  };
  static std::string_view name(Reason reason);

  void add(std::uint64_t line, Reason reason, std::string_view row);
  std::uint64_t count() const { return count_; }
  /// Rows of CSV `line,reason,row`; the row as it was, commas and all.
  const std::string& text() const { return text_; }
  static constexpr std::string_view kHeader = "line,reason,row";

 private:
  std::uint64_t count_ = 0;
  std::string text_;
};

/// Reads reports, checks that their meter is known and that their MAC was made with its key for their number. So a key
/// that was stolen is good for nothing from the number on at which it was replaced, whatever arrives when.
class ReportReader {
 public:
  struct Options {
    TemporalScheme scheme;
    unsigned parts = 1;
    ReportFormat format = {};
    RowsAside* aside = nullptr;  ///< takes rows that are no reports of known meters; without it they are errors
  };
  /// `keys` must outlive the reader.
  static Result<ReportReader> open(Input input, const CollectorKeyFile& keys, Options options);

  struct Row {
    NameTable::Id meter = 0;
    Report report;
  };
  /// False at the end.
  Result<bool> next(Row& row);
  Location here() const { return lines_.at(1); }
  /// To be asked at the end, before anything is made of what was read. An error when no row was a report of a known
  /// meter, or when more than half of the meters with rows had none: then it is not a meter that is wrong, but the
  /// options or the file of keys.
  Result<void> check_trust() const;
  /// The row that next() gave last is of no use to the collector: put it aside, or give up with `error`.
  Result<void> put_aside(RowsAside::Reason reason, const Error& error);

 private:
  ReportReader(LineReader lines, const CollectorKeyFile& keys, Options options);
  bool is_made_with(const CollectorKeyFile::Key& key, std::string_view meter, const Report& report);
  /// Why it is not this meter's report, if so.
  std::optional<RowsAside::Reason> fault_of(NameTable::Id meter, std::string_view name, const Report& report);

  LineReader lines_;
  const CollectorKeyFile* keys_;
  ReportFormat format_;
  RowsAside* aside_;
  Digest agreement_;
  std::string_view line_;
  KeyedHash hash_;
  bool any_row_ = false;
  std::vector<bool> named_;     // by meter: in some row
  std::vector<bool> verified_;  // by meter: in a row that it made
};

}  // namespace fugu
