// Cuts an Input into large blocks of whole lines: the unit of work of the readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fugu/stream/input.hpp"

namespace fugu {

/// Whole lines, each ended by '\n' (added to a last line that has none). The memory is reused from block to block.
struct LineBlock {
  std::vector<char> bytes;
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view text() const { return {bytes.data() + begin, end - begin}; }
};

/// Memory: one block of about `block_size`, or of the longest line, in each LineBlock; plus one partial line.
class BlockReader {
 public:
  /// Longer lines are refused.
  static constexpr std::size_t kLineMax = std::size_t{1} << 20;
  static constexpr std::size_t kBlockSize = std::size_t{256} << 10;

  enum class State : std::uint8_t {
    filled,         ///< the block holds at least one line
    waiting,        ///< no complete line yet, and none can be had without waiting
    end,            ///< no more lines
    line_too_long,  ///< the next line exceeds kLineMax
  };

  explicit BlockReader(Input input, std::size_t block_size = kBlockSize);

  /// Fills `block` with the lines at hand: as soon as one read yields a complete line, however few. When `may_wait` is
  /// false it stops with `waiting` instead of waiting for a writer; what was read until then is kept for the next call.
  /// An error, `end` and `line_too_long` are final: later calls return the same.
  Result<State> read(LineBlock& block, bool may_wait = true);

  const Input& input() const { return input_; }
  /// As ByteSource::wait.
  void wait(std::chrono::milliseconds at_most) { input_.wait(at_most); }

 private:
  Result<State> read_lines(LineBlock& block, bool may_wait);
  void keep_tail(LineBlock& block, std::size_t used, std::size_t lines_end);
  State finish(LineBlock& block, std::size_t used);

  Input input_;
  std::size_t block_size_;
  std::vector<char> tail_;  // what was read after the last line end
  std::optional<Result<State>> final_;
};

}  // namespace fugu
