#include <gtest/gtest.h>

#include "fugu/filter/kalman_state.hpp"

namespace fugu::test {
namespace {

TEST(KalmanState, BelievesTheFirstMeasurement) {
  KalmanState state;
  EXPECT_FALSE(state.started());
  EXPECT_EQ(state.correct(10, 4), 1);
  EXPECT_EQ(state.value(), 10);
  EXPECT_EQ(state.variance(), 4);
}

TEST(KalmanState, WeighsByVariance) {
  KalmanState state;
  state.start(10, 4);
  state.predict(8);  // 12
  EXPECT_EQ(state.correct(30, 4), 0.75);
  EXPECT_EQ(state.value(), 25);
  EXPECT_EQ(state.variance(), 3);
}

TEST(KalmanState, OfTwoExactValuesTheNewerCounts) {
  KalmanState state;
  state.start(10, 0);
  EXPECT_EQ(state.correct(11, 0), 1);
  EXPECT_EQ(state.value(), 11);
}

TEST(MovementVariance, IsWhatNoiseDoesNotExplain) {
  MovementVariance movement;
  EXPECT_EQ(movement.per_slot(), 0);
  movement.add(0, 2, 1);
  EXPECT_EQ(movement.per_slot(), 0);  // nothing to compare with
  movement.add(10, 3, 5);             // 100 − 2 − 3 over 5 slots
  EXPECT_EQ(movement.per_slot(), 19);
  movement.add(10, 3, 5);  // 0 − 3 − 3 over 5 more
  EXPECT_DOUBLE_EQ(movement.per_slot(), 8.9);
  for (int i = 0; i < 50; ++i) movement.add(10, 3, 1);
  EXPECT_EQ(movement.per_slot(), 0);  // never below
}

TEST(TrackingKalman, FollowsAJumpAtOnce) {
  TrackingKalman kalman;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(kalman.measure(i % 2 == 0 ? 9 : 11, 2, 1), 0);  // within a deviation
  EXPECT_NEAR(kalman.value(), 10, 0.2);
  EXPECT_GT(kalman.measure(1000, 2, 1), 500);
  EXPECT_NEAR(kalman.value(), 1000, 2);
}

TEST(TrackingKalman, DoesNotTakeNoiseForAJump) {
  TrackingKalman kalman;
  for (int i = 0; i < 50; ++i) kalman.measure(i % 2 == 0 ? 9 : 11, 2, 1);
  kalman.measure(14, 2, 1);  // less than three standard deviations
  EXPECT_NEAR(kalman.value(), 10, 0.5);
}

}  // namespace
}  // namespace fugu::test
