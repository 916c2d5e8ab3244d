// What was spent within the last slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fugu/base/budget.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// Running sums over a window that slides with the stream, one per account. Exact, because budgets are.
///
/// Cost: amortised O(1) for each amount spent, nothing for slots in which nothing is. Memory: 24 bytes for each amount
/// that lies in the window.
class SpentInWindow {
 public:
  explicit SpentInWindow(std::size_t accounts = 1) : sums_(accounts) {}

  /// Slots must not decrease from call to call.
  void spend(Slot slot, std::uint32_t account, Budget amount);
  /// Forgets what was spent before `first`.
  void forget_before(Slot first);
  Budget sum(std::uint32_t account = 0) const { return sums_[account]; }
  /// How many amounts lie in the window, over all accounts.
  std::size_t count() const { return count_; }

 private:
  struct Entry {
    Slot slot;
    Budget amount;
    std::uint32_t account;
  };
  void grow();

  std::vector<Budget> sums_;
  std::vector<Entry> ring_;  // a power of two long
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
};

}  // namespace fugu
