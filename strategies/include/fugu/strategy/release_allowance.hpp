// How BD and BA hand out the part of a window's budget that pays for releases.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/strategy/spent_in_window.hpp"

namespace fugu {

/// The two rules of Kellaris et al. 2014.
enum class Allocation : std::uint8_t {
  distribution,  ///< BD: a release gets half of what the window has left
  absorption,    ///< BA: a release gets the shares of the unused slots before it, and silences as many after it
};

/// Says what a release may cost now, so that any window stays within its budget. Keeps several accounts: those of
/// meters that have nothing to do with each other.
///
/// Guarantee: what is spent on one account within any window of w slots is at most `per_window`, as long as nothing is
/// spent but what candidate() says, once a slot. Proof: docs/guarantees/bd-ba.md.
/// Cost: BD amortised O(1) for each release and account, BA O(1); neither grows with w.
class ReleaseAllowance {
 public:
  ReleaseAllowance(Allocation allocation, Budget per_window, std::uint64_t window_slots, std::size_t accounts);

  /// From the next slot on windows are at least as long and have at most as much. What windows that began earlier may
  /// still cost follows the old numbers or the new ones, whichever is less.
  void tighten(Budget per_window, std::uint64_t window_slots);
  /// Moves on to `slot`; never backwards.
  void advance(Slot slot);
  /// What a release on this account may cost in this slot. Zero: none.
  Budget candidate(std::uint32_t account) const;
  /// A release of this slot touched the account and cost `share`, at most its candidate.
  void spend(std::uint32_t account, Budget share);

 private:
  Budget unit() const { return per_window_ / window_slots_; }

  Allocation allocation_;
  Budget per_window_;
  std::uint64_t window_slots_;
  Slot slot_ = 0;
  SpentInWindow spent_;            // distribution
  std::vector<Slot> silent_till_;  // absorption: the last slot whose share is used up, by account
};

}  // namespace fugu
