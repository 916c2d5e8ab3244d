// What is due in which slot.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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
    if (slot < near_end_) {
      near(slot).push_back(item);
    } else {
      far_[slot].push_back(item);
    }
  }

  /// Calls run(items) with everything scheduled for each slot up to `slot`, in order of slots. What is scheduled
  /// meanwhile must be for later slots.
  template <class Run>
  void run_until(Slot slot, Run&& run) {
    if (next_ == slot && slot < near_end_ && far_.empty()) {  // the next slot, and nothing far ahead: nearly always
      std::vector<Item>& due = near(next_++);
      near_end_ = std::max(near_end_, next_ + kNearSlots - 1);
      if (!due.empty()) run_all(due, run);
      return;
    }
    for (; next_ < near_end_ && next_ <= slot; ++next_) run_all(near(next_), run);
    next_ = slot + 1;
    near_end_ = std::max(near_end_, next_ + kNearSlots - 1);
    while (!far_.empty() && far_.begin()->first < near_end_) {
      auto node = far_.extract(far_.begin());
      if (node.key() <= slot) {
        run_all(node.mapped(), run);
      } else {
        auto& items = near(node.key());
        items.insert(items.end(), node.mapped().begin(), node.mapped().end());
      }
    }
  }

 private:
  static constexpr Slot kNearSlots = 256;

  std::vector<Item>& near(Slot slot) { return near_[static_cast<std::size_t>(slot) % kNearSlots]; }

  template <class Run>
  void run_all(std::vector<Item>& items, Run& run) {
    if (items.empty()) return;
    due_.clear();
    due_.swap(items);  // running may schedule into the same place of the ring
    run(due_);
  }

  std::array<std::vector<Item>, kNearSlots> near_;
  Slot near_end_ = 0;  // slots from here on are in far_
  Slot next_ = 0;
  std::map<Slot, std::vector<Item>> far_;
  std::vector<Item> due_;
};

}  // namespace fugu
