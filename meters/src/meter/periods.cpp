#include "fugu/meter/periods.hpp"

#include <algorithm>

#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kHeader = "start,tariff";
constexpr Slot kShortest = 2;

}  // namespace

Result<Periods> Periods::every(Slot slots) {
  if (slots < 1) return Error{Cause::usage, "expected periods of at least 2 slots"};
  if (slots < kShortest)
    return Error{Cause::refused,
                 "periods of 1 slot protect nothing: each report would say in which slot its reading was taken; "
                 "expected at least 2 slots, better a day"};
  Periods periods;
  periods.every_slots_ = slots;
  return periods;
}

Result<Periods> Periods::read(Input input, const Clock& clock) {
  LineReader lines(std::move(input));
  const std::string expected = std::string("a header `").append(kHeader).append("`");
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, expected));
  if (header != kHeader) return found_but_expected(lines.at(1), "other columns", expected);
  Periods periods;
  while (true) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    const auto fields = csv::split(*line);
    if (fields.size() != 2) return found_but_expected(lines.at(1), csv::count_fields(fields.size()), "2 fields");
    Tick tick;
    const TimeFault fault = clock.parse(fields[0], std::nullopt, tick);
    if (fault != TimeFault::none)
      return found_but_expected(lines.at(1), "time " + shown_time(fields[0]), clock.expected(fault));
    if (periods.starts_.size() != periods.tariffs_.size())
      return found_but_expected(lines.at(1), "a row after the one without a tariff",
                                "a tariff in each row but the last, which ends the calendar");
    if (!periods.starts_.empty() && tick.slot < periods.starts_.back() + kShortest) {
      return found_but_expected(lines.at(1), "a period of less than 2 slots above this row",
                                "rows ordered by time, and periods of at least 2 slots: a shorter one would say when "
                                "its reading was taken");
    }
    periods.starts_.push_back(tick.slot);
    if (fields[1].empty()) continue;
    FUGU_TRY(csv::check_name(fields[1], lines.at(csv::column_of(fields[1], *line)), "a tariff"));
    periods.tariffs_.emplace_back(fields[1]);
  }
  if (periods.starts_.size() != periods.tariffs_.size() + 1 || periods.tariffs_.empty()) {
    return found_but_expected({lines.file(), lines.line(), 0}, "no end of the calendar",
                              "rows of periods, and a last one without a tariff that says when the last period ends");
  }
  return periods;
}

std::optional<Period> Periods::at(Slot slot) const {
  if (every_slots_ != 0) {
    const Slot start = slot - (slot % every_slots_ + every_slots_) % every_slots_;
    return Period{start, start + every_slots_};
  }
  const auto end = std::upper_bound(starts_.begin(), starts_.end(), slot);
  if (end == starts_.begin() || end == starts_.end()) return std::nullopt;
  return Period{*(end - 1), *end};
}

const std::string& Periods::tariff_from(Slot start) const {
  static const std::string kNone;
  const auto found = std::lower_bound(starts_.begin(), starts_.end(), start);
  const auto at = static_cast<std::size_t>(found - starts_.begin());
  return at < tariffs_.size() && *found == start ? tariffs_[at] : kNone;
}

}  // namespace fugu
