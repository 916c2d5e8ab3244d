// RescueDP as the VLDB 2023 benchmark ran it, flaws included: to be compared with RescueDp.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fugu/estimation/pid.hpp"
#include "fugu/estimation/similarity.hpp"
#include "fugu/filter/kalman_state.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/due_series.hpp"
#include "fugu/strategy/grouped_answers.hpp"

namespace fugu {

/// NOT private. What it does wrong: the filter's process noise is the variance of the whole true stream, so it leaks,
/// and it needs the future; its measurement noise is w²/ε², whatever was spent; a grouped release is paid for and
/// thrown away, so the series decays to 0; noise counts as feedback error, which means less budget, more noise and
/// shorter intervals; similarity is judged in units of the data, by three releases. docs/guarantees/rescuedp.md.
class RescueDpAsPublished final : public Strategy {
 public:
  /// `true_variance`: of the whole true stream, in squared steps. `unit_steps`: steps in a unit of the data.
  explicit RescueDpAsPublished(double true_variance, double unit_steps = 1)
      : true_variance_(true_variance), unit_steps_(unit_steps) {}
  Result<void> step(Kernel& kernel, Release& release) override;

 private:
  struct Spent {
    Slot slot = 0;
    Budget share;
  };
  struct Track {
    KalmanState filter = {};
    PidController pid;
    ShortHistory released;
    double interval_slots = 1;
    Slot last = 0;                   // sampled
    Budget account = {};             // what a window may cost
    Budget spent = {};               // by the samples that lie in the window
    std::deque<Spent> samples = {};  // of the window
    Budget now = {};                 // what a sample in this slot may cost
    double noise_scale = 0;          // of an answer of its own at that price, about
  };
  using Group = std::vector<SeriesId>;

  void start(const Kernel& kernel);
  Budget affordable(Track& track, Slot slot) const;
  bool belongs(const Kernel& kernel, SeriesId series, const Group& group) const;
  std::vector<Group> group(const Kernel& kernel, std::span<const SeriesId> small) const;
  Result<void> ask_alone(Kernel& kernel, Release& release, SeriesId series);
  Result<void> ask_together(Kernel& kernel, Release& release, const Group& group);
  void take(const Kernel& kernel, Release& release, SeriesId series, Budget paid, double value);

  double true_variance_;
  double unit_steps_;
  std::uint64_t window_ = 0;
  std::vector<Track> tracks_;
  DueSeries due_;
  GroupedAnswers grouped_;
};

}  // namespace fugu
