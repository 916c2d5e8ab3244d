// Whether a slot came or an error did cannot be ignored.
#include "fugu/stream/source.hpp"

bool advance(fugu::SlotSource& source, fugu::SlotRow& row) {
#ifdef FUGU_MUST_FAIL
  source.next(row);
#endif
  return source.next(row).has_value();
}
