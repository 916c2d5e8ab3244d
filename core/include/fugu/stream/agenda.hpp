// What is due in which slot.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "fugu/stream/slot.hpp"

namespace fugu {

/// Items scheduled for slots to come: a ring for the near future, where nearly all of the traffic is, and a map for the
/// rest. Scheduling and running cost O(1) per item, and O(log) for each slot far ahead.
template <class Item>
class Agenda {
 public:
  /// `slot` must be after the one that was run last.
  void schedule(Slot slot, const Item& item) {
    if (slot < near_end()) {
      near(slot).push_back(item);
    } else {
      far_[slot].push_back(item);
      far_begin_ = std::min(far_begin_, slot);
    }
  }

  /// Calls run(items) with everything scheduled for each slot up to `slot`, in order of slots. What is scheduled
  /// meanwhile must be for slots after `slot`.
  template <class Run>
  void run_until(Slot slot, Run&& run) {
    if (next_ != slot || far_begin_ <= near_end()) return run_far(slot, run);
    std::vector<Item>& due = near(next_++);  // the next slot, and nothing comes near: nearly always
    if (!due.empty()) run_all(due, run);
  }

 private:
  static constexpr Slot kNearSlots = 256;
  static constexpr Slot kNever = std::numeric_limits<Slot>::max();

  std::vector<Item>& near(Slot slot) { return near_[static_cast<std::size_t>(slot) % kNearSlots]; }
  /// Slots from here on are in far_.
  Slot near_end() const { return next_ + kNearSlots - 1; }

  template <class Run>
  void run_all(std::vector<Item>& items, Run& run) {
    due_.clear();
    due_.swap(items);  // running may schedule into the same place of the ring
    run(due_);
  }

  template <class Run>
  [[gnu::noinline]] void run_far(Slot slot, Run& run) {
    for (const Slot end = near_end(); next_ < end && next_ <= slot;) {
      std::vector<Item>& due = near(next_++);
      if (!due.empty()) run_all(due, run);
    }
    next_ = slot + 1;
    while (!far_.empty() && far_.begin()->first < near_end()) {
      auto node = far_.extract(far_.begin());
      if (node.key() <= slot) {
        run_all(node.mapped(), run);
      } else {
        auto& items = near(node.key());
        items.insert(items.end(), node.mapped().begin(), node.mapped().end());
      }
    }
    far_begin_ = far_.empty() ? kNever : far_.begin()->first;
  }

  std::array<std::vector<Item>, kNearSlots> near_;
  Slot next_ = 0;
  std::map<Slot, std::vector<Item>> far_;
  Slot far_begin_ = kNever;  // of its slots
  std::vector<Item> due_;
};

}  // namespace fugu
