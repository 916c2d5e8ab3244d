#include "fugu/policy/recurrence.hpp"

#include <array>
#include <string>

#include "fugu/stream/location.hpp"

namespace fugu {
namespace {

constexpr std::int32_t kDay_s = 24 * 3600;
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

Error wrong(std::string_view what, std::string_view text, std::string_view expected) {
  std::string message("found ");
  message.append(what).append(" ").append(shown(text)).append("; expected ").append(expected);
  return {Cause::bad_input, std::move(message)};
}

std::optional<unsigned> day_of(std::string_view name) {
  for (unsigned day = 0; day < kDays.size(); ++day)
    if (kDays[day] == name) return day;
  return std::nullopt;
}

// `wed` or `mon-fri`, as bits; 0 when it is neither.
std::uint8_t days_of(std::string_view part) {
  const std::size_t dash = part.find('-');
  const auto first = day_of(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : day_of(part.substr(dash + 1));
  if (!first || !last) return 0;
  unsigned bits = 1u << *last;
  for (unsigned day = *first; day != *last; day = (day + 1) % 7) bits |= 1u << day;
  return static_cast<std::uint8_t>(bits);
}

Result<std::uint8_t> parse_days(std::string_view text) {
  if (text == "daily") return std::uint8_t{0x7f};
  std::uint8_t bits = 0;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::uint8_t part = days_of(rest.substr(0, comma));
    if (part == 0) return wrong("days", text, "`daily`, or days such as mon-fri or mon,wed");
    bits = static_cast<std::uint8_t>(bits | part);
    if (comma == std::string_view::npos) return bits;
    rest.remove_prefix(comma + 1);
  }
}

// Seconds since 1970 of a local day and minute: stamps are parsed in one place only.
TimeFault parse_local(std::string_view date, std::string_view time, std::int64_t& second) {
  if (date.size() != 10 || time.size() != 5) return TimeFault::shape;
  std::string text(date);
  text.append("T").append(time);
  Stamp stamp;
  const TimeFault fault = parse_stamp(text, 0, stamp);
  second = stamp.instant_s;
  return fault;
}

Result<std::int32_t> parse_time(std::string_view what, std::string_view text, bool may_be_midnight) {
  if (may_be_midnight && text == "24:00") return kDay_s;
  std::int64_t second = 0;
  if (parse_local("1970-01-01", text, second) == TimeFault::none) return static_cast<std::int32_t>(second);
  return wrong(what, text, may_be_midnight ? "a time of day from 00:00 to 24:00" : "a time of day from 00:00 to 23:59");
}

Result<std::chrono::sys_days> parse_day(std::string_view what, std::string_view text) {
  std::int64_t second = 0;
  const TimeFault fault = parse_local(text, "00:00", second);
  if (fault == TimeFault::year) return wrong(what, text, expected_stamp(fault));
  if (fault != TimeFault::none) return wrong(what, text, "a date such as 2026-06-01");
  return std::chrono::sys_days(std::chrono::days(second / kDay_s));
}

std::int64_t second_of(std::chrono::sys_days day) { return std::int64_t{day.time_since_epoch().count()} * kDay_s; }

std::int64_t days_down(std::int64_t second) { return (second - (second % kDay_s + kDay_s) % kDay_s) / kDay_s; }

}  // namespace

Result<Recurrence> Recurrence::parse(const RecurrenceText& text) {
  Recurrence recurrence;
  FUGU_ASSIGN(recurrence.weekdays, parse_days(text.days));
  FUGU_ASSIGN(recurrence.from_s, parse_time("from", text.from, false));
  FUGU_ASSIGN(recurrence.to_s, parse_time("to", text.to, true));
  FUGU_ASSIGN(recurrence.until, parse_day("until", text.until));
  if (text.since) {
    FUGU_ASSIGN(recurrence.since, parse_day("since", *text.since));
    if (*recurrence.since >= recurrence.until) return wrong("until", text.until, "a date after `since`");
  }
  if (recurrence.to_s <= recurrence.from_s) recurrence.to_s += kDay_s;
  return recurrence;
}

Result<std::vector<Interval>> occurrences(const Recurrence& recurrence, const Clock& clock, std::int32_t utc_offset_s,
                                          Slot earliest) {
  if (!clock.has_time())
    return Error{Cause::bad_input, "found a recurring wish in a stream of slot numbers; expected start and end"};
  // A day earlier is soon enough: what begins before `earliest` is passed over.
  const auto earliest_day =
      std::chrono::sys_days(std::chrono::days(days_down(clock.start_of(earliest) + utc_offset_s) - 1));
  std::vector<Interval> found;
  for (auto day = recurrence.since.value_or(earliest_day); day < recurrence.until; day += std::chrono::days(1)) {
    if ((recurrence.weekdays >> std::chrono::weekday(day).c_encoding() & 1) == 0) continue;
    const std::int64_t midnight_s = second_of(day) - utc_offset_s;
    const auto first = clock.slot_at(midnight_s + recurrence.from_s);
    const auto after = clock.slot_at(midnight_s + recurrence.to_s);
    if (!first || !after) {
      return Error{Cause::bad_input,
                   "found a time of day between two slots; expected the start of a slot, a multiple of " +
                       std::to_string(clock.slot_s()) + " s from " + clock.text(0, utc_offset_s)};
    }
    if (!recurrence.since && *first < earliest) continue;
    if (found.size() == kOccurrencesMax) {
      return Error{Cause::bad_input, "found a wish that comes back more than " + std::to_string(kOccurrencesMax) +
                                         " times; expected an earlier `until`"};
    }
    found.push_back({*first, *after - 1});
  }
  if (found.empty()) return Error{Cause::bad_input, "found a wish without an occurrence; expected a later `until`"};
  return found;
}

}  // namespace fugu
