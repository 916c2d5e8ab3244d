#include "fugu/base/rational.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

constexpr int kBits = 62;
constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max();

int bit_width(uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}

/// A 256-bit number, least significant limb first.
using Limbs = std::array<std::uint64_t, 4>;

Limbs multiply(uint128 a, std::uint64_t b) {
  const uint128 low = static_cast<uint128>(static_cast<std::uint64_t>(a)) * b;
  const uint128 high = static_cast<uint128>(static_cast<std::uint64_t>(a >> 64)) * b + (low >> 64);
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64), 0};
}

Limbs shift_left(Limbs n, unsigned shift) {
  if (shift == 0) return n;
  for (std::size_t i = n.size() - 1; i > 0; --i) n[i] = (n[i] << shift) | (n[i - 1] >> (64 - shift));
  n[0] <<= shift;
  return n;
}

/// ceil(n / divisor), saturating. Limb by limb from the top: every partial quotient fits, as the rest is below divisor.
std::uint64_t divide_up(const Limbs& n, std::uint64_t divisor) {
  std::uint64_t rest = 0;
  std::uint64_t quotient = 0;
  bool overflow = false;
  for (std::size_t i = n.size(); i-- > 0;) {
    overflow = overflow || quotient != 0;
    if (rest == 0 && n[i] < divisor) {  // the common case of leading zero limbs needs no division
      quotient = 0;
      rest = n[i];
      continue;
    }
    const uint128 part = (static_cast<uint128>(rest) << 64) | n[i];
    quotient = static_cast<std::uint64_t>(part / divisor);
    rest = static_cast<std::uint64_t>(part % divisor);
  }
  if (overflow || (quotient == kLargest && rest != 0)) return kLargest;
  return quotient + (rest != 0 ? 1 : 0);
}

}  // namespace

std::uint64_t multiply_divide_up(uint128 a, std::uint64_t b, unsigned shift, std::uint64_t divisor) {
  FUGU_CHECK(divisor > 0 && shift < 64);
  if (std::has_single_bit(divisor) && a >> 64 == 0) {  // rates are dyadic: no division
    const int down = std::countr_zero(divisor) - static_cast<int>(shift);
    const uint128 product = a * b;
    if (down >= 0) {
      const uint128 quotient = (product >> down) + ((product & ((uint128{1} << down) - 1)) != 0 ? 1 : 0);
      return quotient >> 64 != 0 ? kLargest : static_cast<std::uint64_t>(quotient);
    }
  }
  if (bit_width(a) + static_cast<int>(std::bit_width(b)) + static_cast<int>(shift) <= 128) {  // nearly always
    const uint128 product = (a * b) << shift;
    if (product >> 64 >= divisor) return kLargest;
    const auto quotient = static_cast<std::uint64_t>(product / divisor);
    const bool exact = static_cast<uint128>(quotient) * divisor == product;
    return exact || quotient == kLargest ? quotient : quotient + 1;
  }
  return divide_up(shift_left(multiply(a, b), shift), divisor);
}

Rational round_up(uint128 num, std::uint64_t den) {
  FUGU_CHECK(num > 0 && den > 0);
  // With this shift the quotient has 61 or 62 bits.
  const int shift = std::min(kBits, kBits - 1 - (bit_width(num) - static_cast<int>(std::bit_width(den))));
  FUGU_CHECK(shift >= 0);
  const std::uint64_t quotient = multiply_divide_up(num, 1, static_cast<unsigned>(shift), den);
  const int common = std::min(std::countr_zero(quotient), shift);
  return {quotient >> common, std::uint64_t{1} << (shift - common)};
}

}  // namespace fugu
