#include "fugu/meter/shift_law.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fugu/base/rational.hpp"

namespace fugu {

namespace {

constexpr Slot kReachMax = 100'000;

std::uint64_t weight_of(double probability) { return static_cast<std::uint64_t>(probability * 0x1p62); }

Result<void> check_scale(double scale, const char* name) {
  if (scale >= ShiftLaw::kScaleMin && scale <= ShiftLaw::kScaleMax) return {};
  return Error{Cause::usage, std::string(name) + ": expected 0.01 to 1000 slots"};
}

/// `first`, first·ratio, first·ratio², … as weights, as long as there is something left.
std::vector<std::uint64_t> geometric(double first, double log_ratio) {
  std::vector<std::uint64_t> weights;
  for (double k = 0;; ++k) {
    const std::uint64_t weight = weight_of(first * std::exp(k * log_ratio));
    if (weight == 0) return weights;
    weights.push_back(weight);
  }
}

/// ⌊factor · weight⌋, or at least kTotal where that is more, for a factor ≥ 1. A double has 53 bits, a weight 62.
uint128 times(double factor, std::uint64_t weight) {
  constexpr double kEnough = 0x1p63;  // above kTotal for any weight but 0; e^ε may be infinite
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::min(factor, kEnough), &exponent), 53));
  const uint128 product = static_cast<uint128>(mantissa) * weight;
  return exponent <= 53 ? product >> (53 - exponent) : product << (exponent - 53);
}

}  // namespace

ShiftLaw::ShiftLaw(Slot lowest, const std::vector<std::uint64_t>& weights) : lowest_(lowest), ends_(weights.size()) {
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : weights) sum += weight;
  FUGU_CHECK(sum <= kTotal && lowest <= 0);
  const std::uint64_t missing = kTotal - sum;
  sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i] + (lowest + static_cast<Slot>(i) == 0 ? missing : 0);
    ends_[i] = sum;
  }
  FUGU_CHECK(sum == kTotal);
}

ShiftLaw ShiftLaw::two_sided(const std::vector<std::uint64_t>& weights_from_one) {
  std::vector<std::uint64_t> weights(weights_from_one.rbegin(), weights_from_one.rend());
  weights.push_back(0);
  weights.insert(weights.end(), weights_from_one.begin(), weights_from_one.end());
  return {-static_cast<Slot>(weights_from_one.size()), weights};
}

Result<ShiftLaw> ShiftLaw::rounded_laplace(double b) {
  FUGU_TRY(check_scale(b, "b"));
  return two_sided(geometric(-0.5 * std::exp(-0.5 / b) * std::expm1(-1 / b), -1 / b));
}

Result<ShiftLaw> ShiftLaw::rounded_exponential(double mean) {
  FUGU_TRY(check_scale(mean, "the mean delay (1/lambda)"));
  std::vector<std::uint64_t> weights = geometric(-std::exp(-0.5 / mean) * std::expm1(-1 / mean), -1 / mean);
  weights.insert(weights.begin(), 0);
  return ShiftLaw(0, weights);
}

Result<ShiftLaw> ShiftLaw::truncated_laplace(double b, Slot reach) {
  FUGU_TRY(check_scale(b, "b"));
  if (reach < 0 || reach > kReachMax) return Error{Cause::usage, "the lag: expected 0 to 100,000 slots"};
  // 1 + 2(x + x² + … + x^reach), as 1 + 2x(1 − x^reach)/(1 − x).
  const double ratio = std::exp(-1 / b);
  const double mass = 1 + 2 * ratio * std::expm1(-static_cast<double>(reach) / b) / std::expm1(-1 / b);
  std::vector<std::uint64_t> weights = geometric(ratio / mass, -1 / b);
  weights.resize(static_cast<std::size_t>(reach));
  return two_sided(weights);
}

Slot ShiftLaw::draw(std::uint64_t word) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), word >> 2);
  return lowest_ + (end - ends_.begin());
}

std::uint64_t ShiftLaw::weight(Slot shift) const {
  if (shift < lowest_ || shift > highest()) return 0;
  const auto at = static_cast<std::size_t>(shift - lowest_);
  return ends_[at] - (at == 0 ? 0 : ends_[at - 1]);
}

double ShiftLaw::at_least(Slot shift) const {
  if (shift <= lowest_) return 1;
  if (shift > highest()) return 0;
  return static_cast<double>(kTotal - ends_[static_cast<std::size_t>(shift - lowest_ - 1)]) * 0x1p-62;
}

ShiftLaw ShiftLaw::delayed_where_negative(const ShiftLaw& delay) const {
  FUGU_CHECK(delay.lowest_ == 0);
  const std::uint64_t negative = lowest_ < 0 ? ends_[static_cast<std::size_t>(-lowest_ - 1)] : 0;
  std::vector<std::uint64_t> weights(static_cast<std::size_t>(std::max(highest(), delay.highest()) + 1));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const uint128 product = static_cast<uint128>(negative) * delay.weight(static_cast<Slot>(i));
    weights[i] = weight(static_cast<Slot>(i)) + static_cast<std::uint64_t>(product >> 62);
  }
  return {0, weights};
}

double ShiftLaw::delta_of(Slot offset, double epsilon) const {
  // Below e^ε, whatever the rounding of exp: what is taken off is too small rather than too large.
  const double factor = std::max(1.0, std::exp(epsilon) * (1 - 0x1p-51));
  uint128 excess = 0;
  for (Slot shift = lowest_; shift <= highest(); ++shift) {
    const uint128 allowed = times(factor, weight(shift - offset));
    if (weight(shift) > allowed) excess += weight(shift) - allowed;
  }
  return std::min(1.0, static_cast<double>(excess) * 0x1p-62 * (1 + 0x1p-51));
}

double ShiftLaw::delta(Slot moved_slots, double epsilon) const {
  FUGU_CHECK(epsilon >= 0);
  return std::max(delta_of(moved_slots, epsilon), delta_of(-moved_slots, epsilon));
}

}  // namespace fugu
