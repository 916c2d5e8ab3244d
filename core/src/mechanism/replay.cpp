#include "replay.hpp"

namespace fugu {

Result<const LedgerRecord*> Replay::peek() {
  if (!next_) {
    FUGU_ASSIGN(next_, reader_.next());
  }
  return next_ ? &*next_ : nullptr;
}

Error Replay::mismatch() {
  return {
      Cause::bad_input,
      "the ledger does not fit: its answers are not the ones this strategy asks for; resume with the options and the "
      "version it was written with"};
}

}  // namespace fugu
