// A bare number is not an ε: it has to pass Epsilon::make, which says what is wrong with it.
#include "fugu/base/budget.hpp"

fugu::Epsilon choose(fugu::Epsilon epsilon) {
#ifdef FUGU_MUST_FAIL
  epsilon = 1.0;
#endif
  return epsilon;
}
