// A copy would hand out the same bits a second time.
#include "fugu/noise/noise.hpp"

void run() {
  fugu::SecureNoise secure;
  secure.laplace({10, 1});
#ifdef FUGU_MUST_FAIL
  fugu::SecureNoise copy = secure;
  copy.laplace({10, 1});
#endif
}
