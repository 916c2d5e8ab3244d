// Loss rates over time, as running sums: every sum over an interval is a difference.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fugu/base/rational.hpp"
#include "fugu/policy/policy.hpp"

namespace fugu {

/// A rate is the loss of a change by a fixed number of reference steps, as an integer of Budget units. Rates are kept
/// per *channel*: one for each signature, and one for each series that no signature consists of alone.
class RateSums {
 public:
  using Units = uint128;  // of rates (Budget units), or of weight times rate

  explicit RateSums(std::size_t channels) : sums_(channels, {0}) {}

  std::size_t channels() const { return sums_.size(); }
  /// The current slot; −1 before the first.
  Slot slot() const { return slot_; }
  void begin_slot() {
    ++slot_;
    for (auto& sums : sums_) sums.push_back(sums.back());
  }

  /// Where the sum of all rates up to and including `slot` is, and behind it those of the slots that follow.
  const Units* up_to(std::uint32_t channel, Slot slot) const { return &sums_[channel][index(slot)]; }
  Units now(std::uint32_t channel) const { return sums_[channel].back(); }
  Units before_now(std::uint32_t channel) const { return sums_[channel].end()[-2]; }
  Units rate(std::uint32_t channel, Slot slot) const { return *up_to(channel, slot) - *up_to(channel, slot - 1); }
  /// The largest sum of rates over `length_slots` consecutive slots of the interval, as far as it has come; of all its
  /// slots when they are fewer.
  Units largest_window(std::uint32_t channel, const Interval& interval, std::uint64_t length_slots) const;

  void add_now(std::uint32_t channel, Units rate) { sums_[channel].back() += rate; }
  /// To each slot of the interval, which ends by now. Sums wrap around: adding the negative takes it back.
  void add(std::uint32_t channel, const Interval& interval, Units rate);
  /// Slots before this one will not be asked about again. False when none was kept.
  bool forget_before(Slot slot);

 private:
  std::size_t index(Slot slot) const { return static_cast<std::size_t>(slot - first_ + 1); }
  /// The largest difference between running sums `length` apart, each of which fits `Word`.
  template <class Word>
  static Word largest_difference(std::span<const Units> sums, std::size_t length) {
    Word largest = 0;
    for (std::size_t i = length; i < sums.size(); ++i)
      largest = std::max(largest, static_cast<Word>(static_cast<Word>(sums[i]) - static_cast<Word>(sums[i - length])));
    return largest;
  }

  std::vector<std::vector<Units>> sums_;  // [channel][index(slot)]
  Slot slot_ = -1;
  Slot first_ = 0;  // that is kept
};

[[gnu::always_inline]] inline RateSums::Units RateSums::largest_window(std::uint32_t channel, const Interval& interval,
                                                                       std::uint64_t length_slots) const {
  const Slot end = std::min(interval.last, slot_);
  if (end < interval.first) return 0;
  const Units* before = up_to(channel, interval.first - 1);
  const auto slots = static_cast<std::uint64_t>(end - interval.first) + 1;
  const Units all = before[slots] - before[0];
  if (slots <= length_slots) return all;
  const std::span sums(before, slots + 1);
  // No window has more than all of them: half the bits tell nearly always.
  return all > ~std::uint64_t{0} ? largest_difference<Units>(sums, length_slots)
                                 : largest_difference<std::uint64_t>(sums, length_slots);
}

inline void RateSums::add(std::uint32_t channel, const Interval& interval, Units rate) {
  Units* sums = &sums_[channel][index(interval.first)];
  Units total = 0;
  for (Slot slot = interval.first; slot <= slot_; ++slot) {
    if (slot <= interval.last) total += rate;
    *sums++ += total;
  }
}

inline bool RateSums::forget_before(Slot slot) {
  const Slot drop = std::max<Slot>(0, slot - 1) - first_;
  if (drop <= 0) return false;
  for (auto& sums : sums_) sums.erase(sums.begin(), sums.begin() + drop);
  first_ += drop;
  return true;
}

}  // namespace fugu
