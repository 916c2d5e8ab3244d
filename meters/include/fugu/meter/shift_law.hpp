// The law of a random move in time, in whole slots.
//
// A law is a table of integer weights that add up to 2^62, and a draw is a look into that table with 62 fair bits. So
// the law that is drawn from is known to the last bit, and what it promises can be summed up instead of believed. The
// samplers of noise/ take as many bits as they need from a running source; a meter must be able to repeat the draw of a
// slot from one hash, and its table is small: b = 2 takes 1.4 KiB, shared by all meters of a gateway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

class ShiftLaw {
 public:
  static constexpr std::uint64_t kTotal = std::uint64_t{1} << 62;
  /// The scales accepted, in slots: below the first nearly nothing moves, above the second the table gets large.
  static constexpr double kScaleMin = 0.01;
  static constexpr double kScaleMax = 1000;

  /// Laplace(0, b), in slots, rounded to the nearest slot, as the paper prints it: P(0) = 1 − e^(−1/(2b)),
  /// P(±k) = ½(e^(−(2k−1)/(2b)) − e^(−(2k+1)/(2b))). What has a weight below 1 is left out, so a move by m slots is
  /// (m/b, 2^-60·e^(m/b))-indistinguishable, not quite (m/b, 0).
  static Result<ShiftLaw> rounded_laplace(double b);
  /// Exponential with this mean, in slots, rounded to the nearest slot: P(0) = 1 − e^(−1/(2·mean)).
  static Result<ShiftLaw> rounded_exponential(double mean);
  /// The discrete Laplace P(k) ∝ e^(−|k|/b) on −reach … reach. `reach` from 0 to 100,000.
  static Result<ShiftLaw> truncated_laplace(double b, Slot reach);

  Slot lowest() const { return lowest_; }
  Slot highest() const { return lowest_ + static_cast<Slot>(ends_.size()) - 1; }
  /// Uses the upper 62 bits of `word`, which must be uniform.
  Slot draw(std::uint64_t word) const;

  /// P(shift) · 2^62, exactly; 0 outside lowest() … highest().
  std::uint64_t weight(Slot shift) const;
  double probability(Slot shift) const { return static_cast<double>(weight(shift)) * 0x1p-62; }
  /// P(at least `shift`).
  double at_least(Slot shift) const;

  /// The law of where something arrives, seen from where it was: `*this` where the shift is not negative, and `delay`
  /// instead where it is (rounded to weights; each is right to one part in 2^62).
  ShiftLaw delayed_where_negative(const ShiftLaw& delay) const;

  /// The smallest δ for which the position j + shift and the position j + moved_slots + shift are
  /// (epsilon, δ)-indistinguishable, in both directions: Σ max(0, P(k) − e^ε·P(k ∓ moved)), summed over the table in
  /// integers. Rounded up, by less than 1e-14.
  double delta(Slot moved_slots, double epsilon) const;

  /// Bytes of the table.
  std::size_t bytes() const { return ends_.size() * sizeof(ends_[0]); }

 private:
  /// `weights` from lowest on; what is missing to kTotal is added to the shift 0.
  ShiftLaw(Slot lowest, const std::vector<std::uint64_t>& weights);
  static ShiftLaw two_sided(const std::vector<std::uint64_t>& weights_from_one);
  double delta_of(Slot offset, double epsilon) const;

  Slot lowest_ = 0;
  std::vector<std::uint64_t> ends_;  // sums of the weights up to and including each shift; the last is kTotal
};

}  // namespace fugu
