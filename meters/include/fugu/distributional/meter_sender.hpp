// A meter that transforms its readings and sends them: remembers, then sends, and goes on after a crash.
//
//     FUGU_ASSIGN(auto sender, MeterSender::open(std::move(transform), format, {"h17.journal", "sent.csv"}));
//     FUGU_TRY(sender.run(readings, [] {}));
//
// The journal has a row for each slot, with a keyed hash of the reading that was used; nothing of it can be worked out
// without the meter's key:
//
//     fugu-meter-journal,1,STATE,SLOT       id of the state; seconds of a slot, or `slots` when times are numbers
//     TIME,HASH                             slot after slot, none left out
//
// Guarantee: a value leaves only after the journal has its slot, durably. From its first slot on the meter sends one
// value for every slot, whether it has a reading or not. Asked for a slot again with the same reading, it sends the
// same value; with another one it refuses, because both would be sent by one draw and show how far apart they are. An
// older journal, or none, draws nothing anew: values follow from the state's key. What it does not know any more is
// which readings were used. docs/guarantees/distributional.md. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fugu/distributional/meter_transform.hpp"
#include "fugu/meter/append_file.hpp"
#include "fugu/meter/meter_readings.hpp"

namespace fugu {

/// Which slots were sent, and a keyed hash of the reading of each.
struct SentSlots {
  Slot first = 0;
  std::vector<std::uint64_t> hashes = {};

  Slot next() const { return first + static_cast<Slot>(hashes.size()); }
  /// The rows of a journal after its header, which must be `header`. Errors name file and line.
  static Result<SentSlots> read(Input input, std::string_view header, const Clock& clock);
};

class MeterSender {
 public:
  struct Files {
    std::string journal;
    std::string out = "-";  ///< CSV `time,meter,sent`; a file that is there gets only what it does not have
  };
  /// `format`: of the readings that will come. Errors: a journal of another state or of other slots, rows in
  /// `out` of others or from before the journal, files in use.
  static Result<MeterSender> open(MeterTransform transform, const ReportFormat& format, const Files& files,
                                  Slot gap_slots_max = kGapSlotsMax);

  /// Takes a reading; slots may not go back. `where` it stands, for errors.
  Result<void> take(const MeterReadings::Row& row, const Location& where = {"readings", 0, 0});
  /// Makes the journal durable, then sends.
  Result<void> send();
  /// Takes all readings, and sends whenever there are none for the moment. `taken` is told after each.
  Result<void> run(MeterReadings& readings, const std::function<void()>& taken);

  std::uint64_t readings() const { return readings_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t filled() const { return filled_; }  ///< slots without a reading, sent all the same
  std::uint64_t known() const { return known_; }    ///< slots that had been taken before

 private:
  MeterSender(MeterTransform transform, const ReportFormat& format, AppendFile journal, AppendFile out,
              Slot gap_slots_max);
  std::uint64_t hash_of(Slot slot, std::optional<std::int64_t> value_steps);
  std::int64_t time_of(Slot slot) const;
  void add(Slot slot, std::optional<std::int64_t> value_steps);
  void add_row(Slot slot, std::optional<std::int64_t> value_steps);
  Result<void> check_known(const MeterReadings::Row& row, const Location& where);
  Result<void> check_new(Slot slot, const Location& where);

  MeterTransform transform_;
  ReportFormat format_;
  AppendFile journal_;
  AppendFile out_;
  Slot gap_slots_max_;
  SentSlots slots_;
  std::optional<Slot> out_last_;  // what `out` has already
  KeyedHash hash_;
  std::string journal_rows_;  // not durable yet
  std::string out_rows_;
  std::uint64_t rows_ = 0;  // in out_rows_
  std::uint64_t readings_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t filled_ = 0;
  std::uint64_t known_ = 0;
};

}  // namespace fugu
