#include "fugu/stream/line_reader.hpp"

#include <utility>

namespace fugu {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(Input input, std::size_t block_size) : blocks_(std::move(input), block_size) {}

// Skips blank lines at the front of the block and sets ahead_ to the first other line. False when there is none.
bool LineReader::find_line() {
  while (!ahead_ && block_.begin < block_.end) {
    std::string_view line = block_.text().substr(0, block_.text().find('\n'));
    if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark)) {
      block_.begin += kByteOrderMark.size();
      line.remove_prefix(kByteOrderMark.size());
    }
    const std::size_t size = line.size() + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) {
      block_.begin += size;
      ++consumed_;
    } else {
      ahead_ = line;
      ahead_size_ = size;
    }
  }
  return ahead_.has_value();
}

// False at the end of the file.
Result<bool> LineReader::find_line_or_read() {
  while (!find_line()) {
    FUGU_ASSIGN(const auto state, blocks_.read(block_));
    if (state == BlockReader::State::line_too_long) {
      return found_but_expected({file(), consumed_ + 1, 0}, "a line of more than 1 MiB", "shorter lines");
    }
    if (state == BlockReader::State::end) return false;
  }
  return true;
}

Result<std::optional<std::string_view>> LineReader::peek() {
  FUGU_TRY(find_line_or_read());
  return ahead_;
}

Result<std::optional<std::string_view>> LineReader::next() {
  FUGU_TRY(find_line_or_read());
  const auto line = std::exchange(ahead_, std::nullopt);
  if (line) {
    block_.begin += ahead_size_;
    line_ = ++consumed_;
  }
  return line;
}

bool LineReader::would_wait() {
  if (!blocks_.input().is_live()) return false;
  while (!find_line()) {
    const auto state = blocks_.read(block_, false);  // an error is reported again by next()
    if (!state || *state != BlockReader::State::filled) return state && *state == BlockReader::State::waiting;
  }
  return false;
}

LineReader::Rest LineReader::release() && { return {std::move(blocks_), std::move(block_), consumed_}; }

}  // namespace fugu
