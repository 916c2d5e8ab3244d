// Libraries: core strategies
// Whoever publishes cannot look behind the kernel, let alone make one with another accountant.
#include "every_header.hpp"

std::size_t size_of_view() {
#ifdef FUGU_MUST_FAIL
  return sizeof(fugu::RunningKernel);
#endif
  return sizeof(fugu::Kernel);
}
