// Time stamps: ISO 8601 text with an offset ↔ seconds since 1970-01-01T00:00:00Z.
//
// Accepted: `2026-03-29T01:45:00+01:00`; `Z` for +00:00; seconds may be left out, or carry a fraction that is zero.
// Years 1900 to 2200. The calendar is checked; there is no hour 24 and no second 60. Without an offset a stamp is
// ambiguous when summer time ends, so it is accepted only where a default offset was given.
// Nothing here allocates except what returns a string or an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fugu/base/result.hpp"

namespace fugu {

/// An instant, and the offset in which it was or will be written.
struct Stamp {
  std::int64_t instant_s = 0;
  std::int32_t utc_offset_s = 0;
};

/// Why a text is not a time, or not a time that a Clock knows.
enum class TimeFault : std::uint8_t {
  none,
  shape,         ///< not written like a time stamp
  calendar,      ///< no such day or time of day
  year,          ///< outside 1900 to 2200
  offset,        ///< the offset is not one of ±18:00
  no_offset,     ///< no offset, and no default was given
  fraction,      ///< a fraction of a second
  off_grid,      ///< between the starts of two slots (Clock only)
  not_a_number,  ///< a clock that counts slots met something else than a slot number (Clock only)
};

/// Parses `text` into `stamp`. On a fault `stamp` is left alone.
TimeFault parse_stamp(std::string_view text, std::optional<std::int32_t> default_offset_s, Stamp& stamp) noexcept;

/// What would be right instead, for an error message. Not for `none` and the faults of a Clock.
std::string_view expected_stamp(TimeFault fault) noexcept;

/// Room for the text of a stamp.
inline constexpr std::size_t kStampTextMax = 25;

/// Writes `2026-03-29T01:45:00+01:00` (`Z` when the offset is zero) and returns the length.
/// The local time must lie in the years 0 to 9999.
std::size_t format_stamp(Stamp stamp, std::span<char, kStampTextMax> out) noexcept;

/// `+01:00`, `-03:30` or `Z`, as seconds east of UTC. Fails with cause usage.
Result<std::int32_t> parse_utc_offset(std::string_view text);

/// `30s`, `15m`, `1h` or `1d`, as seconds: a positive whole number up to 366 days. Fails with cause usage.
Result<std::int64_t> parse_duration(std::string_view text);

}  // namespace fugu
