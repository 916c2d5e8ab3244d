// Libraries: core strategies
// Whoever publishes cannot name noise that has a seed, whatever it includes.
#include "every_header.hpp"

void look(fugu::SecureNoise& allowed);

#ifdef FUGU_MUST_FAIL
void look(fugu::SimulationNoise& forbidden);
#endif
