#include "fugu/metric/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kHalfWindowWithoutSeason = 8;
constexpr std::size_t kHalfWindowsPerSeason = 8;
constexpr double kChangeShareOfAmplitude = 0.25;

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// How many of two ordered lists of slots pair off within `reach`.
std::size_t matched(std::span<const std::size_t> a, std::span<const std::size_t> b, std::size_t reach) {
  std::size_t pairs = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] + reach < b[j]) {
      ++i;
    } else if (b[j] + reach < a[i]) {
      ++j;
    } else {
      ++pairs, ++i, ++j;
    }
  }
  return pairs;
}

/// y ≈ mean_y + a·(before − mean_before) + b·(season − mean_season), by least squares.
struct Forecaster {
  double constant = 0;
  double before = 0;
  double season = 0;
};

/// `lag` is how far back the season's regressor lies; 0: there is none.
Forecaster fit(std::span<const double> x, std::size_t first, std::size_t last, std::size_t lag) {
  const auto before = [&](std::size_t t) { return x[t - 1]; };
  const auto season = [&](std::size_t t) { return lag == 0 ? 0.0 : x[t - lag]; };
  double mean_y = 0, mean_b = 0, mean_s = 0;
  for (std::size_t t = first; t < last; ++t) mean_y += x[t], mean_b += before(t), mean_s += season(t);
  const auto count = static_cast<double>(last - first);
  mean_y /= count, mean_b /= count, mean_s /= count;
  double bb = 0, ss = 0, bs = 0, by = 0, sy = 0;
  for (std::size_t t = first; t < last; ++t) {
    const double b = before(t) - mean_b, s = season(t) - mean_s, y = x[t] - mean_y;
    bb += b * b, ss += s * s, bs += b * s, by += b * y, sy += s * y;
  }
  Forecaster made;
  // Regressors that are constant or tell the same would make the system singular: then the first of them alone.
  constexpr double kSingular = 1e-12;
  const double determinant = bb * ss - bs * bs;
  if (determinant > kSingular * bb * ss) {
    made.before = (by * ss - sy * bs) / determinant;
    made.season = (sy * bb - by * bs) / determinant;
  } else if (bb > 0) {
    made.before = by / bb;
  }
  made.constant = mean_y - made.before * mean_b - made.season * mean_s;
  return made;
}

}  // namespace

double autocorrelation(std::span<const double> values, std::size_t lag) {
  if (values.size() <= lag) return 0;
  const double centre = mean(values);
  double variance = 0, covariance = 0;
  for (std::size_t t = 0; t < values.size(); ++t) variance += (values[t] - centre) * (values[t] - centre);
  for (std::size_t t = 0; t + lag < values.size(); ++t) covariance += (values[t] - centre) * (values[t + lag] - centre);
  return variance > 0 ? covariance / variance : 0;
}

std::vector<std::size_t> change_points(std::span<const double> values, std::size_t half_window, double threshold) {
  FUGU_CHECK(half_window > 0);
  std::vector<std::size_t> found;
  if (values.size() < 2 * half_window) return found;
  const auto width = static_cast<double>(half_window);
  double before = std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half_window), 0.0);
  double after = std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(half_window),
                                 values.begin() + static_cast<std::ptrdiff_t>(2 * half_window), 0.0);
  double largest = 0;  // of the stretch we are in; 0 outside
  std::size_t at = 0;
  for (std::size_t t = half_window;; ++t) {
    const double change = std::abs(after - before) / width;
    if (change > threshold && change > largest) {
      largest = change;
      at = t;
    }
    const bool last = t + half_window == values.size();
    if (largest > 0 && (change <= threshold || last)) {
      found.push_back(at);
      largest = 0;
    }
    if (last) return found;
    before += values[t] - values[t - half_window];
    after += values[t + half_window] - values[t];
  }
}

StreamAnalysis::StreamAnalysis(std::span<const double> truth, const Options& options)
    : truth_(truth),
      period_slots_(options.period_slots),
      half_window_slots_(options.period_slots == 0
                             ? kHalfWindowWithoutSeason
                             : std::max<std::size_t>(2, options.period_slots / kHalfWindowsPerSeason)) {
  FUGU_CHECK(!truth.empty());
  const auto [lowest, highest] = std::ranges::minmax(truth);
  lowest_ = lowest;
  highest_ = highest;
  contrast_ = season_contrast(truth);
  peaks_ = peaks_of(truth);
  changes_ = change_points(truth, half_window_slots_, kChangeShareOfAmplitude * (highest_ - lowest_));
}

double StreamAnalysis::season_contrast(std::span<const double> values) const {
  if (period_slots_ == 0) return kNone;
  return autocorrelation(values, period_slots_) - autocorrelation(values, period_slots_ / 2);
}

std::vector<std::size_t> StreamAnalysis::peaks_of(std::span<const double> values) const {
  std::vector<std::size_t> peaks;
  if (period_slots_ == 0) return peaks;
  for (std::size_t start = 0; start + period_slots_ <= values.size(); start += period_slots_) {
    const auto season = values.subspan(start, period_slots_);
    peaks.push_back(start + static_cast<std::size_t>(std::ranges::max_element(season) - season.begin()));
  }
  return peaks;
}

double StreamAnalysis::season(std::span<const double> released) const {
  return period_slots_ == 0 ? kNone : autocorrelation(released, period_slots_);
}

double StreamAnalysis::season_kept(std::span<const double> released) const {
  return contrast_ > 0 ? season_contrast(released) / contrast_ : kNone;
}

double StreamAnalysis::level_error(std::span<const double> released) const {
  return *std::ranges::min_element(released) - lowest_;
}

double StreamAnalysis::amplitude_kept(std::span<const double> released) const {
  const auto [lowest, highest] = std::ranges::minmax(released);
  return highest_ > lowest_ ? (highest - lowest) / (highest_ - lowest_) : kNone;
}

double StreamAnalysis::peak_error_slots(std::span<const double> released) const {
  if (peaks_.empty()) return kNone;
  double sum = 0;
  const std::vector<std::size_t> peaks = peaks_of(released);
  for (std::size_t i = 0; i < peaks.size(); ++i)
    sum += std::abs(static_cast<double>(peaks[i]) - static_cast<double>(peaks_[i]));
  return sum / static_cast<double>(peaks.size());
}

double StreamAnalysis::changes_found(std::span<const double> released) const {
  const double threshold = kChangeShareOfAmplitude * (highest_ - lowest_);
  const std::vector<std::size_t> found = change_points(released, half_window_slots_, threshold);
  if (found.empty() && changes_.empty()) return 1;
  return 2 * static_cast<double>(matched(found, changes_, half_window_slots_)) /
         static_cast<double>(found.size() + changes_.size());
}

double StreamAnalysis::forecast_mae(std::span<const double> released) const {
  const std::size_t half = released.size() / 2;
  // A season that leaves too little to learn from is not used.
  const std::size_t lag = period_slots_ > 1 && 2 * period_slots_ < half ? period_slots_ : 0;
  const std::size_t first = std::max<std::size_t>(1, lag);
  if (half < first + 2) return kNone;
  const Forecaster forecaster = fit(released, first, half, lag);
  double sum = 0;
  for (std::size_t t = half; t < released.size(); ++t) {
    const double season = lag == 0 ? 0 : released[t - lag];
    sum += std::abs(forecaster.constant + forecaster.before * released[t - 1] + forecaster.season * season - truth_[t]);
  }
  return sum / static_cast<double>(released.size() - half);
}

}  // namespace fugu
