#include "fugu/strategy/spent_in_window.hpp"

#include <algorithm>

namespace fugu {

void SpentInWindow::spend(Slot slot, std::uint32_t account, Budget amount) {
  if (count_ == ring_.size()) grow();
  ring_[(oldest_ + count_) & (ring_.size() - 1)] = {slot, amount, account};
  ++count_;
  sums_[account] += amount;
}

void SpentInWindow::forget_before(Slot first) {
  while (count_ > 0 && ring_[oldest_].slot < first) {
    sums_[ring_[oldest_].account] -= ring_[oldest_].amount;
    oldest_ = (oldest_ + 1) & (ring_.size() - 1);
    --count_;
  }
}

void SpentInWindow::grow() {
  std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(oldest_), ring_.end());
  oldest_ = 0;
  ring_.resize(ring_.empty() ? 16 : 2 * ring_.size());
}

}  // namespace fugu
