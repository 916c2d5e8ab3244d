#include "fugu/core/rational.hpp"

#include <algorithm>
#include <bit>

#include "fugu/core/check.hpp"

namespace fugu {

namespace {

int bit_width(uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}

constexpr int kBits = 62;

}  // namespace

Rational round_up(uint128 num, uint128 den) {
  FUGU_CHECK(num > 0 && den > 0);
  // Long division, bit by bit from the leading one: quotient = ceil(num · 2^shift / den) with 61 or 62 bits.
  int shift = kBits - 1 - (bit_width(num) - bit_width(den));
  FUGU_CHECK(shift >= 0);  // num / den below 2^62
  if (shift > kBits) shift = kBits;
  FUGU_CHECK(bit_width(den) < 127);
  uint128 quotient = num / den;
  uint128 rest = num % den;
  for (int i = 0; i < shift; ++i) {
    rest <<= 1;
    quotient <<= 1;
    if (rest >= den) {
      rest -= den;
      quotient |= 1;
    }
  }
  if (rest != 0) ++quotient;
  Rational result{static_cast<std::uint64_t>(quotient), std::uint64_t{1} << shift};
  const int common = std::min(std::countr_zero(result.num), std::countr_zero(result.den));
  return {result.num >> common, result.den >> common};
}

}  // namespace fugu
