#include "schedule_file.hpp"

#include <algorithm>

#include "command.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/stream/input.hpp"
#include "fugu/stream/line_reader.hpp"
#include "source_options.hpp"

namespace fugu::cli {

namespace {

constexpr std::int64_t kDay_s = 86'400;
/// They all go into the ledger.
constexpr std::size_t kRowsMax = 100'000;

/// `06:00` or `06:00:30`, in seconds; nothing when it is no time of day.
std::optional<std::int64_t> parse_time_of_day(std::string_view text) {
  if (text.size() != 5 && text.size() != 8) return std::nullopt;
  std::int64_t value_s = 0;
  for (std::size_t at = 0; at < 8; at += 3) {
    if (at >= text.size()) {
      value_s *= 60;
      continue;
    }
    if (at > 0 && text[at - 1] != ':') return std::nullopt;
    const char tens = text[at];
    const char ones = text[at + 1];
    if (tens < '0' || tens > (at == 0 ? '2' : '5') || ones < '0' || ones > '9') return std::nullopt;
    value_s = value_s * 60 + (tens - '0') * 10 + (ones - '0');
  }
  return value_s < kDay_s ? std::optional(value_s) : std::nullopt;
}

std::int64_t within_day(std::int64_t seconds) { return (seconds % kDay_s + kDay_s) % kDay_s; }

}  // namespace

Result<ScheduleFile> ScheduleFile::read(const std::string& path, std::string_view what,
                                        std::span<const std::string> series) {
  FUGU_ASSIGN(Input input, Input::open(path));
  LineReader lines(std::move(input));
  ScheduleFile file;
  file.path_ = lines.file();
  const std::string for_all = "time," + std::string(what);
  std::string by_series = "time";
  for (const std::string& name : series) by_series += "," + name;
  const std::string expected = "a header `" + for_all + "`" + (series.empty() ? "" : ", or `time,` and all series");
  FUGU_ASSIGN(const auto header, csv::read_header(lines, expected));
  if (header != for_all && (series.empty() || header != by_series))
    return found_but_expected(lines.at(1), "other columns",
                              expected + (series.size() > 1 ? " in the order of the stream" : ""));
  file.columns_ = header == for_all ? 1 : series.size();
  for (;;) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    FUGU_TRY(file.add_row(*line, lines.line()));
  }
  if (file.rows_.empty())
    return found_but_expected({file.path_, 0, 0}, "no rows", "a time and from then on a " + std::string(what));
  return file;
}

Result<void> ScheduleFile::add_row(std::string_view line, std::uint64_t number) {
  const Location where{path_, number, 1};
  const auto fields = csv::split(line);
  if (fields.size() != columns_ + 1)
    return found_but_expected(where, csv::count_fields(fields.size()), csv::count_fields(columns_ + 1));
  if (rows_.size() == kRowsMax)
    return found_but_expected(where, "more than " + std::to_string(kRowsMax) + " rows",
                              "a row where something changes, not one for every slot");
  Row& row = rows_.emplace_back(Row{std::string(fields[0]), {}, number});
  for (std::size_t i = 1; i < fields.size(); ++i) row.cells.emplace_back(fields[i]);
  return {};
}

Error ScheduleFile::wrong_cell(std::size_t row, std::size_t cell, std::string_view found,
                               std::string_view expected) const {
  std::size_t column = rows_[row].time.size() + 2;
  for (std::size_t i = 0; i < cell; ++i) column += rows_[row].cells[i].size() + 1;
  return found_but_expected({path_, rows_[row].line, column}, found, expected);
}

Error ScheduleFile::wrong_time(std::size_t row, std::string_view found, std::string_view expected) const {
  return found_but_expected({path_, rows_[row].line, 1}, found, expected);
}

Result<ScheduleFile::Places> ScheduleFile::place(const RunClock& clock) const {
  return parse_time_of_day(rows_.front().time) ? place_in_day(clock) : place_in_stream(clock);
}

Result<ScheduleFile::Places> ScheduleFile::place_in_stream(const RunClock& clock) const {
  Places places;
  Slot last = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Tick tick;
    const TimeFault fault = clock.clock.parse(rows_[i].time, clock.utc_offset_s, tick);
    if (fault != TimeFault::none)
      return wrong_time(
          i, "time " + shown(rows_[i].time),
          clock.clock.expected(fault) + (clock.clock.has_time() ? ", or in all rows a time of day such as 06:00" : ""));
    if (i > 0 && tick.slot <= last)
      return wrong_time(i, "a time that is not after that of the row before", "later ones");
    last = tick.slot;
    if (tick.slot <= 0) places.rows.clear();  // another row holds when the stream begins
    places.rows.push_back({std::max<Slot>(0, tick.slot), i});
  }
  if (places.rows.front().from > 0)
    return wrong_time(
        0, "a first row that holds from slot " + std::to_string(places.rows.front().from) + " on",
        "one that holds when the stream begins, at " + clock.clock.text(0, clock.utc_offset_s) + " or before");
  return places;
}

Result<ScheduleFile::Places> ScheduleFile::place_in_day(const RunClock& clock) const {
  if (!clock.clock.has_time())
    return wrong_time(0, "a time of day", "slot numbers such as 0, 96, 192, because the stream has no times");
  const std::int64_t slot_s = clock.clock.slot_s();
  if (kDay_s % slot_s != 0)
    return wrong_time(0, "a time of day", "time stamps, because no whole number of slots makes a day");
  Places places{.period_slots = kDay_s / slot_s};
  const std::int64_t begin_s = within_day(clock.clock.origin_s() + clock.utc_offset_s);
  std::int64_t last_s = -1;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto time_s = parse_time_of_day(rows_[i].time);
    if (!time_s)
      return wrong_time(i, "time " + shown(rows_[i].time), "a time of day such as 06:00, as in the first row");
    if (*time_s <= last_s) return wrong_time(i, "a time that is not after that of the row before", "later ones");
    last_s = *time_s;
    const std::int64_t since_begin_s = within_day(*time_s - begin_s);
    if (since_begin_s % slot_s != 0)
      return wrong_time(i, "time " + shown(rows_[i].time) + " between two slots",
                        "times at which a slot begins: every " + std::to_string(slot_s) + " seconds");
    places.rows.push_back({since_begin_s / slot_s, i});
  }
  // From when the stream begins: what began to hold last the day before still does.
  std::ranges::sort(places.rows, {}, &Places::Place::from);
  if (places.rows.front().from > 0) places.rows.insert(places.rows.begin(), {0, places.rows.back().row});
  return places;
}

std::string ScheduleFile::text() const {
  std::string text;
  for (const Row& row : rows_) {
    text += (text.empty() ? "" : ", ") + row.time;
    for (const std::string& cell : row.cells) text += " " + cell;
  }
  return text;
}

Result<SensitivityRows> SensitivityRows::of(const ScheduleFile& file, const UnitStep& unit_step, std::size_t series) {
  SensitivityRows rows;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    std::vector<std::uint64_t>& steps = rows.steps.emplace_back();
    for (std::size_t i = 0; i < file.cells(row).size(); ++i) {
      const std::string& cell = file.cells(row)[i];
      std::int64_t found = 0;
      const DecimalFault fault = unit_step.steps(cell, found, Rounding::away);
      if (fault != DecimalFault::none || found < 1)
        return file.wrong_cell(row, i, fault != DecimalFault::none ? describe(fault) : "a sensitivity of 0 or less",
                               "by how much one meter can change the series, for example 10 or 2.5");
      steps.push_back(static_cast<std::uint64_t>(found));
      warn_if_rounded(unit_step, cell, steps.back(), "--sensitivity-schedule");
    }
    if (steps.size() == 1) steps.resize(series, steps[0]);
  }
  return rows;
}

std::vector<std::uint64_t> SensitivityRows::largest() const {
  std::vector<std::uint64_t> largest = steps.front();
  for (const auto& row : steps) std::ranges::transform(largest, row, largest.begin(), std::ranges::max);
  return largest;
}

Result<Exposure> exposure_over_time(const Exposure& largest, const ScheduleFile& file, const SensitivityRows& rows,
                                    const RunClock& clock) {
  FUGU_ASSIGN(auto over_time, file.schedule(clock, rows.steps));
  return largest.varying(std::move(over_time));
}

Result<ClampRows> ClampRows::of(const ScheduleFile& file, const UnitStep& unit_step) {
  ClampRows rows;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const auto range = parse_clamp(unit_step, file.cells(row)[0]);
    if (!range) return file.wrong_cell(row, 0, "no range", "a bound such as 10 for 0 to 10, or LO:HI with LO below HI");
    rows.ranges.push_back(*range);
  }
  return rows;
}

ClampRange ClampRows::widest() const {
  ClampRange widest = ranges.front();
  for (const ClampRange& range : ranges) widest = {std::min(widest.lo, range.lo), std::max(widest.hi, range.hi)};
  return widest;
}

SensitivityRows ClampRows::sensitivities(const Exposure& bound) const {
  const auto most = static_cast<std::uint64_t>(largest_change(widest()));
  SensitivityRows rows;
  for (const ClampRange& range : ranges) {
    std::vector<std::uint64_t>& steps = rows.steps.emplace_back();
    for (SeriesId series = 0; series < bound.series_count(); ++series)
      steps.push_back(bound.sensitivity_steps(series) / most * static_cast<std::uint64_t>(largest_change(range)));
  }
  return rows;
}

}  // namespace fugu::cli
