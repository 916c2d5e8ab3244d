#include "fugu/study/results.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include "../stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kHeader =
    "mechanism,stream,season,amplitude,epsilon,w,runs,mae,mae_p95,mre,mre_p95,rmse,rmse_p95,sampled_share,verdict,"
    "worst_share,season_autocorrelation,season_kept,level_error,amplitude_kept,peak_error_slots,changes_found,"
    "forecast_mae,experiment,level,sparsity,series,slots";
constexpr std::string_view kTimingsHeader = "mechanism,stream,epsilon,w,runs,seconds,ns_per_slot_and_series";
/// Columns that say which cell it is; the rest of a row is measured.
constexpr std::size_t kKeyColumns = 6;
constexpr int kFormat = 1;

/// Nine digits, or nothing for what is not a number.
std::string number(double value) {
  if (std::isnan(value)) return "";
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 9).ptr;
  return {text.data(), end};
}

std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

std::string key_of(const Study& study, const Cell& cell) {
  const SuiteStream& stream = study.stream_of(cell).facts();
  const SuiteRequirement& requirement = study.requirement_of(cell);
  std::string key = cell.label;
  key.append(",").append(stream.name);
  key.append(",").append(number(stream.season_slots)).append(",").append(number(stream.amplitude));
  key.append(",").append(number(requirement.epsilon)).append(",");
  if (requirement.window_slots) key.append(std::to_string(*requirement.window_slots));
  return key;
}

bool parse(std::string_view text, double& value) {
  value = std::numeric_limits<double>::quiet_NaN();
  if (text.empty()) return true;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

std::optional<Verdict::Kind> parse_verdict(std::string_view text) {
  for (const auto kind : {Verdict::Kind::holds, Verdict::Kind::breaks, Verdict::Kind::leaks, Verdict::Kind::no_data}) {
    if (name_of(kind) == text) return kind;
  }
  return std::nullopt;
}

std::optional<CellResult> parse_row(std::string_view row) {
  const std::vector<std::string_view> cells = csv::split(row);
  if (cells.size() != csv::split(kHeader).size()) return std::nullopt;
  CellResult result;
  std::size_t at = kKeyColumns;
  double runs = 0;
  bool good = parse(cells[at++], runs);
  result.runs = static_cast<std::uint64_t>(runs > 0 ? runs : 0);
  for (double* value : {&result.mae, &result.mae_p95, &result.mre, &result.mre_p95, &result.rmse, &result.rmse_p95,
                        &result.sampled_share})
    good = parse(cells[at++], *value) && good;
  const auto verdict = parse_verdict(cells[at++]);
  good = parse(cells[at++], result.verdict.worst_share) && good;
  for (double& value : result.analyses) good = parse(cells[at++], value) && good;
  if (!good || !verdict) return std::nullopt;
  result.verdict.kind = *verdict;
  return result;
}

/// What results depend on, a line each.
std::vector<std::pair<std::string, std::string>> facts_of(const Study& study) {
  std::vector<std::pair<std::string, std::string>> facts = {{"format", std::to_string(kFormat)},
                                                            {"fugu", "\"" FUGU_VERSION "\""},
                                                            {"seed", std::to_string(study.suite().seed)},
                                                            {"runs", std::to_string(study.suite().runs)},
                                                            {"as_published", study.as_published() ? "true" : "false"},
                                                            {"cells", std::to_string(study.cells().size())}};
  for (const PreparedStream& stream : study.streams()) {
    char digest[24];
    std::snprintf(digest, sizeof digest, "\"%016llx\"", static_cast<unsigned long long>(stream.digest()));
    facts.emplace_back("data_" + std::to_string(&stream - study.streams().data()), digest);
  }
  return facts;
}

std::string run_text(const Study& study) {
  std::string text = "# Written by fugu bench: what results.csv depends on besides suite.toml.\n";
  for (const auto& [name, value] : facts_of(study)) text.append(name).append(" = ").append(value).append("\n");
  return text;
}

std::optional<std::string> read_if_there(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Error failed(const std::string& path, const char* what) {
  return {Cause::environment, path + ": " + what + " failed: " + std::strerror(errno)};
}

/// All at once or not at all: a kill leaves the old file, or none.
Result<void> write_whole(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return failed(beside, "writing");
  if (std::rename(beside.c_str(), path.c_str()) != 0) return failed(path, "renaming");
  return {};
}

std::string value_in(const std::string& text, const std::string& name) {
  const std::string wanted = "\n" + name + " = ";
  const std::size_t at = text.find(wanted);
  if (at == std::string::npos) return "nothing";
  const std::size_t start = at + wanted.size();
  return text.substr(start, text.find('\n', start) - start);
}

/// What is different about the results that are there; nothing when they are of this study.
std::string difference(const Study& study, const std::string& run, const std::string& suite) {
  if (suite != study.suite().text) return "another suite";
  for (const auto& [name, value] : facts_of(study)) {
    const std::string found = value_in(run, name);
    if (found == value) continue;
    if (name.starts_with("data_")) {
      const std::size_t index = static_cast<std::size_t>(std::stoul(name.substr(5)));
      return "other values in the stream " + study.streams()[index].facts().name;
    }
    return name + " = " + found + " there and " + value + " here";
  }
  return "";
}

}  // namespace

std::string_view results_header() { return kHeader; }

std::string results_row(const Study& study, const Cell& cell, const CellResult& result) {
  const PreparedStream& stream = study.stream_of(cell);
  std::string row = key_of(study, cell);
  row.append(",").append(std::to_string(result.runs));
  for (const double value :
       {result.mae, result.mae_p95, result.mre, result.mre_p95, result.rmse, result.rmse_p95, result.sampled_share})
    row.append(",").append(number(value));
  row.append(",").append(name_of(result.verdict.kind)).append(",").append(number(result.verdict.worst_share));
  for (const double value : result.analyses) row.append(",").append(number(value));
  row.append(",").append(study.requirement_of(cell).experiment);
  const auto* artificial = std::get_if<ArtificialOptions>(&stream.facts().source);
  row.append(",").append(artificial ? number(artificial->level) : "");
  row.append(",").append(artificial ? number(artificial->sparsity) : "");
  row.append(",").append(std::to_string(stream.series())).append(",").append(std::to_string(stream.slots()));
  return row;
}

ResultsFolder::ResultsFolder(ResultsFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      results_descriptor_(std::exchange(other.results_descriptor_, -1)),
      timings_descriptor_(std::exchange(other.timings_descriptor_, -1)),
      results_(std::move(other.results_)) {}

ResultsFolder::~ResultsFolder() {
  if (results_descriptor_ >= 0) ::close(results_descriptor_);
  if (timings_descriptor_ >= 0) ::close(timings_descriptor_);
}

Result<void> ResultsFolder::append(int descriptor, const std::string& path, const std::string& line) const {
  const std::string text = line + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed(path, "writing");
    at += static_cast<std::size_t>(written);
  }
  return {};
}

Result<ResultsFolder> ResultsFolder::open(const std::string& folder, const Study& study, bool restart) {
  ResultsFolder made;
  made.folder_ = folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{Cause::environment, folder + ": making the folder failed: " + error.message()};
  const std::string results = folder + "/results.csv";
  made.results_descriptor_ = ::open(results.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (made.results_descriptor_ < 0) return failed(results, "opening");
  if (::flock(made.results_descriptor_, LOCK_EX | LOCK_NB) != 0)
    return Error{Cause::environment, results + ": another fugu bench is writing it"};
  const std::string timings = folder + "/timings.csv";
  made.timings_descriptor_ =
      ::open(timings.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (restart ? O_TRUNC : 0), 0644);
  if (made.timings_descriptor_ < 0) return failed(timings, "opening");
  if (restart && ::ftruncate(made.results_descriptor_, 0) != 0) return failed(results, "emptying");
  FUGU_TRY(made.take_up(study));
  return made;
}

Result<void> ResultsFolder::take_up(const Study& study) {
  const std::string path = folder_ + "/results.csv";
  const std::string text = read_if_there(path).value_or("");
  const std::string advice = "; choose another --out, or throw them away with --restart";
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole == 0) {  // nothing, or half a header
    FUGU_TRY(write_whole(folder_ + "/suite.toml", study.suite().text));
    FUGU_TRY(write_whole(folder_ + "/run.toml", run_text(study)));
    if (::ftruncate(results_descriptor_, 0) != 0) return failed(path, "cutting");
    if (::ftruncate(timings_descriptor_, 0) != 0) return failed(folder_ + "/timings.csv", "cutting");
    FUGU_TRY(append(timings_descriptor_, folder_ + "/timings.csv", std::string(kTimingsHeader)));
    return append(results_descriptor_, path, std::string(kHeader));
  }
  const auto run = read_if_there(folder_ + "/run.toml");
  const auto suite = read_if_there(folder_ + "/suite.toml");
  if (!run || !suite)
    return Error{Cause::bad_input, path + ": results without the run.toml and suite.toml they belong to" + advice};
  const std::string differs = difference(study, *run, *suite);
  if (!differs.empty()) return Error{Cause::bad_input, path + ": results of another study (" + differs + ")" + advice};
  std::size_t line = 0;
  for (std::size_t at = 0; at < whole; ++line) {
    const std::size_t end = text.find('\n', at);
    const std::string_view row(text.data() + at, end - at);
    at = end + 1;
    const bool is_header = line == 0;
    if (is_header && row == kHeader) continue;
    const bool known = !is_header && line <= study.cells().size() &&
                       row.starts_with(key_of(study, study.cells()[line - 1]).append(","));
    const auto result = known ? parse_row(row) : std::nullopt;
    if (!result)
      return Error{Cause::bad_input,
                   path + ":" + std::to_string(line + 1) + ": found a row that does not belong there; expected " +
                       (is_header ? "the header" : "the results of this study in its order") + advice};
    results_.push_back(*result);
  }
  if (::ftruncate(results_descriptor_, static_cast<off_t>(whole)) != 0) return failed(path, "cutting");
  return {};
}

Result<void> ResultsFolder::add(const Study& study, const CellResult& result) {
  const Cell& cell = study.cells()[results_.size()];
  const PreparedStream& stream = study.stream_of(cell);
  const std::string row = results_row(study, cell, result);
  FUGU_TRY(append(results_descriptor_, folder_ + "/results.csv", row));
  const SuiteRequirement& requirement = study.requirement_of(cell);
  const double values = static_cast<double>(result.runs * stream.slots() * stream.series());
  std::string timing = cell.label;
  timing.append(",").append(stream.facts().name).append(",").append(number(requirement.epsilon)).append(",");
  if (requirement.window_slots) timing.append(std::to_string(*requirement.window_slots));
  timing.append(",").append(std::to_string(result.runs)).append(",").append(number(result.seconds));
  timing.append(",").append(number(result.seconds / values * 1e9));
  results_.push_back(*parse_row(row));  // with the digits on file, as after a restart
  return append(timings_descriptor_, folder_ + "/timings.csv", timing);
}

}  // namespace fugu
