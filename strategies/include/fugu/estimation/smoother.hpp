// One value for several noisy ones that should be about equal: the slots of a group, or the series of one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fugu/base/check.hpp"

namespace fugu {

enum class SmootherKind : std::uint8_t { mean, median, james_stein };

/// Positive-part James–Stein (Efron and Morris): pulls each value towards the mean of all, by as much as the spread is
/// explained by noise of that variance. Better than the values themselves in squared error from four values on; up to
/// three are left as they are.
void james_stein(std::span<double> values, double noise_variance);

/// The last perturbed values of one group of slots, at most `capacity` of them; finite.
///
/// smoothed(): the mean, the median (for Laplace noise of scale b and n values: standard error b/√n, the mean's is
/// √2·b/√n), or the latest value pulled towards the mean as James–Stein does.
/// Cost: O(kCapacityMax) to add a value, without branches (where noise falls cannot be predicted); O(1) to read the
/// median. All of it is in one piece: with many series, that is what counts.
class GroupSmoother {
 public:
  static constexpr std::size_t kCapacityMax = 64;

  /// Capacity 1 to kCapacityMax.
  GroupSmoother(SmootherKind kind, std::size_t capacity);

  /// Empties the group.
  void restart();
  /// Keeps only the latest `count` values.
  void keep_last(std::size_t count);
  void add(double value);
  std::size_t count() const { return count_; }
  /// Of at least one value. `noise_variance` is for James–Stein.
  double smoothed(double noise_variance) const {
    FUGU_CHECK(count_ > 0);
    return kind_ == SmootherKind::median ? median_ : mean_or_james_stein(noise_variance);
  }

 private:
  using Place = std::uint8_t;  // in ring_

  double at(std::size_t age) const { return ring_[age <= newest_ ? newest_ - age : newest_ + capacity_ - age]; }
  double sorted(std::size_t rank) const { return ring_[order_[rank + 1]]; }
  double mean_or_james_stein(double noise_variance) const;

  SmootherKind kind_;
  Place capacity_;
  Place newest_ = 0;
  Place count_ = 0;
  double median_ = 0;  // if it is what is asked for
  /// All places, lowest value first; for the median. One byte before and after it lets them move by one either way.
  std::array<Place, kCapacityMax + 2> order_{};
  std::array<double, kCapacityMax> ring_{};  // ∞ where there is no value
};

}  // namespace fugu
