// What analysts do with a released stream, and how much of it still works: seasons, level, peaks, changes, forecasts
// (thesis, section 5.4.2 and its outlook). Evaluation only: it reads the truth.
//
//     const StreamAnalysis analysis(truth, {.period_slots = 80});  // once per stream
//     analysis.season_kept(released);                              // for every run, from any thread
//
// Every measure takes time O(slots). Formulas and their reasons: docs/concepts/metrics.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fugu {

/// Σ (x_t − m)(x_{t+lag} − m) / Σ (x_t − m)² with m the mean; 0 for a stream that is constant or not longer than `lag`.
double autocorrelation(std::span<const double> values, std::size_t lag);

/// Slots where the mean of the next `half_window` values differs from that of the last `half_window` by more than
/// `threshold`: of each stretch of such slots the one where it differs most.
std::vector<std::size_t> change_points(std::span<const double> values, std::size_t half_window, double threshold);

/// Measures of released streams against one true stream. Constant once made: threads may share it.
class StreamAnalysis {
 public:
  struct Options {
    /// Length of a season; 0 when there is none, and then what needs one is NaN.
    std::size_t period_slots = 0;
  };
  /// `truth` has no gaps, holds at least one value and must outlive this object.
  StreamAnalysis(std::span<const double> truth, const Options& options);

  /// Autocorrelation of the release at the true period.
  double season(std::span<const double> released) const;
  /// By how much the release is more alike one period apart than half a period apart, as a share of the truth's: 1 when
  /// the season is kept, 0 when it is gone. A release that is only repeated for long is alike at both distances, which
  /// autocorrelation at the period alone mistakes for a season.
  double season_kept(std::span<const double> released) const;
  /// Smallest released value minus smallest true value.
  double level_error(std::span<const double> released) const;
  /// Largest minus smallest released value, as a share of the truth's. NaN when the truth is constant.
  double amplitude_kept(std::span<const double> released) const;
  /// Mean distance in slots between the largest true and the largest released value of each whole season.
  double peak_error_slots(std::span<const double> released) const;
  /// F1 score of the release's change points against the truth's: 2·matched/(found + true), a match being at most half
  /// a window away. Changes are of a quarter of the true amplitude between windows of an eighth of a season.
  double changes_found(std::span<const double> released) const;
  /// Mean absolute error of one-step forecasts of the truth in the second half of the stream: linear in the released
  /// value before and, where there is a season, the one a season ago; fitted to the first half of the release.
  double forecast_mae(std::span<const double> released) const;

 private:
  double season_contrast(std::span<const double> values) const;
  std::vector<std::size_t> peaks_of(std::span<const double> values) const;

  std::span<const double> truth_;
  std::size_t period_slots_;
  std::size_t half_window_slots_;
  double lowest_ = 0;
  double highest_ = 0;
  double contrast_ = 0;
  std::vector<std::size_t> peaks_;
  std::vector<std::size_t> changes_;
};

}  // namespace fugu
