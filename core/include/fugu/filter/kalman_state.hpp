// The scalar Kalman filter of a random walk, and what it needs to know about the walk: shared by the filter of that
// name and by strategies that smooth what they release. Numbers in, numbers out: nothing here sees a true value.
#pragma once

namespace fugu {

/// A value and how sure it is. The truth moves by independent steps; a measurement adds noise of known variance.
/// Cost: O(1) everywhere.
class KalmanState {
 public:
  bool started() const { return started_; }
  double value() const { return value_; }
  double variance() const { return variance_; }

  /// The truth has moved for a while: what is known gets less sure by the variance of its movement.
  void predict(double movement_variance) { variance_ += movement_variance; }
  /// Takes in a measurement; the first one is believed as it is. Returns the gain, from 0 (ignored) to 1 (believed).
  double correct(double measurement, double noise_variance);
  void start(double value, double variance);

 private:
  bool started_ = false;
  double value_ = 0;
  double variance_ = 0;
};

/// How much the truth moves per slot, learned from measurements: for successive ones z, z' with noise variances R, R'
/// that lie n slots apart, (z' − z)² − R − R' has expectation n·variance. The estimate is the sum of the former over
/// the sum of the latter, and not below 0.
class MovementVariance {
 public:
  void add(double measurement, double noise_variance, double slots_since_last);
  double per_slot() const;

 private:
  bool started_ = false;
  double last_ = 0;
  double last_noise_ = 0;
  double excess_sum_ = 0;  // Σ (z' − z)² − R − R'
  double slots_sum_ = 0;   // Σ n
};

/// Both together, for streams that also jump: a measurement further away than `kJumpDeviations` standard deviations of
/// what was expected is taken for a jump, after which little of the past is believed.
/// With Laplace noise alone that happens in 1 of 280 measurements.
class TrackingKalman {
 public:
  static constexpr double kJumpDeviations = 4;

  /// A measurement, `slots` after the last one. Returns by how much more than one standard deviation, of what noise
  /// explains, it lies off what was known before: about 0.2 on average while the truth stays, large when it moved.
  double measure(double measurement, double noise_variance, double slots);
  bool started() const { return state_.started(); }
  double value() const { return state_.value(); }
  /// Of the value when it was last measured.
  double variance() const { return state_.variance(); }
  /// Of the value that many slots later.
  double variance_after(double slots) const { return state_.variance() + movement_.per_slot() * slots; }

 private:
  KalmanState state_;
  MovementVariance movement_;
};

}  // namespace fugu
