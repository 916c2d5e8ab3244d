#include "fugu/stream/block_reader.hpp"

#include <algorithm>
#include <utility>

namespace fugu {
namespace {

// Offset after the last line end in bytes[from, to), or 0 when there is none.
std::size_t after_last_line_end(const std::vector<char>& bytes, std::size_t from, std::size_t to) {
  const std::size_t at = std::string_view(bytes.data() + from, to - from).rfind('\n');
  return at == std::string_view::npos ? 0 : from + at + 1;
}

bool first_line_fits(const LineBlock& block) { return block.text().find('\n') <= BlockReader::kLineMax; }

}  // namespace

BlockReader::BlockReader(Input input, std::size_t block_size) : input_(std::move(input)), block_size_(block_size) {
  FUGU_CHECK(block_size > 0 && block_size <= kLineMax);
}

Result<BlockReader::State> BlockReader::read(LineBlock& block, bool may_wait) {
  if (final_) return *final_;
  auto state = read_lines(block, may_wait);
  if (!state || *state == State::end || *state == State::line_too_long) {
    final_ = state;
    block.begin = block.end = 0;
  }
  return state;
}

Result<BlockReader::State> BlockReader::read_lines(LineBlock& block, bool may_wait) {
  std::size_t used = tail_.size();
  const auto make_room = [&] { block.bytes.resize(std::max(block.bytes.size(), used + block_size_ + 1)); };
  make_room();
  std::copy(tail_.begin(), tail_.end(), block.bytes.begin());
  while (true) {
    if (!may_wait && input_.would_wait()) {
      keep_tail(block, used, 0);
      return State::waiting;
    }
    make_room();
    FUGU_ASSIGN(const std::size_t size, input_.read(std::span(block.bytes).subspan(used, block_size_)));
    if (size == 0) return finish(block, used);
    const std::size_t lines_end = after_last_line_end(block.bytes, used, used + size);
    used += size;
    if (lines_end > 0) {
      keep_tail(block, used, lines_end);
      return first_line_fits(block) ? State::filled : State::line_too_long;
    }
    if (used > kLineMax) return State::line_too_long;
  }
}

void BlockReader::keep_tail(LineBlock& block, std::size_t used, std::size_t lines_end) {
  tail_.assign(block.bytes.data() + lines_end, block.bytes.data() + used);
  block.begin = 0;
  block.end = lines_end;
}

BlockReader::State BlockReader::finish(LineBlock& block, std::size_t used) {
  tail_.clear();
  block.begin = block.end = 0;
  if (used == 0) return State::end;
  block.bytes[used] = '\n';
  block.end = used + 1;
  return first_line_fits(block) ? State::filled : State::line_too_long;
}

}  // namespace fugu
