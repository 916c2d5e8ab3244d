#include "wide_reader.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "fugu/stream/csv.hpp"

namespace fugu::grid::detail {
namespace {

constexpr const char* kHeader = "time and the names of series";

/// Beyond what any low-voltage network has by far, and by far not where sums of squares overflow.
constexpr double kMost_v = 1e6;

Result<double> value_of(std::string_view field, const std::string& series, const Location& where) {
  if (field.empty()) return std::nan("");
  double value = 0;
  const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (fault != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
    return found_but_expected(where, "text where a number belongs", "a measured value, or an empty cell");
  const bool is_voltage = series.ends_with(".v");
  if (std::fabs(value) > (is_voltage ? kMost_v : kMostPower)) {
    return found_but_expected(where, "a value of series " + shown(series) + " that no network has",
                              is_voltage ? "at most 1e6 V" : "at most 1e9 kW or kvar");
  }
  return value;
}

}  // namespace

Result<WideReader> WideReader::open(const std::string& path, const Clock& clock) {
  FUGU_ASSIGN(Input input, Input::open(path));
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, kHeader));
  const auto fields = csv::split(header);
  if (fields.front() != "time" || fields.size() < 2) return found_but_expected(lines.at(1), "another header", kHeader);
  std::vector<std::string> series;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    FUGU_TRY(csv::check_name(fields[i], lines.at(csv::column_of(fields[i], header)), "a series name"));
    series.emplace_back(fields[i]);
  }
  return WideReader(std::move(lines), clock, std::move(series));
}

Result<bool> WideReader::next() {
  FUGU_ASSIGN(const auto line, lines_.next());
  if (!line) return false;
  const auto fields = csv::split(*line);
  if (fields.size() != series_.size() + 1) {
    return found_but_expected(lines_.at(1), csv::count_fields(fields.size()),
                              csv::count_fields(series_.size() + 1) + " as in the header");
  }
  Tick tick;
  const TimeFault fault = clock_.parse(fields.front(), std::nullopt, tick);
  if (fault != TimeFault::none)
    return found_but_expected(lines_.at(1), shown_time(fields.front()), clock_.expected(fault));
  if (has_row_ && tick.slot <= slot_)
    return found_but_expected(lines_.at(1), "a time that is not after the row above", "ascending times");
  slot_ = tick.slot;
  has_row_ = true;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::string_view field = fields[i + 1];
    FUGU_ASSIGN(values_[i], value_of(field, series_[i], lines_.at(csv::column_of(field, *line))));
  }
  return true;
}

}  // namespace fugu::grid::detail
