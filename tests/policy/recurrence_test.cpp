#include "fugu/policy/recurrence.hpp"

#include <gtest/gtest.h>

namespace fugu {
namespace {

// 2026-03-29 is a Sunday. Slot 0 starts at its midnight in the offset +01:00.
constexpr std::int64_t kMidnight_s = 1774738800;
constexpr std::int32_t kOffset_s = 3600;
const Clock kQuarters(kMidnight_s, 900);

Result<std::vector<Interval>> expand(const RecurrenceText& text, const Clock& clock = kQuarters, Slot earliest = 0) {
  const auto recurrence = Recurrence::parse(text);
  if (!recurrence) return recurrence.error();
  return occurrences(*recurrence, clock, kOffset_s, earliest);
}

std::string error_of(const RecurrenceText& text, const Clock& clock = kQuarters, Slot earliest = 0) {
  const auto found = expand(text, clock, earliest);
  if (found) return "no error";
  EXPECT_EQ(found.error().cause, Cause::bad_input);
  return found.error().message;
}

TEST(Recurrence, TheOriginIsAsStated) { EXPECT_EQ(kQuarters.text(0, kOffset_s), "2026-03-29T00:00:00+01:00"); }

TEST(Recurrence, Weekdays) {
  const auto found = expand({"mon-fri", "11:00", "14:00", "2026-04-06"});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 5u);
  EXPECT_EQ(kQuarters.text((*found)[0].first, kOffset_s), "2026-03-30T11:00:00+01:00");
  EXPECT_EQ(kQuarters.text((*found)[0].last, kOffset_s), "2026-03-30T13:45:00+01:00") << "`to` is not included";
  for (const Interval& each : *found) EXPECT_EQ(each.slots(), 12u);
  EXPECT_EQ((*found)[4].first - (*found)[0].first, 4 * 96);
}

TEST(Recurrence, DaysAreListsAndRanges) {
  const auto count = [](std::string_view days) { return expand({days, "11:00", "14:00", "2026-04-05"})->size(); };
  EXPECT_EQ(count("daily"), 7u);
  EXPECT_EQ(count("wed"), 1u);
  EXPECT_EQ(count("mon,wed"), 2u);
  EXPECT_EQ(count("fri-mon"), 4u);
  EXPECT_EQ(count("mon-tue,sat"), 3u);
  EXPECT_EQ(count("sun-sat"), 7u);
}

TEST(Recurrence, ThroughMidnightAndToIt) {
  const auto night = expand({"sun", "22:00", "06:00", "2026-03-30"});
  ASSERT_TRUE(night) << night.error().message;
  EXPECT_EQ(*night, (std::vector<Interval>{{88, 119}}));
  const auto evening = expand({"sun", "22:00", "24:00", "2026-03-30"});
  EXPECT_EQ(*evening, (std::vector<Interval>{{88, 95}}));
  const auto day = expand({"sun", "00:00", "24:00", "2026-03-30"});
  EXPECT_EQ(*day, (std::vector<Interval>{{0, 95}}));
}

TEST(Recurrence, StartsWhereTheStreamIsOrWhereItSays) {
  const auto later = expand({"daily", "11:00", "14:00", "2026-04-01"}, kQuarters, 45);
  ASSERT_TRUE(later) << later.error().message;
  EXPECT_EQ(later->size(), 2u) << "that of Sunday has begun";
  EXPECT_EQ(expand({"daily", "11:00", "14:00", "2026-04-01"}, kQuarters, 44)->size(), 3u);
  const auto since = expand({"daily", "11:00", "14:00", "2026-04-01", "2026-03-31"});
  EXPECT_EQ(since->size(), 1u);
  const auto past = expand({"daily", "11:00", "14:00", "2026-04-01", "2026-03-28"});
  EXPECT_LT(past->front().first, 0) << "the reader refuses it";
}

TEST(Recurrence, FromATimeToTheSameIsADay) {
  const auto found = expand({"daily", "11:00", "11:00", "2026-03-30"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->front(), (Interval{44, 44 + 96 - 1}));
}

TEST(Recurrence, BadInput) {
  const RecurrenceText good{"daily", "11:00", "14:00", "2026-06-01"};
  const auto with = [&](auto change) {
    RecurrenceText text = good;
    change(text);
    return error_of(text);
  };
  const std::string days = "; expected `daily`, or days such as mon-fri or mon,wed";
  for (const char* bad : {"", "mon-", "monday", "mon,", "weekly", "mon fri"}) {
    EXPECT_EQ(with([&](auto& t) { t.days = bad; }), std::string("found days '").append(bad).append("'").append(days));
  }
  EXPECT_EQ(with([](auto& t) { t.from = "24:00"; }), "found from '24:00'; expected a time of day from 00:00 to 23:59");
  EXPECT_EQ(with([](auto& t) { t.to = "9:00"; }), "found to '9:00'; expected a time of day from 00:00 to 24:00");
  EXPECT_EQ(with([](auto& t) { t.until = "2026-02-30"; }),
            "found until '2026-02-30'; expected a date such as 2026-06-01");
  EXPECT_EQ(with([](auto& t) { t.until = "2262-06-01"; }),
            "found until '2262-06-01'; expected a year from 1900 to 2200");
  EXPECT_EQ(with([](auto& t) { t.since = "2026-06-01"; }), "found until '2026-06-01'; expected a date after `since`");
  EXPECT_EQ(with([](auto& t) { t.until = "2026-03-29"; }),
            "found a wish without an occurrence; expected a later `until`");
  EXPECT_EQ(with([](auto& t) { t.from = "11:10"; }),
            "found a time of day between two slots; expected the start of a slot, a multiple of 900 s from "
            "2026-03-29T00:00:00+01:00");
  EXPECT_EQ(error_of(good, Clock()), "found a recurring wish in a stream of slot numbers; expected start and end");
}

TEST(Recurrence, IsBounded) {
  const Clock old(-2208988800, 900);  // 1900
  EXPECT_EQ(error_of({"daily", "11:00", "14:00", "2200-01-01"}, old),
            "found a wish that comes back more than 100000 times; expected an earlier `until`");
}

}  // namespace
}  // namespace fugu
