// Event level and w-event: no window of w slots may cost a meter more than the total.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "cost.hpp"
#include "fugu/accounting/accountant.hpp"
#include "fugu/stream/agenda.hpp"

namespace fugu {

/// The sparse-vector sessions of an accountant that are still within its reach.
///
/// A session whose comparisons each touch one slot costs a window once, however many of its slots the window holds
/// (the sparse-vector argument, docs/guarantees/sparse-vector.md). One whose comparisons reach over several slots is
/// charged per slot instead, each slot once.
struct SessionSpan {
  std::uint64_t id;
  Slot first;
  Slot last;
  std::vector<SignatureLoss> losses;  // what the window pays, once; empty when charged per slot
  std::uint64_t form = 0;             // of the answer that made it pay that
  bool in_window = false;             // the window that ends now pays it
};

class WindowAccountant final : public Accountant {
 public:
  WindowAccountant(const Definition& definition, const Exposure& exposure, Reach reach);

  Currency currency() const override { return currency_; }
  Budget total() const override { return total_; }
  std::uint64_t window_slots() const override { return window_; }
  void advance(Slot slot) override;
  Budget available() override;
  Budget available(std::span<const SeriesId> series) override;
  Budget worst() const override { return worst_; }
  Result<void> admit(const Answer& answer) override;
  void commit() override;
  Result<void> charge(const Answer& answer) override;
  std::unique_ptr<Accountant> follow(std::uint32_t signature, const Exposure& unit) const override;
  std::optional<std::uint64_t> remembers_slots() const override { return rows_; }

 private:
  struct Staged {
    std::span<const SignatureLoss> losses;  // per newly touched slot; kept in cost_
    Budget worst;                           // window that holds one of them
    Slot first = 0;
    Slot last = -1;  // last < first: nothing new
    std::uint64_t session = 0;
    std::uint64_t form = 0;
    SessionSpan* known = nullptr;  // the session, when it was asked before
    Slot session_first = 0;
    bool once_per_window = false;
  };

  /// Where a remembered slot's losses begin in carried_.
  std::size_t row(Slot slot) const { return row_back(static_cast<std::size_t>(current_ - slot)); }
  std::size_t row_back(std::size_t slots) const {
    return (slots <= current_row_ ? current_row_ - slots : current_row_ + rows_ - slots) * signatures_;
  }
  bool remembered(Slot slot) const { return slot >= 0 && slot > current_ - static_cast<Slot>(rows_); }
  Budget left(Budget spent) const { return spent < total_ ? total_ - spent : Budget(); }
  void step();
  void leap(Slot slot);
  static void give_back(Budget& sum, Budget loss) { sum -= loss; }
  [[gnu::cold, gnu::noinline]] Error refusal(const Answer& answer) const;
  Result<void> charge_now(const Answer& answer, const Losses& losses);
  Result<void> charge_row(const Answer& answer, std::span<const Budget> losses);
  Result<void> charge_comparison(const Answer& answer);
  /// nullptr when it is not known, or no longer.
  SessionSpan* session_of(const Answer& answer);
  SessionSpan*& recent(std::uint64_t session) { return recent_[session & (recent_.size() - 1)]; }
  void stage(const Answer& answer);
  void stage_comparison(const Answer& answer);
  /// The most any window that holds one of the staged slots would cost a signature, or `entry.signature`.
  Budget worst_window() const;
  Budget worst_window_of(const SignatureLoss& entry) const;
  Budget sessions_cost(std::uint32_t signature, Slot window_first, Slot window_last) const;
  /// Looks after a session whose last comparison may have left the window, or what is remembered.
  void review_session(std::uint64_t id);
  void review_later(std::uint64_t id, Slot slot);
  void follow_session(const SessionSpan& session, std::uint32_t signature);
  void commit_once_per_window();
  void commit_per_slot();

  Definition definition_;
  Exposure exposure_;
  Currency currency_;
  Budget total_;
  std::uint64_t window_;
  std::uint64_t reach_;
  std::size_t signatures_;
  std::size_t rows_;         // slots remembered: the window and what requests may reach back
  std::size_t current_row_;  // of the current slot
  // [row of the slot][signature]: losses that belong to it. Rows are added as slots come: a stream much shorter than
  // its window must not pay for the window.
  std::vector<Budget> carried_;
  std::vector<Budget> window_sum_;  // per signature, over the window that ends now, sessions included
  std::unordered_map<std::uint64_t, SessionSpan> sessions_;
  std::vector<SessionSpan*> recent_;  // of sessions_: where those lie that were looked up last, by their last bits
  std::optional<Agenda<std::uint64_t>> reviews_;  // of sessions, once there is one
  Budget worst_;
  Slot current_ = -1;
  CostTable cost_;
  Staged staged_;
};

}  // namespace fugu
