#include "fugu/stream/stream_reader.hpp"

#include <utility>

#include "fugu/stream/csv.hpp"
#include "fugu/stream/name_table.hpp"

namespace fugu {
namespace {

std::string_view time_of(std::string_view line) { return line.substr(0, line.find(',')); }

/// Without a header, or with another separator, that is a row of data: what has digits is not shown.
std::string shown_column(std::string_view name) {
  const bool has_digit = name.find_first_of("0123456789") != std::string_view::npos;
  return has_digit ? "another first column" : "first column " + shown_name(name);
}

Result<std::vector<std::string>> read_series(LineReader& lines, const std::string& time_column) {
  const std::string expected = "a header `" + time_column + ",<series>…`";
  FUGU_ASSIGN(const auto header, csv::read_header(lines, expected));
  const auto names = csv::split(header);
  if (names[0] != time_column)
    return found_but_expected(lines.at(1), shown_column(names[0]),
                              expected + "; if the time column has another name, say which");
  if (names.size() < 2) return found_but_expected(lines.at(1), "no series", expected);
  NameTable known;
  std::vector<std::string> series;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const Location where = lines.at(csv::column_of(names[i], header));
    FUGU_TRY(csv::check_name(names[i], where, "a series name"));
    if (known.intern(names[i]) != i - 1) {
      return found_but_expected(where, "series " + shown_name(names[i]) + " a second time", "each series once");
    }
    series.emplace_back(names[i]);
  }
  return series;
}

}  // namespace

Result<StreamReader> StreamReader::open(Input input, StreamOptions options) {
  LineReader lines(std::move(input), options.block_size);
  FUGU_ASSIGN(auto series, read_series(lines, options.time_column));
  return StreamReader(std::move(lines), std::move(series), std::move(options));
}

StreamReader::StreamReader(LineReader lines, std::vector<std::string> series, StreamOptions options)
    : lines_(std::move(lines)), series_(std::move(series)), options_(std::move(options)) {}

Result<bool> StreamReader::next(SlotRow& row) {
  if (stage_ == Stage::before_first_row) FUGU_TRY(start());
  while (stage_ != Stage::ended && ahead_.slot < next_slot_) FUGU_TRY(read_row());
  if (stage_ == Stage::ended) return false;
  row.slot = next_slot_;
  if (ahead_.slot == next_slot_) {
    last_offset_s_ = ahead_.utc_offset_s;
    std::swap(row.values, ahead_.values);
  } else {
    row.values.assign(series_.size(), Raw());
  }
  row.utc_offset_s = last_offset_s_;
  ++next_slot_;
  return true;
}

bool StreamReader::would_wait() {
  if (stage_ == Stage::ended) return false;
  if (stage_ == Stage::running && ahead_.slot >= next_slot_) return false;
  return lines_.would_wait();
}

// Reads the first row, which sets up the clock.
Result<void> StreamReader::start() {
  FUGU_ASSIGN(const auto line, lines_.next());
  if (!line) {
    stage_ = Stage::ended;
    return {};
  }
  const std::string time(time_of(*line));
  const auto number = parse_slot_number(time);
  Stamp first;
  if (!number) FUGU_TRY(parse_first_stamp(time, first));
  FUGU_TRY(parse_cells(*line));
  if (number) {
    if (options_.origin) return found_but_expected(lines_.at(1), "a slot number", "time stamps, as the origin is one");
    ahead_.slot = next_slot_ = *number;
  } else {
    FUGU_TRY(start_clock(first, time));
  }
  if (skip_before_) next_slot_ = *skip_before_;
  stage_ = Stage::running;
  return check_ahead(next_slot_ - 1, time);
}

Result<void> StreamReader::parse_first_stamp(std::string_view time, Stamp& first) const {
  const TimeFault fault = parse_stamp(time, options_.default_utc_offset_s, first);
  if (fault == TimeFault::none) return {};
  return found_but_expected(lines_.at(1), "time " + shown_time(time), csv::expected_first_time(fault));
}

Result<void> StreamReader::start_clock(Stamp first, std::string_view time) {
  std::int64_t slot_s = options_.slot_s.value_or(0);
  if (!options_.slot_s) {
    FUGU_ASSIGN(slot_s, slot_length(first));
  }
  const Stamp origin = options_.origin.value_or(first);
  clock_ = Clock(origin.instant_s, slot_s);
  last_offset_s_ = origin.utc_offset_s;
  const auto slot = clock_.slot_at(first.instant_s);
  if (!slot) return time_error(time, "", clock_.expected(TimeFault::off_grid));
  if (*slot < 0 && !skip_before_) return time_error(time, ", which is before the origin", "rows from the origin on");
  ahead_.slot = *slot;
  ahead_.utc_offset_s = first.utc_offset_s;
  return {};
}

// The time from the first row to the second.
Result<std::int64_t> StreamReader::slot_length(Stamp first) {
  FUGU_ASSIGN(const auto line, lines_.peek());
  if (!line) {
    return found_but_expected({lines_.file(), 0, 0}, "a single row", "two rows, or a stated slot length");
  }
  Stamp second;
  const std::string_view time = time_of(*line);
  const TimeFault fault = parse_stamp(time, options_.default_utc_offset_s, second);
  if (fault != TimeFault::none) {
    return found_but_expected(lines_.ahead_at(1), "time " + shown_time(time), expected_stamp(fault));
  }
  if (second.instant_s <= first.instant_s) {
    return found_but_expected(lines_.ahead_at(1), "time " + shown_time(time) + ", which is not after the row before",
                              "ascending times");
  }
  return second.instant_s - first.instant_s;
}

// Reads the next row into ahead_.
Result<void> StreamReader::read_row() {
  FUGU_ASSIGN(const auto line, lines_.next());
  if (!line) {
    stage_ = Stage::ended;
    return {};
  }
  const std::string_view time = time_of(*line);
  Tick tick;
  const TimeFault fault = clock_.parse(time, options_.default_utc_offset_s, tick);
  if (fault != TimeFault::none) return time_error(time, "", clock_.expected(fault));
  const Slot before = std::exchange(ahead_.slot, tick.slot);
  ahead_.utc_offset_s = tick.utc_offset_s;
  if (tick.slot == before) return time_error(time, ", which the row before has", "each slot once");
  if (tick.slot < before) return time_error(time, ", which is before that of an earlier row", "ascending times");
  FUGU_TRY(check_ahead(before, time));
  return parse_cells(*line);
}

// Whether the row ahead may move the stream on to its slot.
Result<void> StreamReader::check_ahead(Slot before, std::string_view time) const {
  if (options_.wall_clock_s && clock_.has_time()) {
    const Slot latest = clock_.slot_around(options_.wall_clock_s()) + 1;
    if (ahead_.slot > latest) {
      return time_error(time, ", which is ahead of this machine's clock",
                        "rows of a live stream up to " + clock_.text(latest, last_offset_s_));
    }
  }
  const Slot gap_slots = ahead_.slot - before;
  if (gap_slots <= options_.gap_slots_max) return {};
  return time_error(time, ", which is far ahead of the rows before",
                    csv::expected_gap(options_.gap_slots_max, gap_slots, clock_));
}

Result<void> StreamReader::parse_cells(std::string_view line) {
  ahead_.values.clear();
  std::string_view rest = line.substr(time_of(line).size());
  while (!rest.empty() && ahead_.values.size() < series_.size()) {
    rest.remove_prefix(1);  // the comma
    const std::string_view cell = rest.substr(0, rest.find(','));
    rest.remove_prefix(cell.size());
    std::int64_t steps = 0;
    const DecimalFault fault = options_.unit_step.steps(cell, steps);
    if (fault != DecimalFault::none && fault != DecimalFault::empty) {
      return found_but_expected(lines_.at(csv::column_of(cell, line)), describe(fault),
                                "a number such as 0.25, or nothing for a missing value");
    }
    ahead_.values.push_back(fault == DecimalFault::empty ? Raw() : Raw(steps));
    if (options_.warn && fault == DecimalFault::none && !options_.unit_step.holds(cell))
      std::exchange(options_.warn, nullptr)(lines_.file() + ": " + options_.unit_step.rounding_text(cell));
  }
  if (rest.empty() && ahead_.values.size() == series_.size()) return {};
  return found_but_expected(lines_.at(1), csv::count_fields(csv::split(line).size()),
                            csv::count_fields(series_.size() + 1) + ", as in the header");
}

Error StreamReader::time_error(std::string_view time, std::string_view found, std::string_view expected) const {
  return found_but_expected(lines_.at(1), "time " + shown_time(time) + std::string(found), expected);
}

}  // namespace fugu
