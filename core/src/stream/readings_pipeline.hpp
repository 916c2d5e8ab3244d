// Reads and parses blocks of readings on one or two threads, and hands them out in the order of the file.
//
// The calling thread takes part: while the helper thread parses one block, the caller reads and parses the next. Blocks
// travel through a ring of fixed size, so memory stays flat. With one thread nothing is read ahead: what a live writer
// has sent is handed out at once.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "fugu/stream/line_reader.hpp"
#include "readings_parser.hpp"

namespace fugu {

/// A block and what it says.
struct ReadingsBlock {
  LineBlock text;
  ParsedReadings parsed;
};

/// What next() found: a block, or why there is none.
struct NextBlock {
  const ReadingsBlock* block = nullptr;
  BlockReader::State state = BlockReader::State::end;
};

class ReadingsPipeline {
 public:
  /// Goes on where `rest` stopped. Two threads need an input that is not live.
  ReadingsPipeline(LineReader::Rest rest, ReadingsParser parser, unsigned threads);
  ReadingsPipeline(const ReadingsPipeline&) = delete;
  ReadingsPipeline& operator=(const ReadingsPipeline&) = delete;

  /// The next block, valid until the next call. `waiting` only when `may_wait` is false.
  Result<NextBlock> next(bool may_wait);

  /// With one thread: from now on names are those of another map, which must outlive the pipeline.
  void look_up_meters_in(const SeriesMap& map) { parser_.look_up_meters_in(map); }
  /// Returns when a live input has more, or after `at_most`, or earlier. Needs one thread.
  void wait(std::chrono::milliseconds at_most) { blocks_.wait(at_most); }

  const ReadingsParser& parser() const { return parser_; }
  const std::string& file() const { return blocks_.input().name(); }

 private:
  static constexpr std::size_t kRing = 4;

  struct Item {
    ReadingsBlock block;
    std::optional<Result<BlockReader::State>> state;
    bool ready = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  bool can_take() const { return !reading_ && !ended_ && taken_ - done_ < kRing; }
  bool is_ready() const { return done_ < taken_ && item(done_).ready; }
  void take(Lock& lock, bool may_wait, ReadingsParser& parser);
  void help(const std::stop_token& stop, ReadingsParser parser);

  Item& item(std::uint64_t number) { return ring_[number % kRing]; }
  const Item& item(std::uint64_t number) const { return ring_[number % kRing]; }

  BlockReader blocks_;     // used by the thread that set reading_
  ReadingsParser parser_;  // the caller's

  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Below: guarded by mutex_. An item belongs to the thread that took it until it is ready, then to the caller.
  std::array<Item, kRing> ring_;
  std::uint64_t taken_ = 0;  // blocks read
  std::uint64_t done_ = 0;   // blocks the caller is done with
  bool held_ = false;        // the caller looks at block done_
  bool reading_ = false;     // a thread reads block taken_
  bool ended_ = false;       // block taken_ − 1 is the last
  std::jthread helper_;      // declared last: stopped and joined before the rest goes away
};

}  // namespace fugu
