// Where the frames of a ledger lie: a sequence that only grows, with one writer at a time.
//
// A frame is some bytes and the seal that chains it to the frame before (ledger.hpp). A store keeps both and looks at
// neither. There is one store, a file; an ordered log would be another. Whatever passes
// tests/accounting/ledger_store_test.cpp will do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fugu/base/digest.hpp"
#include "fugu/base/result.hpp"

namespace fugu {

struct LedgerFrame {
  Digest seal{};
  std::string payload;
};

/// Reads frames front to back, also while a writer is at work.
class LedgerFrames {
 public:
  virtual ~LedgerFrames() = default;

  /// The next frame; false when there is none, or only a part of one. Cause::bad_input when the store is damaged.
  virtual Result<bool> next(LedgerFrame& frame) = 0;
  /// Where the next frame begins: what LedgerStore::keep() takes.
  virtual std::uint64_t position() const = 0;
  /// Whether the frame read last is the last, and nothing follows it.
  virtual Result<bool> at_end() = 0;
  /// After next() returned false: whether a part of a frame follows, left behind by a crash.
  virtual bool torn() const = 0;
  /// For messages.
  virtual const std::string& name() const = 0;
};

/// Appends frames. Nobody else does as long as it lives.
class LedgerStore {
 public:
  virtual ~LedgerStore() = default;

  /// After a crash a frame is there as a whole, in part as the last one, or not at all.
  virtual Result<void> append(const Digest& seal, std::string_view payload) = 0;
  /// Returns once everything that can be read is on stable storage, whoever wrote it.
  virtual Result<void> sync() = 0;
  /// Cuts off the part of a frame that follows `position`. To be called before the first append().
  virtual Result<void> keep(std::uint64_t position) = 0;
  /// For messages.
  virtual const std::string& name() const = 0;
};

/// A new file with its first frame, durable; after a crash it has that frame or does not exist. Cause::usage when there
/// is a file of that name.
Result<std::unique_ptr<LedgerStore>> create_ledger_file(const std::string& path, const LedgerFrame& first);
/// Locks an existing file. Cause::environment when somebody else has.
Result<std::unique_ptr<LedgerStore>> open_ledger_file(const std::string& path);
/// Cause::bad_input when the file is no ledger.
Result<std::unique_ptr<LedgerFrames>> read_ledger_file(const std::string& path);

}  // namespace fugu
