#include "fugu/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace fugu::detail {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "fugu: broken invariant: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace fugu::detail
