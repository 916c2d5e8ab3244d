// Start here. A mechanism is a strategy that spends a privacy budget over time, run by a kernel that holds the data.
//
// What it protects    Whatever the Definition it runs under says. The strategy has no say in it: every number it gets
//                     comes from the Kernel, which charges the definition's accountant first and refuses what would
//                     break the promise.
// What it consumes    Noisy answers and public facts (slot, window, budget still available, which totals are missing).
// What it emits       In each slot, one value per series. What it does not set is the previous release again.
// Cost, memory        Its own business; state them in the strategy's header. They must not grow with the past.
// Threads             One thread per mechanism. Different mechanisms are independent.
// Restart             There is no state to save: after a crash the strategy is run again on the recorded answers.
//                     So it must be deterministic: no clock, no randomness of its own, no address-dependent order.
//
// To add one: derive from Strategy, implement step() with requests to the kernel, add a line to registry.cpp, a page to
// docs/guarantees/, and a test. baselines.cpp shows how short that can be.
#pragma once

#include "fugu/base/result.hpp"
#include "fugu/mechanism/kernel.hpp"
#include "fugu/mechanism/release.hpp"
#include "fugu/policy/book.hpp"

namespace fugu {

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Decides about the slot kernel.slot(), called once per slot in order: ask the kernel, set the release.
  /// An error ends the stream. A refusal need not (or_repeat): somebody who moved here may have lost too much
  /// elsewhere.
  virtual Result<void> step(Kernel& kernel, Release& release) = 0;

  /// Policies are public: under a swellfish definition a strategy is told of each before the slot from which it holds.
  /// `signatures`: those of which the meter has one; empty when it may be any.
  virtual void stated(const Kernel&, MeterId, std::span<const std::uint32_t> /*signatures*/, const Policy&) {}
  virtual void withdrawn(const Kernel&, MeterId, std::span<const std::uint32_t> /*signatures*/, const Policy&) {}

  /// Whether it asks for values only and compares nothing. Where sensitivities vary over time no other is published:
  /// comparisons are charged the largest of them, which keeps the promise, but a strategy that weighs them against the
  /// noise of one slot decides wrongly.
  virtual bool values_only() const { return false; }

  /// How many slots back its deviation requests reach.
  virtual Reach reach() const { return {}; }
};

/// What a strategy that can go on makes of a refusal: nothing was asked, and the last release stands.
inline Result<void> or_repeat(Result<void> asked) {
  if (!asked && asked.error().cause == Cause::refused) return {};
  return asked;
}

}  // namespace fugu
