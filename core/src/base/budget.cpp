#include "fugu/base/budget.hpp"

#include <cmath>

namespace fugu {

Budget Budget::round_down(double amount) {
  if (!(amount > 0)) return Budget();
  if (amount >= 0x1p16) return Budget(std::numeric_limits<std::uint64_t>::max());
  return Budget(static_cast<std::uint64_t>(std::floor(std::ldexp(amount, kFractionBits))));
}

Result<Epsilon> Epsilon::make(double value) {
  if (!(value > 0x1p-40 && value <= 0x1p15))
    return Error{Cause::usage, "epsilon must be a number above 0 and at most 32768, for example 1"};
  return Epsilon(value);
}

Result<Delta> Delta::make(double value) {
  if (value == 0) return zero();
  if (!(value >= 1e-300 && value < 1))
    return Error{Cause::usage, "delta must be 0 or a number between 1e-300 and 1 (exclusive), for example 1e-6"};
  return Delta(value);
}

}  // namespace fugu
