// Metrics: how far released values are from the truth. Evaluation only, never linked into the service.
//
//     FUGU_ASSIGN(auto errors, ErrorAccumulator::make({.sanity_bound = 1.0}));
//     errors.add(truth, released);            // once per slot; slots without truth are skipped
//     if (auto summary = errors.summary()) …  // summary->mae, summary->rmse, summary->mre
//
// Sums are compensated (Neumaier), so the order of slots and the length of the stream do not matter to the printed
// digits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu {

/// A sum whose rounding error does not grow with the number of terms: Neumaier's variant of Kahan summation, which
/// also survives terms larger than the sum so far.
class StableSum {
 public:
  void add(double term);
  double value() const { return sum_ + compensation_; }

 private:
  double sum_ = 0.0;
  double compensation_ = 0.0;
};

/// Errors over the slots of one stream, with c the truth and r the released value of a slot.
struct ErrorSummary {
  std::int64_t slots = 0;          ///< slots that had a truth to compare with, at least 1
  std::int64_t slots_skipped = 0;  ///< slots without one
  double mae = 0.0;                ///< mean of |r − c|, in the stream's unit
  double rmse = 0.0;               ///< square root of the mean of (r − c)², in the stream's unit; never below mae
  double mre = 0.0;                ///< mean of |r − c| / max(|c|, γ), without unit
};

/// Collects the errors of one stream, slot by slot, in constant memory.
class ErrorAccumulator {
 public:
  struct Options {
    /// γ: truths smaller than this count as this much in the relative error, so that slots near zero do not decide it.
    /// Positive, in the stream's unit. No default: a relative error means nothing without it.
    double sanity_bound;
  };
  static Result<ErrorAccumulator> make(const Options& options);

  /// Adds one slot. No truth (missing is not zero) means the slot is counted as skipped. Both values must be finite.
  void add(std::optional<double> truth, double released);

  /// Empty when no slot had a truth.
  std::optional<ErrorSummary> summary() const;

 private:
  explicit ErrorAccumulator(const Options& options) : options_(options) {}

  Options options_;
  std::int64_t slots_ = 0;
  std::int64_t slots_skipped_ = 0;
  StableSum absolute_;
  StableSum squared_;
  StableSum relative_;
};

/// Quantiles of `values` (one per run, in any order) at each of `probabilities`, interpolated linearly between order
/// statistics: type 7 of Hyndman and Fan (1996), the default of R and NumPy. With n values sorted from index 0, the
/// quantile at p lies at position p·(n − 1). An error of Cause::usage when there are no values, one of them is NaN, or
/// a probability lies outside [0, 1].
Result<std::vector<double>> quantiles(std::vector<double> values, std::span<const double> probabilities);

}  // namespace fugu
