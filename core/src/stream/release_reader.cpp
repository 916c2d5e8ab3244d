#include "fugu/stream/release_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fugu/stream/csv.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

constexpr std::string_view kColumns = "time,series,value,scale,loss_rate,sampled";
constexpr std::string_view kColumnsRho = "time,series,value,scale,loss_rate_rho,sampled";
constexpr std::size_t kColumnCount = 6;

/// Takes `part` off the front of `rest`.
bool take(std::string_view& rest, std::string_view part) {
  if (!rest.starts_with(part)) return false;
  rest.remove_prefix(part.size());
  return true;
}

}  // namespace

ReleaseReader::ReleaseReader(LineReader lines, Options options, const Columns& columns)
    : lines_(std::move(lines)),
      clock_(options.clock),
      series_fixed_(!options.series.empty()),
      series_(std::move(options.series)),
      columns_(columns) {}

std::optional<ReleaseReader::Columns> ReleaseReader::columns_of(std::string_view header) {
  Columns columns{.count = kColumnCount, .currency = Currency::epsilon, .lower = std::nullopt, .simulated = false};
  if (take(header, kColumnsRho)) {
    columns.currency = Currency::rho;
  } else if (!take(header, kColumns)) {
    return std::nullopt;
  }
  if (take(header, ",lower,upper")) {
    columns.lower = columns.count;
    columns.count += 2;
  }
  if (take(header, ",simulated")) {
    columns.simulated = true;
    columns.count += 1;
  }
  if (!header.empty()) return std::nullopt;
  return columns;
}

Result<ReleaseReader> ReleaseReader::open(Input input, Options options) {
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, kColumns));
  const auto columns = columns_of(header);
  if (!columns)
    return found_but_expected(lines.at(1), "another header",
                              "the columns of releases: " + std::string(kColumns) +
                                  " (loss_rate_rho with δ > 0), then perhaps lower,upper and simulated, and no others");
  return ReleaseReader(std::move(lines), std::move(options), *columns);
}

Result<Slot> ReleaseReader::slot_of(std::string_view time, std::size_t column) {
  if (last_slot_ >= 0 && time == last_time_) return last_slot_;
  Slot slot = last_slot_ + 1;
  if (clock_) {
    Tick tick;
    const TimeFault fault = clock_->parse(time, std::nullopt, tick);
    if (fault != TimeFault::none)
      return found_but_expected(lines_.at(column), shown_time(time), clock_->expected(fault));
    slot = tick.slot;
  }
  if (slot < 0) return found_but_expected(lines_.at(column), "a time before the stream's first slot", "a later one");
  if (slot < last_slot_) return found_but_expected(lines_.at(column), "a time before the row above", "ascending times");
  last_time_ = time;
  return last_slot_ = slot;
}

Result<SeriesId> ReleaseReader::series_of(std::string_view name, std::size_t column) {
  const auto found = std::find(series_.begin(), series_.end(), name);
  if (found != series_.end()) return static_cast<SeriesId>(found - series_.begin());
  if (series_fixed_)
    return found_but_expected(lines_.at(column), "series " + shown_name(name), "a series of the stream");
  series_.emplace_back(name);
  return static_cast<SeriesId>(series_.size() - 1);
}

Result<double> ReleaseReader::number(std::string_view field, std::string_view line, std::string_view what) const {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || std::isnan(value))
    return found_but_expected(lines_.at(csv::column_of(field, line)), "text where a number belongs", what);
  return value;
}

Result<bool> ReleaseReader::next(ReleaseRecord& record) {
  FUGU_ASSIGN(const auto read, lines_.next());
  if (!read) return false;
  const std::string_view line = *read;
  const std::vector<std::string_view> fields = csv::split(line);
  if (fields.size() != columns_.count)
    return found_but_expected(lines_.at(1), csv::count_fields(fields.size()),
                              csv::count_fields(columns_.count) + " as in the header");
  FUGU_ASSIGN(record.slot, slot_of(fields[0], 1));
  FUGU_ASSIGN(record.series, series_of(fields[1], csv::column_of(fields[1], line)));
  record.known = !fields[2].empty();
  record.value = 0;
  record.scale = 0;
  record.lower = record.upper = std::nullopt;
  if (record.known) {
    FUGU_ASSIGN(record.value, number(fields[2], line, "a released value"));
    record.scale.reset();
    if (!fields[3].empty()) {
      FUGU_ASSIGN(record.scale, number(fields[3], line, "a noise scale"));
    }
    if (columns_.lower) {
      FUGU_ASSIGN(record.lower, number(fields[*columns_.lower], line, "a lower bound"));
      FUGU_ASSIGN(record.upper, number(fields[*columns_.lower + 1], line, "an upper bound"));
    }
  }
  FUGU_ASSIGN(record.loss_rate, number(fields[4], line, "a loss rate"));
  if (fields[5] != "0" && fields[5] != "1")
    return found_but_expected(lines_.at(csv::column_of(fields[5], line)), shown(fields[5]), "0 or 1");
  record.sampled = fields[5] == "1";
  if (columns_.simulated && fields.back() != "1")
    return found_but_expected(lines_.at(csv::column_of(fields.back(), line)), shown(fields.back()), "1: simulated");
  record.currency = columns_.currency;
  record.simulated = columns_.simulated;
  return true;
}

}  // namespace fugu
