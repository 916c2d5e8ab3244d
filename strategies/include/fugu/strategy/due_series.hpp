// Which of many series are due in a slot.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fugu/stream/slot.hpp"

namespace fugu {

/// The next sampling slot of every series, and nothing else: in most slots it is all that is looked at.
class DueSeries {
 public:
  /// All of them are due from `slot` on.
  void start(std::size_t series, Slot slot) {
    slots_.assign(series, slot);
    found_.resize(series);
  }
  void set(SeriesId series, Slot slot) { slots_[series] = slot; }
  /// Those due in `slot` or before, in order; until the next call. Cost: O(series), without branches.
  std::span<const SeriesId> in(Slot slot) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      found_[count] = static_cast<SeriesId>(i);
      count += slots_[i] <= slot ? 1u : 0u;
    }
    return std::span<const SeriesId>(found_).first(count);
  }

 private:
  std::vector<Slot> slots_;
  std::vector<SeriesId> found_;
};

}  // namespace fugu
