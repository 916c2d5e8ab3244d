#include "fugu/comparison/dsat_as_published.hpp"

#include <algorithm>
#include <cmath>

namespace fugu {

namespace {

constexpr double kSampledPart = 0.15;
constexpr double kGain = 0.5;
constexpr double kTolerance = 0.05;
constexpr double kRowCountPart = 0.1;
constexpr Slot kSkippedSlots = 2;
constexpr double kThresholdAtFirst = 0.025;  // in units of the data
constexpr double kLargestScaleSteps = 0x1p39;

/// What the row count leaves of ε in the first window.
double reduced(Slot slot, std::uint64_t window_slots) {
  return slot <= static_cast<Slot>(window_slots) ? 1 - kRowCountPart : 1;
}

}  // namespace

/// The split and the noise of the published implementation, from a noisy count of rows that comes on top.
Result<void> DsatAsPublished::prepare(Kernel& kernel) {
  window_slots_ = kernel.window_slots();
  total_ = kernel.total().to_double();
  const auto w = static_cast<double>(window_slots_);
  samples_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(kSampledPart * w)), 1, window_slots_);
  FUGU_ASSIGN(const NoisyValue rows, kernel.sum(kernel.all(), Budget::round_down(total_ * kRowCountPart)));
  const auto d = static_cast<double>(kernel.all().size());
  const auto c = static_cast<double>(samples_);
  const double delta = 2 / d;
  const double n = static_cast<double>(rows.steps) / unit_steps_;
  const double root = std::round(std::cbrt(n * n * (8 + 32 * c * c) * delta * delta / (d * c * c)));
  decision_part_ = std::min(root, 1 - c / w);
  distance_scale_ = decision_part_ > 0 ? unit_steps_ * 2 * c * delta * d / decision_part_ : kLargestScaleSteps * total_;
  // The threshold's noise: that of the distance to a place so far away that every distance is cut off there.
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  constexpr std::int64_t kCutOff = std::int64_t{1} << 61;
  reference_.assign(kernel.all().size(), kFar);
  const double scale = std::min(distance_scale_ / ((1 - kRowCountPart) * total_), kLargestScaleSteps);
  FUGU_ASSIGN(const NoisyValue noisy,
              kernel.distance_at(kernel.all(), reference_, static_cast<double>(kernel.series_per_meter(0)) / scale));
  threshold_ = kThresholdAtFirst * unit_steps_ + static_cast<double>(noisy.steps - kCutOff) / d;
  return {};
}

bool DsatAsPublished::has_newcomer(const Kernel& kernel, const Release& release) const {
  const auto is_new = [&](SeriesId id) { return kernel.present(id) && !release[id].known; };
  return std::any_of(kernel.all().begin(), kernel.all().end(), is_new);
}

std::size_t DsatAsPublished::released_lately(Slot slot) {
  const auto w = static_cast<Slot>(window_slots_);
  releases_.forget_before(slot - w);
  return releases_.count() - (slot > w && last_release_ == slot - 1 ? 1 : 0);
}

Result<bool> DsatAsPublished::has_moved(Kernel& kernel) {
  const Slot slot = kernel.slot();
  if (slot <= kSkippedSlots) return false;
  const auto d = static_cast<double>(kernel.all().size());
  const double scale = std::min(distance_scale_ / (reduced(slot, window_slots_) * total_), kLargestScaleSteps);
  FUGU_ASSIGN(const NoisyValue distance,
              kernel.distance_at(kernel.all(), reference_, static_cast<double>(kernel.series_per_meter(0)) / scale));
  const double error = static_cast<double>(samples_) / static_cast<double>(window_slots_);  // the measured rate is 0
  threshold_ = std::max(0.0, threshold_ - std::abs(error - kTolerance) / kTolerance * kGain * unit_steps_);
  return static_cast<double>(distance.steps) / d >= threshold_;
}

Result<void> DsatAsPublished::release_all(Kernel& kernel, Release& release) {
  const Slot slot = kernel.slot();
  const Budget share = Budget::round_down(total_ * (1 - reduced(slot, window_slots_) * decision_part_)) / samples_;
  FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), share));
  release.set(kernel.all(), answers);
  reference_.clear();
  for (const SeriesId id : kernel.all()) reference_.push_back(release.published_steps(id));
  last_release_ = slot;
  releases_.spend(slot, 0, share);
  return {};
}

Result<void> DsatAsPublished::step(Kernel& kernel, Release& release) {
  if (window_slots_ == 0) FUGU_TRY(prepare(kernel));
  const auto there = [&](SeriesId id) { return kernel.present(id); };
  const bool any_present = std::any_of(kernel.all().begin(), kernel.all().end(), there);
  if (!any_present || released_lately(kernel.slot()) >= samples_) return {};
  bool moved = has_newcomer(kernel, release) || samples_ == window_slots_;
  if (!moved) {
    FUGU_ASSIGN(moved, has_moved(kernel));
  }
  return moved ? release_all(kernel, release) : Result<void>();
}

}  // namespace fugu
