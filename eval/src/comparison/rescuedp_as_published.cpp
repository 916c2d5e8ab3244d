#include "fugu/comparison/rescuedp_as_published.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/strategy/nearest_steps.hpp"

namespace fugu {

namespace {

constexpr PidController::Options kPid{.proportional = 0.9, .integral = 0.1, .derivative = 0, .integral_window = 3};
constexpr double kGainSlots = 10;                               // θ
constexpr double kBudgetPerLogInterval = 0.2;                   // φ
constexpr double kLargestPart = 0.6;                            // p_max, of what is left
constexpr std::uint64_t kLargestShare = 5;                      // e_max is a fifth of ε
constexpr Budget kSmallestShare = Budget::from_units(1 << 14);  // less would be more noise than can be drawn
constexpr double kSmallestCorrelation = 0.5;                    // τ2
constexpr std::size_t kHistory = 3;
constexpr std::size_t kGroupsCompared = 16;

// In units of the data.
constexpr double kStartVariance = 100;
constexpr double kSmall = 30;          // τ1
constexpr double kAlikeDistance = 25;  // τ3

}  // namespace

void RescueDpAsPublished::start(const Kernel& kernel) {
  window_ = kernel.window_slots();
  tracks_.assign(kernel.all().size(), Track{.pid = PidController(kPid), .released = ShortHistory(kHistory)});
  for (const SeriesId series : kernel.all()) {
    tracks_[series].filter.start(0, kStartVariance * unit_steps_ * unit_steps_);
    tracks_[series].account = kernel.total() / kernel.series_per_meter(series);
  }
  due_.start(tracks_.size(), 0);
}

Budget RescueDpAsPublished::affordable(Track& track, Slot slot) const {
  while (!track.samples.empty() && slot - track.samples.front().slot >= static_cast<Slot>(window_)) {
    track.spent -= track.samples.front().share;
    track.samples.pop_front();
  }
  const Budget rest = track.account - track.spent;
  const double part = std::min(kBudgetPerLogInterval * std::log(track.interval_slots + 1), kLargestPart);
  const Budget wanted = std::min(Budget::round_down(rest.to_double() * part), track.account / kLargestShare);
  return wanted < kSmallestShare ? Budget() : wanted;
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

void RescueDpAsPublished::take(const Kernel& kernel, Release& release, SeriesId series, Budget paid, double value) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  track.samples.push_back({slot, paid});
  track.spent += paid;
  const double before = track.filter.value();
  const double per_slot = unit_steps_ * static_cast<double>(window_) / kernel.total().to_double();
  track.filter.predict(true_variance_);
  track.filter.correct(value, per_slot * per_slot);
  const double released = track.filter.value();
  const double slots = std::max(1.0, static_cast<double>(slot - track.last));
  const double error = track.pid.update(std::abs(released - before) / track.noise_scale, slots);
  track.released.add(released);
  track.last = slot;
  track.interval_slots =
      std::clamp(next_interval_rescue(track.interval_slots, error, 1, kGainSlots), 1.0, static_cast<double>(window_));
  due_.set(series, slot + nearest_steps(track.interval_slots));
  release.estimate(series, nearest_steps(released), true);
}

Result<void> RescueDpAsPublished::ask_alone(Kernel& kernel, Release& release, SeriesId series) {
  const Budget paid = tracks_[series].now;
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, paid));
  NoisyValue answer;
  answers.copy(0, answer);
  take(kernel, release, series, paid, static_cast<double>(answer.steps));
  return {};
}

Result<void> RescueDpAsPublished::ask_together(Kernel& kernel, Release& release, const Group& group) {
  Budget each = tracks_[group[0]].now;
  for (const SeriesId series : group) each = std::min(each, tracks_[series].now);
  std::vector<double> expected(group.size(), 0.0);
  FUGU_TRY(grouped_.ask(kernel, group, expected, 0, each));
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
    if (track.now.units() == 0) continue;
    const double paid = track.now.to_double();
    track.noise_scale = static_cast<double>(kernel.exposure().sensitivity_steps(series)) /
                        (kernel.currency() == Currency::epsilon ? paid : std::sqrt(2 * paid));
    if (tracks_.size() > 1 && track.filter.value() < kSmall * unit_steps_) {
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
