// The common base of both kinds of noise does not turn into the secure one.
#include "fugu/noise/noise.hpp"

void publish(fugu::SecureNoise& noise);
void simulate(fugu::Noise& noise);

void run(fugu::Noise& any, fugu::SecureNoise& secure) {
  simulate(any);
  simulate(secure);
  publish(secure);
#ifdef FUGU_MUST_FAIL
  publish(any);
#endif
}
