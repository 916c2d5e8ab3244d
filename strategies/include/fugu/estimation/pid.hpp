// The controller that adaptive sampling steers by: how long until the next sample?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fugu {

/// Proportional, integral and derivative part of a feedback error, as FAST (Fan, Xiong and Sunderam 2013) and RescueDP
/// (Wang et al. 2016) use it. The integral is the mean of the last `integral_window` errors.
/// Memory and cost: constant.
class PidController {
 public:
  static constexpr std::size_t kIntegralWindowMax = 8;
  struct Options {
    double proportional = 0.9;
    double integral = 0.1;
    double derivative = 0.0;
    std::uint32_t integral_window = 5;  ///< 1 to kIntegralWindowMax
  };

  explicit PidController(const Options& options);
  /// The controlled error after a new feedback error, `slots` after the last one (at least 1).
  double update(double error, double slots);

 private:
  Options options_;
  std::array<double, kIntegralWindowMax> recent_{};
  std::uint32_t next_ = 0;   // place in it
  std::uint32_t count_ = 0;  // of errors in it
  double last_ = 0;
};

/// FAST: interval + θ·(1 − e^((error − goal)/goal)). Longer while the error is below its goal, and soon shorter above.
double next_interval_fast(double interval_slots, double error, double goal, double gain_slots);
/// RescueDP: interval + θ·(1 − (error/goal)²).
double next_interval_rescue(double interval_slots, double error, double goal, double gain_slots);

}  // namespace fugu
