#include "fugu/estimation/pid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fugu/core/check.hpp"

namespace fugu {

PidController::PidController(const Options& options) : options_(options) {
  FUGU_CHECK(options.integral_window >= 1 && options.integral_window <= kIntegralWindowMax);
}

double PidController::update(double error, double slots) {
  FUGU_CHECK(slots >= 1);
  recent_[seen_ % options_.integral_window] = error;
  const double change = seen_ == 0 ? 0.0 : (error - last_) / slots;
  ++seen_;
  last_ = error;
  const std::size_t count = std::min(seen_, options_.integral_window);
  const double mean = std::accumulate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(count), 0.0) /
                      static_cast<double>(count);
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
