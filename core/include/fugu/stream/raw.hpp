// A true value, in a type that does not let it escape.
#pragma once

#include <cstdint>
#include <limits>

namespace fugu {

/// The right to look at a Raw. Only the classes named here can make one: those that turn readings into sums, the
/// kernel that perturbs them, and the reader of true streams for evaluation. A strategy, a filter or a printer cannot.
class RawKey {
  RawKey() = default;
  friend class Aggregator;     // stream: sums readings into series
  friend class RunningKernel;  // mechanism: the only place where noise meets data
  friend class TruthStream;    // evaluation against the truth: a class of the library eval, which no publisher links
};

/// A true value in grid steps, or missing. Missing is not zero.
///
/// It can be stored, moved and asked whether it is missing; its value can be read with a RawKey only. There is no
/// comparison, no arithmetic and no stream operator on purpose.
class Raw {
 public:
  constexpr Raw() = default;
  constexpr explicit Raw(std::int64_t steps) : steps_(steps) {}

  constexpr bool missing() const { return steps_ == kMissing; }
  constexpr std::int64_t reveal(RawKey) const { return steps_; }

 private:
  static constexpr std::int64_t kMissing = std::numeric_limits<std::int64_t>::min();
  std::int64_t steps_ = kMissing;
};

}  // namespace fugu
