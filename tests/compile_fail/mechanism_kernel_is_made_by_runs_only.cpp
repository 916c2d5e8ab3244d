// Nobody but a run makes a kernel: a strategy cannot open a second one that charges somebody else's account.
#include "fugu/mechanism/mechanism.hpp"

#ifdef FUGU_MUST_FAIL
class Own : public fugu::Kernel {
 public:
  Own(const fugu::Definition& promise, const fugu::Exposure& exposure)
      : fugu::Kernel(promise, exposure, fugu::NoiseKind::none) {}
};
#endif

fugu::Slot use(const fugu::Kernel& kernel) { return kernel.slot(); }
