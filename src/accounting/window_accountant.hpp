// Event level and w-event: no window of w slots may cost a meter more than the total.
#pragma once

#include <vector>

#include "cost.hpp"
#include "fugu/accounting/accountant.hpp"

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
  std::vector<SignatureLoss> losses;  // empty when charged per slot
};

class WindowAccountant final : public Accountant {
 public:
  WindowAccountant(const Definition& definition, const Exposure& exposure, Reach reach);

  Currency currency() const override { return currency_; }
  Budget total() const override { return total_; }
  std::uint64_t window_slots() const override { return window_; }
  bool covers(Slot) const override { return true; }
  void advance(Slot slot) override;
  Budget available() override;
  Result<void> admit(const Answer& answer) override;
  void commit() override;

 private:
  struct Staged {
    std::vector<SignatureLoss> losses;  // per newly touched slot
    Slot first = 0;
    Slot last = -1;  // last < first: nothing new
    std::uint64_t session = 0;
    Slot session_first = 0;
    bool once_per_window = false;
  };

  std::size_t row(Slot slot) const { return static_cast<std::size_t>(slot) % rows_ * signatures_; }
  bool remembered(Slot slot) const { return slot >= 0 && slot > current_ - static_cast<Slot>(rows_); }
  void step();
  void stage(const Answer& answer);
  void stage_comparison(const Answer& answer);
  /// The most any window that holds one of the staged slots would cost `entry.signature`.
  Budget worst_window(const SignatureLoss& entry) const;
  Budget sessions_cost(std::uint32_t signature, Slot window_first, Slot window_last) const;
  SessionSpan* find_session(std::uint64_t id);
  void commit_once_per_window();
  void commit_per_slot();

  Exposure exposure_;
  Currency currency_;
  Budget total_;
  std::uint64_t window_;
  std::uint64_t reach_;
  std::size_t signatures_;
  std::size_t rows_;                // slots remembered: the window and what requests may reach back
  std::vector<Budget> carried_;     // [slot mod rows_][signature]: losses that belong to a slot
  std::vector<Budget> window_sum_;  // per signature, over the window that ends now, sessions included
  std::vector<SessionSpan> sessions_;
  Slot current_ = -1;
  CostTable cost_;
  Staged staged_;
};

}  // namespace fugu
