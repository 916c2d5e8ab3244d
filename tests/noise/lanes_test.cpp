// The fast path never decides a digit differently from exact arithmetic, and leaves to the slow path what it must.
#include "../core/src/noise/lanes.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../core/src/noise/fixed_point.hpp"
#include "../core/src/noise/laplace_paths.hpp"
#include "fugu/noise/discrete_laplace.hpp"
#include "fugu/noise/exact.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "scripted_bits.hpp"

namespace fugu::test {
namespace {

using detail::Rate;
using detail::Real;

constexpr mpfr_prec_t kPrecision = 160;

/// 2^16 / (1 + exp(mantissa · 2^exponent)) to 160 bits.
void set_scaled_logistic(Real& out, double mantissa, int exponent) {
  mpfr_set_d(out, std::ldexp(mantissa, exponent), MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
  mpfr_add_ui(out, out, 1, MPFR_RNDN);
  mpfr_ui_div(out, 65536, out, MPFR_RNDN);
}

/// All mantissas that share a threshold, as positions in [0, 2^23): the truth must lie in [threshold, threshold + 2].
/// p falls with the mantissa, so the ends of the run decide; 2^-5 of a position covers the error of `rate_of`.
void check_run(int exponent, std::uint32_t first, std::uint32_t last, std::uint16_t threshold) {
  constexpr double kRateError = 1.0 / 32;
  Real p(kPrecision);
  set_scaled_logistic(p, 1 + (first - kRateError) * 0x1p-23, exponent);
  ASSERT_LE(mpfr_cmp_ui(p, threshold + 2U), 0) << "exponent " << exponent << " position " << first;
  set_scaled_logistic(p, 1 + (last + 1 + kRateError) * 0x1p-23, exponent);
  ASSERT_GE(mpfr_cmp_ui(p, threshold), 0) << "exponent " << exponent << " position " << last;
}

class EveryLane : public ::testing::TestWithParam<int> {};

/// Exhaustive: all 2^23 mantissas the tables tell apart, and with them all 16-bit words, for every lane.
TEST_P(EveryLane, ThresholdIsBelowTheTruthByLessThanTwoSteps) {
  const int exponent = GetParam();
  const auto threshold_at = [exponent](std::uint32_t position) {
    return detail::lane_threshold_q16({0x8000'0000U | position << 8, exponent}, exponent);
  };
  std::uint32_t first = 0;
  std::uint16_t threshold = threshold_at(0);
  for (std::uint32_t position = 1; position < 1U << 23; ++position) {
    const std::uint16_t next = threshold_at(position);
    if (next == threshold) continue;
    check_run(exponent, first, position - 1, threshold);
    first = position;
    threshold = next;
  }
  check_run(exponent, first, (1U << 23) - 1, threshold);
}

INSTANTIATE_TEST_SUITE_P(Exponents, EveryLane, ::testing::Range(detail::kLowestLane, detail::kHighestLane + 1),
                         [](const auto& lane) { return "lane" + std::to_string(lane.index); });

/// |computed · 2^-fraction_bits − exact|, rounded up.
double error_of(std::uint64_t computed, int fraction_bits, const Real& exact) {
  Real difference(kPrecision);
  mpfr_set_ui_2exp(difference, computed, -fraction_bits, MPFR_RNDN);
  mpfr_sub(difference, difference, exact, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDA));
}

/// Positive, with a uniform number of bits.
std::uint64_t any_size(SeededBits& bits) {
  const std::uint64_t word = bits.take64() >> (bits.take64() % 64);
  return word == 0 ? 1 : word;
}

constexpr std::uint64_t kSeed = 11;
constexpr int kCases = 100'000;

TEST(Rate, IsWithinItsErrorOfTheTruth) {
  SeededBits bits(kSeed);
  for (int i = 0; i < kCases; ++i) {
    const Rational scale{any_size(bits), any_size(bits)};
    const Rate rate = detail::rate_of(scale);
    ASSERT_GE(rate.mantissa_q31, 0x8000'0000U);
    Real mantissa(kPrecision);
    mpfr_set_ui_2exp(mantissa, scale.den, -rate.exponent, MPFR_RNDN);
    mpfr_div_ui(mantissa, mantissa, scale.num, MPFR_RNDN);
    ASSERT_LE(error_of(rate.mantissa_q31, 31, mantissa), 0x1p-29) << scale.num << "/" << scale.den;
  }
}

TEST(FixedPoint, ErrorsStayBelowTheirBounds) {
  SeededBits bits(kSeed);
  for (int i = 0; i < kCases; ++i) {
    const std::uint64_t x_q57 = any_size(bits);
    Real exact(kPrecision);
    mpfr_set_ui_2exp(exact, x_q57, -57, MPFR_RNDN);
    mpfr_neg(exact, exact, MPFR_RNDN);
    mpfr_exp(exact, exact, MPFR_RNDN);
    ASSERT_LE(error_of(detail::exp_minus_q63(x_q57), 63, exact), 0x1p-57) << x_q57;
    mpfr_ui_div(exact, 1, exact, MPFR_RNDN);
    mpfr_add_ui(exact, exact, 1, MPFR_RNDN);
    mpfr_ui_div(exact, 1, exact, MPFR_RNDN);
    ASSERT_LE(error_of(detail::logistic_q64(x_q57), 64, exact), 0x1p-56) << x_q57;
  }
}

/// The words of one draw: its digits from the highest to the lowest, the sign, the tail.
struct DrawScript {
  unsigned digit_count;
  std::vector<std::uint16_t> words;

  /// Every digit 0, the sign +, no tail.
  explicit DrawScript(Rational scale)
      : digit_count(static_cast<unsigned>(std::max(0, 4 - detail::rate_of(scale).exponent))),
        words(digit_count + 2, 0xFFFF) {}

  std::uint16_t& digit(unsigned j) { return words[digit_count - 1 - j]; }
  std::uint16_t& sign() { return words[digit_count]; }
  std::uint16_t& tail() { return words[digit_count + 1]; }
};

constexpr std::uint64_t kMarker = 0x0123'4567'89AB'CDEFU;

/// Draws from the script, and checks through a marker behind it that exactly its words were used up.
std::int64_t draw_all_of(Rational scale, std::vector<std::uint16_t> words) {
  ScriptedBits::append64(words, kMarker);
  ScriptedBits bits(words);
  const std::int64_t value = discrete_laplace(bits, scale);
  EXPECT_EQ(bits.take64(), kMarker);
  return value;
}

/// The first 64 bits of the probability of a digit.
std::uint64_t digit_probability_q64(Rational scale, unsigned digit) {
  Real low(kPrecision);
  Real high(kPrecision);
  detail::digit_bounds(scale, digit)(low, high);
  mpfr_mul_2ui(low, low, 64, MPFR_RNDD);
  return mpfr_get_ui(low, MPFR_RNDD);
}

/// Not 2^44 itself: there the bits of p after the 64th are zeros for so long that the scripts below would be too short.
const Rational kScriptScales[] = {{1, 64},
                                  {1, 3},
                                  {1, 1},
                                  {22, 7},
                                  {10, 1},
                                  {997, 1},
                                  {4097, 1},
                                  {1'000'003, 1},
                                  {(std::uint64_t{1} << 40) + 1, 1},
                                  {(std::uint64_t{1} << 44) - 3, 1}};

bool is_decided_by_zero(Rational scale, unsigned digit) {
  const Rate rate = detail::rate_of(scale);
  return detail::lane_threshold_q16(rate, rate.exponent + static_cast<int>(digit)) > 0;
}

TEST(Script, EachWordSetsItsOwnDigitSignOrNothing) {
  for (const Rational scale : kScriptScales) {
    const DrawScript zero(scale);
    EXPECT_EQ(draw_all_of(scale, zero.words), 0);
    for (unsigned j = 0; j < zero.digit_count; ++j) {
      // A word of zero makes a digit 1 at once only where the threshold is above zero.
      if (!is_decided_by_zero(scale, j)) continue;
      DrawScript one(scale);
      one.digit(j) = 0;
      EXPECT_EQ(draw_all_of(scale, one.words), std::int64_t{1} << j);
      if (!is_decided_by_zero(scale, 0)) continue;
      one.sign() = 0;
      EXPECT_EQ(draw_all_of(scale, one.words), -1 - (std::int64_t{1} << j));
    }
  }
}

/// A word on the threshold is lengthened by 64 bits, and decided by where these put it.
TEST(Script, AnUndecidedDigitIsSettledByFurtherBits) {
  for (const Rational scale : kScriptScales) {
    for (unsigned j = 0; j < DrawScript(scale).digit_count; ++j) {
      const std::uint64_t p_q64 = digit_probability_q64(scale, j);
      DrawScript script(scale);
      script.digit(j) = static_cast<std::uint16_t>(p_q64 >> 48);
      const std::uint64_t rest = p_q64 << 16;
      constexpr std::uint64_t kFar = std::uint64_t{1} << 40;
      if (rest > kFar) {
        auto below = script.words;
        ScriptedBits::append64(below, rest - kFar);
        EXPECT_EQ(draw_all_of(scale, below), std::int64_t{1} << j) << scale.num << "/" << scale.den << " digit " << j;
      }
      if (rest < ~kFar) {
        auto above = script.words;
        ScriptedBits::append64(above, rest + kFar);
        EXPECT_EQ(draw_all_of(scale, above), 0) << scale.num << "/" << scale.den << " digit " << j;
      }
    }
  }
}

/// A uniform variable that agrees with the probability in its first 64 bits is settled by 64 more, in exact arithmetic.
TEST(Script, ADigitWithinTheMarginIsSettledExactly) {
  for (const Rational scale : kScriptScales) {
    for (unsigned j = 0; j < DrawScript(scale).digit_count; ++j) {
      const std::uint64_t p_q64 = digit_probability_q64(scale, j);
      for (const bool is_one : {true, false}) {
        DrawScript script(scale);
        script.digit(j) = static_cast<std::uint16_t>(p_q64 >> 48);
        ScriptedBits::append64(script.words, p_q64 << 16);
        ScriptedBits::append64(script.words, is_one ? 0 : ~std::uint64_t{0});
        EXPECT_EQ(draw_all_of(scale, script.words), is_one ? std::int64_t{1} << j : 0);
      }
    }
  }
}

TEST(Script, AnUndecidedSignIsSettledByFurtherBits) {
  for (const Rational scale : kScriptScales) {
    const std::uint64_t p_q64 = digit_probability_q64(scale, 0);
    for (const bool negative : {true, false}) {
      DrawScript script(scale);
      script.sign() = static_cast<std::uint16_t>(p_q64 >> 48);
      ScriptedBits::append64(script.words, p_q64 << 16);
      ScriptedBits::append64(script.words, negative ? 0 : ~std::uint64_t{0});
      EXPECT_EQ(draw_all_of(scale, script.words), negative ? -1 : 0);
    }
  }
}

/// The tail counts the n for which the variable is below exp(−n · 2^J / scale).
TEST(Script, TheTailIsTheInverseOfItsDistribution) {
  for (const Rational scale : {Rational{1, 16}, Rational{1, 1}, Rational{22, 7}, Rational{1'000'003, 1}}) {
    const unsigned digits = DrawScript(scale).digit_count;
    const double rate = std::ldexp(1 / scale.to_double(), static_cast<int>(digits));
    for (const double wanted : {0.0, 1.0, 2.0}) {
      // Halfway between exp(−wanted · rate) and exp(−(wanted + 1) · rate), on a logarithmic scale.
      const auto drawn_q64 = static_cast<std::uint64_t>(std::ldexp(std::exp(-(wanted + 0.5) * rate), 64));
      if (drawn_q64 == 0) continue;
      DrawScript script(scale);
      script.tail() = 0;
      ScriptedBits::append64(script.words, drawn_q64 << 16);
      if (wanted > 0) ScriptedBits::append64(script.words, 0);
      EXPECT_EQ(draw_all_of(scale, script.words), static_cast<std::int64_t>(wanted) << digits);
    }
  }
}

TEST(Script, BitsBelowThoseADrawAskedForDoNotMatter) {
  for (const Rational scale : kScriptScales) {
    ScriptedBits zeros(DrawScript(scale).words, 0);
    ScriptedBits ones(DrawScript(scale).words, 0xFFFF);
    EXPECT_EQ(discrete_laplace(zeros, scale), discrete_laplace(ones, scale));
  }
}

TEST(Paths, VectorAndPortableCodeDrawTheSame) {
  if (!detail::has_avx2()) GTEST_SKIP() << "needs AVX2";
  SeededBits portable_bits(5);
  SeededBits vector_bits(5);
  SeededBits scales(6);
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t num = scales.take64() | std::uint64_t{1} << 63;
    const Rational scale{num >> (scales.take64() % 30), (scales.take64() >> 20 >> (scales.take64() % 20)) | 1};
    if (!is_laplace_scale(scale)) continue;
    ASSERT_EQ(detail::discrete_laplace_portable(portable_bits, scale),
              detail::discrete_laplace_avx2(vector_bits, scale));
  }
}

}  // namespace
}  // namespace fugu::test
