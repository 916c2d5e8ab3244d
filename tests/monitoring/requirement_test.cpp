// Tables 6.3 and 6.4 of the thesis.
#include "fugu/monitoring/requirement.hpp"

#include <gtest/gtest.h>

namespace fugu::grid {
namespace {

constexpr double kQuarterHour_min = 15;

Requirement use(double power_w, double cycle_min) { return one_use(power_w, cycle_min, kQuarterHour_min); }

TEST(Requirement, ScalesAreThoseOfTheThesis) {
  EXPECT_DOUBLE_EQ(noise_scale_kw(use(140, 15), 1), 0.14);     // refrigerator
  EXPECT_DOUBLE_EQ(noise_scale_kw(use(7000, 210), 0.1), 980);  // space heating
  // Table 6.4, lines 1 and 2: sensitivities in place of powers, half of ε for each of P and Q.
  EXPECT_DOUBLE_EQ(noise_scale_kw({4.85, 1}, 1, 0.5), 9.70);
  EXPECT_DOUBLE_EQ(noise_scale_kw({3.37, 1}, 1, 0.5), 6.74);
  EXPECT_DOUBLE_EQ(noise_scale_kw({4.85, 100}, 1, 0.5), 970);
  EXPECT_DOUBLE_EQ(noise_scale_kw({3.37, 100}, 1, 0.5), 674);
  EXPECT_DOUBLE_EQ(noise_scale_kw({4.85, 100}, 0.1, 0.5), 9700);
}

TEST(Requirement, AScaleIsARequirement) {
  EXPECT_DOUBLE_EQ(epsilon_at(use(140, 15), 1), 0.14);  // "one refrigerator cycle with epsilon = 0.14"
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    for (const double part : {0.3, 1.0}) {
      const Requirement requirement = use(2125, 27);
      EXPECT_DOUBLE_EQ(epsilon_at(requirement, noise_scale_kw(requirement, epsilon, part), part), epsilon);
    }
  }
}

TEST(Requirement, CyclesTakeWholeSlots) {
  EXPECT_EQ(use(406, 135).length_slots, 9u);  // the thesis computes 7
  EXPECT_EQ(use(406, 136).length_slots, 10u);
  EXPECT_EQ(use(2000, 3).length_slots, 1u);
  EXPECT_EQ(one_use(7000, 210, 60).length_slots, 4u);
}

TEST(Requirement, UsesAreCombinedAsInTable63) {
  const Requirement washing = use(406, 135);
  const Requirement dryer = use(2500, 135);
  const Requirement both = followed_by(washing, dryer);
  EXPECT_DOUBLE_EQ(both.p_kw, 2.5);
  EXPECT_EQ(both.length_slots, 18u);
  const Requirement beside = in_parallel(use(2125, 27), use(2400, 16));
  EXPECT_DOUBLE_EQ(beside.p_kw, 4.525);
  EXPECT_EQ(beside.length_slots, 2u);
}

}  // namespace
}  // namespace fugu::grid
