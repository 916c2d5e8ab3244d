// Libraries: core strategies
// Whoever publishes cannot name a run with seeded noise, whatever it includes.
#include "every_header.hpp"

void look(fugu::Publisher& allowed);

#ifdef FUGU_MUST_FAIL
void look(fugu::Simulation& forbidden);
#endif
