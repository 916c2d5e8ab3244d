// What a collector remembers of reports: which numbers came, what was counted for which period, and what was billed.
//
// Rules. A report counts once, whenever it comes: a number that was seen is a duplicate. One of a meter's last kRecent
// numbers for another report is a conflict, as the meter's state was rolled back; then its period is disputed. A period
// is complete when its meter closed it and all of its reports came. What was billed does not change: a report that
// comes for a billed period is told apart. Which key made a report is checked before (ReportReader).
//
// A book is kept in memory, for one run; DurableBook (durable_book.hpp) keeps it on disk.
// Memory: 2 KiB per meter, about 50 bytes per gap in its numbers, about 120 per meter and period.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/meter/report.hpp"

namespace fugu {

/// What is known of one meter in one period.
struct PeriodAccount {
  std::uint64_t reports = 0;  ///< counted
  std::int64_t sum_steps = 0;
  std::optional<std::uint64_t> expected = {};  ///< reports, as the meter said when it closed the period
  std::optional<Slot> end = {};                ///< known with `expected`
  bool disputed = false;                       ///< a number was used twice, or the sum does not fit
  bool billed = false;
  std::string tariff = {};  ///< that it was billed with

  bool complete() const { return expected == reports && !disputed; }
  /// Reports that are known to be missing; nothing while the period is open.
  std::optional<std::uint64_t> missing() const;
};

/// Which numbers of a meter came, and a mark of each of the last ones.
class SeenNumbers {
 public:
  static constexpr std::uint64_t kRecent = 1024;
  enum class Seen : std::uint8_t { fresh, duplicate, conflict };

  /// What adding would be.
  Seen look(std::uint64_t number, std::uint16_t mark) const;
  /// A fresh number.
  void add(std::uint64_t number, std::uint16_t mark);
  /// Numbers between the smallest and the largest that did not come.
  std::uint64_t gaps() const;

  std::string text() const;
  static std::optional<SeenNumbers> parse(std::string_view text);

 private:
  bool has(std::uint64_t number) const;

  std::map<std::uint64_t, std::uint64_t> ranges_;  // first → last
  std::array<std::uint16_t, kRecent> marks_{};     // at number modulo kRecent
};

class ReportBook {
 public:
  explicit ReportBook(std::size_t meters = 0) : meters_(meters) {}

  enum class Taken : std::uint8_t {
    counted,
    closing,  ///< the end of a period
    duplicate,
    conflict,   ///< this number was used for another report, or a period was closed twice, differently
    billed,     ///< its period was billed without it
    too_large,  ///< the sum of its period does not fit any more; then the period is disputed
  };
  Taken take(NameTable::Id meter, const Report& report);

  /// One more than the largest id that was taken.
  std::size_t meters() const { return meters_.size(); }
  using ByPeriod = std::map<Slot, PeriodAccount>;
  /// By first slot.
  const ByPeriod& periods(NameTable::Id meter) const { return meters_[meter].periods; }
  std::uint64_t duplicates(NameTable::Id meter) const { return meters_[meter].duplicates; }
  /// Numbers that did not come, between the smallest and the largest that did.
  std::uint64_t gaps(NameTable::Id meter) const { return meters_[meter].seen.gaps(); }

  struct Window {
    Slot first_slot;
    Slot slots;
    bool has(Slot slot) const { return slot >= first_slot && slot - first_slot < slots; }
    /// Whether it has a part of the period only.
    bool cuts(const Period& period) const {
      const Slot end = first_slot + slots;
      const bool meets = period.start < end && period.end > first_slot;
      return meets && (period.start < first_slot || period.end > end);
    }
  };
  /// A period of which the window has a part only, if more than half of the meters with periods have one: then the
  /// window is wrong, and not a meter.
  std::optional<Period> cut_by(const Window& window) const;
  /// Whether complete periods of the meter fill the window, without a gap: then its sum over the window is exact.
  bool covers(NameTable::Id meter, const Window& window) const;

  /// Marks as billed what lies in the window and is complete; with `incomplete`, everything that starts in it and is
  /// not known to end outside.
  /// What was billed keeps the tariff of the calendar, which may be none.
  void bill(const Window& window, bool incomplete, const Periods& calendar);
  /// A billed period of the window that the calendar has another tariff for, if there is one.
  std::optional<Slot> billed_otherwise(const Window& window, const Periods& calendar) const;

  /// Everything but what is only counted (duplicates), as lines, with the names of the meters.
  std::string text(const NameTable& names) const;
  /// Of text(), into a book and names that are empty; `lines` is left after its last line.
  Result<void> read(LineReader& lines, NameTable& names);

 private:
  struct Meter {
    SeenNumbers seen;
    ByPeriod periods;
    std::uint64_t duplicates = 0;
  };
  static Taken count(Meter& meter, const Report& report);

  std::vector<Meter> meters_;
};

}  // namespace fugu
