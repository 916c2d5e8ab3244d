// A strategy holds a threshold, not the noise in it nor the right to open it again.
#include "fugu/mechanism/mechanism.hpp"

bool look(fugu::Threshold& threshold) {
#ifdef FUGU_MUST_FAIL
  threshold.open_ = true;
#endif
  return threshold.open();
}
