// A strategy cannot make the key to a true value, however it is handed one.
#include "fugu/mechanism/mechanism.hpp"

class Peek final : public fugu::Strategy {
 public:
  explicit Peek(fugu::Raw stolen) : stolen_(stolen) {}
  fugu::Result<void> step(fugu::Kernel&, fugu::Release&) override {
    seen_ = stolen_.missing() ? 1 : 0;
#ifdef FUGU_MUST_FAIL
    seen_ = stolen_.reveal(fugu::RawKey());
#endif
    return {};
  }

 private:
  fugu::Raw stolen_;
  std::int64_t seen_ = 0;
};
