// Rounding never in our favour: scales not below the true ratio, charges not below the true cost.
#include "fugu/base/rational.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "support/big.hpp"

namespace fugu::test {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

/// A positive number of a random width, so that all magnitudes are tried.
uint128 wide(int bits_max) {
  const int bits = *rc::gen::inRange(1, bits_max + 1);
  const auto high = *rc::gen::arbitrary<std::uint64_t>();
  const auto low = *rc::gen::arbitrary<std::uint64_t>();
  uint128 value = (static_cast<uint128>(high) << 64) | low;
  if (bits < 128) value &= (uint128{1} << bits) - 1;
  return value | (uint128{1} << (bits - 1));
}

std::uint64_t word() { return static_cast<std::uint64_t>(wide(64)); }

RC_GTEST_PROP(RoundUp, IsNotBelowAndWithinOnePartIn2To60, ()) {
  const std::uint64_t den = word();
  const uint128 num = wide(124);
  RC_PRE(Big(num) <= (Big(den) << 61));
  const Rational r = round_up(num, den);
  RC_ASSERT(r.num > 0u);
  RC_ASSERT(r.den > 0u);
  RC_ASSERT(Big(num) * r.den <= Big(den) * r.num);
  // r − num/den < 2^-60 · num/den, or < 2^-62 where that is more.
  const Big relative = (Big(num) * r.den) << 2;
  const Big absolute = Big(den) * r.den;
  const Big excess_limit = relative < absolute ? absolute : relative;
  RC_ASSERT(((Big(den) * r.num) << 62) < ((Big(num) * r.den) << 62) + excess_limit);
}

RC_GTEST_PROP(RoundUp, FitsTheSamplers, ()) {
  const std::uint64_t den = word();
  const uint128 num = wide(124);
  RC_PRE(Big(num) <= (Big(den) << 61));
  const Rational r = round_up(num, den);
  RC_ASSERT(r.num <= std::uint64_t{1} << 62);
  RC_ASSERT(r.den <= std::uint64_t{1} << 62);
  RC_ASSERT((r.den & (r.den - 1)) == 0u);
}

RC_GTEST_PROP(RoundUp, IsExactOnPowersOfTwo, ()) {
  const std::uint64_t num = static_cast<std::uint64_t>(wide(60));
  const unsigned shift = *rc::gen::inRange(0u, 62u);
  RC_ASSERT(round_up(num, std::uint64_t{1} << shift) == (Rational{num, std::uint64_t{1} << shift}));
}

TEST(RoundUp, HoldsAtItsEdges) {
  EXPECT_EQ(round_up(uint128{1} << 61, 1), (Rational{std::uint64_t{1} << 61, 1}));
  EXPECT_EQ(round_up((uint128{1} << 100) - 1, std::uint64_t{1} << 60), (Rational{std::uint64_t{1} << 40, 1}));
  EXPECT_EQ(round_up(1, kLargest), (Rational{1, std::uint64_t{1} << 62}));
}

TEST(RoundUpDeathTest, RefusesWhatItCannotHold) {
  EXPECT_DEATH(static_cast<void>(round_up(uint128{1} << 62, 1)), "broken invariant");
  EXPECT_DEATH(static_cast<void>(round_up(0, 1)), "broken invariant");
  EXPECT_DEATH(static_cast<void>(round_up(1, 0)), "broken invariant");
}

RC_GTEST_PROP(MultiplyDivideUp, IsTheExactCeilingOrSaturates, ()) {
  const uint128 a = *rc::gen::inRange(0, 20) == 0 ? uint128{0} : wide(128);
  const std::uint64_t b = *rc::gen::inRange(0, 20) == 0 ? 0 : word();
  const unsigned shift = *rc::gen::inRange(0u, 64u);
  const std::uint64_t divisor = word();
  const Big exact = divide_up(Big(a) * Big(b) << shift, Big(divisor));
  const Big expected = exact < Big(kLargest) ? exact : Big(kLargest);
  RC_ASSERT(Big(multiply_divide_up(a, b, shift, divisor)) == expected);
}

RC_GTEST_PROP(MultiplyDivideUp, IsExactWhereAQuotientJustFits, ()) {
  // Around the largest result, where saturation and rounding meet; often with a product of all 128 bits.
  const std::uint64_t divisor = *rc::gen::arbitrary<bool>() ? word() : word() | std::uint64_t{1} << 63;
  const std::uint64_t quotient = kLargest - *rc::gen::inRange<std::uint64_t>(0, 3);
  const uint128 product = static_cast<uint128>(quotient) * divisor;
  const std::uint64_t back = *rc::gen::inRange<std::uint64_t>(0, 3);
  RC_PRE(product >= back);
  const unsigned shift = *rc::gen::inRange(0u, 4u);
  const uint128 a = (product - back) >> shift;
  const Big exact = divide_up(Big(a) << shift, Big(divisor));
  RC_ASSERT(Big(multiply_divide_up(a, 1, shift, divisor)) == exact);
}

RC_GTEST_PROP(MultiplyDivideUp, SaturatesWhereAQuotientJustDoesNotFit, ()) {
  const std::uint64_t divisor = word() >> 2 | 1;
  const uint128 quotient = (uint128{1} << 64) + *rc::gen::inRange<std::uint64_t>(0, 3);
  RC_ASSERT(multiply_divide_up(quotient * divisor, 1, 0, divisor) == kLargest);
  // The rest is rounded up, which must not wrap around; the second time in more than 128 bits.
  const std::uint64_t rest = *rc::gen::inRange<std::uint64_t>(1, 3);
  for (const std::uint64_t each : {divisor, divisor | std::uint64_t{1} << 63})
    RC_ASSERT(multiply_divide_up(uint128{kLargest} * each + rest, 1, 0, each) == kLargest);
}

RC_GTEST_PROP(RationalEquality, IsThatOfFractions, ()) {
  const std::uint64_t num = static_cast<std::uint64_t>(wide(30));
  const std::uint64_t den = static_cast<std::uint64_t>(wide(30));
  const std::uint64_t factor = static_cast<std::uint64_t>(wide(30));
  RC_ASSERT((Rational{num, den}) == (Rational{num * factor, den * factor}));
  RC_ASSERT(!((Rational{num, den}) == (Rational{num + 1, den})));
}

}  // namespace
}  // namespace fugu::test
