#include "fugu/stream/stamp.hpp"

#include <charconv>
#include <chrono>
#include <string>

#include "fugu/stream/location.hpp"

namespace fugu {
namespace {

constexpr int kYearMin = 1900;
constexpr int kYearMax = 2200;
constexpr int kOffsetHoursMax = 18;
constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// The two digits at `at`, or something above 99.
unsigned two_digits(const char* at) {
  return is_digit(at[0]) && is_digit(at[1])
             ? static_cast<unsigned>(at[0] - '0') * 10 + static_cast<unsigned>(at[1] - '0')
             : 100;
}

constexpr std::size_t kDateSize = 10;    // 2026-03-29
constexpr std::size_t kMinuteSize = 16;  // 2026-03-29T01:45
constexpr std::size_t kOffsetSize = 6;   // +01:00

TimeFault parse_date(const char* at, std::int64_t& instant_s) {
  const unsigned century = two_digits(at);
  const unsigned rest = two_digits(at + 2);
  const unsigned month = two_digits(at + 5);
  const unsigned day = two_digits(at + 8);
  if (century > 99 || rest > 99 || month > 99 || day > 99 || at[4] != '-' || at[7] != '-') return TimeFault::shape;
  const int year = static_cast<int>(century * 100 + rest);
  if (year < kYearMin || year > kYearMax) return TimeFault::year;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok()) return TimeFault::calendar;
  instant_s = std::chrono::sys_days(date).time_since_epoch().count() * kDay;
  return TimeFault::none;
}

TimeFault parse_hour_and_minute(const char* at, std::int64_t& instant_s) {
  const unsigned hour = two_digits(at + 1);
  const unsigned minute = two_digits(at + 4);
  if (at[0] != 'T' || at[3] != ':' || hour > 99 || minute > 99) return TimeFault::shape;
  if (hour > 23 || minute > 59) return TimeFault::calendar;
  instant_s += hour * kHour + minute * kMinute;
  return TimeFault::none;
}

// Takes `:SS` and a fraction of zero off the front of `text`, if they are there.
TimeFault parse_seconds(std::string_view& text, std::int64_t& instant_s) {
  if (text.empty() || text[0] != ':') return TimeFault::none;
  if (text.size() < 3) return TimeFault::shape;
  const unsigned second = two_digits(text.data() + 1);
  if (second > 99) return TimeFault::shape;
  if (second > 59) return TimeFault::calendar;
  instant_s += second;
  text.remove_prefix(3);
  if (text.empty() || text[0] != '.') return TimeFault::none;
  text.remove_prefix(1);
  if (text.empty() || !is_digit(text[0])) return TimeFault::shape;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    if (text[0] != '0') return TimeFault::fraction;
  }
  return TimeFault::none;
}

TimeFault parse_offset(std::string_view text, std::int32_t& offset_s) {
  if (text == "Z") {
    offset_s = 0;
    return TimeFault::none;
  }
  if (text.size() != kOffsetSize || (text[0] != '+' && text[0] != '-') || text[3] != ':') return TimeFault::shape;
  const unsigned hours = two_digits(text.data() + 1);
  const unsigned minutes = two_digits(text.data() + 4);
  if (hours > 99 || minutes > 99) return TimeFault::shape;
  if (minutes > 59 || hours * 60 + minutes > kOffsetHoursMax * 60) return TimeFault::offset;
  const auto magnitude_s = static_cast<std::int32_t>((hours * 60 + minutes) * 60);
  offset_s = text[0] == '-' ? -magnitude_s : magnitude_s;
  return TimeFault::none;
}

char* put_two(char* at, unsigned value) {
  at[0] = static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
  return at + 2;
}

char* put(char* at, char c) {
  *at = c;
  return at + 1;
}

char* put_offset(char* at, std::int32_t offset_s) {
  if (offset_s == 0) return put(at, 'Z');
  const auto minutes = static_cast<unsigned>((offset_s < 0 ? -offset_s : offset_s) / kMinute);
  at = put(at, offset_s < 0 ? '-' : '+');
  at = put_two(at, minutes / 60);
  at = put(at, ':');
  return put_two(at, minutes % 60);
}

// 0 for a letter that is no unit of time.
std::int64_t seconds_of_unit(char unit) {
  switch (unit) {
    case 's': return 1;
    case 'm': return kMinute;
    case 'h': return kHour;
    case 'd': return kDay;
    default: return 0;
  }
}

}  // namespace

TimeFault parse_stamp(std::string_view text, std::optional<std::int32_t> default_offset_s, Stamp& stamp) noexcept {
  if (text.size() < kMinuteSize) return TimeFault::shape;
  Stamp parsed;
  if (auto fault = parse_date(text.data(), parsed.instant_s); fault != TimeFault::none) return fault;
  if (auto fault = parse_hour_and_minute(text.data() + kDateSize, parsed.instant_s); fault != TimeFault::none)
    return fault;
  text.remove_prefix(kMinuteSize);
  if (auto fault = parse_seconds(text, parsed.instant_s); fault != TimeFault::none) return fault;
  if (text.empty()) {
    if (!default_offset_s) return TimeFault::no_offset;
    parsed.utc_offset_s = *default_offset_s;
  } else if (auto fault = parse_offset(text, parsed.utc_offset_s); fault != TimeFault::none) {
    return fault;
  }
  parsed.instant_s -= parsed.utc_offset_s;
  stamp = parsed;
  return TimeFault::none;
}

std::string_view expected_stamp(TimeFault fault) noexcept {
  switch (fault) {
    case TimeFault::shape: return "a time such as 2026-03-29T01:45:00+01:00";
    case TimeFault::calendar: return "a day and time that exist, hours 00 to 23, minutes and seconds 00 to 59";
    case TimeFault::year: return "a year from 1900 to 2200";
    case TimeFault::offset: return "an offset from -18:00 to +18:00";
    case TimeFault::no_offset:
      return "an offset such as +01:00 or Z at its end, or one UTC offset stated for all of them";
    case TimeFault::fraction: return "whole seconds";
    case TimeFault::none:
    case TimeFault::off_grid:
    case TimeFault::not_a_number: break;
  }
  FUGU_CHECK(false);
  return {};
}

std::size_t format_stamp(Stamp stamp, std::span<char, kStampTextMax> out) noexcept {
  const std::int64_t local_s = stamp.instant_s + stamp.utc_offset_s;
  const std::int64_t days = (local_s >= 0 ? local_s : local_s - (kDay - 1)) / kDay;
  FUGU_CHECK(days > -719'000 && days < 2'932'000);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
  const auto second = static_cast<unsigned>(local_s - days * kDay);
  char* at = put_two(out.data(), year / 100);
  at = put(put_two(at, year % 100), '-');
  at = put(put_two(at, static_cast<unsigned>(date.month())), '-');
  at = put(put_two(at, static_cast<unsigned>(date.day())), 'T');
  at = put(put_two(at, second / 3600), ':');
  at = put(put_two(at, second / 60 % 60), ':');
  at = put_two(at, second % 60);
  at = put_offset(at, stamp.utc_offset_s);
  return static_cast<std::size_t>(at - out.data());
}

Result<std::int32_t> parse_utc_offset(std::string_view text) {
  std::int32_t offset_s = 0;
  if (parse_offset(text, offset_s) == TimeFault::none) return offset_s;
  return Error{Cause::usage, "UTC offset: found " + shown(text) + "; expected one such as +01:00, -03:30 or Z"};
}

Result<std::int64_t> parse_duration(std::string_view text) {
  constexpr std::int64_t kDurationMax = 366 * kDay;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool one_unit_left = end != text.data() && end + 1 == text.data() + text.size();
  const std::int64_t unit_s = error == std::errc() && one_unit_left ? seconds_of_unit(*end) : 0;
  if (unit_s > 0 && count > 0 && count <= kDurationMax / unit_s) return count * unit_s;
  return Error{Cause::usage,
               "duration: found " + shown(text) + "; expected one such as 30s, 15m, 1h or 1d, up to 366d"};
}

}  // namespace fugu
