// There is no way to make secure noise predictable.
#include "fugu/noise/noise.hpp"

void run() {
  fugu::SecureNoise secure;
  secure.laplace({10, 1});
#ifdef FUGU_MUST_FAIL
  fugu::SecureNoise seeded(1);
  seeded.laplace({10, 1});
#endif
}
