// The measures of temporal perturbation: against simulation, against brute force, and where the printed ones are off.
#include "fugu/metric/temporal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fugu/noise/bits.hpp"
#include "fugu/simulate/seeded_bits.hpp"

namespace fugu::test {
namespace {

TEST(TemporalMeasures, PerturbationIsAsPrinted) {
  for (const double b : {0.1, 1.0, 2.0}) {
    for (const unsigned parts : {1U, 2U, 5U})
      EXPECT_NEAR(perturbation_probability(*ShiftLaw::rounded_laplace(b), parts),
                  printed_perturbation_probability(b, parts), 1e-14);
  }
}

TEST(TemporalMeasures, ShufflingIsMoreThanPrinted) {
  const auto law = *ShiftLaw::rounded_laplace(1);
  EXPECT_NEAR(shuffling_probability(law, 1), 0.3801, 0.00005);
  EXPECT_NEAR(printed_shuffling_probability(1, 1), 0.1839, 0.00005);
  EXPECT_NEAR(overtaking_probability(1), 0.2759, 0.00005);
}

TEST(TemporalMeasures, ShufflingAgreesWithCounting) {
  SeededBits bits(8);
  for (const double b : {0.3, 1.0, 2.0}) {
    const auto law = *ShiftLaw::rounded_laplace(b);
    for (const unsigned parts : {1U, 2U, 3U}) {
      constexpr int kRuns = 40'000;
      int shuffled = 0;
      for (int run = 0; run < kRuns; ++run) {
        Slot latest = -1000, earliest = 1000;
        for (unsigned i = 0; i < parts; ++i) {
          latest = std::max(latest, law.draw(bits.take64()));
          earliest = std::min(earliest, 1 + law.draw(bits.take64()));
        }
        shuffled += latest >= earliest;
      }
      const double exact = shuffling_probability(law, parts);
      // Five deviations of a binomial share: a false alarm once in 190,000 seeds for nine checks.
      EXPECT_NEAR(static_cast<double>(shuffled) / kRuns, exact, 5 * std::sqrt(exact * (1 - exact) / kRuns));
    }
  }
}

TEST(TemporalMeasures, ApproximateEntropyOfAKnownSeries) {
  // 51 heart rates that repeat every third value: the worked example that is given for this measure everywhere, there
  // without its sign.
  std::vector<double> values;
  for (int i = 0; i < 17; ++i) values.insert(values.end(), {85, 80, 89});
  EXPECT_NEAR(-approximate_entropy(values, 2, 3), 1.0996541105257052e-05, 1e-12);
}

TEST(TemporalMeasures, DistancesAndEntropy) {
  const std::array<double, 4> a = {3, 0, 0, 4};
  const std::array<double, 4> b = {0, 0, 0, 8};
  EXPECT_DOUBLE_EQ(distortion_deviation(a, b), 2.5);
  EXPECT_DOUBLE_EQ(cosine_similarity(a, b), 0.8);
  EXPECT_DOUBLE_EQ(cosine_similarity(a, std::array<double, 4>{}), 0);
  EXPECT_DOUBLE_EQ(binned_entropy(a, 2), 1.5 * std::log(2)) << "shares ½, ¼, ¼";
  EXPECT_DOUBLE_EQ(binned_entropy(a, 50), 0);
  EXPECT_NEAR(printed_information_bound(2, 0.1, 3), std::log(1.5) + std::log(2) + std::log(2.5), 1e-12);
}

TEST(TemporalMeasures, EntropyOverARangeDoesNotSeeAFactor) {
  const std::array<double, 4> a = {3, 0, 0, 4};
  const std::array<double, 4> twice = {6, 0, 0, 8};
  EXPECT_DOUBLE_EQ(ranged_entropy(a, 4), std::log(2)) << "3 and the largest value share the last bin";
  EXPECT_DOUBLE_EQ(ranged_entropy(a, 8), 1.5 * std::log(2));
  EXPECT_DOUBLE_EQ(ranged_entropy(twice, 8), ranged_entropy(a, 8));
  EXPECT_NE(binned_entropy(twice, 4), binned_entropy(a, 4)) << "bins of a fixed width do";
  EXPECT_DOUBLE_EQ(ranged_entropy(std::array<double, 3>{5, 5, 5}, 50), 0);
}

TEST(TemporalMeasures, AFilterTakesWhiteNoiseOffASteadyLoad) {
  SeededBits bits(9);
  std::vector<double> truth(2000, 100.0);
  std::vector<double> observed;
  for (const double value : truth)
    observed.push_back(value + (static_cast<double>(bits.take64() >> 11) * 0x1p-53 - 0.5) * std::sqrt(12.0) * 10);
  const auto filtered = kalman_attack(observed, 0.01, 100);
  EXPECT_LT(distortion_deviation(truth, filtered), distortion_deviation(truth, observed) / 4);
}

}  // namespace
}  // namespace fugu::test
