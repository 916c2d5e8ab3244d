// Policies as they become known while a stream runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/policy/book.hpp"

namespace fugu {

/// A policy that is stated, or taken back.
struct PolicyEvent {
  std::string meter;
  /// Signatures (Exposure) of which the meter has one; empty when it may be any.
  std::vector<std::uint32_t> signatures = {};
  Policy policy;
  bool withdrawn = false;
  std::uint64_t line = 0;  ///< where it was read, for messages
  bool judged = false;     ///< found in order together with all others of its source: no rule is asked any more

  bool says_the_same(const PolicyEvent& other) const {
    return meter == other.meter && withdrawn == other.withdrawn && policy == other.policy;
  }
};

/// Where policies come from. After a restart it gives everything again; what is on record is recognised, in whatever
/// order it comes, and what is not is new.
class PolicyFeed {
 public:
  virtual ~PolicyFeed() = default;
  /// The next event that is known when `slot` is about to be released; nullptr when there is none yet. Valid until the
  /// next call. `in_force`: the policies that hold.
  ///
  /// An error means that something was stated that cannot be read. It is said once, and the next call goes on after it;
  /// but from then on a policy may be missing.
  virtual Result<const PolicyEvent*> next(Slot slot, const PolicyBook& in_force) = 0;
};

/// Who is told what becomes of events.
class PolicyListener {
 public:
  virtual ~PolicyListener() = default;
  /// It holds from now on; again after a restart.
  virtual void accepted(const PolicyEvent& event) = 0;
  /// It was not admitted, and the stream goes on without it.
  virtual void refused(const PolicyEvent& event, const Error& why) = 0;
  /// The feed cannot read something, and the stream goes on without it: with noise only.
  virtual void unreadable(const Error& why) = 0;
};

}  // namespace fugu
