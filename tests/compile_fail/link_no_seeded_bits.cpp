// Libraries: core strategies
// Whoever publishes cannot name bits that have a seed, whatever it includes.
#include "every_header.hpp"

void look(fugu::SecureBits& allowed);

#ifdef FUGU_MUST_FAIL
void look(fugu::SeededBits& forbidden);
#endif
