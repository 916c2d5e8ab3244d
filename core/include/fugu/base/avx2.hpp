// Code that is compiled twice, the second time for processors with AVX2. Both must give the same results.
#pragma once

#if defined(__x86_64__)
#define FUGU_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt")))
#else
#define FUGU_AVX2
#endif

namespace fugu::detail {

extern const bool kHasAvx2;

/// Whether functions marked FUGU_AVX2 run here. While the program starts it may say no where they would.
inline bool has_avx2() noexcept { return kHasAvx2; }

}  // namespace fugu::detail
