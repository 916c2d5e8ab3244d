#include "fugu/study/result_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

constexpr const char* kAdvice = "; choose another --out, or throw them away with --restart";

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

Result<void> append(int descriptor, const std::string& path, std::string_view line) {
  const std::string text = std::string(line) + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed(path, "writing");
    at += static_cast<std::size_t>(written);
  }
  return {};
}

/// With the place of the row, so that two rows that are exchanged are noticed, too.
std::string sum_of(std::size_t index, std::string_view row) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits_withSeed(row.data(), row.size(), index)));
  return text;
}

std::string run_text(const ResultFile::Options& options) {
  std::string text = "# Written by " + options.program + ": what results.csv depends on";
  for (const ResultCompanion& companion : options.companions) text.append(" besides ").append(companion.name);
  text += ".\n";
  for (const ResultFact& fact : options.facts) text.append(fact.name).append(" = ").append(fact.value).append("\n");
  return text;
}

std::string value_in(const std::string& text, const std::string& name) {
  const std::string wanted = "\n" + name + " = ";
  const std::size_t at = text.find(wanted);
  if (at == std::string::npos) return "nothing";
  const std::size_t start = at + wanted.size();
  return text.substr(start, text.find('\n', start) - start);
}

/// What is different about the facts of the results that are there; nothing when they are the same.
std::string difference(const ResultFile::Options& options, const std::string& run) {
  for (const ResultFact& fact : options.facts) {
    const std::string found = value_in(run, fact.name);
    if (found == fact.value) continue;
    return fact.differs.empty() ? fact.name + " = " + found + " there and " + fact.value + " here" : fact.differs;
  }
  return run == run_text(options) ? "" : "run.toml holds more than this study writes there";
}

}  // namespace

ResultFile::ResultFile(ResultFile&& other) noexcept
    : options_(std::move(other.options_)),
      results_descriptor_(std::exchange(other.results_descriptor_, -1)),
      timings_descriptor_(std::exchange(other.timings_descriptor_, -1)),
      sums_descriptor_(std::exchange(other.sums_descriptor_, -1)),
      rows_(std::move(other.rows_)) {}

ResultFile::~ResultFile() {
  if (results_descriptor_ >= 0) ::close(results_descriptor_);
  if (timings_descriptor_ >= 0) ::close(timings_descriptor_);
  if (sums_descriptor_ >= 0) ::close(sums_descriptor_);
}

std::string ResultFile::path(std::string_view name) const { return options_.folder + "/" + std::string(name); }

Result<ResultFile> ResultFile::open(Options options) {
  ResultFile made;
  made.options_ = std::move(options);
  std::error_code error;
  std::filesystem::create_directories(made.options_.folder, error);
  if (error) return Error{Cause::environment, made.options_.folder + ": making the folder failed: " + error.message()};
  const std::string results = made.path("results.csv");
  if (!made.options_.restart && !std::filesystem::exists(results, error)) FUGU_TRY(made.check_nothing_is_replaced());
  made.results_descriptor_ = ::open(results.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (made.results_descriptor_ < 0) return failed(results, "opening");
  if (::flock(made.results_descriptor_, LOCK_EX | LOCK_NB) != 0)
    return Error{Cause::environment, results + ": another " + made.options_.program + " is writing it"};
  if (!made.options_.timings_header.empty()) {
    const std::string timings = made.path("timings.csv");
    made.timings_descriptor_ = ::open(timings.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (made.timings_descriptor_ < 0) return failed(timings, "opening");
  }
  if (made.options_.restart) FUGU_TRY(made.remove_pages());
  const std::string text = made.options_.restart ? "" : read_if_there(results).value_or("");
  const std::size_t line_end = text.rfind('\n');
  if (line_end == std::string::npos) {  // nothing, or half a header
    FUGU_TRY(made.start());
  } else {
    FUGU_TRY(made.take_up(std::string_view(text).substr(0, line_end + 1)));
  }
  FUGU_TRY(made.write_sums());
  const std::string sums = made.path("results.sums");
  made.sums_descriptor_ = ::open(sums.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (made.sums_descriptor_ < 0) return failed(sums, "opening");
  made.options_.readable = {};  // it may point to what the caller has on the stack
  return made;
}

/// The caller named a folder, not these files: one that lies there is somebody's work.
Result<void> ResultFile::check_nothing_is_replaced() const {
  std::vector<std::string> names = options_.pages;
  names.insert(names.end(), {"run.toml", "results.sums"});
  if (!options_.timings_header.empty()) names.emplace_back("timings.csv");
  for (const ResultCompanion& companion : options_.companions) {
    if (read_if_there(path(companion.name)).value_or(companion.text) != companion.text) names.push_back(companion.name);
  }
  for (const std::string& name : names) {
    std::error_code ignored;
    if (std::filesystem::exists(path(name), ignored))
      return Error{Cause::bad_input, path(name) +
                                         ": would be replaced, and there is no results.csv that it belongs to; " +
                                         "choose another --out, or let it be replaced with --restart"};
  }
  return {};
}

/// They would show the old results beside the new ones until these are complete. A run.toml of this program says that
/// they are its own.
Result<void> ResultFile::remove_pages() const {
  const std::string run = read_if_there(path("run.toml")).value_or("");
  if (!run.starts_with("# Written by " + options_.program)) return {};
  for (const std::string& page : options_.pages) {
    std::error_code error;
    std::filesystem::remove(path(page), error);
    if (error) return Error{Cause::environment, path(page) + ": removing it failed: " + error.message()};
  }
  return {};
}

Result<void> ResultFile::start() {
  if (::ftruncate(results_descriptor_, 0) != 0) return failed(path("results.csv"), "emptying");
  for (const ResultCompanion& companion : options_.companions)
    FUGU_TRY(write_whole(path(companion.name), companion.text));
  FUGU_TRY(write_whole(path("run.toml"), run_text(options_)));
  if (timings_descriptor_ >= 0) {
    if (::ftruncate(timings_descriptor_, 0) != 0) return failed(path("timings.csv"), "emptying");
    FUGU_TRY(append(timings_descriptor_, path("timings.csv"), options_.timings_header));
  }
  return append(results_descriptor_, path("results.csv"), options_.header);
}

Result<void> ResultFile::take_up(std::string_view text) {
  const std::string results = path("results.csv");
  const auto run = read_if_there(path("run.toml"));
  std::string needed = "run.toml";
  bool complete = run.has_value();
  std::string differs;
  for (const ResultCompanion& companion : options_.companions) {
    const auto there = read_if_there(path(companion.name));
    needed.append(" and ").append(companion.name);
    complete = complete && there;
    if (differs.empty() && there && *there != companion.text) differs = companion.differs;
  }
  if (!complete)
    return Error{Cause::bad_input, results + ": results without the " + needed + " they belong to" + kAdvice};
  if (differs.empty()) differs = difference(options_, *run);
  if (!differs.empty())
    return Error{Cause::bad_input, results + ": results of another study (" + differs + ")" + kAdvice};
  for (std::size_t at = 0, line = 0; at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    const std::string_view row = text.substr(at, end - at);
    at = end + 1;
    const bool is_header = line == 0;
    if (is_header ? row != options_.header : !belongs(line - 1, row))
      return Error{Cause::bad_input,
                   results + ":" + std::to_string(line + 1) + ": found a row that does not belong there; expected " +
                       (is_header ? "the header" : "the results of this study in its order") + kAdvice};
    if (!is_header) rows_.emplace_back(row);
  }
  FUGU_ASSIGN(const std::size_t kept, rows_with_sums());
  rows_.resize(kept);
  std::size_t bytes = options_.header.size() + 1;
  for (const std::string& row : rows_) bytes += row.size() + 1;
  if (::ftruncate(results_descriptor_, static_cast<off_t>(bytes)) != 0) return failed(results, "cutting");
  return {};
}

/// How many rows, from the first on, are as they were written. A sum is written before its row, so that a kill leaves
/// none without; a power cut may.
Result<std::size_t> ResultFile::rows_with_sums() const {
  const auto text = read_if_there(path("results.sums"));
  if (!text && !rows_.empty())
    return Error{Cause::bad_input, path("results.csv") +
                                       ": results without the results.sums that tells whether they are " +
                                       "as they were written" + kAdvice};
  std::istringstream sums(text.value_or(""));
  std::string sum;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::string expected = sum_of(i, rows_[i]);
    if (!std::getline(sums, sum) || sum.size() < expected.size()) return i;
    if (sum == expected) continue;
    return Error{Cause::bad_input, path("results.csv") + ":" + std::to_string(i + 2) +
                                       ": found a row that is not as it was written (results.sums); expected nobody to "
                                       "change results" +
                                       kAdvice};
  }
  return rows_.size();
}

/// Those of all rows, anew.
Result<void> ResultFile::write_sums() const {
  std::string text;
  for (std::size_t i = 0; i < rows_.size(); ++i) text.append(sum_of(i, rows_[i])).append("\n");
  return write_whole(path("results.sums"), text);
}

bool ResultFile::belongs(std::size_t index, std::string_view row) const {
  if (index >= options_.keys.size() || !row.starts_with(options_.keys[index] + ",")) return false;
  if (options_.readable) return options_.readable(row);
  return std::ranges::count(row, ',') == std::ranges::count(options_.header, ',');
}

Result<void> ResultFile::add(std::string row, std::string_view timing) {
  FUGU_CHECK(rows_.size() < options_.keys.size() && row.starts_with(options_.keys[rows_.size()] + ","));
  FUGU_TRY(append(sums_descriptor_, path("results.sums"), sum_of(rows_.size(), row)));
  FUGU_TRY(append(results_descriptor_, path("results.csv"), row));
  rows_.push_back(std::move(row));
  if (timings_descriptor_ < 0) return {};
  return append(timings_descriptor_, path("timings.csv"), timing);
}

std::string result_number(double value) {
  if (std::isnan(value)) return "";
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 9).ptr;
  return {text.data(), end};
}

bool parse_result_number(std::string_view text, double& value) {
  value = std::numeric_limits<double>::quiet_NaN();
  if (text.empty()) return true;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

ResultFact digest_fact(std::string name, std::uint64_t digest, std::string differs) {
  char text[24];
  std::snprintf(text, sizeof text, "\"%016llx\"", static_cast<unsigned long long>(digest));
  return {std::move(name), text, std::move(differs)};
}

}  // namespace fugu
