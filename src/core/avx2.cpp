#include "avx2.hpp"

namespace fugu::detail {

bool has_avx2() noexcept {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt");
  return has;
#else
  return false;
#endif
}

}  // namespace fugu::detail
