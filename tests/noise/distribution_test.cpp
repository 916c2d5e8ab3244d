// The samplers' laws, against exact probabilities. Every check has broken twins that it must reject.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fugu/noise/discrete_gaussian.hpp"
#include "fugu/noise/discrete_laplace.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/simulate/simulation_noise.hpp"
#include "reference.hpp"
#include "support/stat_check.hpp"

namespace fugu::test {
namespace {

constexpr double kAlpha = 1e-6;
constexpr int kDraws = 500'000;
constexpr std::uint64_t kSeed = 20'260'329;

using Sampler = std::function<std::int64_t()>;

std::vector<std::uint64_t> counts_of(const Bins& bins, const Sampler& sampler) {
  std::vector<std::uint64_t> counts(bins.probability.size());
  for (int i = 0; i < kDraws; ++i) ++counts[bins.bin_of(sampler())];
  return counts;
}

::testing::AssertionResult has_law(const Cdf& cdf, const Sampler& sampler, const std::string& seed) {
  const Bins bins(cdf);
  return fits_law(counts_of(bins, sampler), bins.probability, {kAlpha, seed});
}

double p_value_of(const Cdf& cdf, const Sampler& broken) {
  const Bins bins(cdf);
  return chi_square_p_value(counts_of(bins, broken), bins.probability);
}

std::string name_of(const ::testing::TestParamInfo<Rational>& info) {
  return std::to_string(info.param.num) + "_over_" + std::to_string(info.param.den);
}

class LaplaceLaw : public ::testing::TestWithParam<Rational> {};

TEST_P(LaplaceLaw, HoldsForSeededBits) {
  SeededBits bits(kSeed);
  EXPECT_TRUE(
      has_law(laplace_cdf(GetParam()), [&] { return discrete_laplace(bits, GetParam()); }, std::to_string(kSeed)));
}

TEST_P(LaplaceLaw, HoldsForSimulationNoise) {
  SimulationNoise noise(kSeed);
  EXPECT_TRUE(has_law(laplace_cdf(GetParam()), [&] { return noise.laplace(GetParam()); }, std::to_string(kSeed)));
}

TEST_P(LaplaceLaw, HoldsForSecureBits) {
  SecureNoise noise;
  EXPECT_TRUE(has_law(laplace_cdf(GetParam()), [&] { return noise.laplace(GetParam()); }, "none"));
}

/// Far below one step nearly all draws are zero whatever the scale, and there is nothing to reject.
class LaplaceTwin : public ::testing::TestWithParam<Rational> {};

TEST_P(LaplaceTwin, RejectsAScaleTwoPercentTooSmall) {
  const auto scale = GetParam().to_double();
  const Rational wrong{static_cast<std::uint64_t>(std::ldexp(scale * 0.98, 10)), 1024};
  SimulationNoise noise(kSeed);
  EXPECT_LT(p_value_of(laplace_cdf(GetParam()), [&] { return noise.laplace(wrong); }), kAlpha);
}

TEST_P(LaplaceTwin, RejectsATruncatedTail) {
  SimulationNoise noise(kSeed);
  const auto limit = static_cast<std::int64_t>(6 * GetParam().to_double());
  const auto redrawn = [&] {
    std::int64_t value = noise.laplace(GetParam());
    while (std::abs(value) > limit) value = noise.laplace(GetParam());
    return value;
  };
  EXPECT_LT(p_value_of(laplace_cdf(GetParam()), redrawn), kAlpha);
}

INSTANTIATE_TEST_SUITE_P(TinyScales, LaplaceLaw,
                         ::testing::Values(Rational{1, 64}, Rational{1, 7}, Rational{1, 3}, Rational{2, 3}), name_of);

const auto kScales = ::testing::Values(Rational{1, 1}, Rational{5, 3}, Rational{22, 7}, Rational{10, 1},
                                       Rational{997, 10}, Rational{4096, 1}, Rational{123'456'789, 1'000},
                                       Rational{(std::uint64_t{1} << 61) + 12'345, std::uint64_t{1} << 41},
                                       Rational{1'000'003, 1}, Rational{std::uint64_t{1} << 29, 1},
                                       Rational{(std::uint64_t{1} << 40) - 87, 1}, Rational{std::uint64_t{1} << 44, 1});

INSTANTIATE_TEST_SUITE_P(Scales, LaplaceLaw, kScales, name_of);
INSTANTIATE_TEST_SUITE_P(Scales, LaplaceTwin, kScales, name_of);

TEST(LaplaceTiny, DrawsOfAScaleOfASixtyFourthAreZero) {
  // Anything else has a probability of 2·e^-64 a draw.
  SimulationNoise noise(kSeed);
  for (int i = 0; i < kDraws; ++i) ASSERT_EQ(noise.laplace({1, 64}), 0);
}

/// A draw from its binary digits in floating point, as the sampler's proof describes it, with one digit made fair.
std::int64_t draw_with_a_fair_digit(SeededBits& bits, double scale, int fair_digit) {
  const auto happens = [&](double p) { return static_cast<double>(bits.take64() >> 11) * 0x1p-53 < p; };
  std::int64_t magnitude = 0;
  for (int digit = 0; digit < 12; ++digit) {
    const double p = digit == fair_digit ? 0.5 : 1 / (1 + std::exp(std::ldexp(1 / scale, digit)));
    magnitude |= std::int64_t{happens(p)} << digit;
  }
  return happens(1 / (1 + std::exp(1 / scale))) ? ~magnitude : magnitude;
}

TEST(LaplaceTwins, TheDigitConstructionItselfFits) {
  SeededBits bits(kSeed);
  const auto sampler = [&] { return draw_with_a_fair_digit(bits, 10, -1); };
  EXPECT_TRUE(has_law(laplace_cdf({10, 1}), sampler, std::to_string(kSeed)));
}

TEST(LaplaceTwins, RejectsAFairDigit) {
  for (int digit = 0; digit < 6; ++digit) {
    SeededBits bits(kSeed);
    const auto sampler = [&] { return draw_with_a_fair_digit(bits, 10, digit); };
    EXPECT_LT(p_value_of(laplace_cdf({10, 1}), sampler), kAlpha) << "digit " << digit;
  }
}

TEST(LaplaceTwins, RejectsARoundedContinuousLaplace) {
  SeededBits bits(kSeed);
  const auto sampler = [&] {
    const double uniform = (static_cast<double>(bits.take64() >> 11) + 0.5) * 0x1p-53 - 0.5;
    return static_cast<std::int64_t>(std::lround(-std::copysign(3.0, uniform) * std::log1p(-2 * std::fabs(uniform))));
  };
  EXPECT_LT(p_value_of(laplace_cdf({3, 1}), sampler), kAlpha);
}

/// The lowest digits of a draw on a wide scale are all but fair: a check of the digits that binning by size cannot see.
TEST(LaplaceDigits, LowDigitsOfWideScalesAreUniform) {
  SimulationNoise noise(kSeed);
  std::vector<std::uint64_t> counts(256);
  const std::vector<double> probability(256, 1.0 / 256);
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(noise.laplace({std::uint64_t{1} << 40, 1}) & 255)];
  EXPECT_TRUE(fits_law(counts, probability, {kAlpha, std::to_string(kSeed)}));
}

class GaussianLaw : public ::testing::TestWithParam<Rational> {};

TEST_P(GaussianLaw, HoldsForSeededBits) {
  SimulationNoise noise(kSeed);
  EXPECT_TRUE(has_law(gaussian_cdf(GetParam()), [&] { return noise.gaussian(GetParam()); }, std::to_string(kSeed)));
}

TEST_P(GaussianLaw, HoldsForSecureBits) {
  SecureNoise noise;
  EXPECT_TRUE(has_law(gaussian_cdf(GetParam()), [&] { return noise.gaussian(GetParam()); }, "none"));
}

class GaussianTwin : public ::testing::TestWithParam<Rational> {};

TEST_P(GaussianTwin, RejectsAVarianceFourPercentTooSmall) {
  const Rational wrong{static_cast<std::uint64_t>(std::ldexp(GetParam().to_double() * 0.96, 8)), 256};
  SimulationNoise noise(kSeed);
  EXPECT_LT(p_value_of(gaussian_cdf(GetParam()), [&] { return noise.gaussian(wrong); }), kAlpha);
}

INSTANTIATE_TEST_SUITE_P(TinyVariances, GaussianLaw, ::testing::Values(Rational{1, 64}, Rational{1, 16}), name_of);

const auto kVariances = ::testing::Values(
    Rational{1, 3}, Rational{49, 100}, Rational{1, 1}, Rational{4, 1}, Rational{22, 7}, Rational{100, 1},
    Rational{12'345'678, 1'000}, Rational{1'000'000'000'000, 1},
    Rational{(std::uint64_t{1} << 61) + 999, std::uint64_t{1} << 40}, Rational{std::uint64_t{1} << 53, 1});
INSTANTIATE_TEST_SUITE_P(Variances, GaussianLaw, kVariances, name_of);
INSTANTIATE_TEST_SUITE_P(Variances, GaussianTwin, kVariances, name_of);

TEST(GaussianTwins, RejectsARoundedContinuousGaussian) {
  SeededBits bits(kSeed);
  const auto uniform = [&] { return (static_cast<double>(bits.take64() >> 11) + 0.5) * 0x1p-53; };
  const auto sampler = [&] {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return static_cast<std::int64_t>(std::lround(0.7 * radius * std::cos(2 * 3.14159265358979 * uniform())));
  };
  EXPECT_LT(p_value_of(gaussian_cdf({49, 100}), sampler), kAlpha);
}

/// The largest parameters: nothing overflows, and the size is right.
TEST(Extremes, LargestParametersGiveNoiseOfTheRightSize) {
  SimulationNoise noise(kSeed);
  const Rational scale{std::uint64_t{1} << 44, 1};
  const Rational variance{std::uint64_t{1} << 62, 1};
  double laplace = 0;
  double gaussian = 0;
  for (int i = 0; i < kDraws; ++i) {
    laplace += std::fabs(static_cast<double>(noise.laplace(scale)));
    gaussian += std::fabs(static_cast<double>(noise.gaussian(variance)));
  }
  // Five standard deviations of the mean: a false alarm once in 1.7 million runs, if the seed were drawn afresh.
  EXPECT_NEAR(laplace / kDraws / 0x1p44, 1, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(gaussian / kDraws / 0x1p31, std::sqrt(2 / 3.14159265358979), 5 * 0.603 / std::sqrt(kDraws));
}

TEST(NoiseDeathTest, ParametersBeyondTheLimitsEndTheProgram) {
  SimulationNoise noise(kSeed);
  EXPECT_DEATH(noise.laplace({0, 1}), "");
  EXPECT_DEATH(noise.laplace({1, 0}), "");
  EXPECT_DEATH(noise.laplace({std::uint64_t{1} << 45, 1}), "");
  EXPECT_DEATH(noise.laplace({1, std::uint64_t{1} << 18}), "");
  EXPECT_DEATH(noise.gaussian({std::uint64_t{1} << 63, 1}), "");
  EXPECT_DEATH(noise.gaussian({1, 65}), "");
  EXPECT_TRUE(is_laplace_scale({std::uint64_t{1} << 44, 1}));
  EXPECT_FALSE(is_laplace_scale({(std::uint64_t{1} << 44) + (std::uint64_t{1} << 15), 1}));
  EXPECT_FALSE(is_laplace_scale({0, 1}));
  EXPECT_TRUE(is_gaussian_variance({1, 64}));
}

}  // namespace
}  // namespace fugu::test
