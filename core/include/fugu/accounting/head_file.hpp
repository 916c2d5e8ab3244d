// The head of a ledger's chain, and the file that remembers it outside the ledger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fugu/base/digest.hpp"
#include "fugu/base/durable_file.hpp"
#include "fugu/base/result.hpp"

namespace fugu {

/// A ledger up to one of its frames. The seal says all; the counts are for people and for what to do after a loss.
struct LedgerHead {
  std::uint64_t frames = 0;
  std::uint64_t slots = 0;  ///< closed so far: the last one is slots − 1
  Digest seal{};

  friend bool operator==(const LedgerHead&, const LedgerHead&) = default;
};

/// A high-water mark: the latest head of a ledger. A ledger that does not contain it is older, or another one. It is of
/// most use on another disk than the ledger, where no backup brings back both.
class HeadFile {
 public:
  /// nullopt when there is no such file. Cause::refused when it holds something else: nobody knows then whether the
  /// ledger is the latest.
  static Result<std::optional<LedgerHead>> read(const std::string& path);
  /// Makes the file, durable with `head`, or opens the one that is there as it is. Not through a symbolic link.
  static Result<HeadFile> open(const std::string& path, const LedgerHead& head);

  /// Overwrites the head in place. Not synced, which would cost as much as the ledger itself: it survives a kill, and a
  /// power cut may leave an earlier head, which the ledger contains as well.
  Result<void> write(const LedgerHead& head);
  /// Makes durable what was written. Needed after a loss only: an earlier head may then be one that was lost.
  Result<void> sync() const;

 private:
  HeadFile(std::string path, detail::File file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  detail::File file_;
};

}  // namespace fugu
