#include "fugu/estimation/pid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fugu/base/check.hpp"

namespace fugu {

PidController::PidController(const Options& options) : options_(options) {
  FUGU_CHECK(options.integral_window >= 1 && options.integral_window <= kIntegralWindowMax);
}

double PidController::update(double error, double slots) {
  FUGU_CHECK(slots >= 1);
  const double change = count_ == 0 ? 0.0 : (error - last_) / slots;
  last_ = error;
  recent_[next_] = error;
  next_ = next_ + 1 == options_.integral_window ? 0 : next_ + 1;
  count_ = std::min(count_ + 1, options_.integral_window);
  const double mean = std::accumulate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(count_), 0.0) /
                      static_cast<double>(count_);
  return options_.proportional * error + options_.integral * mean + options_.derivative * change;
}

double next_interval_fast(double interval_slots, double error, double goal, double gain_slots) {
  return interval_slots + gain_slots * (1 - std::exp((error - goal) / goal));
}

double next_interval_rescue(double interval_slots, double error, double goal, double gain_slots) {
  const double ratio = error / goal;
  return interval_slots + gain_slots * (1 - ratio * ratio);
}

}  // namespace fugu
