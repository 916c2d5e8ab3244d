// Where bytes come from: a file, standard input, memory; plain or gzip, told apart by their first two bytes.
//
// Constant memory. Gzip may have several members; data that is cut short or damaged is an error, reported only after
// all that could be decoded before it was handed out.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "fugu/base/result.hpp"

namespace fugu {

/// A sequence of bytes, read once. Implement it to read from elsewhere. One thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Reads at least one byte, at most `into.size()` > 0, waiting if there is none yet. 0 at the end.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  /// True when read() would have to wait for a writer.
  virtual bool would_wait() = 0;
  /// Returns when read() need not wait, or after `at_most`, or earlier. By default it sleeps a little, so that the
  /// caller looks again soon.
  virtual void wait(std::chrono::milliseconds at_most);
  /// False when would_wait() never returns true: files and memory, as opposed to pipes and terminals.
  virtual bool is_live() const = 0;
};

/// How far a file has been read, in bytes of the file (before gzip is decoded). May be looked at by another thread.
struct ReadProgress {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> bytes_total{0};  ///< 0 when it is not known: a pipe
};

/// A named ByteSource that decodes gzip.
class Input {
 public:
  /// Opens a file, or standard input for "-".
  static Result<Input> open(const std::string& path, std::shared_ptr<ReadProgress> progress = nullptr);
  static Input from_memory(std::string name, std::string bytes);
  /// `source` may hold plain bytes or gzip.
  Input(std::string name, std::unique_ptr<ByteSource> source);

  /// For error messages.
  const std::string& name() const { return name_; }

  /// As ByteSource::read, decoded.
  Result<std::size_t> read(std::span<char> into) { return source_->read(into); }
  bool would_wait() { return source_->would_wait(); }
  void wait(std::chrono::milliseconds at_most) { source_->wait(at_most); }
  bool is_live() const { return source_->is_live(); }

 private:
  std::string name_;
  std::unique_ptr<ByteSource> source_;
};

}  // namespace fugu
