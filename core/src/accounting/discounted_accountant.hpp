// Discounted definitions: in every slot, what a meter lost so far, older losses counting less, is at most the total.
#pragma once

#include <span>
#include <vector>

#include "cost.hpp"
#include "fugu/accounting/accountant.hpp"
#include "fugu/accounting/discount_modes.hpp"

namespace fugu {

/// Keeps, for each signature and mode of the discount, what past losses still count, in multiples of 2^-96, rounded up.
/// Weights only fall with age, so a slot in which nothing is spent breaks nothing: what is left now may be spent now.
///
/// A loss belongs to the slot in which the answer was given. An answer about several slots is charged for all of them
/// there, and a comparison of a session whenever it is asked, since each of them could come last.
///
/// Guarantee: Σ over k ≤ t of a(t − k) · loss of slot k is at most the total in every slot t, in real arithmetic.
/// Cost: constant per slot and signature, one mode (exponential) or some ninety (hyperbolic) of 16 bytes each; neither
/// grows with the stream. Rounding adds at most 2^-40 to what counts. docs/guarantees/discounted.md.
class DiscountedAccountant final : public Accountant {
 public:
  DiscountedAccountant(const Definition& definition, const Exposure& exposure);

  Currency currency() const override { return Currency::epsilon; }
  Budget total() const override { return total_; }
  /// A single slot may cost the total.
  std::uint64_t window_slots() const override { return 1; }
  void advance(Slot slot) override;
  Budget available() override;
  Budget available(std::span<const SeriesId> series) override;
  Budget worst() const override { return worst_; }
  Result<void> admit(const Answer& answer) override;
  void commit() override;
  std::unique_ptr<Accountant> follow(std::uint32_t signature, const Exposure& unit) const override;

 private:
  void step();
  /// What counts now: of earlier slots and of this one.
  Budget left(Budget counted) const { return counted < total_ ? total_ - counted : Budget(); }
  Budget counted(std::size_t signature) const { return earlier_[signature] + now_[signature]; }

  Definition definition_;
  Exposure exposure_;
  Budget total_;
  std::vector<DiscountMode> modes_;
  std::vector<uint128> states_;  // [signature][mode]
  std::vector<Budget> earlier_;  // per signature: what earlier slots count now
  std::vector<Budget> now_;      // per signature: losses of the current slot
  Budget worst_;
  Slot current_ = -1;
  CostTable cost_;
  std::span<const SignatureLoss> staged_;  // per touched slot; kept in cost_
  std::uint64_t staged_slots_ = 0;
};

}  // namespace fugu
