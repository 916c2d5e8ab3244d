// Periods in which sums are exact: days, calendars with tariffs.
#include "fugu/meter/periods.hpp"

#include <gtest/gtest.h>

namespace fugu::test {
namespace {

TEST(Periods, OfEqualLengthCountFromSlotZero) {
  const auto days = *Periods::every(96);
  EXPECT_EQ(days.at(0), (Period{0, 96}));
  EXPECT_EQ(days.at(95), (Period{0, 96}));
  EXPECT_EQ(days.at(96), (Period{96, 192}));
  EXPECT_EQ(days.at(-1), (Period{-96, 0}));
  EXPECT_FALSE(Periods().any());
  EXPECT_FALSE(Periods().at(5));
}

TEST(Periods, OfOneSlotProtectNothingAndSaySo) {
  const auto refused = Periods::every(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::refused);
  EXPECT_NE(refused.error().message.find("protect nothing"), std::string::npos);
  EXPECT_EQ(Periods::every(0).error().cause, Cause::usage);
}

// The day on which summer time begins has 92 quarter hours.
TEST(Periods, OfACalendarHaveTheirTariffs) {
  const Clock clock(0, 900);
  const auto calendar = Periods::read(Input::from_memory("c.csv",
                                                         "start,tariff\n"
                                                         "2026-03-29T00:00:00+01:00,low\n"
                                                         "2026-03-29T06:00:00+02:00,high\n"
                                                         "2026-03-29T22:00:00+02:00,low\n"
                                                         "2026-03-30T00:00:00+02:00,\n"),
                                      clock);
  ASSERT_TRUE(calendar) << calendar.error().message;
  Tick first;
  ASSERT_EQ(clock.parse("2026-03-29T00:00:00+01:00", std::nullopt, first), TimeFault::none);
  EXPECT_EQ(calendar->at(first.slot), (Period{first.slot, first.slot + 20})) << "five hours";
  EXPECT_EQ(calendar->at(first.slot + 20), (Period{first.slot + 20, first.slot + 84}));
  EXPECT_EQ(calendar->at(first.slot + 91), (Period{first.slot + 84, first.slot + 92}));
  EXPECT_FALSE(calendar->at(first.slot + 92));
  EXPECT_FALSE(calendar->at(first.slot - 1));
  EXPECT_EQ(calendar->tariff_from(first.slot + 20), "high");
  EXPECT_EQ(calendar->tariff_from(first.slot + 21), "");
  EXPECT_EQ(calendar->tariff_from(first.slot + 92), "");
}

TEST(Periods, ABadCalendarIsNamed) {
  const auto error = [](const std::string& text) {
    const auto calendar = Periods::read(Input::from_memory("c.csv", text), {});
    return calendar ? "" : calendar.error().message;
  };
  EXPECT_EQ(error("start,tariff\n0,a\n5,b\n9,\n"), "");
  EXPECT_NE(error("start\n").find("a header `start,tariff`"), std::string::npos);
  EXPECT_NE(error("start,tariff\n0,a\n5,b\n").find("c.csv:3: found no end of the calendar"), std::string::npos);
  EXPECT_NE(error("start,tariff\n0,a\n1,\n").find("c.csv:3:1: found a period of less than 2 slots"), std::string::npos);
  EXPECT_NE(error("start,tariff\n5,a\n0,\n").find("c.csv:3:1"), std::string::npos);
  EXPECT_NE(error("start,tariff\n0,a\n5,\n9,\n").find("c.csv:4:1: found a row after"), std::string::npos);
  EXPECT_NE(error("start,tariff\nnoon,a\n").find("c.csv:2:1: found time"), std::string::npos);
  EXPECT_NE(error("start,tariff\n0,a,b\n").find("found 3 fields"), std::string::npos);
  EXPECT_NE(error("start,tariff\n").find("no end"), std::string::npos);
}

}  // namespace
}  // namespace fugu::test
