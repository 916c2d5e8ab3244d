#include "fugu/base/avx2.hpp"

namespace fugu::detail {

#if defined(__x86_64__)
const bool kHasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt");
#else
const bool kHasAvx2 = false;
#endif

}  // namespace fugu::detail
