// Public facts that change at known slots: by how much a meter can change a total, what readings are clamped to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fugu/stream/slot.hpp"

namespace fugu {

/// Each row holds from its slot on until that of the next; the last one for ever, or with a period until that begins
/// again. Without rows it says nothing.
template <class T>
struct SlotSchedule {
  struct Row {
    Slot from = 0;
    T value = {};
    friend bool operator==(const Row&, const Row&) = default;
  };
  std::vector<Row> rows = {};
  Slot period_slots = 0;  ///< 0: none

  friend bool operator==(const SlotSchedule&, const SlotSchedule&) = default;
  /// Every slot has a row: they begin with slot 0, in order, within the period.
  bool is_complete() const {
    const auto not_before = [](const Row& a, const Row& b) { return a.from >= b.from; };
    return !rows.empty() && rows.front().from == 0 && period_slots >= 0 &&
           (period_slots == 0 || rows.back().from < period_slots) &&
           std::adjacent_find(rows.begin(), rows.end(), not_before) == rows.end();
  }
  /// Needs is_complete(), and a slot from 0 on.
  const T& at(Slot slot) const { return rows[index_at(slot)].value; }
  std::size_t index_at(Slot slot) const {
    if (period_slots > 0) slot %= period_slots;
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), slot, [](Slot s, const Row& r) { return s < r.from; });
    return static_cast<std::size_t>(after - rows.begin()) - 1;
  }
  /// Whether another row begins to hold in this slot.
  bool changes_in(Slot slot) const { return slot > 0 && index_at(slot) != index_at(slot - 1); }
};

}  // namespace fugu
