#include "normal_update.hpp"

#include <algorithm>
#include <cmath>

namespace fugu::grid {

Moments product(const Moments& first, const Moments& second) {
  const double total = first.variance + second.variance;
  if (total == 0) return first;
  return {(first.mean * second.variance + second.mean * first.variance) / total,
          first.variance * second.variance / total};
}

void NormalUpdate::clear() {
  count_ = 0;
  slopes_.clear();
  missed_.clear();
  variances_.clear();
}

void NormalUpdate::add(std::span<const double> slopes, double missed, double variance) {
  slopes_.insert(slopes_.end(), slopes.begin(), slopes.end());
  missed_.push_back(missed);
  variances_.push_back(variance);
  ++count_;
}

double NormalUpdate::apply(std::span<PairLaw> laws) {
  double largest = 0;
  const std::size_t width = 2 * laws.size();
  spread_.resize(count_ * width);
  for (std::size_t k = 0; k < count_; ++k) {
    const double* slope = &slopes_[k * width];
    double* spread = &spread_[k * width];
    for (std::size_t i = 0; i < laws.size(); ++i) {
      spread[2 * i] = laws[i].pp * slope[2 * i] + laws[i].pq * slope[2 * i + 1];
      spread[2 * i + 1] = laws[i].pq * slope[2 * i] + laws[i].qq * slope[2 * i + 1];
    }
  }
  root_.assign(count_ * count_, 0.0);
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      double sum = k == l ? variances_[k] : 0;
      for (std::size_t i = 0; i < width; ++i) sum += slopes_[k * width + i] * spread_[l * width + i];
      if (k == l) largest = std::max(largest, std::abs(missed_[k]) / std::sqrt(sum));
      for (std::size_t j = 0; j < l; ++j) sum -= root_[k * count_ + j] * root_[l * count_ + j];
      root_[k * count_ + l] = k == l ? std::sqrt(sum) : sum / root_[l * count_ + l];
    }
  }
  // One by one: the part of each measurement that those before it did not say.
  solution_.resize(count_);
  for (std::size_t k = 0; k < count_; ++k) {
    double missed = missed_[k];
    double* spread = &spread_[k * width];
    for (std::size_t l = 0; l < k; ++l) {
      const double shared = root_[k * count_ + l];
      missed -= shared * solution_[l];
      for (std::size_t i = 0; i < width; ++i) spread[i] -= shared * spread_[l * width + i];
    }
    const double scale = 1 / root_[k * count_ + k];
    solution_[k] = missed * scale;
    for (std::size_t i = 0; i < width; ++i) spread[i] *= scale;
    for (std::size_t i = 0; i < laws.size(); ++i) {
      const double p = spread[2 * i];
      const double q = spread[2 * i + 1];
      laws[i].p += p * solution_[k];
      laws[i].q += q * solution_[k];
      laws[i].pp -= p * p;
      laws[i].pq -= p * q;
      laws[i].qq -= q * q;
    }
  }
  return largest;
}

}  // namespace fugu::grid
