#include <charconv>
#include <cmath>

#include "fugu/attack/detection.hpp"
#include "fugu/base/check.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kHeader = "meter,appliance,start,minutes,kw";

template <class Number>
bool parse_whole_field(std::string_view field, Number& value) {
  const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
  return fault == std::errc() && end == field.data() + field.size();
}

}  // namespace

Result<std::vector<LoggedUse>> read_use_log(Input input, const Clock& clock, std::int64_t slot_min) {
  const std::int64_t minutes_per_slot = clock.has_time() ? clock.slot_s() / 60 : slot_min;
  FUGU_CHECK(minutes_per_slot > 0);
  const Clock minutes = clock.has_time() ? Clock(clock.origin_s(), 60) : Clock();
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, kHeader));
  if (header != kHeader)
    return found_but_expected(lines.at(1), "another header", "a log of uses, whose header is " + std::string(kHeader));
  std::vector<LoggedUse> uses;
  for (;;) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) return uses;
    const std::vector<std::string_view> fields = csv::split(*line);
    if (fields.size() != 5) return found_but_expected(lines.at(1), csv::count_fields(fields.size()), "5 fields");
    const auto at = [&](std::size_t i) { return lines.at(csv::column_of(fields[i], *line)); };
    FUGU_TRY(csv::check_name(fields[0], at(0), "a meter id"));
    FUGU_TRY(csv::check_name(fields[1], at(1), "an appliance"));
    Tick start;
    const TimeFault fault = minutes.parse(fields[2], std::nullopt, start);
    if (fault != TimeFault::none)
      return found_but_expected(at(2), shown_time(fields[2]),
                                clock.has_time() ? minutes.expected(fault) : "a minute from the beginning, from 0");
    std::int64_t length_min = 0;
    if (!parse_whole_field(fields[3], length_min) || length_min < 1)
      return found_but_expected(at(3), "something else", "minutes, a whole number from 1");
    LoggedUse use{.meter = std::string(fields[0]), .appliance = std::string(fields[1])};
    if (!parse_whole_field(fields[4], use.power) || !(use.power > 0) || !std::isfinite(use.power))
      return found_but_expected(at(4), "something else", "power, a number above 0");
    const auto slot_of = [&](std::int64_t minute) {  // rounded down, also before the release
      return minute >= 0 ? minute / minutes_per_slot : -((-minute + minutes_per_slot - 1) / minutes_per_slot);
    };
    use.first = slot_of(start.slot);
    use.length_slots = static_cast<std::uint64_t>(slot_of(start.slot + length_min - 1) - use.first) + 1;
    uses.push_back(std::move(use));
  }
}

}  // namespace fugu
