// Libraries: core strategies
// A kernel has no answer without noise for a strategy that would leak it.
#include "every_header.hpp"

std::int64_t ask(fugu::Kernel& kernel, std::span<const std::int64_t> reference) {
#ifdef FUGU_MUST_FAIL
  return kernel.true_distance(kernel.all(), reference);
#endif
  const auto noisy = kernel.distance(kernel.all(), reference, fugu::Budget());
  return noisy ? noisy->steps : 0;
}
