// Libraries: core strategies
// Whoever publishes cannot name what reads true values for evaluation, whatever it includes.
#include "every_header.hpp"

void look(fugu::Publisher& allowed);

#ifdef FUGU_MUST_FAIL
void look(fugu::TruthStream& forbidden);
#endif
