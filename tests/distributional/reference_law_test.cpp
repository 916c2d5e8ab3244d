// The public law: a symmetric table of integers; quantiles of the normal and of stable laws, against other ways to
// compute them.
#include "fugu/distributional/reference_law.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "fugu/noise/bits.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "support/stat_check.hpp"

namespace fugu::test {
namespace {

double unit(BitSource& bits) { return (static_cast<double>(bits.take64() >> 11) + 0.5) * 0x1p-53; }

TEST(ReferenceLaw, IsSymmetricAddsUpToOneAndIsTheNormalLaw) {
  const auto law = ReferenceLaw::make(2, 10, 40);
  ASSERT_TRUE(law);
  double sum = 0;
  for (std::int64_t k = -40; k <= 40; ++k) {
    EXPECT_EQ(law->probability(k), law->probability(-k));
    const auto normal = [](double x) { return std::erfc(-x / 10 / std::numbers::sqrt2) / 2; };
    const auto at = static_cast<double>(k);
    const double inside = normal(40.5) - normal(-40.5);
    EXPECT_NEAR(law->probability(k), (normal(at + 0.5) - normal(at - 0.5)) / inside, 1e-14);
    sum += law->probability(k);
  }
  EXPECT_DOUBLE_EQ(sum, 1);
  EXPECT_EQ(law->at(0), -40);
  EXPECT_EQ(law->at(ReferenceLaw::kRanks / 2), 0);
  EXPECT_EQ(law->at(ReferenceLaw::kRanks - 1), 40);
  EXPECT_NEAR(law->sd_steps(), 10, 0.02);
}

TEST(ReferenceLaw, RefusesWhatIsNoLaw) {
  EXPECT_FALSE(ReferenceLaw::make(0.4, 10, 40));
  EXPECT_FALSE(ReferenceLaw::make(2.1, 10, 40));
  EXPECT_FALSE(ReferenceLaw::make(NAN, 10, 40));
  EXPECT_FALSE(ReferenceLaw::make(2, 0, 40));
  EXPECT_FALSE(ReferenceLaw::make(2, 10, 9));
  EXPECT_FALSE(ReferenceLaw::make(2, 10, ReferenceLaw::kHalfWidthMax + 1));
  EXPECT_FALSE(ReferenceLaw::make(1.5, 10, ReferenceLaw::kStableHalfWidthMax + 1));
}

TEST(NormalQuantile, IsTheInverseOfTheTail) {
  for (const double tail : {1e-18, 1e-9, 1e-3, 0.1, 0.49, 0.5, 0.7, 0.999}) {
    const double z = normal_upper_quantile(tail);
    EXPECT_NEAR(std::erfc(z / std::numbers::sqrt2) / 2 / tail, 1, 1e-11) << tail;
  }
}

TEST(StableLaw, IsCauchyAndNormalWhereThatIsKnown) {
  for (const double x : {-20.0, -1.0, 0.0, 0.3, 2.0, 50.0}) {
    EXPECT_NEAR(symmetric_stable_cdf(1, x), 0.5 + std::atan(x) / std::numbers::pi, 1e-12);
    EXPECT_NEAR(symmetric_stable_cdf(2, x), std::erfc(-x / 2) / 2, 1e-12);
    EXPECT_NEAR(symmetric_stable_cdf(1.001, x), symmetric_stable_cdf(1, x), 2e-3);  // the integral, next to 1
    EXPECT_NEAR(symmetric_stable_cdf(1.999, x), symmetric_stable_cdf(2, x), 2e-3);
  }
}

/// Chambers, Mallows and Stuck draw from the law without its distribution function.
double draw_stable(double alpha, BitSource& bits) {
  const double angle = (unit(bits) - 0.5) * std::numbers::pi;
  const double exponential = -std::log(unit(bits));
  return std::sin(alpha * angle) / std::pow(std::cos(angle), 1 / alpha) *
         std::pow(std::cos((1 - alpha) * angle) / exponential, (1 - alpha) / alpha);
}

TEST(StableLaw, FitsDrawsOfChambersMallowsAndStuck) {
  constexpr double kAlarm = 1e-6;  // each of three
  constexpr std::array kEdges = {-8.0, -3.0, -1.0, -0.4, 0.0, 0.4, 1.0, 3.0, 8.0};
  for (const double alpha : {0.6, 1.3, 1.7}) {
    SeededBits bits(11, static_cast<std::uint64_t>(alpha * 10));
    std::array<std::uint64_t, kEdges.size() + 1> counts{};
    for (int i = 0; i < 200'000; ++i) {
      const double x = draw_stable(alpha, bits);
      ++counts[static_cast<std::size_t>(std::upper_bound(kEdges.begin(), kEdges.end(), x) - kEdges.begin())];
    }
    std::array<double, kEdges.size() + 1> law{};
    double below = 0;
    for (std::size_t i = 0; i < law.size(); ++i) {
      const double up_to = i < kEdges.size() ? symmetric_stable_cdf(alpha, kEdges[i]) : 1;
      law[i] = up_to - below;
      below = up_to;
    }
    EXPECT_TRUE(fits_law(counts, law, {kAlarm, "11"})) << alpha;
  }
}

}  // namespace
}  // namespace fugu::test
