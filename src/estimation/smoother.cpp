#include "fugu/estimation/smoother.hpp"

#include <algorithm>
#include <numeric>

#include "fugu/core/check.hpp"

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

GroupSmoother::GroupSmoother(SmootherKind kind, std::size_t capacity) : kind_(kind), ring_(capacity) {
  FUGU_CHECK(capacity >= 1);
  if (kind_ == SmootherKind::median) sorted_.reserve(capacity);
}

void GroupSmoother::restart() {
  count_ = 0;
  sorted_.clear();
}

void GroupSmoother::keep_last(std::size_t count) {
  while (count_ > count) forget_oldest();
}

void GroupSmoother::forget_oldest() {
  if (kind_ == SmootherKind::median) sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), at(count_ - 1)));
  --count_;
}

void GroupSmoother::add(double value) {
  if (count_ == ring_.size()) forget_oldest();
  newest_ = (newest_ + 1) % ring_.size();
  ring_[newest_] = value;
  ++count_;
  if (kind_ == SmootherKind::median) sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
}

double GroupSmoother::smoothed(double noise_variance) const {
  FUGU_CHECK(count_ > 0);
  if (kind_ == SmootherKind::median)
    return count_ % 2 == 1 ? sorted_[count_ / 2] : (sorted_[count_ / 2 - 1] + sorted_[count_ / 2]) / 2;
  double sum = 0;
  for (std::size_t age = 0; age < count_; ++age) sum += at(age);
  const double mean = sum / static_cast<double>(count_);
  if (kind_ == SmootherKind::mean) return mean;
  double squares = 0;
  for (std::size_t age = 0; age < count_; ++age) squares += (at(age) - mean) * (at(age) - mean);
  return mean + james_stein_factor(squares, count_, noise_variance) * (at(0) - mean);
}

}  // namespace fugu
