#include "readings_pipeline.hpp"

#include <utility>

namespace fugu {

ReadingsPipeline::ReadingsPipeline(LineReader::Rest rest, ReadingsParser parser, unsigned threads)
    : blocks_(std::move(rest.blocks)), parser_(std::move(parser)) {
  Item& first = item(taken_++);
  first.block.text = std::move(rest.block);
  first.state = BlockReader::State::filled;
  parser_.parse(first.block.text, first.block.parsed);
  first.ready = true;
  if (threads > 1) {
    FUGU_CHECK(!blocks_.input().is_live());
    helper_ = std::jthread([this, copy = parser_](const std::stop_token& stop) { help(stop, copy); });
  }
}

Result<NextBlock> ReadingsPipeline::next(bool may_wait) {
  Lock lock(mutex_);
  if (std::exchange(held_, false)) {
    item(done_++).ready = false;
    changed_.notify_all();
  }
  while (!is_ready()) {
    if (can_take()) {
      take(lock, may_wait, parser_);
    } else if (ended_ && done_ == taken_) {
      return NextBlock{};
    } else {
      changed_.wait(lock, [this] { return is_ready() || can_take(); });
    }
  }
  held_ = true;
  const Item& found = item(done_);
  if (!*found.state) return found.state->error();
  return NextBlock{**found.state == BlockReader::State::filled ? &found.block : nullptr, **found.state};
}

// Reads the next block and parses it, both without holding the lock. Needs can_take().
void ReadingsPipeline::take(Lock& lock, bool may_wait, ReadingsParser& parser) {
  Item& mine = item(taken_);
  reading_ = true;
  lock.unlock();
  mine.state = blocks_.read(mine.block.text, may_wait);
  const bool filled = *mine.state && **mine.state == BlockReader::State::filled;
  const bool waiting = *mine.state && **mine.state == BlockReader::State::waiting;
  lock.lock();
  reading_ = false;
  ended_ = !filled && !waiting;
  mine.ready = !filled;
  ++taken_;
  changed_.notify_all();
  if (!filled) return;
  lock.unlock();
  parser.parse(mine.block.text, mine.block.parsed);
  lock.lock();
  mine.ready = true;
  changed_.notify_all();
}

void ReadingsPipeline::help(const std::stop_token& stop, ReadingsParser parser) {
  Lock lock(mutex_);
  while (true) {
    changed_.wait(lock, stop, [this] { return can_take() || ended_; });
    if (ended_ || stop.stop_requested()) return;
    take(lock, true, parser);
  }
}

}  // namespace fugu
