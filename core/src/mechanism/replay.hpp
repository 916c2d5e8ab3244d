// A ledger being run through again: the kernel takes its answers from here instead of drawing them.
#pragma once

#include <optional>

#include "fugu/accounting/ledger.hpp"

namespace fugu {

class Replay {
 public:
  explicit Replay(LedgerReader reader) : reader_(std::move(reader)) {}

  /// The next record, or nullptr at the end.
  Result<const LedgerRecord*> peek();
  void pop() { next_.reset(); }
  /// The next record if it is a T; Cause::bad_input otherwise: the ledger does not fit this strategy.
  template <class T>
  Result<T> take() {
    FUGU_ASSIGN(const LedgerRecord* record, peek());
    const T* wanted = record != nullptr ? std::get_if<T>(record) : nullptr;
    if (wanted == nullptr) return mismatch();
    T taken = *wanted;
    pop();
    return taken;
  }

  /// Whether the slot, which is not beyond the records looked at so far, was not handed out.
  bool is_left_out(Slot slot) const { return left_out_.slot <= slot && slot < left_out_.next_slot; }
  /// The first slot after those left out last; 0 when none were.
  Slot left_out_before() const { return left_out_.next_slot; }

  static Error mismatch();
  const LedgerReader& reader() const { return reader_; }

 private:
  LedgerReader reader_;
  std::optional<LedgerRecord> next_;
  LeftOut left_out_;  // the last one
};

}  // namespace fugu
