// What studies compute from their runs.
#pragma once

#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>
#include <vector>

#include "fugu/base/check.hpp"
#include "fugu/metric/metric.hpp"

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

/// Smallest, quartiles, largest, of at least one value.
inline std::array<double, 5> five_numbers(std::vector<double> values) {
  constexpr std::array kProbabilities = {0.0, 0.25, 0.5, 0.75, 1.0};
  const auto found = quantiles(std::move(values), kProbabilities);
  FUGU_CHECK(found.has_value());
  return {(*found)[0], (*found)[1], (*found)[2], (*found)[3], (*found)[4]};
}

inline double median_of(std::vector<double> values) { return five_numbers(std::move(values))[2]; }

}  // namespace fugu
