#include "fugu/study/prepared_stream.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <span>

#include "fugu/stream/csv.hpp"
#include "fugu/stream/line_reader.hpp"

namespace fugu {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Error at(const Suite& suite, const SuiteStream& stream, std::string_view found, std::string_view expected) {
  return found_but_expected({suite.file, stream.place.line, stream.place.column}, found, expected);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Files of fugu that would pass for streams when all their columns are numbers: here any first column is a time.
Result<void> check_is_a_stream(const LineReader& lines, std::string_view header) {
  const std::vector<std::string_view> names = csv::split(header);
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  const bool is_policies = has("meter") && has("magnitude") && has("epsilon");
  const bool is_readings = names.size() == 3 && names[1] == "meter" && names[2] == "value";
  if (!is_policies && !is_readings) return {};
  return found_but_expected(lines.at(1), is_policies ? "a file of policies" : "readings of single meters",
                            "a stream: header `time,<series>…`, then one row a slot with the total of each series");
}

/// The header must be one: a row of data in its place would pass for names, and be lost. As fugu publish sees it, but
/// that the first column may have any name that does not begin like a time.
Result<void> check_header(const LineReader& lines, std::string_view header) {
  const std::vector<std::string_view> names = csv::split(header);
  if (names[0].find_first_of("0123456789+-.") == 0)
    return found_but_expected(lines.at(1), "a row of data", "a header `time,<series>…` above it");
  std::set<std::string_view> known;
  for (const std::string_view name : std::span(names).subspan(1)) {
    const Location where = lines.at(csv::column_of(name, header));
    FUGU_TRY(csv::check_name(name, where, "a series name"));
    if (!known.insert(name).second)
      return found_but_expected(where, "series " + shown_name(name) + " a second time", "each series once");
  }
  return {};
}

/// The columns of a header that a stream uses.
Result<std::vector<std::size_t>> columns_of(const Suite& suite, const SuiteStream& stream, const SuiteFile& file,
                                            std::string_view header) {
  const std::vector<std::string_view> names = csv::split(header);
  std::vector<std::size_t> columns;
  if (file.series.empty()) {
    for (std::size_t i = 1; i < names.size(); ++i) columns.push_back(i);
  }
  for (const std::string& series : file.series) {
    const auto found = std::find(names.begin() + 1, names.end(), series);
    if (found == names.end()) return at(suite, stream, "the series " + shown(series), "a column of " + file.path);
    columns.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  if (columns.empty()) return at(suite, stream, "no series in " + file.path, "columns after the first");
  return columns;
}

/// "a.csv (column x, first 10 slots)".
std::string described(const SuiteFile& file) {
  std::string which;
  if (file.series.size() == 1) which = "column " + file.series.front();
  if (file.slots_max > 0)
    which.append(which.empty() ? "" : ", ").append("first " + std::to_string(file.slots_max) + " slots");
  return which.empty() ? file.path : file.path + " (" + which + ")";
}

}  // namespace

Result<void> PreparedStream::set_facts(const Suite& suite, const SuiteStream& stream) {
  facts_ = stream;
  FUGU_ASSIGN(unit_step_, UnitStep::parse(stream.unit_step));
  const double sensitivity = std::ceil(stream.sensitivity / unit_step_.to_double() * (1 - 1e-12));
  if (!(sensitivity >= 1 && sensitivity <= 0x1p40))
    return at(suite, stream, "a sensitivity of less than a step or more than 2^40", "1 step to 2^40 steps");
  sensitivity_steps_ = static_cast<std::uint64_t>(sensitivity);
  return {};
}

Result<PreparedStream> PreparedStream::make(const Suite& suite, const SuiteStream& stream,
                                            const std::string& data_folder) {
  const auto cannot_be_made = [&](const Error& why) {
    return at(suite, stream, "a stream that cannot be made", why.message);
  };
  if (const auto* artificial = std::get_if<ArtificialOptions>(&stream.source)) {
    auto values = generate_artificial(*artificial);
    if (!values) return cannot_be_made(values.error());
    std::vector<bool> anomalies;
    if (stream.anomalies) anomalies = add_anomalies(*stream.anomalies, stream.period_slots, artificial->seed, *values);
    FUGU_ASSIGN(PreparedStream made, of_values(suite, stream, *values, 1));
    made.anomalies_ = std::move(anomalies);
    return made;
  }
  if (const auto* sparse = std::get_if<SparseOptions>(&stream.source)) {
    const auto values = generate_sparse(*sparse);
    if (!values) return cannot_be_made(values.error());
    return of_values(suite, stream, *values, static_cast<std::size_t>(sparse->series));
  }
  PreparedStream made;
  FUGU_TRY(made.set_facts(suite, stream));
  const auto& file = std::get<SuiteFile>(stream.source);
  FUGU_TRY(made.read(suite, file, data_folder));
  if (made.rows_.empty()) return at(suite, stream, "a stream of no slots in " + file.path, "at least one");
  if (made.present() == 0)
    return at(suite, stream, "only missing values in " + described(file),
              "at least one value to compare releases with");
  made.finish(suite);
  return made;
}

Result<PreparedStream> PreparedStream::of_values(const Suite& suite, const SuiteStream& stream,
                                                 std::span<const double> values, std::size_t series) {
  FUGU_CHECK(series >= 1 && !values.empty() && values.size() % series == 0);
  PreparedStream made;
  FUGU_TRY(made.set_facts(suite, stream));
  made.take(values, series);
  made.finish(suite);
  return made;
}

void PreparedStream::add_row(std::span<const std::optional<std::int64_t>> steps) {
  SlotRow row;
  row.slot = static_cast<Slot>(rows_.size());
  for (const auto& value : steps) {
    row.values.push_back(value ? Raw(*value) : Raw());
    present_ += value ? 1 : 0;
    // Multiply, then divide: 3 steps of 1/10 are the double 0.3, which 3 × 0.1 is not.
    const Rational step = unit_step_.to_rational();
    truth_.push_back(value ? static_cast<double>(*value) * static_cast<double>(step.num) / static_cast<double>(step.den)
                           : kMissing);
  }
  rows_.push_back(std::move(row));
}

void PreparedStream::take(std::span<const double> values, std::size_t series) {
  series_ = series;
  const double step = unit_step_.to_double();
  std::vector<std::optional<std::int64_t>> steps(series);
  for (std::size_t first = 0; first < values.size(); first += series) {
    for (std::size_t s = 0; s < series; ++s) steps[s] = std::llround(values[first + s] / step);
    add_row(steps);
  }
}

Result<void> PreparedStream::read(const Suite& suite, const SuiteFile& file, const std::string& data_folder) {
  if (data_folder.empty())
    return at(suite, facts_, "the file " + file.path + " and no data folder", "--data DIR with the folder it lies in");
  const std::string path = (std::filesystem::path(data_folder) / file.path).string();
  auto input = Input::open(path);
  if (!input)
    return Error{Cause::bad_input,
                 at(suite, facts_, "a stream that cannot be read", path).message + " (" + input.error().message + ")"};
  LineReader lines(*std::move(input));
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, "a header: time,SERIES…"));
  FUGU_TRY(check_is_a_stream(lines, header));
  FUGU_TRY(check_header(lines, header));
  const std::size_t fields = csv::split(header).size();
  FUGU_ASSIGN(const std::vector<std::size_t> columns, columns_of(suite, facts_, file, header));
  series_ = columns.size();
  std::vector<std::optional<std::int64_t>> steps(series_);
  while (file.slots_max == 0 || static_cast<std::int64_t>(rows_.size()) < file.slots_max) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) return {};
    const std::vector<std::string_view> cells = csv::split(*line);
    if (cells.size() != fields)
      return found_but_expected(lines.at(1), csv::count_fields(cells.size()),
                                csv::count_fields(fields) + ", as in the header");
    for (std::size_t i = 0; i < series_; ++i) {
      const std::string_view cell = cells[columns[i]];
      std::int64_t value = 0;
      const DecimalFault fault = unit_step_.steps(cell, value);
      if (fault != DecimalFault::none && fault != DecimalFault::empty)
        return found_but_expected(lines.at(csv::column_of(cell, *line)), describe(fault),
                                  "a number such as 0.25, or nothing for a missing value");
      steps[i] = fault == DecimalFault::none ? std::optional(value) : std::nullopt;
    }
    add_row(steps);
  }
  return {};
}

void PreparedStream::finish(const Suite& suite) {
  digest_ = XXH3_64bits(truth_.data(), truth_.size() * sizeof(double));
  relative_weights_.assign(truth_.size(), 0.0);
  for (std::size_t s = 0; s < series_; ++s) {
    std::vector<double> present;
    double sum = 0;
    for (std::size_t i = s; i < truth_.size(); i += series_) {
      if (std::isnan(truth_[i])) continue;
      present.push_back(truth_[i]);
      sum += truth_[i];
    }
    first_values_.push_back(present.empty() ? 0 : present.front());
    // A stream of zeros has no sum to take a share of.
    const double gamma = suite.gamma.is_share_of_sum && sum > 0 ? suite.gamma.value * sum
                         : suite.gamma.is_share_of_sum          ? 1
                                                                : suite.gamma.value;
    for (std::size_t i = s; i < truth_.size(); i += series_) {
      if (!std::isnan(truth_[i])) relative_weights_[i] = 1 / std::max(std::abs(truth_[i]), gamma);
    }
    best_constants_.push_back(median(std::move(present)));
  }
  measure_variance();
  if (suite.wants_any_measure()) analyse();
}

void PreparedStream::measure_variance() {
  double sum = 0;
  double squares = 0;
  for (const double value : truth_) {
    if (std::isnan(value)) continue;
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, present_));
  const double step = unit_step_.to_double();
  variance_steps_ = std::max(0.0, squares / count - sum / count * (sum / count)) / (step * step);
}

void PreparedStream::analyse() {
  without_gaps_.resize(series_);
  for (std::size_t s = 0; s < series_; ++s) {
    double before = first_values_[s];
    for (std::size_t i = s; i < truth_.size(); i += series_) {
      if (!std::isnan(truth_[i])) before = truth_[i];
      without_gaps_[s].push_back(before);
    }
    analyses_.emplace_back(without_gaps_[s], StreamAnalysis::Options{.period_slots = facts_.period_slots});
  }
}

}  // namespace fugu
