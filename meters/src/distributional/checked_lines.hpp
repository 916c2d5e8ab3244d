// Files of lines `key,…` that end with a checksum of all lines before: what a state and a card share.
#pragma once

#include <xxhash.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "fugu/stream/line_reader.hpp"

namespace fugu::detail {

inline std::string hex_of(std::uint64_t word) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(word));
  return text;
}

inline std::string checksum_of(std::string_view text) { return hex_of(XXH3_64bits(text.data(), text.size())); }

/// What follows `key,` on a line.
inline bool take_key(std::string_view& line, std::string_view key) {
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ',') return false;
  line.remove_prefix(key.size() + 1);
  return true;
}

template <class Number>
bool parse_whole(std::string_view text, Number& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size();
}

/// Lines of such a file, each added to what the checksum is of.
class CheckedLines {
 public:
  /// `rest` is what was expected where the file ends too early.
  CheckedLines(Input input, std::string_view rest) : lines_(std::move(input)), rest_(rest) {}

  Result<std::string_view> next() {
    FUGU_ASSIGN(const auto line, lines_.next());
    if (!line) return found_but_expected({lines_.file(), lines_.line(), 0}, "the end of the file", rest_);
    before_ = text_.size();
    text_.append(*line).append("\n");
    return *line;
  }
  Result<bool> at_end() {
    FUGU_ASSIGN(const auto line, lines_.peek());
    return !line.has_value();
  }
  Location here() const { return lines_.at(1); }
  /// All lines but the last.
  std::string_view text_before() const { return std::string_view(text_).substr(0, before_); }
  std::string checksum_before() const { return checksum_of(text_before()); }
  /// What comes now is another such file, appended to the one before.
  void start_over() { text_.clear(); }

 private:
  LineReader lines_;
  std::string rest_;
  std::string text_;
  std::size_t before_ = 0;
};

}  // namespace fugu::detail
