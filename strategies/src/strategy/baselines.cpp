#include "fugu/strategy/baselines.hpp"

#include <algorithm>

namespace fugu {

Result<void> EveryKth::ask(Kernel& kernel, Release& release, std::span<const SeriesId> series, Budget share) {
  FUGU_ASSIGN(const auto answers, kernel.values(series, share));
  release.set(series, answers);
  return {};
}

Result<void> EveryKth::step(Kernel& kernel, Release& release) {
  if (kernel.slot() < next_slot_) return {};
  if (next_slot_ == 0) {
    const std::uint64_t window = kernel.window_slots();
    k_slots_ = std::min(k_slots_, window);
    const std::uint64_t releases_per_window = (window + k_slots_ - 1) / k_slots_;
    share_ = kernel.total() / releases_per_window;
  }
  next_slot_ = kernel.slot() + static_cast<Slot>(k_slots_);
  if (!split_.is_given()) return ask(kernel, release, kernel.all(), share_);
  for (const SharePart& part : split_.parts()) FUGU_TRY(ask(kernel, release, part.series, part.of(share_)));
  return {};
}

}  // namespace fugu
