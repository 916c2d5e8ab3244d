// RescueDP: adaptive sampling, adaptive budget, dynamic grouping of series, Kalman filter (Wang et al. 2016).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/estimation/pid.hpp"
#include "fugu/estimation/similarity.hpp"
#include "fugu/filter/kalman_state.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/noise/noise_variance.hpp"
#include "fugu/strategy/due_series.hpp"
#include "fugu/strategy/grouped_answers.hpp"

namespace fugu {

struct RescueOptions {
  bool no_grouping = false;        ///< every series on its own
  bool constant_interval = false;  ///< the controller is off: every slot is a sampling slot
};

/// Each series has a PID-controlled sampling interval I and spends, when sampled, min(0.2·ln(I + 1), 0.6) of what its
/// last w − 1 slots left of its ε, at most a fifth of it. Due series that are small and were alike are asked as one
/// sum. A Kalman filter that knows each answer's noise and learns the movement from answers joins all of it.
///
/// Guarantee: keeps every definition it runs under and is never refused under event level, w-event and user level: a
/// series that shares its meters with at most c − 1 others spends at most total/c in any window.
/// Error: as FAST_w, with less noise after a quiet time, and with the noise of small similar series divided by how many
/// are asked together, plus how differently they move.
/// Cost: O(series) per slot and O(due series · 16) for grouping; memory O(series). docs/guarantees/rescuedp.md.
class RescueDp final : public Strategy {
 public:
  explicit RescueDp(const RescueOptions& options = {}) : options_(options) {}
  Result<void> step(Kernel& kernel, Release& release) override;

  /// For tests and reports: the sampling interval of a series now, and how many were asked together when it was last
  /// sampled.
  double interval_slots(SeriesId series) const { return tracks_[series].interval_slots; }
  std::size_t group_size(SeriesId series) const { return tracks_[series].group_size; }

 private:
  /// At least this part of ε goes into a sample, or none is taken; so at most so many are remembered.
  static constexpr std::uint64_t kSamplesMax = 64;

  struct Spent {
    Slot slot = 0;
    Budget share;
  };
  struct Track {
    double interval_slots = 1;
    Slot last = 0;
    std::uint64_t samples = 0;  // so far
    std::uint64_t left = 0;     // how many of them no longer lie in the window that ends now
    Budget account = {};        // what a window may cost
    Budget smallest = {};       // what a sample costs at least
    Budget spent = {};          // by the samples that lie in the window
    Budget now = {};            // what a sample in this slot may cost
    double noise_scale = 0;     // of an answer of its own at that price, about
    std::size_t group_size = 0;
    TrackingKalman kalman = {};
    PidController pid;
    ShortHistory own_answers;
  };
  struct Group {
    std::vector<SeriesId> members;
  };

  void start(const Kernel& kernel);
  Spent& sample_of(SeriesId series, std::uint64_t sample) { return spent_[series * ring_ + (sample & (ring_ - 1))]; }
  void forget_spending(SeriesId series, Slot slot);
  Budget affordable(SeriesId series, Slot slot);
  bool is_groupable(SeriesId series) const;
  bool are_alike(const Track& a, const Track& b) const;
  bool belongs(const Kernel& kernel, SeriesId series, const Group& group) const;
  void form_groups(const Kernel& kernel);
  Group& new_group();
  [[gnu::noinline]] Result<void> sample_all(Kernel& kernel, Release& release, std::span<const SeriesId> due);
  Result<void> ask_alone(Kernel& kernel, Release& release, SeriesId series);
  Result<void> ask_together(Kernel& kernel, Release& release, const Group& group);
  void take(const Kernel& kernel, Release& release, SeriesId series, double value, double noise_variance);
  double shortest_interval(const Track& track) const;
  Slot next_due(Slot slot, double interval_slots) const;
  void pay(SeriesId series, Slot slot, Budget share);

  RescueOptions options_;
  std::uint64_t window_ = 0;
  std::uint64_t samples_max_ = 0;  // that are remembered of a series
  std::vector<Track> tracks_;
  DueSeries due_;
  double longest_slots_ = 1;  // that an interval gets
  std::uint64_t ring_ = 1;    // room for at least samples_max_, a power of two
  std::vector<Spent> spent_;
  std::vector<SeriesId> groupable_;  // of those that are due
  std::vector<Group> groups_;
  std::size_t groups_used_ = 0;
  std::vector<double> expected_;
  GroupedAnswers grouped_;
  NoiseVariance noise_variance_;
};

}  // namespace fugu
