#include "fugu/stream/clock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fugu {
namespace {

constexpr std::int64_t kYear1900 = -2208988800;  // 1900-01-01T00:00:00Z
constexpr std::int64_t kYear2201 = 7289654400;   // 2201-01-01T00:00:00Z

std::int64_t instant(std::string_view text) {
  Stamp stamp;
  EXPECT_EQ(parse_stamp(text, std::nullopt, stamp), TimeFault::none) << text;
  return stamp.instant_s;
}

TimeFault fault_of(std::string_view text, std::optional<std::int32_t> default_offset_s = {}) {
  Stamp stamp;
  return parse_stamp(text, default_offset_s, stamp);
}

std::string text_of(Stamp stamp) {
  std::array<char, kStampTextMax> buffer;
  return {buffer.data(), format_stamp(stamp, buffer)};
}

TEST(Stamp, KnownInstants) {
  EXPECT_EQ(instant("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(instant("1900-01-01T00:00:00Z"), kYear1900);
  EXPECT_EQ(instant("2026-03-29T01:45:00+01:00"), 1774745100);
  EXPECT_EQ(instant("2026-03-29T01:45+01:00"), 1774745100);
  EXPECT_EQ(instant("2026-03-29T01:45:00.000+01:00"), 1774745100);
  EXPECT_EQ(instant("2026-03-28T21:15:00-03:30"), 1774745100);
  EXPECT_EQ(instant("2024-02-29T00:00:00Z") + 86400, instant("2024-03-01T00:00:00Z"));
}

TEST(Stamp, WhatIsWrongHasAName) {
  EXPECT_EQ(fault_of(""), TimeFault::shape);
  EXPECT_EQ(fault_of("5"), TimeFault::shape);
  EXPECT_EQ(fault_of("2026-03-29"), TimeFault::shape);
  EXPECT_EQ(fault_of("2026-03-29 01:45:00Z"), TimeFault::shape);
  EXPECT_EQ(fault_of("2026-03-29T01:45:00+0100"), TimeFault::shape);
  EXPECT_EQ(fault_of("2026-03-29T01:45:00Zx"), TimeFault::shape);
  EXPECT_EQ(fault_of("2026-03-29T01:45:00.Z"), TimeFault::shape);
  EXPECT_EQ(fault_of("2026-03-29T01:45:0"), TimeFault::shape);
  EXPECT_EQ(fault_of("2026-02-29T00:00:00Z"), TimeFault::calendar);
  EXPECT_EQ(fault_of("2100-02-29T00:00:00Z"), TimeFault::calendar);
  EXPECT_EQ(fault_of("2026-13-01T00:00:00Z"), TimeFault::calendar);
  EXPECT_EQ(fault_of("2026-00-01T00:00:00Z"), TimeFault::calendar);
  EXPECT_EQ(fault_of("2026-04-31T00:00:00Z"), TimeFault::calendar);
  EXPECT_EQ(fault_of("2026-04-30T24:00:00Z"), TimeFault::calendar);
  EXPECT_EQ(fault_of("2026-04-30T23:60:00Z"), TimeFault::calendar);
  EXPECT_EQ(fault_of("2026-06-30T23:59:60Z"), TimeFault::calendar);
  EXPECT_EQ(fault_of("1899-12-31T00:00:00Z"), TimeFault::year);
  EXPECT_EQ(fault_of("2201-01-01T00:00:00Z"), TimeFault::year);
  EXPECT_EQ(fault_of("2026-03-29T01:45:00+18:01"), TimeFault::offset);
  EXPECT_EQ(fault_of("2026-03-29T01:45:00+01:60"), TimeFault::offset);
  EXPECT_EQ(fault_of("2026-03-29T01:45:00.5Z"), TimeFault::fraction);
  EXPECT_EQ(fault_of("2026-03-29T01:45:00"), TimeFault::no_offset);
  EXPECT_EQ(fault_of("2026-03-29T01:45:00", 3600), TimeFault::none);
}

TEST(Stamp, TheDefaultOffsetIsForStampsWithoutOne) {
  Stamp stamp;
  ASSERT_EQ(parse_stamp("2026-03-29T01:45:00", 3600, stamp), TimeFault::none);
  EXPECT_EQ(stamp.instant_s, 1774745100);
  EXPECT_EQ(stamp.utc_offset_s, 3600);
  ASSERT_EQ(parse_stamp("2026-03-29T01:45:00Z", 3600, stamp), TimeFault::none);
  EXPECT_EQ(stamp.utc_offset_s, 0);
}

RC_GTEST_PROP(Stamp, PrintedThenParsedIsTheSame, ()) {
  const auto minutes = *rc::gen::inRange(-18 * 60, 18 * 60 + 1);
  const Stamp stamp{*rc::gen::inRange(kYear1900 + 86400, kYear2201 - 86400), minutes * 60};
  Stamp again;
  RC_ASSERT(parse_stamp(text_of(stamp), std::nullopt, again) == TimeFault::none);
  RC_ASSERT(again.instant_s == stamp.instant_s);
  RC_ASSERT(again.utc_offset_s == stamp.utc_offset_s);
}

RC_GTEST_PROP(Stamp, AnyByteChangedIsRefusedOrAnotherTime, (std::size_t at, char byte)) {
  const std::string text = "2026-03-29T01:45:00+01:00";
  std::string changed = text;
  changed[at % text.size()] = byte;
  Stamp stamp;
  const bool accepted = parse_stamp(changed, std::nullopt, stamp) == TimeFault::none;
  RC_ASSERT(!accepted || changed == text || stamp.instant_s != 1774745100);
}

TEST(Duration, Parses) {
  EXPECT_EQ(*parse_duration("30s"), 30);
  EXPECT_EQ(*parse_duration("15m"), 900);
  EXPECT_EQ(*parse_duration("1h"), 3600);
  EXPECT_EQ(*parse_duration("1d"), 86400);
  for (const char* bad : {"", "m", "15", "0m", "-1m", "15 m", "1w", "15mm", "367d", "99999999999999999999s"}) {
    const auto result = parse_duration(bad);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().cause, Cause::usage);
  }
}

TEST(UtcOffset, Parses) {
  EXPECT_EQ(*parse_utc_offset("+01:00"), 3600);
  EXPECT_EQ(*parse_utc_offset("-03:30"), -12600);
  EXPECT_EQ(*parse_utc_offset("Z"), 0);
  EXPECT_FALSE(parse_utc_offset("1").has_value());
  EXPECT_FALSE(parse_utc_offset("+99:00").has_value());
}

Slot quarter_hours(std::string_view from, std::string_view to) {
  const Clock clock(instant(from), 900);
  const auto slot = clock.slot_at(instant(to));
  EXPECT_TRUE(slot.has_value());
  return slot.value_or(0);
}

TEST(Clock, ADayHas92Or96Or100QuarterHours) {
  EXPECT_EQ(quarter_hours("2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"), 92);
  EXPECT_EQ(quarter_hours("2026-06-01T00:00:00+02:00", "2026-06-02T00:00:00+02:00"), 96);
  EXPECT_EQ(quarter_hours("2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"), 100);
}

TEST(Clock, TheHourThatComesTwiceIsTwoHours) {
  const Clock clock(instant("2026-10-25T00:00:00+02:00"), 900);
  Tick summer;
  Tick winter;
  ASSERT_EQ(clock.parse("2026-10-25T02:15:00+02:00", std::nullopt, summer), TimeFault::none);
  ASSERT_EQ(clock.parse("2026-10-25T02:15:00+01:00", std::nullopt, winter), TimeFault::none);
  EXPECT_EQ(summer.slot + 4, winter.slot);
}

TEST(Clock, RefusesWhatIsOffTheGrid) {
  const Clock clock(instant("2026-03-29T00:00:00Z"), 900);
  Tick tick;
  EXPECT_EQ(clock.parse("2026-03-29T00:07:00Z", std::nullopt, tick), TimeFault::off_grid);
  EXPECT_EQ(clock.parse("2026-03-28T23:59:59Z", std::nullopt, tick), TimeFault::off_grid);
  EXPECT_NE(clock.expected(TimeFault::off_grid).find("900 s"), std::string::npos);
  ASSERT_EQ(clock.parse("2026-03-28T23:45:00Z", std::nullopt, tick), TimeFault::none);
  EXPECT_EQ(tick.slot, -1);
}

TEST(Clock, CountsSlots) {
  const Clock clock;
  Tick tick;
  ASSERT_EQ(clock.parse("17", std::nullopt, tick), TimeFault::none);
  EXPECT_EQ(tick.slot, 17);
  EXPECT_EQ(clock.text(17, 3600), "17");
  for (const char* bad : {"", "-1", "+1", "1.0", " 1", "9007199254740993", "2026-03-29T00:00:00Z"}) {
    EXPECT_EQ(clock.parse(bad, std::nullopt, tick), TimeFault::not_a_number) << bad;
  }
}

TEST(Clock, ZeroOffsetIsPrintedAsZ) {
  const Clock clock(1774745100, 900);
  EXPECT_EQ(clock.text(0), "2026-03-29T00:45:00Z");
  EXPECT_EQ(clock.text(1, 3600), "2026-03-29T02:00:00+01:00");
}

RC_GTEST_PROP(Clock, PrintedThenParsedIsTheSameSlot, ()) {
  const auto slot_s = *rc::gen::element<std::int64_t>(1, 7, 60, 900, 3600, 86400);
  const Clock clock(*rc::gen::inRange(kYear1900 + 86400, kYear2201 / 2), slot_s);
  const Slot slot = *rc::gen::inRange<Slot>(0, (kYear2201 - 86400 - clock.origin_s()) / slot_s);
  const auto offset_s = *rc::gen::inRange(-14, 15) * 3600;
  Tick tick;
  RC_ASSERT(clock.parse(clock.text(slot, offset_s), std::nullopt, tick) == TimeFault::none);
  RC_ASSERT(tick.slot == slot);
  RC_ASSERT(tick.utc_offset_s == offset_s);
}

}  // namespace
}  // namespace fugu
