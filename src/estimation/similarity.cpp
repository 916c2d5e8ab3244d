#include "fugu/estimation/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fugu/core/check.hpp"

namespace fugu {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size());
}

}  // namespace

double pearson_correlation(std::span<const double> a, std::span<const double> b) {
  FUGU_CHECK(!a.empty() && a.size() == b.size());
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double product = 0;
  double square_a = 0;
  double square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += (a[i] - mean_a) * (b[i] - mean_b);
    square_a += (a[i] - mean_a) * (a[i] - mean_a);
    square_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (square_a == 0 || square_b == 0) return square_a == square_b ? 1 : 0;
  return product / std::sqrt(square_a * square_b);
}

void ShortHistory::add(double value) {
  if (count_ < kLength) {
    values_[count_++] = value;
    return;
  }
  std::rotate(values_.begin(), values_.begin() + 1, values_.end());
  values_.back() = value;
}

double ShortHistory::mean() const { return count_ == 0 ? 0 : mean_of(last(count_)); }

bool are_similar(const ShortHistory& a, const ShortHistory& b, const SimilarityRule& rule) {
  FUGU_CHECK(rule.values >= 1 && rule.values <= ShortHistory::kLength);
  if (std::min(a.count(), b.count()) < rule.values) return false;
  const std::span<const double> of_a = a.last(rule.values);
  const std::span<const double> of_b = b.last(rule.values);
  if (std::abs(mean_of(of_a) - mean_of(of_b)) > rule.largest_distance) return false;
  const bool a_still = variance_of(of_a) <= rule.still_variance;
  const bool b_still = variance_of(of_b) <= rule.still_variance;
  if (a_still || b_still) return a_still && b_still;
  return pearson_correlation(of_a, of_b) >= rule.smallest_correlation;
}

}  // namespace fugu
