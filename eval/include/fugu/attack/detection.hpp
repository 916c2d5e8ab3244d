// A plain attack that knows only the release: does it show when an appliance ran?
//
// A matched filter: the mean of as many released values as a use is long, over the mean of as many around them. What is
// computed here bounds nothing; it says what somebody without further knowledge finds. docs/guarantees/attack.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/input.hpp"

namespace fugu {

/// For each slot, how much it looks as if `length_slots` slots that are `height` higher begin there: about 1 where they
/// do, about 0 elsewhere. Where a needed value is not finite, or there is nothing to compare with: NaN.
std::vector<double> matched_filter(std::span<const double> values, double height, std::size_t length_slots);

/// One score per slot from those of several series that show the same uses: their mean in the slot, each weighted with
/// one over the variance of its series' scores, so that a quiet series counts more than a noisy one. A series whose
/// scores are all the same says nothing. NaN where no series has a score. All are of the same length.
std::vector<double> combined_scores(std::span<const std::vector<double>> by_series);

/// How good the attack's claims are. Sums over several appliances and meters.
struct DetectionCount {
  std::uint64_t uses = 0;    ///< that began in the released slots
  std::uint64_t claims = 0;  ///< peaks of the filter above ½
  std::uint64_t hits = 0;    ///< claims within half a use, at least one slot, of a use; each use once
  double chance_hits = 0;    ///< claims that would be near a use if they were made anywhere
  double auc_sum = 0;        ///< over the uses that can be ranked: the share of slots that look less like one
  std::uint64_t ranked = 0;

  double precision() const { return ratio(static_cast<double>(hits), claims); }
  double chance_precision() const { return ratio(chance_hits, claims); }
  double recall() const { return ratio(static_cast<double>(hits), uses); }
  double auc() const { return ratio(auc_sum, ranked); }
  /// Half of the 95 % interval, with the largest variance that an AUC can have.
  double auc_half_width() const;
  DetectionCount& operator+=(const DetectionCount& other);

 private:
  /// NaN for nothing.
  static double ratio(double part, std::uint64_t whole) { return part / static_cast<double>(whole); }
};

/// Judges the filter's claims by the true starts of uses, as indices of `scores`.
DetectionCount judge_claims(std::span<const double> scores, std::span<const std::size_t> starts,
                            std::size_t length_slots);

/// A row of the log that `fugu simulate households --log` writes: `meter,appliance,start,minutes,kw`.
struct LoggedUse {
  std::string meter;
  std::string appliance;
  Slot first = 0;  ///< of the slots it touches
  std::uint64_t length_slots = 1;
  double power = 0;
};
/// `clock` is the release's, whose slots take whole minutes; `slot_min` how long, when the clock counts slots.
/// Errors name file, line and column.
Result<std::vector<LoggedUse>> read_use_log(Input input, const Clock& clock, std::int64_t slot_min);

}  // namespace fugu
