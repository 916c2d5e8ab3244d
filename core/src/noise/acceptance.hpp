// The acceptance step of the discrete Gaussian sampler. Private to noise and its tests.
#pragma once

#include <cstdint>

#include "fugu/base/rational.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu::detail {

/// A proposal y is kept with probability exp(−(|y|/t − w)² / (2w)), where t is the proposal's scale and w = variance /
/// t².
class Acceptance {
 public:
  explicit Acceptance(Rational variance);

  /// t: an integer above sigma by at most 1 or 2 %. Any t gives the same law; this one rejects little.
  std::uint64_t proposal_scale() const { return scale_; }

  /// Whether a proposal of this magnitude is kept: exact.
  bool draw(BitSource& bits, std::uint64_t magnitude) const;

  /// (|y|/t − w)² / (2w) in Q57, within 2^-44 while it is below 64; at least 63 otherwise.
  std::uint64_t exponent_q57(std::uint64_t magnitude) const;

 private:
  bool settle(BitSource& bits, std::uint64_t drawn_q64, std::uint64_t magnitude) const;

  Rational variance_;
  std::uint64_t scale_;
  uint128 inverse_scale_q95_;
  std::uint64_t w_q57_;
  std::uint64_t inverse_2w_q58_;
};

}  // namespace fugu::detail
