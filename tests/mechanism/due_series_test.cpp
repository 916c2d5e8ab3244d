#include "fugu/strategy/due_series.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fugu::test {
namespace {

std::vector<SeriesId> due_in(DueSeries& due, Slot slot) {
  const auto found = due.in(slot);
  return {found.begin(), found.end()};
}

TEST(DueSeries, AreThoseWhoseSlotHasCome) {
  DueSeries due;
  EXPECT_TRUE(due.in(0).empty());
  due.start(3, 5);
  EXPECT_TRUE(due.in(4).empty());
  EXPECT_EQ(due_in(due, 5), (std::vector<SeriesId>{0, 1, 2}));
  due.set(0, 7);
  due.set(1, 6);
  EXPECT_EQ(due_in(due, 5), (std::vector<SeriesId>{2}));
  EXPECT_EQ(due_in(due, 6), (std::vector<SeriesId>{1, 2})) << "who was not served stays due";
  EXPECT_EQ(due_in(due, 7), (std::vector<SeriesId>{0, 1, 2}));
  due.start(2, 8);
  EXPECT_EQ(due_in(due, 8), (std::vector<SeriesId>{0, 1}));
}

}  // namespace
}  // namespace fugu::test
