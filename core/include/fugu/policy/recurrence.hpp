// Wishes that come back: "weekdays from 11:00 to 14:00, until June".
//
// Days and times of day are those of one fixed UTC offset, the stream's. There are no time zones here: a household that
// lives by summer time states two wishes, one for each half of the year.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fugu/policy/policy.hpp"
#include "fugu/stream/clock.hpp"

namespace fugu {

/// As it is written in a file.
struct RecurrenceText {
  std::string_view days;                       ///< `daily`, `mon-fri`, `mon,wed`, `fri-mon`
  std::string_view from;                       ///< `11:00`
  std::string_view to;                         ///< `14:00`, exclusive; `24:00` is midnight
  std::string_view until;                      ///< `2026-06-01`, exclusive
  std::optional<std::string_view> since = {};  ///< `2026-01-01`; else as early as allowed
};

/// Days of the week on which an interval of the day comes back.
struct Recurrence {
  std::uint8_t weekdays = 0;  ///< bit 0: Sunday, … bit 6: Saturday
  std::int32_t from_s = 0;    ///< seconds of the day
  std::int32_t to_s = 0;      ///< exclusive; above 24 h when it ends on the next day
  std::optional<std::chrono::sys_days> since = {};
  std::chrono::sys_days until = {};  ///< exclusive: the last occurrence begins before

  /// A `to` that is not after `from` is on the next day. Fails with cause bad_input; the message says what was found
  /// and what would be right, without a place.
  static Result<Recurrence> parse(const RecurrenceText& text);
};

inline constexpr std::size_t kOccurrencesMax = 100'000;

/// The intervals, in order. Without `since` those that begin before `earliest` are left out; with it they are an error
/// that the caller finds. Fails when the clock has no time, a begin or end lies between two slots, there is no
/// occurrence or there are more than kOccurrencesMax.
Result<std::vector<Interval>> occurrences(const Recurrence& recurrence, const Clock& clock, std::int32_t utc_offset_s,
                                          Slot earliest);

}  // namespace fugu
