#include "fugu/mechanism/fast.hpp"

#include <algorithm>
#include <cmath>

#include "nearest_steps.hpp"

namespace fugu {

namespace {

constexpr PidController::Options kPid{.proportional = 0.9, .integral = 0.1, .derivative = 0, .integral_window = 5};
constexpr double kGainSlots = 5;  // θ
/// Samples per slot that the budget is divided for; the published form has half of it in each block, of half of ε.
constexpr double kSamplingRate = 0.15;
/// The correction, in standard deviations of a sample's noise, at which the interval is right.
constexpr double kGoalDeviations = 0.5;

// As published, in units of the data.
constexpr double kGoalRelative = 0.1;
constexpr double kFixedStartVariance = 100;
constexpr double kFixedMovement = 1e5;
constexpr double kFixedNoise = 1e6;
constexpr std::uint64_t kWarmUpSamples = 5;

}  // namespace

void FastW::start(const Kernel& kernel) {
  window_ = kernel.window_slots();
  const double rate = flaws_.halved_blocks ? kSamplingRate / 2 : kSamplingRate;
  samples_max_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rate * static_cast<double>(window_)));
  tracks_.assign(kernel.all().size(), Track{{}, {}, PidController(kPid)});
  for (Track& track : tracks_) track.fixed.start(0, kFixedStartVariance * flaws_.unit_steps * flaws_.unit_steps);
  sampled_.assign(tracks_.size() * samples_max_, 0);
}

void FastW::start_block(Slot slot) {
  for (Track& track : tracks_) {
    track.samples = 0;
    track.interval_slots = 1;
    track.due = slot;
    track.fixed.start(0, kFixedStartVariance * flaws_.unit_steps * flaws_.unit_steps);
    track.pid = PidController(kPid);
  }
}

std::uint64_t FastW::samples_in_window(SeriesId series, Slot slot) {
  Track& track = tracks_[series];
  if (flaws_.halved_blocks) return track.samples;
  while (track.left < track.samples && slot - sampled_at(series, track.left) >= static_cast<Slot>(window_))
    ++track.left;
  return track.samples - track.left;
}

/// Samples that come one after another leave the rest of the window without: the fewer are left, the further apart, up
/// to where the same number would come in every window.
double FastW::shortest_interval(SeriesId series, Slot slot) {
  const double even = static_cast<double>(window_) / static_cast<double>(samples_max_);
  if (flaws_.constant_interval) return even;
  if (flaws_.halved_blocks) return 1;
  const double used = static_cast<double>(samples_in_window(series, slot)) / static_cast<double>(samples_max_);
  return std::max(1.0, even * used);
}

double FastW::measure(Track& track, const NoisyValue& answer, double slots) {
  const auto measured = static_cast<double>(answer.steps);
  if (!flaws_.fixed_filter) {
    return track.kalman.measure(measured, noise_variance_.of(answer.noise, answer.parameter), slots);
  }
  const double before = track.fixed.value();
  const double unit = flaws_.unit_steps;
  track.fixed.predict(kFixedMovement * unit * unit);
  track.fixed.correct(measured, kFixedNoise * unit * unit);
  return std::abs(track.fixed.value() - before) / std::max(std::abs(track.fixed.value()), unit);
}

Result<void> FastW::sample(Kernel& kernel, Release& release, SeriesId series) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  const std::uint64_t parts = samples_max_ * kernel.crowd(series) * (flaws_.halved_blocks ? 2 : 1);
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, kernel.total() / parts));
  if (!answers[0]) return {};  // missing: nothing was asked
  const double slots = std::max(1.0, static_cast<double>(slot - track.last));
  const double error = track.pid.update(measure(track, *answers[0], slots), slots);
  sampled_at(series, track.samples++) = slot;
  track.last = slot;
  track.interval_slots = next_interval_fast(track.interval_slots, error,
                                            flaws_.relative_error ? kGoalRelative : kGoalDeviations, kGainSlots);
  // Done right, half of the samples are taken even when nothing moves: unused they would be worth nothing.
  const double longest = flaws_.halved_blocks
                             ? static_cast<double>(window_)
                             : std::max(1.0, 2 * static_cast<double>(window_) / static_cast<double>(samples_max_));
  track.interval_slots = std::clamp(track.interval_slots, 1.0, longest);
  const bool warming_up = flaws_.halved_blocks && track.samples < std::min(kWarmUpSamples, samples_max_);
  if (warming_up || flaws_.constant_interval) track.interval_slots = 1;
  const double wait = std::max(track.interval_slots, shortest_interval(series, slot));
  track.due = slot + static_cast<Slot>(std::llround(wait));
  release.estimate(series, nearest_steps(flaws_.fixed_filter ? track.fixed.value() : track.kalman.value()), true);
  return {};
}

Result<void> FastW::step(Kernel& kernel, Release& release) {
  if (tracks_.empty()) start(kernel);
  const Slot slot = kernel.slot();
  if (flaws_.halved_blocks) {
    const auto block = static_cast<Slot>(window_) + (flaws_.lost_slot ? 1 : 0);
    if (slot % block == 0) start_block(slot);
    if (slot % block == static_cast<Slot>(window_)) {
      for (const SeriesId series : kernel.all()) release.estimate(series, 0, false);
      return {};
    }
  }
  for (const SeriesId series : kernel.all()) {
    const Track& track = tracks_[series];
    if (slot >= track.due && kernel.present(series) && samples_in_window(series, slot) < samples_max_) {
      FUGU_TRY(sample(kernel, release, series));
    } else if (flaws_.lost_slot && release[series].known) {
      release.estimate(series, nearest_steps(track.fixed.value()), false);  // after the slot that was lost
    }
  }
  return {};
}

}  // namespace fugu
