// The distributional study: the mixture gives the paper's numbers, runs repeat, real households are read.
#include "fugu/study/distributional_study.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fugu/simulate/seeded_bits.hpp"

namespace fugu::test {
namespace {

TEST(ReadingMixture, GivesThePrintedNumbers) {
  const ReadingMixture mixture;
  EXPECT_NEAR(mixture.sd() * std::sqrt(1000), 4.82, 0.005);
  EXPECT_NEAR(std::sqrt(1000 * mixture.mean() * (1 - mixture.mean())), 9.15, 0.005);
  EXPECT_NEAR(mixture.score_correlation(), 0.7, 0.005);
  SeededBits bits(1);
  double sum = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(mixture.draw(bits)) / ReadingMixture::kSteps;
  EXPECT_NEAR(sum / kDraws, mixture.mean(), 5 * mixture.sd() / std::sqrt(kDraws));  // false alarm below 1e-6
}

TEST(DistributionalStudy, FindsWhatIsExpectedAndRepeats) {
  const DistributionalStudyOptions options{.meters = 50, .samples = 2000, .seed = 3};
  const auto cases = distributional_cases();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    const auto row = run_distributional_case(options, cases[i]);
    ASSERT_TRUE(row);
    EXPECT_NEAR(row->sd_sent / row->sd_expected, 1, 5 * std::sqrt(0.5 / 2000)) << cases[i].name;
    EXPECT_EQ(row_text(cases[i], *run_distributional_case(options, cases[i])), row_text(cases[i], *row));
  }
  EXPECT_NEAR(run_distributional_case(options, cases[0])->correlation, 0.7, 0.07);
}

TEST(DistributionalStudy, EveryCaseHasAPlan) {
  for (const DistributionalCase& which : distributional_cases())
    EXPECT_TRUE(run_distributional_case({.meters = 2, .samples = 3}, which)) << which.name;
}

}  // namespace
}  // namespace fugu::test
