#include "fugu/strategy/fast.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fugu/strategy/nearest_steps.hpp"

namespace fugu {

namespace {

constexpr PidController::Options kPid{.proportional = 0.9, .integral = 0.1, .derivative = 0, .integral_window = 5};
constexpr double kGainSlots = 5;  // θ
/// Samples per slot that the budget is divided for.
constexpr double kSamplingRate = 0.15;
/// The correction, in standard deviations of a sample's noise, at which the interval is right.
constexpr double kGoalDeviations = 0.5;

}  // namespace

void FastW::start(const Kernel& kernel) {
  window_ = kernel.window_slots();
  samples_max_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(kSamplingRate * static_cast<double>(window_)));
  tracks_.assign(kernel.all().size(), Track{{}, PidController(kPid)});
  due_.start(tracks_.size(), 0);
  for (const SeriesId series : kernel.all())
    tracks_[series].share = kernel.total() / (samples_max_ * kernel.series_per_meter(series));
  even_slots_ = static_cast<double>(window_) / static_cast<double>(samples_max_);
  // Half of the samples are taken even when nothing moves: unused they would be worth nothing.
  longest_slots_ = std::max(1.0, 2 * even_slots_);
  ring_ = std::bit_ceil(samples_max_);
  sampled_.assign(tracks_.size() * ring_, 0);
}

std::uint64_t FastW::samples_in_window(SeriesId series, Slot slot) {
  Track& track = tracks_[series];
  while (track.left < track.samples && slot - sampled_at(series, track.left) >= static_cast<Slot>(window_))
    ++track.left;
  return track.samples - track.left;
}

/// Samples that come one after another leave the rest of the window without: the fewer are left, the further apart, up
/// to where the same number would come in every window.
double FastW::shortest_interval(SeriesId series, Slot slot) {
  if (options_.constant_interval) return even_slots_;
  const double used = static_cast<double>(samples_in_window(series, slot)) / static_cast<double>(samples_max_);
  return std::max(1.0, even_slots_ * used);
}

Result<void> FastW::sample(Kernel& kernel, Release& release, SeriesId series) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, track.share));
  if (!answers.has(0)) return {};  // missing: nothing was asked
  NoisyValue answer;
  answers.copy(0, answer);
  const double slots = std::max(1.0, static_cast<double>(slot - track.last));
  const double off = track.kalman.measure(static_cast<double>(answer.steps),
                                          noise_variance_.of(answer.noise, answer.parameter), slots);
  const double error = track.pid.update(off, slots);
  sampled_at(series, track.samples++) = slot;
  track.last = slot;
  track.interval_slots = next_interval_fast(track.interval_slots, error, kGoalDeviations, kGainSlots);
  track.interval_slots = std::clamp(track.interval_slots, 1.0, longest_slots_);
  if (options_.constant_interval) track.interval_slots = 1;
  const double wait = std::max(track.interval_slots, shortest_interval(series, slot));
  due_.set(series, slot + nearest_steps(wait));
  release.estimate(series, nearest_steps(track.kalman.value()), true);
  return {};
}

Result<void> FastW::sample_all(Kernel& kernel, Release& release, std::span<const SeriesId> due) {
  for (const SeriesId series : due) {
    if (kernel.present(series) && samples_in_window(series, kernel.slot()) < samples_max_)
      FUGU_TRY(or_repeat(sample(kernel, release, series)));
  }
  return {};
}

Result<void> FastW::step(Kernel& kernel, Release& release) {
  if (tracks_.empty()) start(kernel);
  const auto due = due_.in(kernel.slot());
  if (due.empty()) return {};  // most slots
  return sample_all(kernel, release, due);
}

}  // namespace fugu
