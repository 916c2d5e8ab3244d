// A filter works on released estimates. A true value cannot be handed to one, nor be made into an estimate.
#include "fugu/filter/filter.hpp"
#include "fugu/stream/raw.hpp"

fugu::Estimate smooth(fugu::Filter& filter, const fugu::Raw& truth) {
#ifdef FUGU_MUST_FAIL
  return filter.apply(truth);
#else
  return filter.apply({.value = 0.0, .variance = 1.0, .sampled = !truth.missing()});
#endif
}
