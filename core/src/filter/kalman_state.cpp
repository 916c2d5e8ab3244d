#include "fugu/filter/kalman_state.hpp"

#include <algorithm>
#include <cmath>

namespace fugu {

void KalmanState::start(double value, double variance) {
  started_ = true;
  value_ = value;
  variance_ = variance;
}

double KalmanState::correct(double measurement, double noise_variance) {
  if (!started_) {
    start(measurement, noise_variance);
    return 1.0;
  }
  const double total = variance_ + noise_variance;
  // Both zero: two exact values, of which the newer one counts.
  const double gain = total > 0.0 ? variance_ / total : 1.0;
  value_ += gain * (measurement - value_);
  variance_ = gain * noise_variance;
  return gain;
}

void MovementVariance::add(double measurement, double noise_variance, double slots_since_last) {
  if (started_) {
    const double change = measurement - last_;
    excess_sum_ += change * change - noise_variance - last_noise_;
    slots_sum_ += slots_since_last;
  }
  started_ = true;
  last_ = measurement;
  last_noise_ = noise_variance;
}

double MovementVariance::per_slot() const { return slots_sum_ > 0.0 ? std::max(0.0, excess_sum_ / slots_sum_) : 0.0; }

double TrackingKalman::measure(double measurement, double noise_variance, double slots) {
  movement_.add(measurement, noise_variance, slots);
  double surprise = 0;
  if (state_.started()) {
    const double off = measurement - state_.value();
    const double by_noise = state_.variance() + noise_variance;
    if (by_noise > 0) surprise = std::max(0.0, std::abs(off) / std::sqrt(by_noise) - 1);
    state_.predict(movement_.per_slot() * slots);
    const double expected = state_.variance() + noise_variance;
    if (off * off > kJumpDeviations * kJumpDeviations * expected) state_.predict(off * off - expected);
  }
  state_.correct(measurement, noise_variance);
  return surprise;
}

}  // namespace fugu
