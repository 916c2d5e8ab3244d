#include "fugu/strategy/share_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace fugu {

namespace {

// Half of what the kernel draws: noise is rounded up to its grid.
constexpr double kLargestLaplaceSteps = 0x1p39;
constexpr double kLargestGaussianSteps = 0x1p28;

}  // namespace

double ShareNoise::weight(std::uint64_t change_steps, std::uint64_t parts) const {
  const auto change = static_cast<double>(change_steps);
  const auto shared_by = static_cast<double>(parts);
  return rho_ ? change * std::sqrt(shared_by) : change * shared_by;
}

double ShareNoise::factor(Budget share) const {
  const double amount = share.to_double();
  if (amount == 0) return std::numeric_limits<double>::infinity();
  if (!rho_) return 1 / amount;
  const double scale = 1 / std::sqrt(2 * amount);  // of Laplace noise, or the Gaussian's σ
  return gaussian_ ? scale * std::sqrt(2 / std::numbers::pi) : scale;
}

double ShareNoise::share_for(double weight, double magnitude_steps) const {
  const double ratio = weight / magnitude_steps;
  if (!rho_) return ratio;
  return ratio * ratio / 2 * (gaussian_ ? 2 / std::numbers::pi : 1);
}

bool ShareNoise::drawable(double magnitude_steps) const {
  return magnitude_steps <= (gaussian_ ? kLargestGaussianSteps : kLargestLaplaceSteps);
}

std::uint64_t MeterReach::change_steps(const Exposure& exposure, std::span<const SeriesId> series) {
  of_signature_.resize(exposure.signature_count());
  std::uint64_t largest = 0;
  for (const SeriesId id : series) {
    for (const std::uint32_t signature : exposure.signatures_of(id))
      largest = std::max(largest, of_signature_[signature] += exposure.sensitivity_steps(id));
  }
  forget(exposure, series);
  return largest;
}

std::span<const std::uint64_t> MeterReach::series_per_meter(const Exposure& exposure,
                                                            std::span<const SeriesId> series) {
  of_signature_.resize(exposure.signature_count());
  for (const SeriesId id : series) {
    for (const std::uint32_t signature : exposure.signatures_of(id)) ++of_signature_[signature];
  }
  series_per_meter_.clear();
  for (const SeriesId id : series) {
    std::uint64_t largest = 0;
    for (const std::uint32_t signature : exposure.signatures_of(id))
      largest = std::max(largest, of_signature_[signature]);
    series_per_meter_.push_back(largest);
  }
  forget(exposure, series);
  return series_per_meter_;
}

void MeterReach::forget(const Exposure& exposure, std::span<const SeriesId> series) {
  for (const SeriesId id : series) {
    for (const std::uint32_t signature : exposure.signatures_of(id)) of_signature_[signature] = 0;
  }
}

}  // namespace fugu
