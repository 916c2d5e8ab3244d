// The audit of definitions that promise something about windows of slots: event, user, w-event.
#pragma once

#include <map>
#include <vector>

#include "audit_promise.hpp"

namespace fugu::audit {

struct WorstWindow {
  Units loss = 0;
  Slot first_slot = 0;
};

/// Losses of one signature. Everything lies in slots 0 … slots − 1; a window is named by its first slot.
class LossTable {
 public:
  LossTable(std::size_t slots, std::uint64_t window) : window_(window), per_slot_(slots), change_(slots + 1) {}

  void add_to_slots(Slot first, Slot last, Units loss);
  /// Every window that holds `slot`, but does not begin before `from`, pays `loss`.
  void add_to_windows_with(Slot slot, Slot from, Units loss) {
    add_to_windows(std::max(slot - width() + 1, from), slot, loss);
  }
  /// A window that holds m slots of [first, last] pays loss(m).
  template <class Loss>
  void add_by_overlap(Slot first, Slot last, const Loss& loss) {
    const Slot w = width();
    for (Slot start = std::max<Slot>(0, first - w + 1); start <= last;) {
      const Slot m = std::min(last, start + w - 1) - std::max(first, start) + 1;
      // m stays the same while the window holds the whole interval, or the interval the whole window.
      Slot until = start;
      if (start <= first && start + w - 1 >= last) until = first;
      if (start >= first && start + w - 1 <= last) until = last - w + 1;
      add_to_windows(start, until, loss(static_cast<std::uint64_t>(m)));
      start = until + 1;
    }
  }

  WorstWindow worst() const;

 private:
  static std::size_t index(Slot slot) { return static_cast<std::size_t>(slot); }
  Slot width() const { return static_cast<Slot>(std::min<std::uint64_t>(window_, per_slot_.size())); }
  void add_to_windows(Slot first_start, Slot last_start, Units loss) {
    const auto counted = static_cast<int128>(std::min(loss, kLargestLoss));
    change_[index(std::max<Slot>(0, first_start))] += counted;
    change_[index(last_start) + 1] -= counted;
  }

  std::uint64_t window_;
  std::vector<Units> per_slot_;
  std::vector<int128> change_;  // of the windows' own losses, from one start to the next
};

/// Finds the worst window of any signature.
class WindowAudit final : public PromiseAudit {
 public:
  WindowAudit(const Definition& definition, const Exposure& exposure, std::size_t slots);

  void begin_pass(SignatureRange range) override;
  void add(const Answer& answer) override;
  void add(const Sessions& sessions) override;
  void add(std::size_t signature, Slot slot, Units loss) override;
  void end_pass() override;
  void judge(AuditReport& report) const override;

 private:
  void add_value(const Answer& answer);
  /// One comparison of a single slot: windows that hold comparisons of the session pay for one.
  void add_comparison(const Answer& answer);
  /// A session whose comparisons reach over several slots: each window pays for as many of them as it holds.
  void add_session(const Session& session);
  Units loss_of_value(std::uint64_t change, Rational parameter, const Answer& answer);

  const Definition& definition_;
  const Exposure& exposure_;
  std::size_t slots_;
  bool pure_;
  std::uint64_t window_;
  SignatureRange range_;
  std::vector<LossTable> tables_;
  std::map<std::uint64_t, Slot> asked_;  // session, last slot it was asked in
  WorstWindow worst_;
  std::size_t worst_signature_ = 0;

  // The last weighed value: streams repeat themselves.
  std::uint64_t cached_change_ = 0;
  Rational cached_parameter_;
  NoiseKind cached_noise_ = NoiseKind::laplace;
  Units cached_loss_ = 0;
};

}  // namespace fugu::audit
