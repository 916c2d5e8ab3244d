// The public law that meters shape their readings into, as a table of integers.
//
// Guarantee: at() of a rank drawn uniformly from 0 to 2^62 − 1 has exactly the law of the table, which is symmetric
// around 0 and bounded. The table itself is the named law cut off and rounded, by less than 2^-52 in each probability;
// that costs nothing, because all meters use the same one. docs/guarantees/distributional.md.
#pragma once

#include <cstdint>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu {

/// P(X ≤ x) of the symmetric stable law with characteristic function exp(−|t|^alpha), alpha from 0.5 to 2: 1 is Cauchy,
/// 2 is normal with variance 2. Zolotarev's integral; about nine digits.
double symmetric_stable_cdf(double alpha, double x);

/// z with P(Z > z) = tail of the standard normal law; 0 < tail < 1. About twelve digits.
double normal_upper_quantile(double tail);

class ReferenceLaw {
 public:
  static constexpr unsigned kRankBits = 62;
  static constexpr std::uint64_t kRanks = std::uint64_t{1} << kRankBits;
  /// Entries of a table on one side of 0, at most.
  static constexpr std::int64_t kHalfWidthMax = std::int64_t{1} << 20;
  static constexpr std::int64_t kStableHalfWidthMax = std::int64_t{1} << 16;  ///< each entry is an integral

  /// alpha = 2: normal with standard deviation `spread_steps`; below: symmetric stable with that scale, heavier tails.
  /// Cut off at ±half_width_steps. Errors: Cause::usage.
  static Result<ReferenceLaw> make(double alpha, std::int64_t spread_steps, std::int64_t half_width_steps);

  /// The value at a rank below kRanks; does not decrease with it.
  std::int64_t at(std::uint64_t rank) const;
  double probability(std::int64_t steps) const;
  std::int64_t half_width_steps() const { return half_width_; }
  /// Of the table, not of the law before it was cut off.
  double sd_steps() const { return sd_; }

 private:
  ReferenceLaw(std::vector<std::uint64_t> cumulative, std::int64_t half_width);

  std::vector<std::uint64_t> cumulative_;  // ranks up to and including −half_width, −half_width + 1, …
  std::int64_t half_width_;
  double sd_;
};

}  // namespace fugu
