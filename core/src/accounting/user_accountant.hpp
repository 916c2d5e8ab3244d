// User level over a horizon: everything a meter ever does may cost it the total, once.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "cost.hpp"
#include "fugu/accounting/accountant.hpp"

namespace fugu {

/// Nothing ever leaves the window, so sums per signature are all there is to remember. Slots from the horizon on
/// are refused: the promise was made for that many.
class UserAccountant final : public Accountant {
 public:
  UserAccountant(const Definition& definition, const Exposure& exposure);

  Currency currency() const override { return currency_; }
  Budget total() const override { return total_; }
  std::uint64_t window_slots() const override { return horizon_; }
  Slot horizon() const override { return static_cast<Slot>(horizon_); }
  void advance(Slot slot) override;
  Budget available() override;
  Budget available(std::span<const SeriesId> series) override;
  Budget worst() const override { return *std::max_element(spent_.begin(), spent_.end()); }
  Result<void> admit(const Answer& answer) override;
  void commit() override;
  std::unique_ptr<Accountant> follow(std::uint32_t signature, const Exposure& unit) const override;

 private:
  Budget left(Budget spent) const { return current_ < horizon() && spent < total_ ? total_ - spent : Budget(); }
  /// Slots touched by a comparison session so far, to charge each once.
  struct Session {
    Slot first;
    Slot last;
  };

  Definition definition_;
  Exposure exposure_;
  Currency currency_;
  Budget total_;
  std::uint64_t horizon_;
  std::vector<Budget> spent_;  // per signature, all slots
  std::map<std::uint64_t, Session> sessions_;
  Slot current_ = -1;
  CostTable cost_;
  std::span<const SignatureLoss> staged_;  // per newly touched slot; kept in cost_
  std::uint64_t staged_slots_ = 0;
  std::uint64_t staged_session_ = 0;
  Session staged_span_{};
};

}  // namespace fugu
