#include "growing_file.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "fugu/stream/input.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

// A writer that is still at it ends its line well before that.
constexpr std::chrono::seconds kHalfLineWait{1};

std::size_t hash_of(const std::string& text, std::size_t bytes) {
  return bytes == 0 ? 0 : std::hash<std::string_view>()(std::string_view(text).substr(0, bytes));
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

/// The whole lines; notes whether half a one follows.
Result<std::string> GrowingFile::read_lines() {
  FUGU_ASSIGN(Input input, Input::open(path_));
  std::string text;
  std::array<char, 1 << 16> block;
  for (;;) {
    FUGU_ASSIGN(const std::size_t bytes, input.read(block));
    if (bytes == 0) break;
    text.append(block.data(), bytes);
  }
  const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 is 0
  half_line_since_.reset();
  if (whole < text.size()) half_line_since_ = std::chrono::steady_clock::now();
  text.resize(whole);
  return text;
}

Result<std::string> GrowingFile::read_whole() {
  seen_ = version_of(path_);
  FUGU_ASSIGN(std::string lines, read_lines());
  remember(lines, 0);
  if (half_line_since_) return no_line_end();
  if (lines.empty()) return Error{Cause::bad_input, path_ + ": found no whole line; expected policies"};
  return lines;
}

Result<GrowingFile::News> GrowingFile::look() {
  const FileVersion now = version_of(path_);
  if (now == seen_) {
    if (!half_line_since_ || std::chrono::steady_clock::now() - *half_line_since_ < kHalfLineWait) return News{};
    half_line_since_.reset();
    return no_line_end();
  }
  seen_ = now;
  if (now == FileVersion{}) {
    half_line_since_.reset();
    return Error{Cause::bad_input,
                 path_ + ": the file is gone: what it said stays in force, and nothing is added until it is back"};
  }
  auto lines = read_lines();  // of this version or a later one, which is then looked at again
  if (lines) return news_in(*lines);
  forget();
  return std::move(lines).error();
}

Result<GrowingFile::News> GrowingFile::news_in(const std::string& lines) {
  if (lines.empty()) {
    forget();
    if (half_line_since_) return News{};  // waits for its end
    return Error{Cause::bad_input, path_ + ": found no whole line; expected policies: what it said before stays in " +
                                       "force, and nothing is added until the file changes"};
  }
  const bool goes_on = lines.size() >= bytes_ && hash_of(lines, bytes_) == hash_;
  if (goes_on && lines.size() == bytes_) return News{};
  const std::size_t known = goes_on ? bytes_ : 0;
  News news{!goes_on, goes_on ? header_ + std::string(lines_, '\n') : std::string()};
  news.text.append(lines, known);
  remember(lines, known);
  return news;
}

/// All of `lines` was read, and what is beyond `known` for the first time.
void GrowingFile::remember(const std::string& lines, std::size_t known) {
  const std::size_t added = count_lines(std::string_view(lines).substr(known));
  lines_ = known == 0 ? added : lines_ + added;
  bytes_ = lines.size();
  hash_ = hash_of(lines, bytes_);
  if (known > 0) return;
  const std::size_t begin = lines.find_first_not_of(" \t\r\n");
  header_.clear();
  if (begin != std::string::npos && lines[begin] != '{') header_ = lines.substr(begin, lines.find('\n', begin) - begin);
}

Error GrowingFile::no_line_end() const {
  return found_but_expected({path_, lines_ + 1, 0}, "a last line without an end",
                            "a line end after every row: half a row could be taken for a whole one");
}

}  // namespace fugu
