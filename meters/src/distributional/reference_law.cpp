#include "fugu/distributional/reference_law.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace fugu {

namespace {

constexpr double kPi = std::numbers::pi;

/// The power in Zolotarev's integral, (cos θ / sin αθ)^(α/(α−1)) · cos((α−1)θ) / cos θ, times x^(α/(α−1)).
double exponent(double alpha, double x, double theta) {
  const double power = alpha / (alpha - 1);
  const double log_value = power * (std::log(x) + std::log(std::cos(theta)) - std::log(std::sin(alpha * theta)));
  return std::exp(log_value) * std::cos((alpha - 1) * theta) / std::cos(theta);
}

/// P(X > x) for x ≥ 0. The law is nearly Cauchy where α is nearly 1, and the integral bad there.
double stable_tail(double alpha, double x) {
  if (alpha == 2) return std::erfc(x / 2) / 2;
  if (std::fabs(alpha - 1) < 1e-6) return x > 0 ? std::atan(1 / x) / kPi : 0.5;
  if (x == 0) return 0.5;
  // The integrand goes from 0 to 1, or back, at a place that depends on x: θ = π/2 · s(u) with a smooth s is sampled
  // densely at both ends.
  constexpr int kPoints = 2000;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double u = (i + 0.5) / kPoints;
    const double share = u * u * (3 - 2 * u);
    const double weight = 6 * u * (1 - u);
    const double value = std::exp(-exponent(alpha, x, kPi / 2 * share));
    sum += weight * (std::isfinite(value) ? value : 0);
  }
  const double integral = sum / kPoints * kPi / 2 / kPi;
  return alpha > 1 ? integral : 0.5 - integral;
}

/// P(X > x) of the law that a table is made of.
double tail(double alpha, double spread, double x) {
  if (alpha == 2) return std::erfc(x / (spread * std::numbers::sqrt2)) / 2;
  return stable_tail(alpha, x / spread);
}

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

}  // namespace

double symmetric_stable_cdf(double alpha, double x) {
  return x < 0 ? stable_tail(alpha, -x) : 1 - stable_tail(alpha, x);
}

double normal_upper_quantile(double tail) {
  if (tail > 0.5) return -normal_upper_quantile(1 - tail);
  // Abramowitz and Stegun 26.2.23 is right to three digits; each step of Halley's method triples them.
  const double t = std::sqrt(-2 * std::log(tail));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int i = 0; i < 2; ++i) {
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * kPi);
    const double step = (std::erfc(z / std::numbers::sqrt2) / 2 - tail) / density;
    z += step / (1 - z * step / 2);
  }
  return z;
}

Result<ReferenceLaw> ReferenceLaw::make(double alpha, std::int64_t spread_steps, std::int64_t half_width_steps) {
  if (!(alpha >= 0.5 && alpha <= 2)) return usage("alpha of the stable law: expected 0.5 to 2 (2 is Gaussian)");
  if (spread_steps < 1) return usage("the spread of the public law must be at least one unit step");
  const std::int64_t most = alpha == 2 ? kHalfWidthMax : kStableHalfWidthMax;
  if (half_width_steps < spread_steps || half_width_steps > most) {
    return usage("the public law must reach from one spread to " + std::to_string(most) +
                 " unit steps to either side: choose another width or a larger unit step");
  }
  const auto size = static_cast<std::size_t>(half_width_steps);
  const auto spread = static_cast<double>(spread_steps);
  const double cut_off = tail(alpha, spread, static_cast<double>(half_width_steps) + 0.5);
  std::vector<std::uint64_t> upper(size + 1);  // weights of 1, 2, …; both sides are alike, so the mean is 0 exactly
  double above = tail(alpha, spread, 0.5);
  std::uint64_t sides = 0;
  for (std::size_t k = 1; k <= size; ++k) {
    const double next = tail(alpha, spread, static_cast<double>(k) + 0.5);
    const double probability = std::max(0.0, above - next) / (1 - 2 * cut_off);
    upper[k] = static_cast<std::uint64_t>(std::ldexp(probability, kRankBits));
    sides += 2 * upper[k];
    above = next;
  }
  FUGU_CHECK(sides < kRanks);
  upper[0] = kRanks - sides;
  std::vector<std::uint64_t> cumulative;
  cumulative.reserve(2 * size + 1);
  std::uint64_t sum = 0;
  for (std::size_t k = size; k > 0; --k) cumulative.push_back(sum += upper[k]);
  for (std::size_t k = 0; k <= size; ++k) cumulative.push_back(sum += upper[k]);
  return ReferenceLaw(std::move(cumulative), half_width_steps);
}

ReferenceLaw::ReferenceLaw(std::vector<std::uint64_t> cumulative, std::int64_t half_width)
    : cumulative_(std::move(cumulative)), half_width_(half_width), sd_(0) {
  double variance = 0;
  for (std::int64_t k = 1; k <= half_width; ++k)
    variance += 2 * probability(k) * static_cast<double>(k) * static_cast<double>(k);
  sd_ = std::sqrt(variance);
}

std::int64_t ReferenceLaw::at(std::uint64_t rank) const {
  FUGU_CHECK(rank < kRanks);
  return std::upper_bound(cumulative_.begin(), cumulative_.end(), rank) - cumulative_.begin() - half_width_;
}

double ReferenceLaw::probability(std::int64_t steps) const {
  if (steps < -half_width_ || steps > half_width_) return 0;
  const auto entry = static_cast<std::size_t>(steps + half_width_);
  const std::uint64_t below = entry == 0 ? 0 : cumulative_[entry - 1];
  return std::ldexp(static_cast<double>(cumulative_[entry] - below), -static_cast<int>(kRankBits));
}

}  // namespace fugu
