// Libraries: core strategies
// Whoever publishes cannot name the predictable variates of simulations, whatever it includes.
#include "every_header.hpp"

void look(fugu::SecureNoise& allowed);

#ifdef FUGU_MUST_FAIL
void look(fugu::Exponentials& forbidden);
#endif
