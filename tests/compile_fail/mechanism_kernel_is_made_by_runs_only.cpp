// Nobody but a run makes a kernel: a strategy cannot open a second one that charges somebody else's account.
#include "fugu/mechanism/mechanism.hpp"

void make(fugu::Kernel::Options options, std::unique_ptr<fugu::Noise> noise) {
#ifdef FUGU_MUST_FAIL
  const fugu::Kernel kernel(options, std::move(noise), nullptr);
#else
  static_cast<void>(options);
  static_cast<void>(noise);
#endif
}
