// FAST_w: sample when the stream moves, predict in between (Fan, Xiong and Sunderam 2013; Kellaris et al. 2014).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/estimation/pid.hpp"
#include "fugu/filter/kalman_state.hpp"
#include "fugu/mechanism/mechanism.hpp"
#include "fugu/noise/noise_variance.hpp"
#include "fugu/strategy/due_series.hpp"

namespace fugu {

struct FastOptions {
  bool constant_interval = false;  ///< the controller is off: a sample every w/M slots
};

/// Each series is sampled at most M = ⌊0.15·w⌋ times in any w slots, with ε/M each; a PID controller lengthens the
/// interval while samples agree with the prediction and shortens it when they do not; a Kalman filter that knows each
/// answer's noise and learns the stream's movement from answers joins samples and prediction.
///
/// Guarantee: keeps every definition it runs under and is never refused under event level, w-event and user level: a
/// series that shares its meters with at most c − 1 others spends at most total/c in any window.
/// Error: of a calm stream falls with the number of samples joined; of a moving one it is a sample's noise, of scale
/// c·sensitivity·M/ε, and what the stream moves until the next sample.
/// Cost: O(series) per slot; memory O(series · M). docs/guarantees/fast.md.
class FastW final : public Strategy {
 public:
  explicit FastW(const FastOptions& options = {}) : options_(options) {}
  Result<void> step(Kernel& kernel, Release& release) override;

  /// The sampling interval of a series now, in slots. For tests and reports.
  double interval_slots(SeriesId series) const { return tracks_[series].interval_slots; }

 private:
  struct Track {
    TrackingKalman kalman = {};
    PidController pid;
    Budget share = {};  // of a sample
    double interval_slots = 1;
    Slot last = 0;              // sampled
    std::uint64_t samples = 0;  // so far
    std::uint64_t left = 0;     // how many of them no longer lie in the window that ends now
  };

  void start(const Kernel& kernel);
  [[gnu::noinline]] Result<void> sample_all(Kernel& kernel, Release& release, std::span<const SeriesId> due);
  std::uint64_t samples_in_window(SeriesId series, Slot slot);
  Result<void> sample(Kernel& kernel, Release& release, SeriesId series);
  double shortest_interval(SeriesId series, Slot slot);
  Slot& sampled_at(SeriesId series, std::uint64_t sample) { return sampled_[series * ring_ + (sample & (ring_ - 1))]; }

  FastOptions options_;
  std::uint64_t window_ = 0;
  std::uint64_t samples_max_ = 0;  // M
  double even_slots_ = 1;          // w/M
  double longest_slots_ = 1;       // that an interval gets
  std::vector<Track> tracks_;
  DueSeries due_;
  std::uint64_t ring_ = 1;     // room for at least M, a power of two
  std::vector<Slot> sampled_;  // the last M sampled slots of each series, in a ring
  NoiseVariance noise_variance_;
};

}  // namespace fugu
