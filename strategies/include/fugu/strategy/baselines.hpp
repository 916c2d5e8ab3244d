// The three strategies that do not look at the data: Uniform, Sample, and the hybrid between them.
#pragma once

#include <cstdint>

#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/share_split.hpp"

namespace fugu {

/// Releases every k-th slot with k shares of a window's budget and repeats it in between.
///
/// k = 1 is Uniform: every slot with ε/w. k = w is Sample: one release per window with the whole ε. In between lies
/// the Uniform–Sample hybrid of Schäler's thesis, section 5.4.4: k times less noise, up to k − 1 slots of delay.
///
/// With a split each part of a household's series gets its part of the share, and not the same share each: Algorithm 5
/// of the thesis, section 6.3.1 (docs/guarantees/two-registers.md).
///
/// Guarantee: keeps every definition it runs under (the kernel sees to it) and is never refused under event level,
/// w-event and user level: any window of w slots holds at most ⌈w/k⌉ releases of total/⌈w/k⌉ each.
/// Error: E|noise| of scale sensitivity·⌈w/k⌉/ε, divided by the part, plus what the stream moves within k − 1 slots.
/// Cost: O(series) in every k-th slot, O(1) otherwise; no memory. docs/guarantees/baselines.md.
class EveryKth final : public Strategy {
 public:
  /// `k_slots` must be at least 1; more than the window is as much as the window. `split` is of the stream's exposure.
  explicit EveryKth(std::uint64_t k_slots, ShareSplit split = {}) : k_slots_(k_slots), split_(std::move(split)) {
    FUGU_CHECK(k_slots >= 1);
  }
  Result<void> step(Kernel& kernel, Release& release) override;
  bool values_only() const override { return true; }

 private:
  static Result<void> ask(Kernel& kernel, Release& release, std::span<const SeriesId> series, Budget share);

  std::uint64_t k_slots_;
  ShareSplit split_;
  Slot next_slot_ = 0;
  Budget share_;
};

}  // namespace fugu
