// Policies as they become known while a stream runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fugu/core/result.hpp"
#include "fugu/policy/policy.hpp"

namespace fugu {

/// A policy that is stated, or taken back.
struct PolicyEvent {
  std::string meter;
  /// Signatures (Exposure) of which the meter has one; empty when it may be any.
  std::vector<std::uint32_t> signatures = {};
  Policy policy;
  bool withdrawn = false;

  friend bool operator==(const PolicyEvent&, const PolicyEvent&) = default;
};

/// Where policies come from. Events come in a fixed order: the same again after a restart, for as long as they go.
class PolicyFeed {
 public:
  virtual ~PolicyFeed() = default;
  /// The next event that is known when `slot` is about to be released; nullptr when there is none yet. Valid until the
  /// next call.
  virtual Result<const PolicyEvent*> next(Slot slot) = 0;
  /// The last event was not admitted. The stream goes on without it, unless this returns an error.
  virtual Result<void> refused(const Error& why) = 0;
};

}  // namespace fugu
