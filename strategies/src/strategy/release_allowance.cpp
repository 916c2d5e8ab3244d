#include "fugu/strategy/release_allowance.hpp"

#include <algorithm>

namespace fugu {

ReleaseAllowance::ReleaseAllowance(Allocation allocation, Budget per_window, std::uint64_t window_slots,
                                   std::size_t accounts)
    : allocation_(allocation),
      per_window_(per_window),
      window_slots_(window_slots),
      spent_(accounts),
      silent_till_(accounts, -1) {}

void ReleaseAllowance::tighten(Budget per_window, std::uint64_t window_slots) {
  per_window_ = per_window;
  window_slots_ = window_slots;
}

void ReleaseAllowance::advance(Slot slot) {
  slot_ = slot;
  spent_.forget_before(slot - static_cast<Slot>(window_slots_) + 1);
}

Budget ReleaseAllowance::candidate(std::uint32_t account) const {
  if (allocation_ == Allocation::distribution) {
    const Budget spent = spent_.sum(account);
    return spent < per_window_ ? (per_window_ - spent) / 2
                               : Budget();  // more was spent before the budget was tightened
  }
  const Slot unused = std::min(slot_ - silent_till_[account], static_cast<Slot>(window_slots_));
  return unused <= 0 ? Budget() : Budget::from_units(unit().units() * static_cast<std::uint64_t>(unused));
}

void ReleaseAllowance::spend(std::uint32_t account, Budget share) {
  if (allocation_ == Allocation::distribution) {
    spent_.spend(slot_, account, share);
  } else {
    const std::uint64_t used = unit().units() == 0 ? 1 : (share.units() + unit().units() - 1) / unit().units();
    silent_till_[account] = slot_ + static_cast<Slot>(used) - 1;
  }
}

}  // namespace fugu
