#include "fugu/strategy/slot_groups.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/strategy/nearest_steps.hpp"

namespace fugu {

namespace {

constexpr std::uint64_t kGroupingPart = 5;  // a fifth of a slot's budget

/// Thresholds, in scales of the comparison's noise. At 3, noise alone ends a group once in 30 slots.
constexpr double kThresholdScales = 5;
constexpr double kLowestThresholdScales = 1;
constexpr double kHighestThresholdScales = 7;
/// How far releases move, in noise scales, for AdaPub's threshold to fall by a factor e.
constexpr double kCalmScales = 1;
constexpr PidController::Options kPid{.proportional = 0.9, .integral = 0.1, .derivative = 0, .integral_window = 5};

/// In ρ each comparison is a session of its own, and costs each of its n slots 2n − 1 shares: so they are few.
constexpr Slot kSessionSlotsInRho = 4;

// A change by more than the first shows in the cumulative sum; noise alone lets it exceed the second once in 220 slots.
constexpr double kDriftScales = 0.5;
constexpr double kMovedScales = 10;
/// How much a perturbed value is believed rather than its group: not at all up to `from`, altogether from `to` on.
struct Belief {
  double from;
  double to;
  double of(double off) const { return std::clamp((off - from) / (to - from), 0.0, 1.0); }
};
/// By how many scales this one lies off its group. Noise alone exceeds 4 in one slot of 55.
constexpr Belief kOneIsOff{4, 6};
/// By how many the last ones did on average, about 8 of them. Noise alone makes that 1, and 1.5 rarely.
constexpr Belief kMostAreOff{1.5, 2};
constexpr double kLatestWeight = 0.125;
constexpr double kLargestOff = 6;

/// max(0, value), exactly. This and multiplying by a condition below make no branches: on which side noise falls cannot
/// be predicted.
double positive_part(double value) { return (value + std::abs(value)) / 2; }

// Groups of series.
constexpr std::size_t kPivots = 20;
constexpr Slot kAloneEvery = 4;
constexpr double kNearPivotScales = 2;
constexpr std::size_t kOwnAnswersMin = 2;

}  // namespace

void SlotGroups::start(const Kernel& kernel) {
  const Budget slot = kernel.total() / kernel.window_slots();
  grouping_ = options_.free_grouping ? Budget() : slot / kGroupingPart;
  perturbing_ = slot - grouping_;
  if (kernel.currency() == Currency::rho) session_slots_ = kSessionSlotsInRho;
  const Track empty{.smoother = GroupSmoother(options_.smoother, kGroupSlots), .pid = PidController(kPid)};
  tracks_.assign(kernel.all().size(), empty);
  groups_series_ = options_.series_groups && tracks_.size() > 1;
  pivots_.resize(kPivots);
}

double SlotGroups::mean_group_slots(SeriesId series) const {
  const Track& track = tracks_[series];
  return static_cast<double>(track.slots) / static_cast<double>(std::max<std::uint64_t>(1, track.groups));
}

// --- Perturb ------------------------------------------------------------------------------------------------------

double SlotGroups::noise_scale(const NoisyValue& answer) {
  return std::sqrt(noise_variance_.of(answer.noise, answer.parameter) / 2);
}

void SlotGroups::remember(const OwnAnswer& answer) {
  Track& track = tracks_[answer.series];
  track.noise_scale = answer.noise_scale;
  if (groups_series_) track.own_answers.add(answer.value);
  track.asked_together = 1;
}

Result<void> SlotGroups::perturb_all(Kernel& kernel, Release& release) {
  FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), perturbing_));
  own_answers_.clear();  // a copy, as the grouper's requests overwrite the answers
  NoisyValue answer;
  for (const SeriesId series : kernel.all()) {
    if (!answers.has(series)) continue;
    answers.copy(series, answer);
    own_answers_.emplace_back(series, static_cast<double>(answer.steps), noise_scale(answer));
  }
  for (const OwnAnswer& own : own_answers_) {
    remember(own);
    FUGU_TRY(take(kernel, release, own.series, own.value));
  }
  return {};
}

Result<void> SlotGroups::perturb_alone(Kernel& kernel, Release& release, SeriesId series) {
  FUGU_ASSIGN(const auto answers, kernel.values({&series, 1}, perturbing_ / kernel.series_per_meter(series)));
  NoisyValue answer;
  answers.copy(0, answer);
  const auto value = static_cast<double>(answer.steps);
  remember({series, value, noise_scale(answer)});
  return take(kernel, release, series, value);
}

Result<void> SlotGroups::perturb_together(Kernel& kernel, Release& release, std::span<const SeriesId> members) {
  expected_.clear();
  double variance = 0;
  for (const SeriesId series : members) {
    const Track& track = tracks_[series];
    expected_.push_back(track.own_answers.mean());
    variance += 2 * track.noise_scale * track.noise_scale / static_cast<double>(track.own_answers.count());
  }
  variance /= static_cast<double>(members.size());
  FUGU_ASSIGN(const auto parts,
              grouped_.ask(kernel, members, expected_, variance, perturbing_ / kernel.series_per_meter(members[0])));
  for (std::size_t i = 0; i < members.size(); ++i) {
    tracks_[members[i]].asked_together = members.size();
    FUGU_TRY(take(kernel, release, members[i], parts[i].value));
  }
  return {};
}

void SlotGroups::place_pivots(const Kernel& kernel) {
  double lowest = 0;
  double highest = 0;
  bool any = false;
  for (const SeriesId series : kernel.all()) {
    if (tracks_[series].own_answers.count() < kOwnAnswersMin) continue;
    const double level = tracks_[series].own_answers.mean();
    lowest = any ? std::min(lowest, level) : level;
    highest = any ? std::max(highest, level) : level;
    any = true;
  }
  first_pivot_ = lowest;
  pivot_distance_ = std::max((highest - lowest) / static_cast<double>(kPivots - 1), 1.0);
  for (auto& members : pivots_) members.clear();
}

std::optional<std::size_t> SlotGroups::pivot_of(SeriesId series) const {
  const Track& track = tracks_[series];
  if (track.own_answers.count() < kOwnAnswersMin) return std::nullopt;
  const double level = track.own_answers.mean();
  const std::int64_t nearest = nearest_steps((level - first_pivot_) / pivot_distance_);
  const double pivot = first_pivot_ + static_cast<double>(nearest) * pivot_distance_;
  if (std::abs(level - pivot) > kNearPivotScales * track.noise_scale) return std::nullopt;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(nearest, 0, kPivots - 1));
}

Result<void> SlotGroups::perturb_in_groups(Kernel& kernel, Release& release) {
  place_pivots(kernel);
  const Exposure& exposure = kernel.exposure();
  for (const SeriesId series : kernel.all()) {
    if (!kernel.present(series)) continue;
    const auto pivot = pivot_of(series);
    const bool like_the_others =
        pivot && (pivots_[*pivot].empty() ||
                  (kernel.series_per_meter(series) == kernel.series_per_meter(pivots_[*pivot][0]) &&
                   exposure.sensitivity_steps(series) == exposure.sensitivity_steps(pivots_[*pivot][0])));
    if (like_the_others) {
      pivots_[*pivot].push_back(series);
    } else {
      FUGU_TRY(or_repeat(perturb_alone(kernel, release, series)));
    }
  }
  for (const auto& members : pivots_) {
    if (members.empty()) continue;
    FUGU_TRY(or_repeat(members.size() == 1 ? perturb_alone(kernel, release, members[0])
                                           : perturb_together(kernel, release, members)));
  }
  return {};
}

// --- Group --------------------------------------------------------------------------------------------------------

/// While releases move, the next group is given less room.
double SlotGroups::threshold_scales(const Track& track) const {
  if (!options_.adaptive_threshold || track.slots == 1) return kThresholdScales;
  return std::max(kLowestThresholdScales, kHighestThresholdScales * std::exp(-track.movement / kCalmScales));
}

void SlotGroups::note_movement(Track& track, double estimate) {
  const double moved = track.slots > 1 ? std::abs(estimate - track.released) / track.noise_scale : 0;
  track.movement = track.pid.update(moved, 1);
}

Result<void> SlotGroups::open_session(Kernel& kernel, SeriesId series) {
  Track& track = tracks_[series];
  if (track.session && track.session->open()) kernel.close(*track.session);
  Budget share = grouping_ / kernel.series_per_meter(series);
  double loss = share.to_double();
  if (kernel.currency() == Currency::rho) {
    share = share / static_cast<std::uint64_t>(session_slots_ * session_slots_);  // 1 + 3 + 5 + …
    loss = std::sqrt(2 * share.to_double());
  }
  // As the kernel has it: half of the share compares, with noise that hides twice the change, which is twice Δ.
  const double noise_scale = 8 * static_cast<double>(kernel.exposure().sensitivity_steps(series)) / loss;
  FUGU_ASSIGN(track.session,
              kernel.open_threshold(Statistic::deviation, {&series, 1},
                                    nearest_steps(threshold_scales(track) * noise_scale), share, track.session_first));
  return {};
}

Result<bool> SlotGroups::session_ends(Kernel& kernel, SeriesId series) {
  Track& track = tracks_[series];
  const Slot slot = kernel.slot();
  const bool goes_on = track.holds_together && slot - track.session_first < session_slots_ &&
                       track.session_first >= kernel.earliest_slot();
  if (!goes_on) track.session_first = slot;
  if (!goes_on || !track.session->open()) FUGU_TRY(open_session(kernel, series));
  const Result<bool> exceeded = kernel.exceeds(*track.session);
  track.holds_together = exceeded && !*exceeded;
  if (!exceeded) {  // who cannot compare starts a new group in the next slot
    FUGU_TRY(or_repeat(exceeded.error()));
    return false;
  }
  // A single slot does not deviate from itself: that was noise, and the next slot gets a new session.
  return *exceeded && track.session_first < slot;
}

bool SlotGroups::has_moved(Track& track, double perturbed) {
  if (track.smoother.count() == 0 || track.noise_scale <= 0) return false;
  const double off =
      (perturbed - track.smoother.smoothed(2 * track.noise_scale * track.noise_scale)) / track.noise_scale;
  track.mean_off += kLatestWeight * (std::min(std::abs(off), kLargestOff) - track.mean_off);
  track.above = positive_part(track.above + off - kDriftScales);
  track.below = positive_part(track.below - off - kDriftScales);
  track.above_slots = (track.above_slots + 1) * static_cast<std::uint32_t>(track.above > 0);
  track.below_slots = (track.below_slots + 1) * static_cast<std::uint32_t>(track.below > 0);
  return std::max(track.above, track.below) > kMovedScales;
}

void SlotGroups::end_group(Track& track, std::size_t values_kept) {
  track.smoother.keep_last(values_kept);
  track.above = track.below = 0;
  track.above_slots = track.below_slots = 0;
  ++track.groups;
}

// --- Smooth -------------------------------------------------------------------------------------------------------

Result<void> SlotGroups::take(Kernel& kernel, Release& release, SeriesId series, double perturbed) {
  Track& track = tracks_[series];
  ++track.slots;
  const bool moved = has_moved(track, perturbed);
  track.smoother.add(perturbed);
  if (moved) {
    const std::size_t since = track.above > track.below ? track.above_slots : track.below_slots;
    end_group(track, since);
    if (groups_series_) {
      const double latest = track.own_answers.latest();
      track.own_answers = ShortHistory();
      track.own_answers.add(latest);
    }
    if (track.session && track.session->open()) kernel.close(*track.session);
    track.holds_together = false;
  }
  bool ends = false;
  if (!options_.free_grouping) {
    FUGU_ASSIGN(ends, session_ends(kernel, series));
  }
  if (ends) end_group(track, 1);
  const double centre = track.smoother.smoothed(2 * track.noise_scale * track.noise_scale);
  const double off = std::abs(perturbed - centre) / track.noise_scale;
  const double estimate = centre + std::max(kOneIsOff.of(off), kMostAreOff.of(track.mean_off)) * (perturbed - centre);
  if (ends) track.smoother.restart();  // this slot is a group of its own
  if (options_.adaptive_threshold) note_movement(track, estimate);
  track.released = estimate;
  release.estimate(series, nearest_steps(estimate), true);
  return {};
}

Result<void> SlotGroups::step(Kernel& kernel, Release& release) {
  if (tracks_.empty()) start(kernel);
  const bool in_groups = groups_series_ && kernel.slot() % kAloneEvery != 0;
  return or_repeat(in_groups ? perturb_in_groups(kernel, release) : perturb_all(kernel, release));
}

}  // namespace fugu
