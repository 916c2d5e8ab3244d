// Public circumstances: which one a time has, and nothing else than they say.
#include "fugu/distributional/circumstances.hpp"

#include <gtest/gtest.h>

#include <set>

#include "fugu/stream/stamp.hpp"

namespace fugu::test {
namespace {

std::int64_t instant(const char* text) {
  Stamp stamp;
  EXPECT_EQ(parse_stamp(text, std::nullopt, stamp), TimeFault::none) << text;
  return stamp.instant_s;
}

TEST(Circumstances, AreThoseOfTheStartInOneOffset) {
  const auto hours = Circumstances::parse("hour", 3600);
  ASSERT_TRUE(hours);
  EXPECT_EQ(hours->count(), 24U);
  EXPECT_EQ(hours->at(instant("2026-01-15T00:00:00+01:00")), 0U);
  EXPECT_EQ(hours->at(instant("2026-01-15T23:59:00+01:00")), 23U);
  EXPECT_EQ(hours->at(instant("1969-12-31T23:30:00+01:00")), 23U) << "before 1970";
  EXPECT_EQ(hours->at(instant("2026-07-15T08:00:00+02:00")), 7U) << "clocks change, the offset does not";
  const auto weekends = Circumstances::parse("weekend");
  ASSERT_TRUE(weekends);
  EXPECT_EQ(weekends->at(instant("2026-01-02T23:59:00Z")), 0U) << "a Friday";
  EXPECT_EQ(weekends->at(instant("2026-01-03T00:00:00Z")), 1U);
  EXPECT_EQ(weekends->at(instant("2026-01-04T23:59:00Z")), 1U);
  EXPECT_EQ(weekends->at(instant("2026-01-05T00:00:00Z")), 0U);
  const auto seasons = Circumstances::parse("season");
  ASSERT_TRUE(seasons);
  EXPECT_EQ(seasons->at(instant("2025-12-01T00:00:00Z")), seasons->at(instant("2026-02-28T23:00:00Z")));
  EXPECT_NE(seasons->at(instant("2026-02-28T23:00:00Z")), seasons->at(instant("2026-03-01T00:00:00Z")));
}

TEST(Circumstances, TogetherTellAllCombinationsApart) {
  const auto all = Circumstances::parse("season,hour,weekend");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->text(), "hour,weekend,season");
  EXPECT_EQ(all->left_out(), "");
  EXPECT_EQ(all->count(), 24U * 2 * 4);
  std::set<std::size_t> found;
  for (std::int64_t hour = 0; hour < 24 * 366; ++hour) {
    found.insert(all->at(hour * 3600));
    ASSERT_LT(*found.rbegin(), all->count());
  }
  EXPECT_EQ(found.size(), all->count());
}

TEST(Circumstances, NoneIsOne) {
  const auto none = Circumstances::parse("none", 7200);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->none());
  EXPECT_EQ(none->count(), 1U);
  EXPECT_EQ(none->at(123'456'789), 0U);
  EXPECT_EQ(none->left_out(), "hour,weekend,season");
}

TEST(Circumstances, SayWhatIsWrong) {
  for (const char* wrong : {"", "hours", "hour,hour", "hour,", ",hour", "hour none", "none,hour"}) {
    const auto parsed = Circumstances::parse(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().cause, Cause::usage);
    EXPECT_NE(parsed.error().message.find("or none"), std::string::npos);
  }
  EXPECT_FALSE(Circumstances::parse("hour", 20 * 3600));
}

}  // namespace
}  // namespace fugu::test
