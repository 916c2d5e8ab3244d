// Public periods in which readings are summed up exactly: days, or the hours of a tariff.
//
// A report may carry the period that its reading was taken in. Then a collector knows whose sum it belongs to, wherever
// its stamp went. The price: the period is public, so nothing is promised about a move from one period into another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fugu/stream/clock.hpp"
#include "fugu/stream/input.hpp"

namespace fugu {

/// From `start` to the slot before `end`.
struct Period {
  Slot start = 0;
  Slot end = 0;

  friend bool operator==(const Period&, const Period&) = default;
};

class Periods {
 public:
  /// None: reports carry no period.
  Periods() = default;
  /// Periods of that many slots, counted from slot 0. Cause::refused below 2: a period of one slot says when.
  static Result<Periods> every(Slot slots);
  /// CSV `start,tariff`, ordered by time: each row begins a period that ends where the next one begins, and the last
  /// row, without a tariff, ends the calendar. A calendar may grow at its end. Refuses periods of one slot.
  static Result<Periods> read(Input input, const Clock& clock);

  bool any() const { return every_slots_ != 0 || !starts_.empty(); }
  bool is_calendar() const { return !starts_.empty(); }
  /// Slots of each period; 0 for a calendar, or none.
  Slot every_slots() const { return every_slots_; }
  /// The period that `slot` lies in; nothing outside of the calendar.
  std::optional<Period> at(Slot slot) const;
  /// What is paid in the period that starts there; empty without a calendar.
  const std::string& tariff_from(Slot start) const;

 private:
  Slot every_slots_ = 0;
  std::vector<Slot> starts_;          // of a calendar, and its end
  std::vector<std::string> tariffs_;  // one less
};

}  // namespace fugu
