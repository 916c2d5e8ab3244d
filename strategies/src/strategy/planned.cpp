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

std::uint64_t largest_sensitivity(const Exposure& exposure) {
  std::uint64_t largest = 0;
  for (SeriesId series = 0; series < exposure.series_count(); ++series)
    largest = std::max(largest, exposure.sensitivity_steps(series));
  return largest;
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

Policy as_planned(const Exposure& exposure, Currency currency, Policy policy) {
  if (!policy.shape) return policy;
  double largest = 0;
  for (const Profile& profile : policy.shape->alternatives) {
    for (std::size_t k = 0; k < profile.lanes[0].steps.size(); ++k) {
      double change = 0;
      for (const Lane& lane : profile.lanes)
        change += static_cast<double>(lane.steps[k]) /
                  (lane.series ? static_cast<double>(exposure.series_per_meter(*lane.series)) : 1.0);
      largest = std::max(largest, change);
    }
  }
  if (currency == Currency::epsilon)  // in ρ the envelope is what is charged
    policy.magnitude_steps = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(largest)));
  policy.shape = nullptr;
  return policy;
}

double floor_rate(const Kernel& kernel) {
  return kernel.definition().floor() == nullptr ? kInfinite : rate_of(kernel, kernel.total() / kernel.window_slots());
}

PlannerOptions planner_options(const Kernel& kernel) {
  return {.sensitivity_steps = largest_sensitivity(kernel.exposure()),
          .delta = kernel.definition().delta(),
          .rate_max = floor_rate(kernel)};
}

void PlannedStrategy::prepare(const Kernel& kernel) {
  SeriesBlocks connected(kernel.exposure());
  block_of_signature_ = std::move(connected.of_signature);
  for (auto& series : connected.series) blocks_.push_back({std::move(series), make_planner_(kernel)});
  floor_rate_ = floor_rate(kernel);
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
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  const Policy planned = as_planned(kernel.exposure(), kernel.currency(), policy);
  for (const std::uint32_t b : blocks) blocks_[b].planner->add(meter, planned);
}

void PlannedStrategy::withdrawn(const Kernel& kernel, MeterId meter, std::span<const std::uint32_t>,
                                const Policy& policy) {
  const Policy planned = as_planned(kernel.exposure(), kernel.currency(), policy);
  for (const std::uint32_t b : blocks_of_meter_[meter]) blocks_[b].planner->withdraw(meter, planned);
}

Result<void> PlannedStrategy::step(Kernel& kernel, Release& release) {
  if (blocks_.empty()) prepare(kernel);
  for (Block& block : blocks_) {
    const double rate = block.planner->rate(kernel.slot());
    if (std::isinf(rate)) {
      FUGU_TRY(release_idle(kernel, release, block));
      block.planner->spent(0);
      continue;
    }
    FUGU_ASSIGN(const double spent, release_relevant(kernel, release, block, std::min(rate, floor_rate_)));
    block.planner->spent(spent);
  }
  return {};
}

Result<void> PlannedStrategy::release_idle(Kernel& kernel, Release& release, const Block& block) const {
  if (!kernel.definition().exact_when_idle()) {
    FUGU_TRY(release_at(kernel, release, block, floor_rate_));
    return {};
  }
  FUGU_ASSIGN(const auto answers, kernel.true_values(block.series));
  release.set(block.series, answers);
  return {};
}

Result<double> PlannedStrategy::release_relevant(Kernel& kernel, Release& release, const Block& block, double rate) {
  return release_at(kernel, release, block, rate);
}

Result<double> PlannedStrategy::release_at(Kernel& kernel, Release& release, const Block& block, double rate) {
  if (rate <= 0) return 0.0;
  auto answers = kernel.values_at(block.series, rate);
  if (!answers && answers.error().cause == Cause::refused) {
    const double left = rate_of(kernel, kernel.available(block.series));
    if (left < kCrumb * rate) return 0.0;
    rate = std::min(rate, left);
    answers = kernel.values_at(block.series, rate);
  }
  if (!answers && answers.error().cause == Cause::refused) return 0.0;
  if (!answers) return std::move(answers).error();
  release.set(block.series, *answers);
  return rate;
}

bool PlannedStrategy::comparable(const Kernel& kernel, const Release& release, const Block& block,
                                 std::vector<std::int64_t>& reference) {
  reference.clear();
  for (const SeriesId series : block.series) {
    if (!release[series].known || !kernel.present(series)) return false;
    reference.push_back(release[series].value.steps);
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
  const RateSplit split = split_(*block.planner, rate);
  const auto moved = kernel.distance_at(block.series, reference_, split.decision);
  if (!moved && moved.error().cause == Cause::refused) return 0.0;
  if (!moved) return moved.error();
  const double decided = split.decision_counts ? split.decision : 0;
  if (static_cast<double>(moved->steps) <= expected_noise(kernel, block, split.answer)) return decided;
  FUGU_ASSIGN(const double spent, release_at(kernel, release, block, split.answer));
  return decided + spent;
}

}  // namespace fugu
