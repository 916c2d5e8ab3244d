#include "fugu/comparison/rescuedp_as_published.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/strategy/nearest_steps.hpp"

namespace fugu {

namespace {

constexpr PidController::Options kPid{.proportional = 0.9, .integral = 0.1, .derivative = 0, .integral_window = 3};
constexpr double kGainSlots = 10;              // θ
constexpr double kBudgetPerLogInterval = 0.2;  // φ
constexpr double kLargestPart = 0.6;           // p_max, of what is left
constexpr double kLargestShare = 5;            // e_max is a fifth of ε
constexpr double kSmallestCorrelation = 0.5;   // τ2
constexpr std::size_t kHistory = 3;
constexpr std::size_t kGroupsCompared = 16;
// What the kernel can draw, and what a share has left when it is split and rounded, with room to spare.
constexpr double kLargestScaleSteps = 0x1p39;
constexpr double kSmallestShare = 0x1p-34;

// In units of the data.
constexpr double kStartVariance = 100;
constexpr double kSmall = 30;          // τ1
constexpr double kAlikeDistance = 25;  // τ3

}  // namespace

void RescueDpAsPublished::start(const Kernel& kernel) {
  window_ = kernel.window_slots();
  tracks_.assign(kernel.all().size(), Track{.pid = PidController(kPid), .released = ShortHistory(kHistory)});
  for (const SeriesId series : kernel.all()) {
    tracks_[series].variance = kStartVariance * unit_steps_ * unit_steps_;
    tracks_[series].account = (kernel.total() / kernel.series_per_meter(series)).to_double();
  }
  due_.start(tracks_.size(), 0);
}

double RescueDpAsPublished::noise_scale(const Kernel& kernel, SeriesId series, double share) {
  return static_cast<double>(kernel.exposure().sensitivity_steps(series)) /
         (kernel.currency() == Currency::epsilon ? share : std::sqrt(2 * share));
}

double RescueDpAsPublished::drawable(const Kernel& kernel, SeriesId series, double share) {
  const auto sensitivity = static_cast<double>(kernel.exposure().sensitivity_steps(series));
  const auto split = static_cast<double>(kernel.series_per_meter(series));
  return std::max({share, sensitivity * split / kLargestScaleSteps, kSmallestShare});
}

double RescueDpAsPublished::affordable(Track& track, Slot slot) const {
  while (!track.samples.empty() && slot - track.samples.front().slot >= static_cast<Slot>(window_)) {
    track.spent -= track.samples.front().share;
    track.samples.pop_front();
  }
  const double part = std::min(kBudgetPerLogInterval * std::log(track.interval_slots + 1), kLargestPart);
  const double share = std::min(part * (track.account - track.spent), track.account / kLargestShare);
  return std::abs(share);  // below 0 it is a rounding error, and a scale below 0 is noise like any other
}

bool RescueDpAsPublished::belongs(const Kernel& kernel, SeriesId series, const Group& group) const {
  return are_similar(tracks_[series].released, tracks_[group[0]].released,
                     {.smallest_correlation = kSmallestCorrelation,
                      .largest_distance = kAlikeDistance * unit_steps_,
                      .still_variance = 0}) &&
         kernel.exposure().sensitivity_steps(series) == kernel.exposure().sensitivity_steps(group[0]);
}

/// Each series is compared with the latest groups only.
std::vector<RescueDpAsPublished::Group> RescueDpAsPublished::group(const Kernel& kernel,
                                                                   std::span<const SeriesId> small) const {
  std::vector<Group> groups;
  for (const SeriesId series : small) {
    const auto compared = static_cast<std::ptrdiff_t>(std::min(groups.size(), kGroupsCompared));
    const auto found = std::find_if(groups.end() - compared, groups.end(),
                                    [&](const Group& group) { return belongs(kernel, series, group); });
    (found == groups.end() ? groups.emplace_back() : *found).push_back(series);
  }
  return groups;
}

double RescueDpAsPublished::filtered(const Kernel& kernel, Track& track, double measured) const {
  const double per_slot = unit_steps_ * static_cast<double>(window_) / kernel.total().to_double();
  track.variance += true_variance_ * static_cast<double>(kernel.slot() - track.last);
  const double gain = track.variance / (track.variance + per_slot * per_slot);
  track.variance *= 1 - gain;
  return track.value + gain * (measured - track.value);
}

/// The feedback is compared with the noise that all of what is left in the next slot's window would have.
void RescueDpAsPublished::choose_interval(const Kernel& kernel, SeriesId series, double moved) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  double left = track.account - track.spent;
  for (const Spent& sample : track.samples) {
    if (slot + 1 - sample.slot >= static_cast<Slot>(window_)) left += sample.share;
  }
  const double error = track.pid.update(moved, std::max(1.0, static_cast<double>(slot - track.last)));
  const double goal = noise_scale(kernel, series, std::abs(left));
  track.interval_slots = std::max(1.0, next_interval_rescue(track.interval_slots, error, goal, kGainSlots));
}

void RescueDpAsPublished::take(const Kernel& kernel, Release& release, SeriesId series, double paid, double measured) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  track.samples.push_back({slot, paid});
  track.spent += paid;
  if (track.last < 0) {
    track.value = measured;
  } else {
    const double before = track.value;
    track.value = filtered(kernel, track, measured);
    choose_interval(kernel, series, std::abs(track.value - before));
  }
  track.released.add(track.value);
  track.last = slot;
  due_.set(series, slot + static_cast<Slot>(track.interval_slots));
  release.estimate(series, nearest_steps(track.value), true);
}

Result<void> RescueDpAsPublished::ask_alone(Kernel& kernel, Release& release, SeriesId series) {
  const Track& track = tracks_[series];
  const double asked = drawable(kernel, series, track.now);
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, Budget::round_down(asked)));
  NoisyValue answer;
  answers.copy(0, answer);
  const double stretch = noise_scale(kernel, series, track.now) / noise_scale(kernel, series, asked);
  take(kernel, release, series, track.now, static_cast<double>(answer.steps) * stretch);
  return {};
}

Result<void> RescueDpAsPublished::ask_together(Kernel& kernel, Release& release, const Group& group) {
  double each = tracks_[group[0]].now;
  for (const SeriesId series : group) each = std::min(each, tracks_[series].now);
  std::vector<double> expected(group.size(), 0.0);
  FUGU_TRY(grouped_.ask(kernel, group, expected, 0, Budget::round_down(drawable(kernel, group[0], each))));
  for (const SeriesId series : group) take(kernel, release, series, each, 0);  // the answer is lost
  return {};
}

Result<void> RescueDpAsPublished::step(Kernel& kernel, Release& release) {
  if (tracks_.empty()) start(kernel);
  std::vector<SeriesId> small;
  for (const SeriesId series : due_.in(kernel.slot())) {
    if (!kernel.present(series)) continue;
    Track& track = tracks_[series];
    track.now = affordable(track, kernel.slot());
    if (track.now == 0) continue;
    if (tracks_.size() > 1 && track.released.full() && track.released.mean() <= kSmall * unit_steps_) {
      small.push_back(series);
    } else {
      FUGU_TRY(ask_alone(kernel, release, series));
    }
  }
  for (const Group& group : group(kernel, small))
    FUGU_TRY(group.size() == 1 ? ask_alone(kernel, release, group[0]) : ask_together(kernel, release, group));
  return {};
}

}  // namespace fugu
