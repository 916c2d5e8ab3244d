#include "fugu/noise/law.hpp"

#include <cmath>
#include <numbers>

#include "fugu/base/check.hpp"

namespace fugu {
namespace {

constexpr double kPi = std::numbers::pi;

/// From here on sums over the Gaussian's integers are replaced by the Euler–Maclaurin formula; below, they are short.
constexpr double kLargeVariance = 4096;

/// Σ over all integers k of exp(−k²/(2v)). The wrapped terms of Poisson's formula vanish in a double from v = 2 on.
double gaussian_total(double v) {
  if (v >= 2) return std::sqrt(2 * kPi * v);
  double sum = 1;
  for (int k = 1; k <= 64; ++k) sum += 2 * std::exp(-k * k / (2 * v));
  return sum;
}

/// The last integer whose weight matters in a double.
std::int64_t gaussian_reach(double v) { return 2 + static_cast<std::int64_t>(40 * std::sqrt(v)); }

double gaussian_variance(double v) {
  if (v >= kLargeVariance) return v;
  double sum = 0;
  for (std::int64_t k = gaussian_reach(v); k >= 1; --k) {
    const auto x = static_cast<double>(k);
    sum += 2 * x * x * std::exp(-x * x / (2 * v));
  }
  return sum / gaussian_total(v);
}

/// Σ_{j ≥ 1} j · exp(−(offset + j)²/(2v)), without the sum: the integral and three Euler–Maclaurin terms.
double gaussian_excess_smooth(double v, double offset) {
  const double sigma = std::sqrt(v);
  const double weight = std::exp(-offset * offset / (2 * v));
  const double integral =
      v * weight - offset * sigma * std::sqrt(kPi / 2) * std::erfc(offset / (sigma * std::numbers::sqrt2));
  const double u = offset * offset / v;
  return integral - weight / 12 + weight * 3 * (u - 1) / (720 * v) - weight * 5 * (3 - 6 * u + u * u) / (30240 * v * v);
}

double gaussian_excess(double v, double offset) {
  if (v >= kLargeVariance) return gaussian_excess_smooth(v, offset);
  double sum = 0;
  for (std::int64_t j = gaussian_reach(v); j >= 1; --j) {
    const auto step = static_cast<double>(j);
    sum += step * std::exp(-(offset + step) * (offset + step) / (2 * v));
  }
  return sum;
}

/// Σ_{k > bound} exp(−k²/(2v)): the integral from the middle of the last gap, and two correction terms.
double gaussian_tail_smooth(double v, double bound) {
  const double from = bound + 0.5;
  const double weight = std::exp(-from * from / (2 * v));
  const double slope = -from / v * weight;
  const double third = from / v * (3 / v - from * from / (v * v)) * weight;
  return std::sqrt(kPi * v / 2) * std::erfc(from / std::sqrt(2 * v)) + slope / 24 - 7 * third / 5760;
}

double gaussian_tail(double v, std::int64_t bound) {
  if (v >= kLargeVariance) return gaussian_tail_smooth(v, static_cast<double>(bound));
  double sum = 0;
  for (std::int64_t k = gaussian_reach(v); k > bound; --k) {
    const auto x = static_cast<double>(k);
    sum += std::exp(-x * x / (2 * v));
  }
  return sum;
}

/// The smallest bound ≥ 0 whose exceedance is at most `miss`.
std::int64_t smallest_bound(const NoiseLaw& law, double miss) {
  std::int64_t too_small = -1;
  std::int64_t enough = 1;
  while (law.exceedance(enough) > miss) {
    too_small = enough;
    enough *= 2;
  }
  while (enough - too_small > 1) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    (law.exceedance(middle) <= miss ? enough : too_small) = middle;
  }
  return enough;
}

}  // namespace

double NoiseLaw::variance() const {
  if (kind == NoiseKind::none) return 0;
  if (kind == NoiseKind::gaussian) return gaussian_variance(parameter.to_double());
  const double half_sinh = std::sinh(0.5 / parameter.to_double());
  return 0.5 / (half_sinh * half_sinh);
}

double NoiseLaw::expected_magnitude_around(std::int64_t offset) const {
  const double distance = std::fabs(static_cast<double>(offset));
  if (kind == NoiseKind::none) return distance;
  const double value = parameter.to_double();
  if (kind == NoiseKind::gaussian) return distance + 2 * gaussian_excess(value, distance) / gaussian_total(value);
  return distance + std::exp(-distance / value) / std::sinh(1 / value);
}

double NoiseLaw::exceedance(std::int64_t bound) const {
  FUGU_CHECK(bound >= 0);
  if (kind == NoiseKind::none) return 0;
  const double value = parameter.to_double();
  if (kind == NoiseKind::gaussian) return 2 * gaussian_tail(value, bound) / gaussian_total(value);
  const double ratio = std::exp(-1 / value);
  return 2 * std::exp(-(static_cast<double>(bound) + 1) / value) / (1 + ratio);
}

std::int64_t NoiseLaw::magnitude_quantile(double level) const {
  FUGU_CHECK(level > 0 && level < 1);
  return smallest_bound(*this, 1 - level);
}

}  // namespace fugu
