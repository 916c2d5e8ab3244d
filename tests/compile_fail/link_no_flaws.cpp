// Libraries: core strategies
// Whoever publishes cannot name a rule that was published with flaws, whatever it includes.
#include "every_header.hpp"

void look(fugu::RescueDp& allowed);

#ifdef FUGU_MUST_FAIL
void look(fugu::RescueDpAsPublished& forbidden);
#endif
