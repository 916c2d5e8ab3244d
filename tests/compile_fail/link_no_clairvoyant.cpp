// Libraries: core strategies
// Whoever publishes cannot name a strategy that looks at the true stream, whatever it includes.
#include "every_header.hpp"

void look(fugu::PlannedStrategy& allowed);

#ifdef FUGU_MUST_FAIL
void look(fugu::ClairvoyantStrategy& forbidden);
#endif
