#include "replay.hpp"

namespace fugu {

Result<const LedgerRecord*> Replay::peek() {
  if (!next_) {
    FUGU_ASSIGN(next_, reader_.next());
    if (const auto* left_out = next_ ? std::get_if<LeftOut>(&*next_) : nullptr) left_out_ = *left_out;
  }
  return next_ ? &*next_ : nullptr;
}

Error Replay::mismatch() {
  return {
      Cause::bad_input,
      "the ledger does not fit: its answers are not the ones this strategy asks for; resume with the options and the "
      "version it was written with. If that is impossible, event level and w-event allow a new ledger that begins at "
      "least one window after the last slot handed out (docs/guarantees/ledger.md, \"Rollback\")"};
}

}  // namespace fugu
