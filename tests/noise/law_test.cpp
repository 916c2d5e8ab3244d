// The facts that error bands and predictions are made of, against plain sums.
#include "fugu/noise/law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace fugu {
namespace {

/// Probabilities of 0, ±1, … ±reach, by summing weights.
struct Summed {
  std::vector<double> probability;  ///< of one side; [0] is that of zero

  explicit Summed(const NoiseLaw& law) {
    const double value = law.parameter.to_double();
    const double width = law.kind == NoiseKind::laplace ? value : std::sqrt(value);
    const auto reach = static_cast<std::size_t>(60 * width + 60);
    double total = 0;
    for (std::size_t k = 0; k <= reach; ++k) {
      const auto x = static_cast<double>(k);
      probability.push_back(law.kind == NoiseKind::laplace ? std::exp(-x / value) : std::exp(-x * x / (2 * value)));
      total += (k == 0 ? 1 : 2) * probability.back();
    }
    for (double& p : probability) p /= total;
  }

  template <class Function>
  double mean(Function f) const {
    double sum = probability[0] * f(std::int64_t{0});
    for (std::size_t k = probability.size() - 1; k > 0; --k)
      sum += probability[k] * (f(static_cast<std::int64_t>(k)) + f(-static_cast<std::int64_t>(k)));
    return sum;
  }
};

std::vector<NoiseLaw> summable_laws() {
  std::vector<NoiseLaw> laws;
  for (const Rational p : {Rational{1, 64}, Rational{1, 3}, Rational{1, 1}, Rational{22, 7}, Rational{10, 1},
                           Rational{4095, 1}, Rational{4097, 1}, Rational{99'991, 7}})
    for (const NoiseKind kind : {NoiseKind::laplace, NoiseKind::gaussian}) laws.push_back({kind, p});
  laws.push_back({NoiseKind::gaussian, {1'000'000'000, 1}});
  return laws;
}

TEST(NoiseLaw, MomentsEqualTheirSums) {
  for (const NoiseLaw& law : summable_laws()) {
    const Summed summed(law);
    const auto square = [](std::int64_t k) { return static_cast<double>(k) * static_cast<double>(k); };
    const double variance = summed.mean(square);
    EXPECT_NEAR(law.variance(), variance, 1e-11 * variance);
    for (const std::int64_t offset : {0, 1, -3, 50, -20'000}) {
      const double expected = summed.mean([&](std::int64_t k) { return static_cast<double>(std::abs(k + offset)); });
      EXPECT_NEAR(law.expected_magnitude_around(offset), expected, 1e-11 * expected)
          << law.parameter.num << "/" << law.parameter.den << " around " << offset;
    }
    EXPECT_EQ(law.expected_magnitude(), law.expected_magnitude_around(0));
  }
}

TEST(NoiseLaw, QuantilesAreTheSmallestThatReachTheirLevel) {
  for (const NoiseLaw& law : summable_laws()) {
    const Summed summed(law);
    for (const double level : {0.01, 0.5, 0.9, 0.95, 0.999, 0.999'999}) {
      const std::int64_t quantile = law.magnitude_quantile(level);
      const auto within = [&](std::int64_t bound) {
        return summed.mean([&](std::int64_t k) { return std::abs(k) <= bound ? 1.0 : 0.0; });
      };
      EXPECT_GE(within(quantile), level - 1e-12);
      if (quantile > 0) {
        EXPECT_LT(within(quantile - 1), level + 1e-12);
      }
    }
  }
}

TEST(NoiseLaw, WideLawsApproachTheContinuousOnes) {
  const double scale = 0x1p40;
  const NoiseLaw laplace{NoiseKind::laplace, {std::uint64_t{1} << 40, 1}};
  EXPECT_NEAR(laplace.expected_magnitude() / scale, 1, 1e-9);
  EXPECT_NEAR(laplace.variance() / (2 * scale * scale), 1, 1e-9);
  EXPECT_NEAR(static_cast<double>(laplace.magnitude_quantile(0.95)) / (scale * std::log(20)), 1, 1e-9);
  const NoiseLaw gaussian{NoiseKind::gaussian, {std::uint64_t{1} << 62, 1}};
  EXPECT_NEAR(gaussian.expected_magnitude() / 0x1p31, std::sqrt(2 / 3.14159265358979324), 1e-9);
  EXPECT_NEAR(static_cast<double>(gaussian.magnitude_quantile(0.95)) / 0x1p31, 1.959963984540054, 1e-9);
}

}  // namespace
}  // namespace fugu
