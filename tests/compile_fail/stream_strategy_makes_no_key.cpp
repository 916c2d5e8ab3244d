// A strategy cannot make the key that opens a true value; who was given one by a class that can, could.
#include "fugu/stream/raw.hpp"

class Strategy {
 public:
  static bool present(fugu::Raw value) { return !value.missing(); }
  static std::int64_t peek(fugu::Raw value, fugu::RawKey key) { return value.reveal(key); }
#ifdef FUGU_MUST_FAIL
  static std::int64_t steal(fugu::Raw value) { return value.reveal(fugu::RawKey()); }
#endif
};
