#include "fugu/base/result.hpp"

namespace fugu {

int exit_code(Cause cause) noexcept {
  switch (cause) {
    case Cause::usage:
    case Cause::bad_input: return 2;
    case Cause::refused: return 3;
    case Cause::environment: return 4;
  }
  return 4;
}

}  // namespace fugu
