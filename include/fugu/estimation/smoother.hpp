// One value for several noisy ones that should be about equal: the slots of a group, or the series of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fugu {

enum class SmootherKind : std::uint8_t { mean, median, james_stein };

/// Positive-part James–Stein (Efron and Morris): pulls each value towards the mean of all, by as much as the spread is
/// explained by noise of that variance. Better than the values themselves in squared error from four values on; up to
/// three are left as they are.
void james_stein(std::span<double> values, double noise_variance);

/// The last perturbed values of one group of slots, at most `capacity` of them.
///
/// smoothed(): the mean, the median (for Laplace noise of scale b and n values: standard error b/√n, the mean's is
/// √2·b/√n), or the latest value pulled towards the mean as James–Stein does.
/// Cost: O(capacity) to add, O(1) to read. No memory is taken after construction.
class GroupSmoother {
 public:
  GroupSmoother(SmootherKind kind, std::size_t capacity);

  /// Empties the group.
  void restart();
  /// Keeps only the latest `count` values.
  void keep_last(std::size_t count);
  void add(double value);
  std::size_t count() const { return count_; }
  /// Of at least one value. `noise_variance` is for James–Stein.
  double smoothed(double noise_variance) const;

 private:
  double at(std::size_t age) const { return ring_[age <= newest_ ? newest_ - age : newest_ + ring_.size() - age]; }
  /// `value` takes the place of the one that is now `from` in sorted_.
  void sort_in(std::size_t from, double value);

  SmootherKind kind_;
  std::vector<double> ring_;
  std::size_t newest_ = 0;
  std::size_t count_ = 0;
  std::vector<double> sorted_;  // the same values in order, then room for more; for the median
};

}  // namespace fugu
