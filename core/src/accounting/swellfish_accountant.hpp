// Swellfish: L(J) ≤ ε for every policy of every meter.
//
// The loss itself is in exact_loss.hpp; policy_index.hpp finds the policies for which it has to be looked at.
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "cost.hpp"
#include "fugu/accounting/policy_accountant.hpp"
#include "fugu/stream/agenda.hpp"
#include "policy_index.hpp"

namespace fugu {

class SwellfishAccountant final : public PolicyAccountant {
 public:
  /// Who says whether an answer fits: the index, or the exact loss of every policy each time, which is slow and what
  /// the index is tested against.
  enum class Decides : std::uint8_t { index, exact_loss };

  SwellfishAccountant(const Definition& definition, const Exposure& exposure, Reach reach,
                      Decides decides = Decides::index);
  SwellfishAccountant(const SwellfishAccountant&) = delete;  // its parts point to each other
  SwellfishAccountant& operator=(const SwellfishAccountant&) = delete;

  Result<MeterId> state(std::string_view meter, std::span<const std::uint32_t> signatures,
                        const Policy& policy) override;
  Result<MeterId> withdraw(std::string_view meter, const Policy& policy) override;
  const PolicyBook& book() const override { return book_; }
  bool idle(SeriesId series) const override;

  Currency currency() const override { return currency_; }
  Budget total() const override;
  std::uint64_t window_slots() const override { return floor_ ? floor_->window_slots() : 1; }
  Slot horizon() const override { return floor_ ? floor_->horizon() : kNoHorizon; }
  void advance(Slot slot) override;
  Budget available() override;
  Budget available(std::span<const SeriesId> series) override;
  Budget worst() const override { return floor_ ? floor_->worst() : Budget(); }
  Result<void> admit(const Answer& answer) override;
  Result<void> charge(const Answer& answer) override;
  void commit() override;
  /// The floor's: a unit moves while no policy of its own is kept (check_move), so nothing else is to be followed.
  std::unique_ptr<Accountant> follow(std::uint32_t signature, const Exposure& unit) const override;
  Result<void> check_move(std::string_view unit) const override;
  Result<void> check_joins(std::string_view unit, std::uint32_t signature) const override;
  std::optional<std::uint64_t> remembers_slots() const override;

 private:
  using Units = RateSums::Units;
  static constexpr Slot kNever = std::numeric_limits<Slot>::max();

  struct Meter {
    std::vector<std::uint32_t> signatures;
    std::uint32_t next = 0;   // where its next policy was in its collection
    Slot begins_at = kNever;  // that policy, unless it was taken back; the meter is on the agenda for then
  };
  struct Staged {
    std::span<const SignatureLoss> losses;  // per channel, of each newly touched slot; kept in cost_
    Slot first = 0;
    Slot last = -1;  // last < first: nothing
    std::uint64_t session = 0;
    Slot session_first = 0;
  };
  struct Session {
    Slot first;
    Slot last;
  };

  void begin_at(MeterId meter, Slot slot);
  void begin_policies(std::vector<MeterId>& meters);
  void begin_policies(MeterId meter);
  void trim_history();
  Budget budget_of(Budget epsilon);

  /// The least room of any policy on the channels that these series touch.
  Units least_room(std::span<const SeriesId> series);
  Result<void> admit_true_value(const Answer& answer) const;
  void stage(const Answer& answer);
  void stage_comparison(const Answer& answer);
  void add_staged(int sign);
  bool fits();
  bool fits_now();
  bool fits_when_added();
  bool fits_exactly();
  Error refusal(const Answer& answer) const;

  Definition definition_;
  Exposure exposure_;
  Currency currency_;
  unsigned weight_shift_;
  Decides decides_;
  std::unique_ptr<Accountant> floor_;
  std::uint64_t reach_slots_;
  Exposure channels_;
  CostTable cost_;

  PolicyBook book_;
  std::vector<Meter> meters_;
  bool has_shapes_ = false;    // some policy has one
  Agenda<MeterId> beginning_;  // meters that have a policy that begins then
  RateSums rates_;
  ExactLoss exact_;
  PolicyIndex index_;
  std::map<Budget, Budget> budgets_;

  std::map<std::uint64_t, Session> sessions_;
  Staged staged_;
};

}  // namespace fugu
