#include "fugu/meter/meter_readings.hpp"

#include <algorithm>
#include <utility>

#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::size_t kColumns = 3;

}  // namespace

MeterReadings::MeterReadings(LineReader lines, const NameTable& meters, std::array<std::size_t, 3> columns)
    : lines_(std::move(lines)), meters_(&meters), columns_(columns) {}

Result<MeterReadings> MeterReadings::open(Input input, const NameTable& meters, Options options) {
  LineReader lines(std::move(input));
  const std::string expected = "a header `time,meter," + options.value_column + "`";
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, expected));
  const auto names = csv::split(header);
  const std::array<std::string_view, kColumns> wanted = {"time", "meter", options.value_column};
  std::array<std::size_t, kColumns> columns{};
  for (std::size_t i = 0; i < kColumns; ++i) {
    const auto found = std::find(names.begin(), names.end(), wanted[i]);
    if (found == names.end() || names.size() != kColumns)
      return found_but_expected(lines.at(1), "other columns", expected);
    columns[i] = static_cast<std::size_t>(found - names.begin());
  }
  MeterReadings readings(std::move(lines), meters, columns);
  FUGU_TRY(readings.find_clock(options));
  return readings;
}

Result<void> MeterReadings::find_clock(const Options& options) {
  format_.unit_step = options.unit_step;
  warn_ = options.warn;
  expected_meter_ = options.expected_meter;
  FUGU_ASSIGN(const auto line, lines_.peek());
  empty_ = !line;
  if (empty_) return {};
  const auto fields = csv::split(*line);
  if (fields.size() != kColumns || parse_slot_number(fields[columns_[0]])) return {};
  const std::string_view time = fields[columns_[0]];
  const Location where = lines_.ahead_at(csv::column_of(time, *line));
  Stamp stamp;
  const TimeFault fault = parse_stamp(time, std::nullopt, stamp);
  if (fault != TimeFault::none) {
    return found_but_expected(where, "time " + shown_time(time), csv::expected_first_time(fault));
  }
  if (!options.slot_s)
    return Error{Cause::usage, "the readings have time stamps: state the slot length, for example 15m"};
  const std::int64_t phase_s = (stamp.instant_s % *options.slot_s + *options.slot_s) % *options.slot_s;
  format_.clock = Clock(phase_s, *options.slot_s);
  format_.utc_offset_s = stamp.utc_offset_s;
  return {};
}

Result<bool> MeterReadings::next(Row& row) {
  FUGU_ASSIGN(const auto line, lines_.next());
  if (!line) return false;
  const auto fields = csv::split(*line);
  if (fields.size() != kColumns)
    return found_but_expected(lines_.at(1), csv::count_fields(fields.size()), "3 fields, as in the header");
  const auto at = [&](std::string_view field) { return lines_.at(csv::column_of(field, *line)); };

  const std::string_view time = fields[columns_[0]];
  Tick tick;
  const TimeFault fault = format_.clock.parse(time, std::nullopt, tick);
  if (fault != TimeFault::none)
    return found_but_expected(at(time), "time " + shown_time(time), format_.clock.expected(fault));
  if (last_ && tick.slot < *last_)
    return found_but_expected(at(time), "a time before that of the row above", "rows ordered by time");
  last_ = row.slot = tick.slot;

  const std::string_view value = fields[columns_[2]];
  std::int64_t steps = 0;
  const DecimalFault value_fault = format_.unit_step.steps(value, steps);
  if (value_fault != DecimalFault::none && value_fault != DecimalFault::empty) {
    return found_but_expected(at(value), std::string(describe(value_fault)),
                              "a number such as 0.25, or nothing for a missing reading");
  }
  if (warn_ && value_fault == DecimalFault::none && !format_.unit_step.holds(value))
    std::exchange(warn_, nullptr)(lines_.file() + ": " + format_.unit_step.rounding_text(value));
  row.value_steps = value_fault == DecimalFault::empty ? std::nullopt : std::optional(steps);

  const std::string_view name = fields[columns_[1]];
  const auto meter = meters_->find(name);
  if (!meter) return found_but_expected(at(name), "meter " + shown_name(name), expected_meter_);
  row.meter = *meter;
  if (!row.value_steps) return true;
  if (valued_.size() <= row.meter) valued_.resize(meters_->size());
  if (std::exchange(valued_[row.meter], row.slot) == row.slot) {
    return found_but_expected(lines_.at(1), "a second value of meter " + shown_name(name) + " for this slot",
                              "one value for each meter and slot; only one of them would be sent");
  }
  return true;
}

Result<void> MeterReadings::wait() {
  FUGU_TRY(lines_.peek());
  return {};
}

}  // namespace fugu
