// Two true values cannot be compared: a branch on one would leak it.
#include "fugu/stream/raw.hpp"

bool same_presence(fugu::Raw a, fugu::Raw b) {
#ifdef FUGU_MUST_FAIL
  if (a == b) return true;
#endif
  return a.missing() == b.missing();
}
