#include "fugu/estimation/smoother.hpp"

#include <algorithm>
#include <cstring>
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

/// How many of the sorted values are below `value`. Without branches: where noise falls cannot be predicted.
std::size_t count_below(std::span<const double> sorted, double value) {
  std::size_t below = 0;
  std::size_t left = sorted.size();
  while (left > 0) {
    const std::size_t half = (left + 1) / 2;
    below += half * static_cast<std::size_t>(sorted[below + half - 1] < value);
    left -= half;
  }
  return below;
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
    : kind_(kind), ring_(capacity), sorted_(kind == SmootherKind::median ? capacity : 0) {
  FUGU_CHECK(capacity >= 1);
}

void GroupSmoother::restart() { count_ = 0; }

void GroupSmoother::keep_last(std::size_t count) {
  if (count >= count_) return;
  count_ = count;
  if (kind_ != SmootherKind::median) return;
  for (std::size_t age = 0; age < count; ++age) sorted_[age] = at(age);
  std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(count));
}

void GroupSmoother::sort_in(std::size_t from, double value) {
  double* const sorted = sorted_.data();
  const std::size_t below = count_below({sorted, count_}, value);
  if (below > from) {
    std::memmove(sorted + from, sorted + from + 1, (below - 1 - from) * sizeof(double));
    sorted[below - 1] = value;
  } else {
    std::memmove(sorted + below + 1, sorted + below, (from - below) * sizeof(double));
    sorted[below] = value;
  }
}

void GroupSmoother::add(double value) {
  const bool is_full = count_ == ring_.size();
  const double oldest = is_full ? at(count_ - 1) : 0;
  newest_ = newest_ + 1 == ring_.size() ? 0 : newest_ + 1;
  ring_[newest_] = value;
  if (kind_ == SmootherKind::median) sort_in(is_full ? count_below({sorted_.data(), count_}, oldest) : count_, value);
  if (!is_full) ++count_;
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
