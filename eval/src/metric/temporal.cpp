#include "fugu/metric/temporal.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "fugu/base/check.hpp"
#include "fugu/filter/kalman_state.hpp"

namespace fugu {

double perturbation_probability(const ShiftLaw& law, unsigned parts) { return 1 - std::pow(law.probability(0), parts); }

double printed_perturbation_probability(double b, unsigned parts) {
  return 1 - std::pow(1 - std::exp(-1 / (2 * b)), parts);
}

double shuffling_probability(const ShiftLaw& law, unsigned parts) {
  double in_order = 0;
  for (Slot earliest = law.lowest(); earliest <= law.highest(); ++earliest) {
    const double is_earliest = std::pow(law.at_least(earliest), parts) - std::pow(law.at_least(earliest + 1), parts);
    in_order += is_earliest * std::pow(1 - law.at_least(earliest + 1), parts);
  }
  return 1 - in_order;
}

double printed_shuffling_probability(double b, unsigned parts) {
  return 1 - std::pow(1 - std::exp(-1 / b) / 2, parts * parts);
}

double overtaking_probability(double b) { return std::exp(-1 / b) / 2 * (1 + 1 / (2 * b)); }

double printed_information_bound(double b, double lambda, std::uint64_t slots) {
  double bound = 0;
  for (std::uint64_t t = 1; t <= slots; ++t) bound += std::log1p(static_cast<double>(t) * std::max(lambda, 1 / b));
  return bound;
}

namespace {

/// Pincus's Φ: the mean over patterns of the log of the share of patterns like it, itself among them.
double regularity(std::span<const double> values, std::size_t length, double tolerance) {
  const std::size_t patterns = values.size() - length + 1;
  std::vector<std::uint32_t> alike(patterns, 1);
  for (std::size_t i = 0; i < patterns; ++i) {
    for (std::size_t j = i + 1; j < patterns; ++j) {
      bool close = true;
      for (std::size_t k = 0; k < length && close; ++k) close = std::abs(values[i + k] - values[j + k]) <= tolerance;
      alike[i] += close;
      alike[j] += close;
    }
  }
  double sum = 0;
  for (const std::uint32_t count : alike) sum += std::log(static_cast<double>(count) / static_cast<double>(patterns));
  return sum / static_cast<double>(patterns);
}

}  // namespace

double approximate_entropy(std::span<const double> values, std::size_t length, double tolerance) {
  FUGU_CHECK(values.size() > length);
  return regularity(values, length, tolerance) - regularity(values, length + 1, tolerance);
}

namespace {

double entropy_of(const std::map<std::int64_t, std::uint64_t>& counts, std::size_t values) {
  double entropy = 0;
  for (const auto& [bin, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(values);
    entropy -= share * std::log(share);
  }
  return entropy;
}

}  // namespace

double binned_entropy(std::span<const double> values, double width) {
  std::map<std::int64_t, std::uint64_t> counts;
  for (const double value : values) ++counts[static_cast<std::int64_t>(std::floor(value / width))];
  return entropy_of(counts, values.size());
}

double ranged_entropy(std::span<const double> values, std::size_t bins) {
  FUGU_CHECK(!values.empty() && bins > 0);
  const auto [least, largest] = std::ranges::minmax(values);
  if (least == largest) return 0;
  std::map<std::int64_t, std::uint64_t> counts;
  const auto last = static_cast<std::int64_t>(bins) - 1;  // it has the largest value, too
  for (const double value : values) {
    const double at = (value - least) / (largest - least) * static_cast<double>(bins);
    ++counts[std::min(static_cast<std::int64_t>(at), last)];
  }
  return entropy_of(counts, values.size());
}

double distortion_deviation(std::span<const double> a, std::span<const double> b) {
  FUGU_CHECK(a.size() == b.size() && !a.empty());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

double cosine_similarity(std::span<const double> a, std::span<const double> b) {
  FUGU_CHECK(a.size() == b.size());
  double product = 0, a_squares = 0, b_squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    a_squares += a[i] * a[i];
    b_squares += b[i] * b[i];
  }
  return a_squares > 0 && b_squares > 0 ? product / std::sqrt(a_squares * b_squares) : 0;
}

std::vector<double> kalman_attack(std::span<const double> observed, double movement_variance, double noise_variance) {
  std::vector<double> estimates;
  estimates.reserve(observed.size());
  KalmanState state;
  for (const double value : observed) {
    state.predict(movement_variance);
    state.correct(value, noise_variance);
    estimates.push_back(state.value());
  }
  return estimates;
}

}  // namespace fugu
