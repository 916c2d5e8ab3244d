#include "fugu/comparison/fast_as_published.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/strategy/nearest_steps.hpp"

namespace fugu {

namespace {

// The integral part is 0.1 of the sum of the last five errors, where the controller here takes their mean.
constexpr PidController::Options kPid{.proportional = 0.9, .integral = 0.5, .derivative = 0, .integral_window = 5};
constexpr double kGainSlots = 5;  // θ
constexpr double kSamplingRate = 0.075;
constexpr std::uint64_t kWarmUpSamples = 5;
constexpr double kGoalRelative = 0.1;
constexpr double kLongAgo = 1e9;  // slots: what an interval cannot shrink by

// In units of the data.
constexpr double kStartVariance = 100;
constexpr double kMovement = 1e5;
constexpr double kNoise = 1e6;

}  // namespace

void FastAsPublished::start(const Kernel& kernel) {
  window_ = kernel.window_slots();
  samples_max_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(kSamplingRate * static_cast<double>(window_)));
  tracks_.assign(kernel.all().size(), Track{PidController(kPid)});
  for (const SeriesId series : kernel.all())
    tracks_[series].share = kernel.total() / (samples_max_ * kernel.series_per_meter(series) * 2);
}

void FastAsPublished::start_block(Slot slot) {
  due_.start(tracks_.size(), slot);
  for (Track& track : tracks_) {
    track.variance = kStartVariance * unit_steps_ * unit_steps_;
    track.samples = 0;
    track.interval_slots = 1;
    track.pid = PidController(kPid);
  }
}

double FastAsPublished::whole_units(double steps) const { return std::trunc(steps / unit_steps_) * unit_steps_; }

void FastAsPublished::take(Track& track, Slot slot, double measured) const {
  const double expected = track.samples == 0 ? 0 : whole_units(track.value);
  if (track.samples == 0) {
    track.value = measured;
  } else {
    const double square = unit_steps_ * unit_steps_;
    track.variance += kMovement * square * static_cast<double>(slot - track.last);
    const double gain = track.variance / (track.variance + kNoise * square);
    track.value += gain * (measured - track.value);
    track.variance *= 1 - gain;
  }
  const double off = std::abs(track.value - expected) / std::max(track.value, unit_steps_);
  const double error = track.pid.update(off, 1);
  if (++track.samples <= kWarmUpSamples) return;
  const double longer = std::trunc(next_interval_fast(0, error, kGoalRelative, kGainSlots));
  track.interval_slots = std::max<Slot>(1, track.interval_slots + static_cast<Slot>(std::max(longer, -kLongAgo)));
}

Result<void> FastAsPublished::sample(Kernel& kernel, Release& release, SeriesId series) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, track.share));
  NoisyValue answer;
  answers.copy(0, answer);
  take(track, slot, static_cast<double>(answer.steps));
  track.last = slot;
  due_.set(series, slot + track.interval_slots);
  release.estimate(series, nearest_steps(track.value), true);
  return {};
}

Result<void> FastAsPublished::step(Kernel& kernel, Release& release) {
  if (tracks_.empty()) start(kernel);
  const auto w = static_cast<Slot>(window_);
  const Slot in_block = kernel.slot() % (w + 1);
  if (in_block == 0) start_block(kernel.slot());
  const bool lost = in_block == w;
  for (const SeriesId series : kernel.all()) {  // those that are not sampled
    if (lost || release[series].known)
      release.estimate(series, lost ? 0 : nearest_steps(whole_units(tracks_[series].value)), false);
  }
  if (lost) return {};
  for (const SeriesId series : due_.in(kernel.slot())) {
    if (kernel.present(series) && tracks_[series].samples < samples_max_) FUGU_TRY(sample(kernel, release, series));
  }
  return {};
}

}  // namespace fugu
