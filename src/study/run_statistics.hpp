// What studies compute from their runs.
#pragma once

#include <cmath>
#include <ctime>
#include <limits>
#include <utility>
#include <vector>

namespace fugu {

/// Computing time of this thread: what a busy machine does meanwhile does not count.
inline double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Mean and, of two or more, standard deviation.
inline std::pair<double, double> mean_and_deviation(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  const auto count = static_cast<double>(values.size());
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares / (count - 1))};
}

}  // namespace fugu
