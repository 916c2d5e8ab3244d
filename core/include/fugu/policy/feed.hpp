// Policies as they become known while a stream runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/policy/policy.hpp"

namespace fugu {

/// A policy that is stated, or taken back.
struct PolicyEvent {
  std::string meter;
  /// Signatures (Exposure) of which the meter has one; empty when it may be any.
  std::vector<std::uint32_t> signatures = {};
  Policy policy;
  bool withdrawn = false;
  std::uint64_t line = 0;  ///< where it was read, for messages

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
  /// next call.
  virtual Result<const PolicyEvent*> next(Slot slot) = 0;

  /// Whether the administrator's rule allows it now. Not asked about what is on record.
  virtual Result<void> admit(const PolicyEvent& event, Slot slot) = 0;
  /// It holds from now on.
  virtual void accepted(const PolicyEvent& event) = 0;
  /// It was not admitted. The stream goes on without it, unless this returns an error.
  virtual Result<void> refused(const PolicyEvent& event, const Error& why) = 0;
};

}  // namespace fugu
