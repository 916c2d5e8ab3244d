// RescueDP as the VLDB 2023 benchmark ran it, flaws included: to be compared with RescueDp.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fugu/estimation/pid.hpp"
#include "fugu/estimation/similarity.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/due_series.hpp"
#include "fugu/strategy/grouped_answers.hpp"

namespace fugu {

/// NOT private. What it does wrong: the filter's process noise is the variance of the whole true stream, so it leaks,
/// and it needs the future; its measurement noise is w²/ε², whatever was spent; a grouped release is paid for and
/// thrown away, so the series decays to 0; noise counts as feedback error, which means less budget, more noise and
/// shorter intervals; similarity is judged in units of the data, by three releases. docs/guarantees/rescuedp.md.
///
/// Its budgets are doubles, as in the published code, and shrink to nothing where noise feeds back. The kernel cannot
/// draw that much noise: it is asked for the most that it can, and what comes back is stretched. Beside such noise the
/// true value does not matter.
class RescueDpAsPublished final : public Strategy {
 public:
  /// `true_variance`: of the whole true stream, in squared steps. `unit_steps`: steps in a unit of the data.
  explicit RescueDpAsPublished(double true_variance, double unit_steps = 1)
      : true_variance_(true_variance), unit_steps_(unit_steps) {}
  Result<void> step(Kernel& kernel, Release& release) override;

 private:
  struct Spent {
    Slot slot = 0;
    double share = 0;
  };
  struct Track {
    PidController pid;
    ShortHistory released;
    double value = 0;     // released last
    double variance = 0;  // of the filter
    double interval_slots = 1;
    Slot last = -1;                  // sampled; -1: never
    double account = 0;              // what a window may cost
    double spent = 0;                // by the samples that lie in the window
    std::deque<Spent> samples = {};  // of the window
    double now = 0;                  // what a sample in this slot costs
  };
  using Group = std::vector<SeriesId>;

  void start(const Kernel& kernel);
  /// In ε, or in ρ: an answer's noise at that price, or the price that is worth asking for.
  static double noise_scale(const Kernel& kernel, SeriesId series, double share);
  static double drawable(const Kernel& kernel, SeriesId series, double share);
  double affordable(Track& track, Slot slot) const;
  bool belongs(const Kernel& kernel, SeriesId series, const Group& group) const;
  std::vector<Group> group(const Kernel& kernel, std::span<const SeriesId> small) const;
  Result<void> ask_alone(Kernel& kernel, Release& release, SeriesId series);
  Result<void> ask_together(Kernel& kernel, Release& release, const Group& group);
  /// The first answer is released as it is; later ones go through the filter.
  void take(const Kernel& kernel, Release& release, SeriesId series, double paid, double measured);
  double filtered(const Kernel& kernel, Track& track, double measured) const;
  void choose_interval(const Kernel& kernel, SeriesId series, double moved);

  double true_variance_;
  double unit_steps_;
  std::uint64_t window_ = 0;
  std::vector<Track> tracks_;
  DueSeries due_;
  GroupedAnswers grouped_;
};

}  // namespace fugu
