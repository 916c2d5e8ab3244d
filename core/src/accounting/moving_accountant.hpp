// The accountant of a stream in which units move from one signature to another.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "fugu/accounting/accountant.hpp"

namespace fugu {

/// The accountant of those who stay, and one more for each way that somebody moved: it has the past of where they were
/// and is charged for where they are. An answer is given when all of them admit it.
///
/// An answer that reaches back to slots before a move may hold what a unit did where it was then: it is charged for the
/// series of both places, in all of its slots. A session that was opened before the move has paid for those slots.
///
/// A way is forgotten when nothing is left of what was lost before the move (Accountant::remembers_slots): from then on
/// the unit's account is that of its signature. Work and memory grow with the ways that are not.
class MovingAccountant final : public Accountant {
 public:
  /// A signature of those who stay, or a way of somebody who moved.
  using Account = std::uint64_t;

  MovingAccountant(std::unique_ptr<Accountant> staying, const Exposure& exposure);

  /// The account from `since` on of somebody who had `from` and counts into the series of `signature` from then on.
  /// Sessions up to number `latest_session` have been opened.
  Account move(Account from, std::uint32_t signature, Slot since, std::uint64_t latest_session);
  /// False for ways that are forgotten.
  bool has(Account account) const { return account < exposure_.signature_count() || ways_.contains(account); }

  Currency currency() const override { return staying_->currency(); }
  Budget total() const override { return staying_->total(); }
  std::uint64_t window_slots() const override { return staying_->window_slots(); }
  Slot horizon() const override { return staying_->horizon(); }
  void advance(Slot slot) override;
  Budget available() override;
  Budget available(std::span<const SeriesId> series) override;
  Budget worst() const override;
  Result<void> admit(const Answer& answer) override;
  void commit() override;
  std::unique_ptr<Accountant> follow(std::uint32_t signature, const Exposure& unit) const override;
  Result<void> check_move(std::string_view unit) const override { return staying_->check_move(unit); }
  Result<void> check_joins(std::string_view unit, std::uint32_t signature) const override {
    return staying_->check_joins(unit, signature);
  }
  std::optional<std::uint64_t> remembers_slots() const override { return staying_->remembers_slots(); }

 private:
  struct Way {
    std::unique_ptr<Accountant> accountant;
    Account from = 0;
    std::vector<SeriesId> before;  // and now
    std::vector<SeriesId> now;
    std::uint32_t signature = 0;
    Slot since = 0;
    std::uint64_t sessions_before = 0;  // sessions up to this number were opened before the move
    Answer part;                        // of an answer: what this unit can change
    bool charged = false;               // whether `part` is to be committed
  };
  /// Leaves in way.part what of the answer the unit can change; false when that is nothing.
  static bool take_part(const Answer& answer, Way& way);

  Exposure exposure_;
  std::unique_ptr<Accountant> staying_;
  std::map<Account, Way> ways_;
  Account next_way_;
};

}  // namespace fugu
