// FAST_w as the VLDB 2023 benchmark ran it, flaws included: to be compared with FastW.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/estimation/pid.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/strategy/due_series.hpp"

namespace fugu {

/// What it does wrong: ε/2 for each block of w slots, instead of ε for any w slots; all samples of a block at its start
/// when w is short; a Kalman filter whose variances know nothing of ε, w or the data; feedback relative to the value,
/// instead of to the noise; what is not sampled is cut to whole units; one slot after each block is never released and
/// is 0. docs/guarantees/fast.md. Not repeated here: the last block of a stream knows that it is shorter.
class FastAsPublished final : public Strategy {
 public:
  /// `unit_steps`: steps in a unit of the data, which the filter is in.
  explicit FastAsPublished(double unit_steps = 1) : unit_steps_(unit_steps) {}
  Result<void> step(Kernel& kernel, Release& release) override;

 private:
  struct Track {
    PidController pid;
    Budget share = {};    // of a sample
    double value = 0;     // released by the last sample
    double variance = 0;  // of the filter
    Slot interval_slots = 1;
    Slot last = 0;              // sampled
    std::uint64_t samples = 0;  // of this block
  };

  void start(const Kernel& kernel);
  void start_block(Slot slot);
  Result<void> sample(Kernel& kernel, Release& release, SeriesId series);
  /// The first answer of a block is taken as it is; later ones go through the filter.
  void take(Track& track, Slot slot, double measured) const;
  /// Cut to a whole unit of the data, towards 0.
  double whole_units(double steps) const;

  double unit_steps_;
  std::uint64_t window_ = 0;
  std::uint64_t samples_max_ = 0;  // of a block
  std::vector<Track> tracks_;
  DueSeries due_;
};

}  // namespace fugu
