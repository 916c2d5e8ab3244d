#include "fugu/comparison/fast_as_published.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/strategy/nearest_steps.hpp"

namespace fugu {

namespace {

constexpr PidController::Options kPid{.proportional = 0.9, .integral = 0.1, .derivative = 0, .integral_window = 5};
constexpr double kGainSlots = 5;  // θ
constexpr double kSamplingRate = 0.075;
constexpr std::uint64_t kWarmUpSamples = 5;
constexpr double kGoalRelative = 0.1;

// In units of the data.
constexpr double kStartVariance = 100;
constexpr double kMovement = 1e5;
constexpr double kNoise = 1e6;

}  // namespace

void FastAsPublished::start(const Kernel& kernel) {
  window_ = kernel.window_slots();
  samples_max_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(kSamplingRate * static_cast<double>(window_)));
  tracks_.assign(kernel.all().size(), Track{{}, PidController(kPid)});
  for (const SeriesId series : kernel.all())
    tracks_[series].share = kernel.total() / (samples_max_ * kernel.series_per_meter(series) * 2);
}

void FastAsPublished::start_block(Slot slot) {
  due_.start(tracks_.size(), slot);
  for (Track& track : tracks_) {
    track.filter.start(0, kStartVariance * unit_steps_ * unit_steps_);
    track.samples = 0;
    track.interval_slots = 1;
    track.pid = PidController(kPid);
  }
}

double FastAsPublished::feedback(Track& track, double measured) const {
  const double before = track.filter.value();
  track.filter.predict(kMovement * unit_steps_ * unit_steps_);
  track.filter.correct(measured, kNoise * unit_steps_ * unit_steps_);
  return std::abs(track.filter.value() - before) / std::max(std::abs(track.filter.value()), unit_steps_);
}

Result<void> FastAsPublished::sample(Kernel& kernel, Release& release, SeriesId series) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, track.share));
  NoisyValue answer;
  answers.copy(0, answer);
  const double slots = std::max(1.0, static_cast<double>(slot - track.last));
  const double error = track.pid.update(feedback(track, static_cast<double>(answer.steps)), slots);
  ++track.samples;
  track.last = slot;
  track.interval_slots = std::clamp(next_interval_fast(track.interval_slots, error, kGoalRelative, kGainSlots), 1.0,
                                    static_cast<double>(window_));
  if (track.samples < std::min(kWarmUpSamples, samples_max_)) track.interval_slots = 1;
  due_.set(series, slot + nearest_steps(track.interval_slots));
  release.estimate(series, nearest_steps(track.filter.value()), true);
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
      release.estimate(series, lost ? 0 : nearest_steps(tracks_[series].filter.value()), false);
  }
  if (lost) return {};
  for (const SeriesId series : due_.in(kernel.slot())) {
    if (kernel.present(series) && tracks_[series].samples < samples_max_) FUGU_TRY(sample(kernel, release, series));
  }
  return {};
}

}  // namespace fugu
