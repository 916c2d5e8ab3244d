#include "fugu/simulate/sparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fugu/simulate/anomalies.hpp"

namespace fugu {
namespace {

std::vector<double> sorted(std::vector<double> values) {
  std::ranges::sort(values);
  return values;
}

double quantile_90(const std::vector<double>& values) { return sorted(values)[values.size() * 9 / 10]; }

/// Thesis, Table 5.7: largest value and 90 % quantile of Taxi Porto are 317 and 2, of WorldCup 16,928 and 0.
TEST(Sparse, LooksLikePlacesAndPages) {
  const auto places = generate_sparse({.series = 1298, .amplitude = 290, .skew = 1});
  ASSERT_TRUE(places);
  EXPECT_NEAR(std::ranges::max(*places), 317, 25);
  EXPECT_EQ(quantile_90(*places), 2);
  const auto pages = generate_sparse({.series = 1298, .amplitude = 16'500, .skew = 2.2});
  ASSERT_TRUE(pages);
  EXPECT_NEAR(std::ranges::max(*pages), 16'928, 500);
  EXPECT_EQ(quantile_90(*pages), 0);
}

TEST(Sparse, HasTheMeansItStates) {
  // Half of the peak on average; a Poisson mean over 20,000 slots of about 10 is off by 0.03.
  const auto values = generate_sparse({.series = 2, .length_slots = 20'000, .season_slots = 20, .amplitude = 20});
  ASSERT_TRUE(values);
  double first = 0, second = 0;
  for (std::size_t i = 0; i < values->size(); i += 2) first += (*values)[i], second += (*values)[i + 1];
  EXPECT_NEAR(first / 20'000, 10, 0.15);
  EXPECT_NEAR(second / 20'000, 5, 0.1);
  EXPECT_EQ((*values)[0], 0) << "all rest where a season begins";
}

TEST(Sparse, EqualSeedsGiveEqualStreams) {
  const SparseOptions options{.series = 10, .length_slots = 50};
  EXPECT_EQ(*generate_sparse(options), *generate_sparse(options));
  SparseOptions other = options;
  other.seed = 2;
  EXPECT_NE(*generate_sparse(options), *generate_sparse(other));
}

TEST(Sparse, SaysWhatIsOutOfRange) {
  EXPECT_FALSE(generate_sparse({.series = 0}));
  EXPECT_FALSE(generate_sparse({.length_slots = 0}));
  EXPECT_FALSE(generate_sparse({.season_slots = 1}));
  EXPECT_FALSE(generate_sparse({.amplitude = std::nan("")}));
  EXPECT_FALSE(generate_sparse({.skew = -1}));
  EXPECT_FALSE(generate_sparse({.series = 1'000'000, .length_slots = 1'000'000}));
}

TEST(Anomalies, ExtremaStickOut) {
  std::vector<double> values(10'000, 4.0);
  const std::vector<bool> changed = add_anomalies(AnomalyKind::extrema, 80, 1, values);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(changed, true)), 100, 50);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_GE(values[i], changed[i] ? 6.0 : 4.0);
    EXPECT_LE(values[i], changed[i] ? 10.0 : 4.0);
  }
}

TEST(Anomalies, PlateausCutWholeSeasons) {
  std::vector<double> values;
  for (int i = 0; i < 4000; ++i) values.push_back(i % 4 == 2 ? 100.0 : 1.0);
  const std::vector<bool> changed = add_anomalies(AnomalyKind::plateaus, 4, 1, values);
  std::size_t cut = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], i % 4 != 2 ? 1.0 : changed[i] ? 10.0 : 100.0);
    EXPECT_TRUE(!changed[i] || i % 4 == 2) << "what is below the plateau stays as it was";
    cut += changed[i] ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(cut), 300, 80);
}

}  // namespace
}  // namespace fugu
