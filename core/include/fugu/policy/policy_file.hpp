// A policies file as a feed of events, also one that changes while the stream runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/policy/feed.hpp"
#include "fugu/policy/policy_reader.hpp"

namespace fugu {

/// Which set of series holds all that a household, or a meter that is its own, counts into.
class UnitSignatures {
 public:
  /// `signatures`: sets of series one meter may count into, as in the Exposure. `map` outlives this; without one,
  /// every meter may count into anything.
  UnitSignatures(CurrentMap map, std::vector<std::vector<SeriesId>> signatures)
      : map_(map), signatures_(std::move(signatures)) {}

  /// Empty when the unit may count into anything.
  std::vector<std::uint32_t> of(std::string_view unit) const;

 private:
  CurrentMap map_;
  std::vector<std::vector<SeriesId>> signatures_;
};

struct PolicyFileOptions {
  std::string path;
  /// Its admission rule is asked of a fresh run's file as a whole. Whoever takes events judges all others.
  PolicyOptions reading;
  UnitSignatures signatures_of;
  bool fresh;  ///< nothing was released yet: the rows must be right together, and no rule is asked about them again
  bool live;   ///< look again before each slot
  std::function<void(const std::string&)> warn;  ///< told when a live file was not only appended to
};

/// At first the file is read once and as a whole: one wrong row, and there is no feed. Of a live one, rows that were
/// appended come next. A file that changed in another way (edited, replaced, cut off) is read anew: rows that were
/// handed out before are recognised, the others are new, and policies in force that are gone from it are named through
/// `warn`.
///
/// next() fails for a row that is wrong, and when the file is gone, empty or cannot be read, or its last line has had
/// no end for a second: policies may be missing then, until the file reads as a whole again.
class PolicyFile final : public PolicyFeed {
 public:
  static Result<std::unique_ptr<PolicyFile>> open(PolicyFileOptions options);
  ~PolicyFile() override;

  /// Whether the file stated nothing when it was opened.
  bool began_empty() const;
  Result<const PolicyEvent*> next(Slot slot, const PolicyBook& in_force) override;

 private:
  class Impl;
  explicit PolicyFile(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace fugu
