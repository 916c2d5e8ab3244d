// The acceptance step of the discrete Gaussian: its fixed-point exponent, and its exact slow path.
#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../core/src/noise/acceptance.hpp"
#include "fugu/noise/discrete_gaussian.hpp"
#include "fugu/noise/exact.hpp"
#include "scripted_bits.hpp"

namespace fugu::test {
namespace {

using detail::Acceptance;
using detail::Real;

/// (|y| − v/t)² / (2v) to 400 bits.
void set_exponent(Real& out, Rational variance, std::uint64_t scale, std::uint64_t magnitude) {
  Real v(400);
  mpfr_set_ui(v, variance.num, MPFR_RNDN);
  mpfr_div_ui(v, v, variance.den, MPFR_RNDN);
  mpfr_div_ui(out, v, scale, MPFR_RNDN);
  mpfr_ui_sub(out, magnitude, out, MPFR_RNDN);
  mpfr_sqr(out, out, MPFR_RNDN);
  mpfr_div(out, out, v, MPFR_RNDN);
  mpfr_div_ui(out, out, 2, MPFR_RNDN);
}

Rational any_variance() {
  for (;;) {
    const Rational variance{(*rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 63)) | 1,
                            (*rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 63)) | 1};
    if (is_gaussian_variance(variance)) return variance;
  }
}

TEST(Acceptance, ProposalScaleIsJustAboveSigma) {
  EXPECT_TRUE(rc::check("sigma < t ≤ 1.02 · sigma + 1", [] {
    const Rational variance = any_variance();
    const double sigma = std::sqrt(variance.to_double());
    const auto scale = static_cast<double>(Acceptance(variance).proposal_scale());
    RC_ASSERT(scale >= sigma);
    RC_ASSERT(scale <= 1.02 * sigma + 1);
  }));
}

TEST(Acceptance, ExponentIsWithinItsError) {
  EXPECT_TRUE(rc::check("within 2^-44 below 64, at least 63 above", [] {
    const Rational variance = any_variance();
    const Acceptance acceptance(variance);
    const auto magnitude = static_cast<std::uint64_t>(static_cast<double>(acceptance.proposal_scale()) *
                                                      *rc::gen::inRange(0, 20'000) / 1000.0);
    Real exact(400);
    set_exponent(exact, variance, acceptance.proposal_scale(), magnitude);
    Real computed(400);
    mpfr_set_ui_2exp(computed, acceptance.exponent_q57(magnitude), -57, MPFR_RNDN);
    if (mpfr_cmp_ui(exact, 64) >= 0) {
      RC_ASSERT(mpfr_cmp_ui(computed, 63) >= 0);
    } else {
      mpfr_sub(computed, computed, exact, MPFR_RNDN);
      RC_ASSERT(std::fabs(mpfr_get_d(computed, MPFR_RNDA)) <= 0x1p-44);
    }
  }));
}

/// A uniform variable that shares its first 64 bits with the acceptance probability is settled by the next 64.
TEST(Acceptance, ACloseCallIsSettledExactly) {
  for (const Rational variance : {Rational{1, 16}, Rational{4, 1}, Rational{22, 7}, Rational{123'456'789, 1'000},
                                  Rational{std::uint64_t{1} << 62, 1}}) {
    const Acceptance acceptance(variance);
    for (const std::uint64_t magnitude : {std::uint64_t{0}, std::uint64_t{1}, acceptance.proposal_scale() * 3}) {
      Real p(400);
      set_exponent(p, variance, acceptance.proposal_scale(), magnitude);
      mpfr_neg(p, p, MPFR_RNDN);
      mpfr_exp(p, p, MPFR_RNDN);
      mpfr_mul_2ui(p, p, 64, MPFR_RNDN);
      const std::uint64_t p_q64 = mpfr_get_ui(p, MPFR_RNDD);
      for (const bool kept : {true, false}) {
        std::vector<std::uint16_t> words;
        ScriptedBits::append64(words, p_q64);
        ScriptedBits::append64(words, kept ? 0 : ~std::uint64_t{0});
        ScriptedBits bits(words);
        EXPECT_EQ(acceptance.draw(bits, magnitude), kept) << variance.num << "/" << variance.den << " at " << magnitude;
      }
    }
  }
}

/// Bits and precision grow as far as they must: here the variable agrees with 1/2 + 2^-200 in 199 bits.
TEST(LazyUniform, DrawsAsManyBitsAsItTakes) {
  const detail::Bounds just_above_half = [](Real& low, Real& high) {
    for (Real* bound : {&low, &high}) mpfr_set_ui_2exp(*bound, 1, -1, MPFR_RNDN);
    mpfr_prec_t precision = mpfr_get_prec(low);
    if (precision >= 256) mpfr_set_ui_2exp(low, 1, -200, MPFR_RNDN), mpfr_add_d(low, low, 0.5, MPFR_RNDD);
    mpfr_nextabove(high);
    if (precision >= 256) mpfr_set(high, low, MPFR_RNDN);
  };
  for (const bool is_below : {true, false}) {
    std::vector<std::uint16_t> words;
    for (int i = 0; i < 2; ++i) ScriptedBits::append64(words, 0);
    ScriptedBits::append64(words, is_below ? 0 : ~std::uint64_t{0});
    ScriptedBits bits(words);
    EXPECT_EQ(detail::LazyUniform(bits, std::uint64_t{1} << 63).below(just_above_half), is_below);
  }
}

}  // namespace
}  // namespace fugu::test
