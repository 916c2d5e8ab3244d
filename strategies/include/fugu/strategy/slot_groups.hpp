// PeGaSuS (Chen et al. 2017) and AdaPub (Wang et al. 2019): perturb every slot, group slots that are alike, smooth
// within the group. AdaPub also groups series. And `smooth`, which is ours: the same without paying for groups.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/estimation/pid.hpp"
#include "fugu/estimation/similarity.hpp"
#include "fugu/estimation/smoother.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/noise/noise_variance.hpp"
#include "fugu/strategy/grouped_answers.hpp"

namespace fugu {

struct SlotGroupsOptions {
  SmootherKind smoother = SmootherKind::median;
  /// AdaPub: a PID controller lowers the threshold of the next group while releases move.
  bool adaptive_threshold = false;
  /// AdaPub: series whose own answers lie near the same pivot are asked as one sum, in three of four slots.
  bool series_groups = false;
  /// No sessions: the whole budget perturbs, and only what the perturbed values show ends a group.
  bool free_grouping = false;

  static SlotGroupsOptions pegasus() { return {}; }
  static SlotGroupsOptions adapub() { return {.adaptive_threshold = true, .series_groups = true}; }
  static SlotGroupsOptions smooth() { return {.free_grouping = true}; }
};

/// Every slot has total/w: four fifths perturb its values, one fifth asks whether the group of slots still holds
/// together, in a sparse-vector session on the group's deviation. What is released is the median of the group's
/// perturbed values so far.
///
/// A group also ends when the perturbed values themselves show that the stream has moved (a cumulative sum, which costs
/// nothing), and a perturbed value is released as it is where it, or most of the last ones, lie far off the group.
/// Sessions reach over at most kSessionSlots slots, smoothing over at most kGroupSlots. In ρ each comparison is a
/// session of its own.
///
/// With `free_grouping` there are no sessions: the whole of total/w perturbs, and scales below are those of Uniform.
///
/// Guarantee: keeps every definition it runs under and is never refused under event level, w-event and user level:
/// every slot carries at most total/w. Error: at most that of Uniform with 0.8 ε plus three of its noise scales; on a
/// stream that stays where it is for n slots, noise of scale 1.25·w·sensitivity/ε divided by √n in the n-th. Cost:
/// O(kSessionSlots) per series and slot. docs/guarantees/{pegasus,adapub,smooth}.md.
class SlotGroups final : public Strategy {
 public:
  static constexpr std::size_t kGroupSlots = 64;
  static constexpr Slot kSessionSlots = 64;

  explicit SlotGroups(const SlotGroupsOptions& options) : options_(options) {}
  Result<void> step(Kernel& kernel, Release& release) override;
  Reach reach() const override { return {options_.free_grouping ? 0 : static_cast<std::uint64_t>(kSessionSlots - 1)}; }

  // For tests and reports.
  double mean_group_slots(SeriesId series) const;
  std::size_t series_asked_together(SeriesId series) const { return tracks_[series].asked_together; }

 private:
  struct Track {
    GroupSmoother smoother;
    PidController pid;
    std::optional<Threshold> session = std::nullopt;
    Slot session_first = 0;       // what the next comparison reaches back to
    bool holds_together = false;  // as far as the last comparison said
    double movement = 0;          // of releases, in noise scales, as the controller sees it; for adaptive_threshold
    // Cumulative sums of how far perturbed values lie above and below the group's, in noise scales, and since when.
    double above = 0;
    double below = 0;
    std::uint32_t above_slots = 0;
    std::uint32_t below_slots = 0;
    double mean_off = 1;  // how far perturbed values lie off the group, in noise scales, lately
    double released = 0;
    double noise_scale = 0;                     // of an answer of its own
    ShortHistory own_answers = ShortHistory();  // the last ones that were not part of a sum; for series_groups
    std::size_t asked_together = 1;
    std::uint64_t slots = 0;
    std::uint64_t groups = 0;
  };

  void start(const Kernel& kernel);
  Result<void> perturb_all(Kernel& kernel, Release& release);
  Result<void> perturb_in_groups(Kernel& kernel, Release& release);
  Result<void> perturb_alone(Kernel& kernel, Release& release, SeriesId series);
  Result<void> perturb_together(Kernel& kernel, Release& release, std::span<const SeriesId> members);
  /// The pivot that a series is hashed to; none when it is to be asked alone.
  std::optional<std::size_t> pivot_of(SeriesId series) const;
  void place_pivots(const Kernel& kernel);

  /// A perturbed value that is not part of a sum.
  struct OwnAnswer {
    SeriesId series;
    double value;
    double noise_scale;
  };
  double noise_scale(const NoisyValue& answer);
  void remember(const OwnAnswer& answer);
  Result<void> take(Kernel& kernel, Release& release, SeriesId series, double perturbed);
  /// Whether the perturbed values show that the group has ended; then only those since the change are kept.
  bool has_moved(Track& track, double perturbed);
  void end_group(Track& track, std::size_t values_kept);
  /// Whether the session says that this slot does not belong to the group.
  Result<bool> session_ends(Kernel& kernel, SeriesId series);
  Result<void> open_session(Kernel& kernel, SeriesId series);
  double threshold_scales(const Track& track) const;
  void note_movement(Track& track, double estimate);

  SlotGroupsOptions options_;
  Budget perturbing_;  // of a slot
  Budget grouping_;
  Slot session_slots_ = kSessionSlots;
  bool groups_series_ = false;  // is to, and there are several
  std::vector<Track> tracks_;
  std::vector<std::vector<SeriesId>> pivots_;
  double first_pivot_ = 0;
  double pivot_distance_ = 0;
  std::vector<OwnAnswer> own_answers_;  // of this slot
  std::vector<double> expected_;
  GroupedAnswers grouped_;
  NoiseVariance noise_variance_;
};

}  // namespace fugu
