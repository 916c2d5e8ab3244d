#include "fugu/stream/slot_schedule.hpp"

#include <gtest/gtest.h>

namespace fugu::test {
namespace {

using Schedule = SlotSchedule<int>;

TEST(SlotSchedule, HoldsFromARowToTheNextAndTheLastForEver) {
  const Schedule schedule{.rows = {{0, 5}, {3, 7}, {4, 5}}};
  ASSERT_TRUE(schedule.is_complete());
  const int expected[] = {5, 5, 5, 7, 5, 5};
  for (Slot slot = 0; slot < 6; ++slot) {
    EXPECT_EQ(schedule.at(slot), expected[slot]) << slot;
    EXPECT_EQ(schedule.changes_in(slot), slot == 3 || slot == 4) << slot;
  }
  EXPECT_EQ(schedule.at(Slot{1} << 50), 5);
}

TEST(SlotSchedule, ComesAgainAfterItsPeriod) {
  const Schedule schedule{.rows = {{0, 5}, {3, 7}}, .period_slots = 4};
  ASSERT_TRUE(schedule.is_complete());
  for (Slot slot = 0; slot < 40; ++slot) EXPECT_EQ(schedule.at(slot), slot % 4 == 3 ? 7 : 5) << slot;
  EXPECT_TRUE(schedule.changes_in(3));
  EXPECT_TRUE(schedule.changes_in(4));
  EXPECT_FALSE(schedule.changes_in(5));
}

TEST(SlotSchedule, SaysWhenSlotsHaveNoRow) {
  EXPECT_FALSE(Schedule{}.is_complete());
  EXPECT_FALSE((Schedule{.rows = {{1, 5}}}.is_complete()));
  EXPECT_FALSE((Schedule{.rows = {{0, 5}, {3, 7}, {3, 8}}}.is_complete()));
  EXPECT_FALSE((Schedule{.rows = {{0, 5}, {3, 7}, {2, 8}}}.is_complete()));
  EXPECT_FALSE((Schedule{.rows = {{0, 5}, {4, 7}}, .period_slots = 4}.is_complete()));
  EXPECT_FALSE((Schedule{.rows = {{0, 5}}, .period_slots = -1}.is_complete()));
}

}  // namespace
}  // namespace fugu::test
