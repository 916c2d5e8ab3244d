#include "../../grid/src/inference/normal_update.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace fugu::grid {
namespace {

TEST(NormalUpdate, TwoCustomersAndTheirSumByHand) {
  // Means 1 and 2, variances 1 and 3; their sum is 5, measured with variance 1: 2 are missed, shared out 1 : 3.
  std::vector<PairLaw> laws = {{.p = 1, .pp = 1}, {.p = 2, .pp = 3}};
  NormalUpdate update;
  const std::vector<double> slopes = {1, 0, 1, 0};
  update.add(slopes, 5 - 3, 1);
  update.apply(laws);
  EXPECT_DOUBLE_EQ(laws[0].p, 1 + 2 * 1.0 / 5);
  EXPECT_DOUBLE_EQ(laws[1].p, 2 + 2 * 3.0 / 5);
  EXPECT_DOUBLE_EQ(laws[0].pp, 1 - 1.0 / 5);
  EXPECT_DOUBLE_EQ(laws[1].pp, 3 - 9.0 / 5);
}

TEST(NormalUpdate, PMovesQAlong) {
  std::vector<PairLaw> laws = {{.p = 1, .q = 0.3, .pp = 1, .pq = 0.3, .qq = 0.1}};
  NormalUpdate update;
  const std::vector<double> slopes = {1, 0};
  update.add(slopes, 1, 1e-12);  // P is 2, all but exactly
  update.apply(laws);
  EXPECT_NEAR(laws[0].p, 2, 1e-9);
  EXPECT_NEAR(laws[0].q, 0.6, 1e-9);
  EXPECT_NEAR(laws[0].qq, 0.1 - 0.09, 1e-9);
}

/// All at once and one after the other are the same, in any order, as far as means of a single customer go.
TEST(NormalUpdate, ManyMeasurementsAreAsOneAfterTheOther) {
  const std::vector<double> first = {1, 0.2};
  const std::vector<double> second = {-0.5, 1};
  const PairLaw before{.p = 0.5, .q = 0.1, .pp = 0.6, .pq = 0.1, .qq = 0.3};
  std::vector<PairLaw> together = {before};
  NormalUpdate update;
  update.add(first, 0.7, 0.2);
  update.add(second, -0.4, 0.1);
  update.apply(together);

  std::vector<PairLaw> in_turn = {before};
  update.clear();
  update.add(second, -0.4, 0.1);
  update.apply(in_turn);
  const double moved = first[0] * (in_turn[0].p - before.p) + first[1] * (in_turn[0].q - before.q);
  update.clear();
  update.add(first, 0.7 - moved, 0.2);
  update.apply(in_turn);

  EXPECT_NEAR(together[0].p, in_turn[0].p, 1e-12);
  EXPECT_NEAR(together[0].q, in_turn[0].q, 1e-12);
  EXPECT_NEAR(together[0].pp, in_turn[0].pp, 1e-12);
  EXPECT_NEAR(together[0].pq, in_turn[0].pq, 1e-12);
  EXPECT_NEAR(together[0].qq, in_turn[0].qq, 1e-12);
}

TEST(NormalUpdate, WhoIsKnownExactlyDoesNotMove) {
  std::vector<PairLaw> laws = {{.p = 1}, {.p = 2, .pp = 1}};
  NormalUpdate update;
  const std::vector<double> slopes = {1, 0, 1, 0};
  update.add(slopes, 1, 0.01);
  update.apply(laws);
  EXPECT_EQ(laws[0].p, 1);
  EXPECT_NEAR(laws[1].p, 2 + 1 / 1.01, 1e-12);
}

TEST(NormalUpdate, NothingMeasuredChangesNothing) {
  std::vector<PairLaw> laws = {{.p = 1, .pp = 1}};
  NormalUpdate().apply(laws);
  EXPECT_EQ(laws[0].p, 1);
  EXPECT_EQ(laws[0].pp, 1);
}

TEST(Product, WeighsByCertainty) {
  const Moments both = product({1, 1}, {4, 2});
  EXPECT_DOUBLE_EQ(both.mean, 2);
  EXPECT_DOUBLE_EQ(both.variance, 2.0 / 3);
  EXPECT_EQ(product({1, 0}, {4, 2}).mean, 1);
}

}  // namespace
}  // namespace fugu::grid
