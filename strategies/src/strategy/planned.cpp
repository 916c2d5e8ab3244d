#include "fugu/strategy/planned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "fugu/strategy/series_blocks.hpp"

namespace fugu {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Of the rate that was planned: what rounding leaves over is less. Noise for that little would drown everything.
constexpr double kCrumb = 0x1p-20;
/// A magnitude of 2^40 steps in so many parts leaves room to add some up.
constexpr std::uint64_t kPartsMax = std::uint64_t{1} << 20;

std::uint64_t largest_sensitivity(const Exposure& exposure) {
  std::uint64_t largest = 0;
  for (SeriesId series = 0; series < exposure.series_count(); ++series)
    largest = std::max(largest, exposure.sensitivity_steps(series));
  return largest;
}

/// The most that any slot of any alternative counts for, each lane at the rate its series gets; rounded up.
std::uint64_t largest_parts(const Shape& shape, const Exposure& exposure, std::uint64_t parts) {
  uint128 largest = 1;
  for (const Profile& profile : shape.alternatives) {
    for (std::size_t k = 0; k < profile.lanes[0].steps.size(); ++k) {
      uint128 change = 0;
      for (const Lane& lane : profile.lanes) {
        const std::uint64_t shared_by = lane.series ? exposure.series_per_meter(*lane.series) : 1;
        change += (uint128{lane.steps[k]} * parts + shared_by - 1) / shared_by;
      }
      largest = std::max(largest, change);
    }
  }
  return static_cast<std::uint64_t>(std::min<uint128>(largest, std::uint64_t{kMagnitudeStepsMax} * kPartsMax));
}

double rate_of(const Kernel& kernel, Budget share) {
  return rate_of_share(share, largest_sensitivity(kernel.exposure()), kernel.currency());
}

}  // namespace

double rate_of_share(Budget share, std::uint64_t sensitivity_steps, Currency currency) {
  const auto sensitivity = static_cast<double>(sensitivity_steps);
  const double rate = share.to_double() / sensitivity / (currency == Currency::rho ? sensitivity : 1);
  return rate * (1 - 0x1p-40);
}

std::uint64_t planned_parts(const Exposure& exposure, Currency currency) {
  if (currency != Currency::epsilon) return 1;
  std::uint64_t parts = 1;
  for (SeriesId series = 0; series < exposure.series_count(); ++series) {
    if (parts % exposure.series_per_meter(series) != 0) parts = std::lcm(parts, exposure.series_per_meter(series));
    if (parts > kPartsMax) return kPartsMax;
  }
  return parts;
}

PlannerOptions in_parts(PlannerOptions options, std::uint64_t parts) {
  options.sensitivity_steps *= parts;
  options.rate_max /= static_cast<double>(parts);
  return options;
}

Policy as_planned(const Exposure& exposure, Currency currency, std::uint64_t parts, Policy policy) {
  if (policy.shape && currency == Currency::epsilon) {  // in ρ the envelope is what is charged
    policy.magnitude_steps = largest_parts(*policy.shape, exposure, parts);
  } else {
    policy.magnitude_steps *= parts;
  }
  policy.shape = nullptr;
  return policy;
}

double floor_rate(const Kernel& kernel) {
  return kernel.definition().floor() == nullptr ? kInfinite : rate_of(kernel, kernel.total() / kernel.window_slots());
}

PlannerOptions planner_options(const Kernel& kernel) {
  return in_parts({.sensitivity_steps = largest_sensitivity(kernel.exposure()),
                   .delta = kernel.definition().delta(),
                   .rate_max = floor_rate(kernel)},
                  planned_parts(kernel.exposure(), kernel.currency()));
}

void PlannedStrategy::prepare(const Kernel& kernel) {
  SeriesBlocks connected(kernel.exposure());
  block_of_signature_ = std::move(connected.of_signature);
  for (auto& series : connected.series) blocks_.push_back({std::move(series), make_planner_(kernel)});
  floor_rate_ = floor_rate(kernel);
  parts_ = planned_parts(kernel.exposure(), kernel.currency());
  rate_parts_ = static_cast<double>(parts_);
}

void PlannedStrategy::stated(const Kernel& kernel, MeterId meter, std::span<const std::uint32_t> signatures,
                             const Policy& policy) {
  if (blocks_.empty()) prepare(kernel);
  if (meter >= blocks_of_meter_.size()) blocks_of_meter_.resize(meter + 1);
  // Anew each time: a meter may move once its earlier policies are over.
  std::vector<std::uint32_t>& blocks = blocks_of_meter_[meter];
  blocks.clear();
  for (const std::uint32_t g : signatures) blocks.push_back(block_of_signature_[g]);
  if (signatures.empty()) {
    blocks.resize(blocks_.size());
    std::iota(blocks.begin(), blocks.end(), 0u);
  }
  if (blocks.size() > 1) {
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  }
  const Policy planned = as_planned(kernel.exposure(), kernel.currency(), parts_, policy);
  for (const std::uint32_t b : blocks) blocks_[b].planner->add(meter, planned);
}

void PlannedStrategy::withdrawn(const Kernel& kernel, MeterId meter, std::span<const std::uint32_t>,
                                const Policy& policy) {
  const Policy planned = as_planned(kernel.exposure(), kernel.currency(), parts_, policy);
  for (const std::uint32_t b : blocks_of_meter_[meter]) blocks_[b].planner->withdraw(meter, planned);
}

Result<void> PlannedStrategy::step(Kernel& kernel, Release& release) {
  if (blocks_.empty()) prepare(kernel);
  for (Block& block : blocks_) {
    const double rate = block.planner->rate(kernel.slot());
    if (std::isinf(rate)) {
      FUGU_ASSIGN(const bool moved, release_idle(kernel, release, block));
      block.planner->released_idle(moved);
      continue;
    }
    FUGU_ASSIGN(const double spent, release_relevant(kernel, release, block, std::min(rate * parts(), floor_rate_)));
    block.planner->spent(spent / parts());
  }
  return {};
}

Result<bool> PlannedStrategy::release_idle(Kernel& kernel, Release& release, const Block& block) const {
  if (!kernel.definition().exact_when_idle()) {
    FUGU_ASSIGN(const double spent, release_at(kernel, release, block, floor_rate_));
    return spent > 0;
  }
  FUGU_ASSIGN(const auto answers, kernel.true_values(block.series));
  bool moved = false;
  NoisyValue now;
  for (std::size_t i = 0; i < block.series.size(); ++i) {
    if (!answers.has(i)) continue;
    const SeriesId series = block.series[i];
    const bool known = release[series].known;
    const std::int64_t before = release.published_steps(series);
    answers.copy(i, now);
    release.set(series, now);
    moved = moved || !known || release.published_steps(series) != before;
  }
  return moved;
}

Result<double> PlannedStrategy::release_relevant(Kernel& kernel, Release& release, const Block& block, double rate) {
  return release_at(kernel, release, block, rate);
}

Result<double> PlannedStrategy::release_at(Kernel& kernel, Release& release, const Block& block, double rate) {
  if (rate <= 0) return 0.0;
  auto answers = kernel.values_at(block.series, rate);
  const auto refused = [&] { return !answers && answers.error().cause == Cause::refused; };
  const auto ask_for = [&](double smaller) {
    rate = smaller;
    answers = kernel.values_at(block.series, rate);
  };
  if (refused()) {
    const double wanted = rate;
    const double left = rate_of(kernel, kernel.available(block.series));
    // What was planned may be over by rounding alone. Of a policy that names series, what is left is known only for
    // the worst division among them, which this is not.
    const double rounded_down = wanted * (1 - kCrumb);
    if (left < rounded_down) ask_for(rounded_down);
    if (refused() && left < kCrumb * wanted) return 0.0;
    if (refused()) ask_for(std::min(wanted, left));
  }
  if (refused()) return 0.0;
  if (!answers) return std::move(answers).error();
  release.set(block.series, *answers);
  return rate;
}

bool PlannedStrategy::comparable(const Kernel& kernel, const Release& release, const Block& block,
                                 std::vector<std::int64_t>& reference) {
  reference.clear();
  for (const SeriesId series : block.series) {
    if (!release[series].known || !kernel.present(series)) return false;
    reference.push_back(release.published_steps(series));
  }
  return true;
}

double PlannedStrategy::expected_noise(const Kernel& kernel, const Block& block, double rate) {
  double total = 0;
  for (const SeriesId series : block.series) {
    const double each = rate / static_cast<double>(kernel.series_per_meter(series));
    if (kernel.currency() == Currency::epsilon) {
      total += 1 / each;
    } else {
      const double scale = std::sqrt(1 / (2 * each));  // of Laplace noise, or the Gaussian's σ
      total += kernel.noise() == NoiseKind::gaussian ? scale * std::sqrt(2 / std::numbers::pi) : scale;
    }
  }
  return total;
}

Result<double> AdaptiveStrategy::release_relevant(Kernel& kernel, Release& release, const Block& block, double rate) {
  if (rate <= 0 || !comparable(kernel, release, block, reference_)) return release_at(kernel, release, block, rate);
  const RateSplit split = split_(*block.planner, rate, parts());
  const auto moved = kernel.distance_at(block.series, reference_, split.decision);
  if (!moved && moved.error().cause == Cause::refused) return 0.0;
  if (!moved) return moved.error();
  const double decided = split.decision_counts ? split.decision : 0;
  if (static_cast<double>(moved->steps) <= expected_noise(kernel, block, split.answer)) return decided;
  FUGU_ASSIGN(const double spent, release_at(kernel, release, block, split.answer));
  return decided + spent;
}

}  // namespace fugu
