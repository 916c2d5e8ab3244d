#include "fugu/estimation/pid.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fugu::test {
namespace {

TEST(PidController, AddsTheThreeParts) {
  PidController pid({.proportional = 0.5, .integral = 0.25, .derivative = 2, .integral_window = 2});
  EXPECT_DOUBLE_EQ(pid.update(4, 1), 0.5 * 4 + 0.25 * 4);
  EXPECT_DOUBLE_EQ(pid.update(8, 2), 0.5 * 8 + 0.25 * 6 + 2 * 2.0);
  EXPECT_DOUBLE_EQ(pid.update(2, 3), 0.5 * 2 + 0.25 * 5 + 2 * -2.0);  // the first error has left the integral
}

TEST(PidController, AConstantErrorIsItselfWithTheUsualGains) {
  PidController pid({});
  for (int i = 0; i < 10; ++i) EXPECT_DOUBLE_EQ(pid.update(3, 1), 3);
}

TEST(NextInterval, StaysAtTheGoalGrowsBelowAndShrinksAbove) {
  EXPECT_DOUBLE_EQ(next_interval_fast(7, 0.5, 0.5, 5), 7);
  EXPECT_DOUBLE_EQ(next_interval_fast(7, 0, 0.5, 5), 7 + 5 * (1 - std::exp(-1)));
  EXPECT_DOUBLE_EQ(next_interval_fast(7, 1, 0.5, 5), 7 + 5 * (1 - std::exp(1)));
  EXPECT_DOUBLE_EQ(next_interval_rescue(7, 1, 1, 10), 7);
  EXPECT_DOUBLE_EQ(next_interval_rescue(7, 0, 1, 10), 17);
  EXPECT_DOUBLE_EQ(next_interval_rescue(7, 2, 1, 10), -23);
}

}  // namespace
}  // namespace fugu::test
