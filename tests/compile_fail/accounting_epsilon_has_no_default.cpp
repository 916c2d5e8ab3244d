// Somebody has to choose ε.
#include "fugu/accounting/definition.hpp"

fugu::Result<fugu::Definition> promise(fugu::Epsilon epsilon) {
#ifdef FUGU_MUST_FAIL
  return fugu::Definition::make({.protects = fugu::Protects::event});
#endif
  return fugu::Definition::make({.protects = fugu::Protects::event, .epsilon = epsilon, .window_slots = {}});
}
