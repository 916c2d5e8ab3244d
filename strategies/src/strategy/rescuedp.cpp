#include "fugu/strategy/rescuedp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fugu/strategy/nearest_steps.hpp"

namespace fugu {

namespace {

constexpr PidController::Options kPid{.proportional = 0.9, .integral = 0.1, .derivative = 0, .integral_window = 3};
constexpr double kGainSlots = 10;              // θ
constexpr double kBudgetPerLogInterval = 0.2;  // φ
constexpr double kLargestPart = 0.6;           // p_max, of what is left
constexpr std::uint64_t kLargestShare = 5;     // e_max is a fifth of ε
/// The correction, in standard deviations of a sample's noise, at which the interval is right.
constexpr double kGoalDeviations = 0.5;
/// While a stream keeps moving, about so many samples are taken of it in a window.
constexpr double kSamplesPerWindow = 24;

// Grouping, in scales of a series' own noise.
constexpr double kSmallScales = 10;           // τ1
constexpr double kSmallestCorrelation = 0.5;  // τ2
constexpr double kAlikeScales = 2;            // τ3
/// Noise of scale b has variance 2b²; twice that is still no movement.
constexpr double kStillScales = 4;
/// Every so many samples a series is asked alone: members of a group that are never told apart stay alike for ever.
constexpr std::uint64_t kAloneEvery = 4;
constexpr std::size_t kGroupsCompared = 16;

}  // namespace

void RescueDp::start(const Kernel& kernel) {
  window_ = kernel.window_slots();
  samples_max_ = std::min(window_, kSamplesMax);
  tracks_.assign(kernel.all().size(), Track{.pid = PidController(kPid), .own_answers = ShortHistory()});
  for (const SeriesId series : kernel.all()) {
    tracks_[series].account = kernel.total() / kernel.series_per_meter(series);
    tracks_[series].smallest = tracks_[series].account / samples_max_;
  }
  due_.start(tracks_.size(), 0);
  ring_ = std::bit_ceil(samples_max_);
  spent_.resize(tracks_.size() * ring_);
  // Longer than that, and part of the budget would never be spent.
  longest_slots_ = std::max(1.0, static_cast<double>(window_) / static_cast<double>(kLargestShare));
}

void RescueDp::forget_spending(SeriesId series, Slot slot) {
  Track& track = tracks_[series];
  while (track.left < track.samples && slot - sample_of(series, track.left).slot >= static_cast<Slot>(window_))
    track.spent -= sample_of(series, track.left++).share;
}

Budget RescueDp::affordable(SeriesId series, Slot slot) {
  forget_spending(series, slot);
  const Track& track = tracks_[series];
  const Budget rest = track.account - track.spent;
  const double part = std::min(kBudgetPerLogInterval * std::log(track.interval_slots + 1), kLargestPart);
  const Budget wanted = std::min(Budget::round_down(rest.to_double() * part), track.account / kLargestShare);
  // Ever smaller parts of what is left would buy nothing but noise: rather wait until there is more.
  const bool has_room = track.samples - track.left < samples_max_;
  return rest < track.smallest || !has_room ? Budget() : std::max(wanted, track.smallest);
}

bool RescueDp::is_groupable(SeriesId series) const {
  const Track& track = tracks_[series];
  if (options_.no_grouping || tracks_.size() < 2) return false;
  return track.samples % kAloneEvery != 0 && std::abs(track.kalman.value()) <= kSmallScales * track.noise_scale;
}

bool RescueDp::are_alike(const Track& a, const Track& b) const {
  // All members pay what the poorest can.
  if (a.now < b.now / 2 || b.now < a.now / 2) return false;
  const double scale = std::min(a.noise_scale, b.noise_scale);
  return are_similar(a.own_answers, b.own_answers,
                     {.smallest_correlation = kSmallestCorrelation,
                      .largest_distance = kAlikeScales * scale,
                      .still_variance = kStillScales * scale * scale});
}

bool RescueDp::belongs(const Kernel& kernel, SeriesId series, const Group& group) const {
  const SeriesId first = group.members[0];
  return are_alike(tracks_[series], tracks_[first]) &&
         kernel.exposure().sensitivity_steps(series) == kernel.exposure().sensitivity_steps(first);
}

RescueDp::Group& RescueDp::new_group() {
  if (groups_used_ == groups_.size()) groups_.emplace_back();
  Group& group = groups_[groups_used_++];
  group.members.clear();
  return group;
}

void RescueDp::form_groups(const Kernel& kernel) {
  groups_used_ = 0;
  std::size_t open = 0;  // groups before this one are not compared any more
  for (const SeriesId series : groupable_) {
    Group* found = nullptr;
    for (std::size_t g = open; g < groups_used_ && found == nullptr; ++g) {
      if (belongs(kernel, series, groups_[g])) found = &groups_[g];
    }
    if (found == nullptr) found = &new_group();
    found->members.push_back(series);
    open = groups_used_ > kGroupsCompared ? groups_used_ - kGroupsCompared : 0;
  }
}

void RescueDp::pay(SeriesId series, Slot slot, Budget share) {
  Track& track = tracks_[series];
  sample_of(series, track.samples++) = {slot, share};
  track.spent += share;
}

/// Samples that come one after another leave the rest of the window without: the less budget is left, the further
/// apart.
double RescueDp::shortest_interval(const Track& track) const {
  if (options_.constant_interval) return 1;
  const double used = track.spent.to_double() / track.account.to_double();
  return std::max(1.0, used * static_cast<double>(window_) / kSamplesPerWindow);
}

/// Series can be asked together only when they are due together: intervals end at multiples of a power of two.
Slot RescueDp::next_due(Slot slot, double interval_slots) const {
  const Slot interval = nearest_steps(interval_slots);
  if (tracks_.size() < 2) return slot + interval;
  const auto grid = static_cast<Slot>(std::bit_floor(static_cast<std::uint64_t>(interval)));
  return std::max(slot + 1, (slot + interval + grid / 2) & -grid);
}

void RescueDp::take(const Kernel& kernel, Release& release, SeriesId series, double value, double noise_variance) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  const double slots = std::max(1.0, static_cast<double>(slot - track.last));
  const double off = track.kalman.measure(value, noise_variance, slots) / kGoalDeviations;
  const double error = track.pid.update(off, slots);
  if (track.group_size == 1) track.own_answers.add(value);
  track.last = slot;
  track.interval_slots =
      std::clamp(next_interval_rescue(track.interval_slots, error, 1, kGainSlots), 1.0, longest_slots_);
  if (options_.constant_interval) track.interval_slots = 1;
  due_.set(series, next_due(slot, std::max(track.interval_slots, shortest_interval(track))));
  release.estimate(series, nearest_steps(track.kalman.value()), true);
}

Result<void> RescueDp::ask_alone(Kernel& kernel, Release& release, SeriesId series) {
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, tracks_[series].now));
  pay(series, kernel.slot(), tracks_[series].now);
  tracks_[series].group_size = 1;
  NoisyValue answer;
  answers.copy(0, answer);
  take(kernel, release, series, static_cast<double>(answer.steps), noise_variance_.of(answer.noise, answer.parameter));
  return {};
}

Result<void> RescueDp::ask_together(Kernel& kernel, Release& release, const Group& group) {
  const Slot slot = kernel.slot();
  Budget each = tracks_[group.members[0]].now;
  double variance = 0;
  expected_.clear();
  for (const SeriesId series : group.members) {
    const Track& track = tracks_[series];
    each = std::min(each, track.now);
    expected_.push_back(track.kalman.value());
    variance += track.kalman.variance_after(static_cast<double>(slot - track.last));
  }
  variance /= static_cast<double>(group.members.size());
  FUGU_ASSIGN(const auto parts, grouped_.ask(kernel, group.members, expected_, variance, each));
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const SeriesId series = group.members[i];
    pay(series, slot, each);
    tracks_[series].group_size = group.members.size();
    take(kernel, release, series, parts[i].value, parts[i].noise_variance);
  }
  return {};
}

Result<void> RescueDp::sample_all(Kernel& kernel, Release& release, std::span<const SeriesId> due) {
  const Slot slot = kernel.slot();
  groupable_.clear();
  for (const SeriesId series : due) {
    if (!kernel.present(series)) continue;
    Track& track = tracks_[series];
    track.now = affordable(series, slot);
    if (track.now.units() == 0) continue;
    const double paid = track.now.to_double();
    track.noise_scale = static_cast<double>(kernel.exposure().sensitivity_steps(series)) /
                        (kernel.currency() == Currency::epsilon ? paid : std::sqrt(2 * paid));
    if (is_groupable(series)) {
      groupable_.push_back(series);
    } else {
      FUGU_TRY(or_repeat(ask_alone(kernel, release, series)));
    }
  }
  form_groups(kernel);
  for (std::size_t g = 0; g < groups_used_; ++g) {
    FUGU_TRY(or_repeat(groups_[g].members.size() == 1 ? ask_alone(kernel, release, groups_[g].members[0])
                                                      : ask_together(kernel, release, groups_[g])));
  }
  return {};
}

Result<void> RescueDp::step(Kernel& kernel, Release& release) {
  if (tracks_.empty()) start(kernel);
  const auto due = due_.in(kernel.slot());
  if (due.empty()) return {};  // most slots
  return sample_all(kernel, release, due);
}

}  // namespace fugu
