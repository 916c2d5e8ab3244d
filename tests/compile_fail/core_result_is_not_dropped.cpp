// A dropped Result is a warning, and warnings are errors here.
#include "fugu/base/result.hpp"

fugu::Result<void> fails();

bool run() {
#ifdef FUGU_MUST_FAIL
  fails();
#endif
  return fails().has_value();
}
