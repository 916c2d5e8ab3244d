#include "fugu/estimation/similarity.hpp"

#include <cmath>
#include <numeric>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

using Values = std::span<const double>;

double mean_of(Values values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_of(Values values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

/// A row with its mean and Σ (value − mean)².
struct Row {
  Values values;
  double mean;
  double squares;
};

double correlation(const Row& a, const Row& b) {
  if (a.squares == 0 || b.squares == 0) return a.squares == b.squares ? 1 : 0;
  double product = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) product += (a.values[i] - a.mean) * (b.values[i] - b.mean);
  return product / std::sqrt(a.squares * b.squares);
}

}  // namespace

double pearson_correlation(Values a, Values b) {
  FUGU_CHECK(!a.empty() && a.size() == b.size());
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  return correlation({a, mean_a, squares_of(a, mean_a)}, {b, mean_b, squares_of(b, mean_b)});
}

ShortHistory::ShortHistory(std::size_t length) : length_(static_cast<std::uint32_t>(length)) {
  FUGU_CHECK(length >= 1 && length <= kLength);
}

void ShortHistory::add(double value) {
  if (full()) {
    for (std::size_t i = 1; i < kLength; ++i) values_[i - 1] = values_[i];
  } else {
    ++count_;
  }
  values_[count_ - 1] = value;
  mean_ = mean_of(values());
  squares_ = squares_of(values(), mean_);
  variance_ = squares_ / static_cast<double>(count_);
}

bool detail::move_alike(const ShortHistory& a, const ShortHistory& b, const SimilarityRule& rule) {
  const bool a_still = a.variance() <= rule.still_variance;
  const bool b_still = b.variance() <= rule.still_variance;
  if (a_still || b_still) return a_still && b_still;
  return correlation({a.values(), a.mean(), a.squares()}, {b.values(), b.mean(), b.squares()}) >=
         rule.smallest_correlation;
}

}  // namespace fugu
