#include "readings_parser.hpp"

#include <cstring>
#include <numeric>

#include "fugu/stream/csv.hpp"
#include "fugu/stream/same_text.hpp"

namespace fugu {
namespace {

const char* find(const char* from, const char* end, char c) {
  return static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(end - from)));
}

std::string_view without_carriage_return(const char* begin, const char* end) {
  if (end != begin && end[-1] == '\r') --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

RowFault fault_at(std::string_view row, std::string_view field, std::string found, std::string expected) {
  return {0, csv::column_of(field, row), std::move(found), std::move(expected)};
}

}  // namespace

MeterFinder::MeterFinder(const SeriesMap& map) : map_(&map), after_(map.meter_count()) {
  std::iota(after_.begin(), after_.end(), 1);
  after_.back() = 0;
}

std::optional<MeterId> MeterFinder::find(std::string_view name) {
  const MeterId guess = after_[last_];
  if (same_text(map_->meter_name(guess), name)) return last_ = guess;
  const auto meter = map_->meter(name);
  if (meter) last_ = after_[last_] = *meter;
  return meter;
}

/// Rows of the same slot mostly follow each other: a time that reads like the one before is not parsed again.
struct ReadingsParser::LastTime {
  std::string_view text;
  Slot slot = 0;
};

ReadingsParser::ReadingsParser(const SeriesMap& map, ReadingColumns columns, UnitStep unit_step, Clock clock,
                               std::optional<std::int32_t> default_utc_offset_s)
    : meters_(map),
      columns_(columns),
      unit_step_(unit_step),
      clock_(clock),
      default_utc_offset_s_(default_utc_offset_s) {}

void ReadingsParser::parse(const LineBlock& block, ParsedReadings& parsed) {
  parsed.readings.clear();
  parsed.runs.clear();
  parsed.fault.reset();
  parsed.rounding.clear();
  parsed.lines = 0;
  LastTime last;
  const std::string_view text = block.text();
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end; ++parsed.lines) {
    const char* const line_end = find(at, end, '\n');
    const std::string_view row = without_carriage_return(at, line_end);
    at = line_end + 1;
    if (row.empty()) continue;
    if (!parse_row(row, last, parsed)) {
      parsed.fault = diagnose(row);
      parsed.fault->line = parsed.lines;
      return;
    }
  }
}

// The third field takes what is left: a comma in it is no number, no meter and no time.
bool ReadingsParser::split(std::string_view row, Fields& fields) {
  const char* const end = row.data() + row.size();
  const char* const first = find(row.data(), end, ',');
  if (first == nullptr) return false;
  const char* const second = find(first + 1, end, ',');
  if (second == nullptr) return false;
  fields[0] = {row.data(), static_cast<std::size_t>(first - row.data())};
  fields[1] = {first + 1, static_cast<std::size_t>(second - first - 1)};
  fields[2] = {second + 1, static_cast<std::size_t>(end - second - 1)};
  return true;
}

// False when the row is wrong; diagnose() then says why.
bool ReadingsParser::parse_row(std::string_view row, LastTime& last, ParsedReadings& parsed) {
  Fields fields;
  if (!split(row, fields)) return false;

  const std::string_view time = fields[columns_.time];
  if (!same_text(time, last.text) || time.empty()) {
    Tick tick;
    if (clock_.parse(time, default_utc_offset_s_, tick) != TimeFault::none) return false;
    last = {time, tick.slot};
  }

  const std::string_view value = fields[columns_.value];
  Raw raw;
  if (!value.empty()) {
    std::int64_t steps = 0;
    const DecimalFault fault = unit_step_.steps(value, steps);
    if (fault == DecimalFault::too_large) {
      steps = value.front() == '-' ? -kStepsMax : kStepsMax;  // clamped like any other: stopping would show the reading
    } else if (fault != DecimalFault::none) {
      return false;
    } else if (parsed.rounding.empty() && !unit_step_.holds(value)) {
      parsed.rounding = unit_step_.rounding_text(value);
    }
    raw = Raw(steps);
  }

  const auto meter = meters_.find(fields[columns_.meter]);
  if (!meter) return false;

  parsed.readings.push_back({raw, *meter, parsed.lines});
  const auto count = static_cast<std::uint32_t>(parsed.readings.size());
  if (parsed.runs.empty() || parsed.runs.back().slot != last.slot) parsed.runs.push_back({last.slot, count});
  parsed.runs.back().end = count;
  return true;
}

// A wrong number of fields comes first, because it explains the rest. The meter comes last: a value in its place is
// noticed before it could be shown.
RowFault ReadingsParser::diagnose(std::string_view row) const {
  const auto fields = csv::split(row);
  if (fields.size() != 3) return {0, 1, csv::count_fields(fields.size()), "3 fields, as in the header"};

  const std::string_view time = fields[columns_.time];
  Tick tick;
  const TimeFault time_fault = clock_.parse(time, default_utc_offset_s_, tick);
  if (time_fault != TimeFault::none)
    return fault_at(row, time, "time " + shown_time(time), clock_.expected(time_fault));

  const std::string_view value = fields[columns_.value];
  std::int64_t steps = 0;
  const DecimalFault fault = unit_step_.steps(value, steps);
  if (fault != DecimalFault::none && fault != DecimalFault::empty && fault != DecimalFault::too_large) {
    return fault_at(row, value, std::string(describe(fault)),
                    "a number such as 0.25, or nothing for a missing reading");
  }

  const std::string_view name = fields[columns_.meter];
  return fault_at(row, name, "meter " + shown_name(name),
                  "a meter of the series map, where one without a series counts nowhere");
}

std::string_view ReadingsParser::time_of(std::string_view row) const {
  Fields fields;
  FUGU_CHECK(split(row, fields));
  return fields[columns_.time];
}

}  // namespace fugu
