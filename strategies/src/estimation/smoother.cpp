#include "fugu/estimation/smoother.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fugu/base/avx2.hpp"
#include "value_order.hpp"

namespace fugu {

namespace {

/// How much of the spread around the mean is kept.
double james_stein_factor(double square_sum, std::size_t count, double noise_variance) {
  if (count < 4) return 1;
  if (square_sum <= 0) return 0;
  return std::max(0.0, 1 - static_cast<double>(count - 3) * noise_variance / square_sum);
}

}  // namespace

void james_stein(std::span<double> values, double noise_variance) {
  if (values.empty()) return;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double kept = james_stein_factor(squares, values.size(), noise_variance);
  for (double& value : values) value = mean + kept * (value - mean);
}

GroupSmoother::GroupSmoother(SmootherKind kind, std::size_t capacity)
    : kind_(kind), capacity_(static_cast<Place>(capacity)) {
  FUGU_CHECK(capacity >= 1 && capacity <= kCapacityMax);
  std::iota(order_.begin() + 1, order_.end() - 1, Place{0});
  restart();
}

void GroupSmoother::restart() {
  count_ = 0;
  ring_.fill(std::numeric_limits<double>::infinity());
}

void GroupSmoother::keep_last(std::size_t count) {
  if (count >= count_) return;
  const GroupSmoother before = *this;
  restart();
  for (std::size_t age = count; age-- > 0;) add(before.at(age));
}

void GroupSmoother::add(double value) {
  newest_ = newest_ + 1 == capacity_ ? Place{0} : static_cast<Place>(newest_ + 1);
  if (count_ < capacity_) ++count_;
  if (kind_ != SmootherKind::median) {
    ring_[newest_] = value;
    return;
  }
  detail::has_avx2() ? detail::replace_avx2(ring_, newest_, value, order_)
                     : detail::replace_portable(ring_, newest_, value, order_);
  median_ = (sorted((count_ - 1u) / 2) + sorted(count_ / 2u)) / 2;
}

static_assert(GroupSmoother::kCapacityMax == detail::kOrdered);

double GroupSmoother::mean_or_james_stein(double noise_variance) const {
  double sum = 0;
  for (std::size_t age = 0; age < count_; ++age) sum += at(age);
  const double mean = sum / static_cast<double>(count_);
  if (kind_ == SmootherKind::mean) return mean;
  double squares = 0;
  for (std::size_t age = 0; age < count_; ++age) squares += (at(age) - mean) * (at(age) - mean);
  return mean + james_stein_factor(squares, count_, noise_variance) * (at(0) - mean);
}

}  // namespace fugu
