// The kernel looks at true values for itself only.
#include "fugu/mechanism/mechanism.hpp"

fugu::Slot peek(const fugu::Kernel& kernel) {
#ifdef FUGU_MUST_FAIL
  return kernel.reveal(0, 0);
#endif
  return kernel.slot();
}
