// An estimate holds a released value. A true value does not convert into one, not even explicitly.
#include "fugu/filter/filter.hpp"
#include "fugu/stream/raw.hpp"

fugu::Estimate disguise(const fugu::Raw& truth) {
#ifdef FUGU_MUST_FAIL
  return {.value = static_cast<double>(truth), .variance = 0.0, .sampled = true};
#else
  return {.value = 0.0, .variance = 0.0, .sampled = !truth.missing()};
#endif
}
