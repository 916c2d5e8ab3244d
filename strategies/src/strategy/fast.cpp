#include "fugu/strategy/fast.hpp"

#include <algorithm>
#include <bit>
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
  tracks_.assign(kernel.all().size(), Track{{}, PidController(kPid)});
  start_filters();
  due_.start(tracks_.size(), 0);
  for (const SeriesId series : kernel.all())
    tracks_[series].share = kernel.total() / (samples_max_ * kernel.crowd(series) * (flaws_.halved_blocks ? 2 : 1));
  even_slots_ = static_cast<double>(window_) / static_cast<double>(samples_max_);
  // Done right, half of the samples are taken even when nothing moves: unused they would be worth nothing.
  longest_slots_ = flaws_.halved_blocks ? static_cast<double>(window_) : std::max(1.0, 2 * even_slots_);
  ring_ = std::bit_ceil(samples_max_);
  sampled_.assign(tracks_.size() * ring_, 0);
}

void FastW::start_filters() {
  KalmanState start;
  start.start(0, kFixedStartVariance * flaws_.unit_steps * flaws_.unit_steps);
  fixed_.assign(tracks_.size(), start);
}

void FastW::start_block(Slot slot) {
  due_.start(tracks_.size(), slot);
  start_filters();
  for (Track& track : tracks_) {
    track.samples = 0;
    track.interval_slots = 1;
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
  if (flaws_.constant_interval) return even_slots_;
  if (flaws_.halved_blocks) return 1;
  const double used = static_cast<double>(samples_in_window(series, slot)) / static_cast<double>(samples_max_);
  return std::max(1.0, even_slots_ * used);
}

double FastW::measure(SeriesId series, const NoisyValue& answer, double slots) {
  const auto measured = static_cast<double>(answer.steps);
  if (!flaws_.fixed_filter) {
    return tracks_[series].kalman.measure(measured, noise_variance_.of(answer.noise, answer.parameter), slots);
  }
  KalmanState& filter = fixed_[series];
  const double before = filter.value();
  const double unit = flaws_.unit_steps;
  filter.predict(kFixedMovement * unit * unit);
  filter.correct(measured, kFixedNoise * unit * unit);
  return std::abs(filter.value() - before) / std::max(std::abs(filter.value()), unit);
}

Result<void> FastW::sample(Kernel& kernel, Release& release, SeriesId series) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, track.share));
  if (!answers.has(0)) return {};  // missing: nothing was asked
  NoisyValue answer;
  answers.copy(0, answer);
  const double slots = std::max(1.0, static_cast<double>(slot - track.last));
  const double error = track.pid.update(measure(series, answer, slots), slots);
  sampled_at(series, track.samples++) = slot;
  track.last = slot;
  track.interval_slots = next_interval_fast(track.interval_slots, error,
                                            flaws_.relative_error ? kGoalRelative : kGoalDeviations, kGainSlots);
  track.interval_slots = std::clamp(track.interval_slots, 1.0, longest_slots_);
  const bool warming_up = flaws_.halved_blocks && track.samples < std::min(kWarmUpSamples, samples_max_);
  if (warming_up || flaws_.constant_interval) track.interval_slots = 1;
  const double wait = std::max(track.interval_slots, shortest_interval(series, slot));
  due_.set(series, slot + nearest_steps(wait));
  release.estimate(series, nearest_steps(flaws_.fixed_filter ? fixed_[series].value() : track.kalman.value()), true);
  return {};
}

bool FastW::is_lost(Kernel& kernel, Release& release) {
  const Slot slot = kernel.slot();
  const auto block = static_cast<Slot>(window_) + (flaws_.lost_slot ? 1 : 0);
  if (slot % block == 0) start_block(slot);
  const bool lost = slot % block == static_cast<Slot>(window_);
  if (!lost && !flaws_.lost_slot) return false;
  for (const SeriesId series : kernel.all()) {  // those that are not sampled
    if (lost || release[series].known)
      release.estimate(series, lost ? 0 : nearest_steps(fixed_[series].value()), false);
  }
  return lost;
}

Result<void> FastW::sample_all(Kernel& kernel, Release& release, std::span<const SeriesId> due) {
  for (const SeriesId series : due) {
    if (kernel.present(series) && samples_in_window(series, kernel.slot()) < samples_max_)
      FUGU_TRY(sample(kernel, release, series));
  }
  return {};
}

Result<void> FastW::step(Kernel& kernel, Release& release) {
  if (tracks_.empty()) start(kernel);
  if (flaws_.halved_blocks && is_lost(kernel, release)) return {};
  const auto due = due_.in(kernel.slot());
  if (due.empty()) return {};  // most slots
  return sample_all(kernel, release, due);
}

}  // namespace fugu
