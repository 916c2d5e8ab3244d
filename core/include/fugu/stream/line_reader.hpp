// Reads a text file line by line, and knows where it is.
//
// Blank lines are skipped; line ends may be LF or CRLF; the last line may lack one; a UTF-8 byte order mark is ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fugu/stream/block_reader.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

class LineReader {
 public:
  explicit LineReader(Input input, std::size_t block_size = BlockReader::kBlockSize);

  /// The next line without its end, valid until the next call of next(). Nothing at the end of the file.
  Result<std::optional<std::string_view>> next();
  /// The line that next() would return, without moving on.
  Result<std::optional<std::string_view>> peek();
  /// True when the next line is not complete yet and next() would have to wait for a writer.
  bool would_wait();

  bool is_live() const { return blocks_.input().is_live(); }
  const std::string& file() const { return blocks_.input().name(); }
  /// Number of the line that next() returned last, from 1; 0 before.
  std::uint64_t line() const { return line_; }
  /// Its place, for an error.
  Location at(std::size_t column) const { return {file(), line_, column}; }

  /// The place of the line that peek() returned.
  Location ahead_at(std::size_t column) const { return {file(), consumed_ + 1, column}; }

  /// What was not read yet, for a reader that goes on in blocks.
  struct Rest {
    BlockReader blocks;
    LineBlock block;           ///< lines at hand, may be none
    std::uint64_t lines_read;  ///< lines of the file before them
  };
  Rest release() &&;

 private:
  bool find_line();
  Result<bool> find_line_or_read();

  BlockReader blocks_;
  LineBlock block_;
  std::uint64_t line_ = 0;                 // of the line returned last
  std::uint64_t consumed_ = 0;             // lines before block_.begin
  std::optional<std::string_view> ahead_;  // the next line, when already found
  std::size_t ahead_size_ = 0;             // its length with its end
  bool at_start_ = true;
};

}  // namespace fugu
