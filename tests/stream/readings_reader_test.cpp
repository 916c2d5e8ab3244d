#include "fugu/stream/readings_reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "text.hpp"

namespace fugu {
namespace {

using test::contains;
using test::Drained;
using test::PlainRow;

constexpr const char* kMap = "meter,series\nm1,east\nm2,east\nm2,city\nm3,west\nm3,city\n";
// east, city, west

SeriesMap map_of(const std::string& text = kMap) {
  auto map = SeriesMap::read(Input::from_memory("map.csv", text));
  EXPECT_TRUE(map.has_value());
  return *std::move(map);
}

ReadingsOptions options() {
  ReadingsOptions options;
  options.clamp = {-100, 100};
  options.slot_s = 900;
  return options;
}

Result<ReadingsReader> open(const std::string& text, ReadingsOptions given = options()) {
  return ReadingsReader::open(Input::from_memory("r.csv", text), map_of(), std::move(given));
}

Drained drain_text(const std::string& text, ReadingsOptions given = options()) {
  auto reader = open(text, std::move(given));
  if (!reader) return {{}, reader.error()};
  return test::drain(*reader);
}

std::string error_of(const std::string& text, ReadingsOptions given = options()) {
  const auto drained = drain_text(text, std::move(given));
  if (!drained.error) return "no error";
  EXPECT_EQ(drained.error->cause, Cause::bad_input);
  return drained.error->message;
}

TEST(ReadingsReader, SumsByHand) {
  const auto drained = drain_text("time,meter,value\n0,m1,1\n0,m2,10\n1,m3,50\n0,m3,-100\n4,m1,7\n");
  ASSERT_FALSE(drained.error) << drained.error->message;
  const std::vector<PlainRow> expected{
      {0, 0, {11, -90, -100}}, {1, 0, {0, 50, 50}}, {2, 0, {0, 0, 0}}, {3, 0, {0, 0, 0}}, {4, 0, {7, 0, 0}}};
  EXPECT_EQ(drained.rows, expected);
}

TEST(ReadingsReader, ColumnsInAnyOrder) {
  const auto expected = drain_text("time,meter,value\n0,m1,1\n1,m2,2\n").rows;
  EXPECT_EQ(drain_text("value,time,meter\n1,0,m1\n2,1,m2\n").rows, expected);
  EXPECT_EQ(drain_text("meter,value,time\r\nm1,1,0\r\nm2,2,1\r\n").rows, expected);
}

TEST(ReadingsReader, EachSeriesHasARangeOfItsOwn) {
  // m2 counts into east and city; 7 is within the range of one and beyond that of the other, -1 the other way round.
  ReadingsOptions given = options();
  given.clamp_by_series = {{0, 12}, {-2, 6}, {-100, 100}};
  auto reader = open("time,meter,value\n0,m2,7\n1,m2,-1\n2,m1,13\n2,m3,-50\n3,m1,12\n3,m3,6\n", std::move(given));
  ASSERT_TRUE(reader);
  const std::vector<PlainRow> expected{
      {0, 0, {7, 6, 0}}, {1, 0, {0, -1, 0}}, {2, 0, {12, -2, -50}}, {3, 0, {12, 6, 6}}};
  EXPECT_EQ(test::drain(*reader).rows, expected);
  EXPECT_EQ(reader->counters().clamped, 4u);
}

TEST(ReadingsReader, MissingIsNotZeroAndNobodyIsZero) {
  auto reader = open("time,meter,value\n0,m1,\n0,m1,5\n1,m2,\n");
  ASSERT_TRUE(reader);
  const auto drained = test::drain(*reader);
  EXPECT_EQ(drained.rows, (std::vector<PlainRow>{{0, 0, {5, 0, 0}}, {1, 0, {0, 0, 0}}}));
  EXPECT_EQ(reader->counters().missing, 2u);
  EXPECT_EQ(reader->counters().rows, 3u);
}

TEST(ReadingsReader, TheFirstOfSeveralReadingsCounts) {
  auto reader = open("time,meter,value\n0,m1,5\n1,m1,1\n0,m1,6\n0,m1,7\n1,m1,1\n");
  ASSERT_TRUE(reader);
  EXPECT_EQ(test::drain(*reader).rows, (std::vector<PlainRow>{{0, 0, {5, 0, 0}}, {1, 0, {1, 0, 0}}}));
  EXPECT_EQ(reader->counters().duplicates, 3u);
}

TEST(ReadingsReader, GracePeriod) {
  const std::string text = "time,meter,value\n5,m1,1\n7,m1,1\n5,m2,2\n8,m1,1\n";
  auto given = options();
  given.grace_slots = 2;
  EXPECT_EQ(drain_text(text, given).rows.front(), (PlainRow{5, 0, {3, 2, 0}}));
  given.grace_slots = 1;
  EXPECT_EQ(error_of(text, given),
            "r.csv:4:1: found time written as a number, which is before the slots still open; expected readings no "
            "more than 1 slots (the "
            "grace period) behind, from 6 on");
  EXPECT_EQ(drain_text(text, given).rows, (std::vector<PlainRow>{{5, 0, {1, 0, 0}}}));
  given.late = LateRule::drop;
  auto reader = open(text, given);
  ASSERT_TRUE(reader);
  const auto drained = test::drain(*reader);
  ASSERT_FALSE(drained.error) << drained.error->message;
  EXPECT_EQ(drained.rows.front(), (PlainRow{5, 0, {1, 0, 0}}));
  EXPECT_EQ(drained.rows.size(), 4u);
  EXPECT_EQ(reader->counters().late, 1u);
}

TEST(ReadingsReader, NothingComesBeforeTheFirstRow) {
  EXPECT_TRUE(contains(error_of("time,meter,value\n5,m1,1\n4,m1,1\n"),
                       "r.csv:3:1: found time written as a number, which is before"));
}

TEST(ReadingsReader, Clamps) {
  std::vector<std::string> warnings;
  auto given = options();
  given.warn = [&](const std::string& message) { warnings.push_back(message); };
  auto reader = open("time,meter,value\n0,m1,101\n0,m2,-3000\n0,m3,100\n", given);
  ASSERT_TRUE(reader);
  EXPECT_EQ(test::drain(*reader).rows, (std::vector<PlainRow>{{0, 0, {0, 0, 100}}}));
  EXPECT_EQ(reader->counters().clamped, 2u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(contains(warnings[0], "r.csv:2: found a reading beyond the clamp")) << warnings[0];
  EXPECT_FALSE(contains(warnings[0], "101"));
  given.beyond = BeyondRule::error;
  EXPECT_EQ(error_of("time,meter,value\n0,m1,1\n0,m2,-3000\n", given),
            "r.csv:3: found a reading beyond the clamp; expected readings within it");
}

TEST(ReadingsReader, TheLargestChangeOfOneMeter) {
  EXPECT_EQ(largest_change({0, 5}), 5);
  EXPECT_EQ(largest_change({-3, 5}), 8);
  EXPECT_EQ(largest_change({2, 5}), 5);
  EXPECT_EQ(largest_change({-5, -2}), 5);
}

TEST(ReadingsReader, RefusesOptionsThatMakeNoSense) {
  const auto cause_of = [](ReadingsOptions given) {
    const auto reader = open("time,meter,value\n0,m1,1\n", std::move(given));
    EXPECT_FALSE(reader.has_value());
    return reader ? Cause::environment : reader.error().cause;
  };
  auto given = options();
  given.clamp = {1, 0};
  EXPECT_EQ(cause_of(given), Cause::usage);
  given.clamp = {0, kStepsMax};  // two meters count into east
  EXPECT_EQ(cause_of(given), Cause::usage);
  given = options();
  given.grace_slots = -1;
  EXPECT_EQ(cause_of(given), Cause::usage);
}

TEST(ReadingsReader, SummerTime) {
  auto given = options();
  given.unit_step = *UnitStep::parse("0.001");
  auto reader = open(
      "time,meter,value\n"
      "2026-03-29T01:45:00+01:00,m1,0.005\n"
      "2026-03-29T03:00:00+02:00,m1,0.006\n"
      "2026-03-29T01:15:00Z,m1,0.007\n",
      given);
  ASSERT_TRUE(reader);
  const auto drained = test::drain(*reader);
  ASSERT_FALSE(drained.error) << drained.error->message;
  EXPECT_EQ(drained.rows, (std::vector<PlainRow>{{0, 3600, {5, 0, 0}}, {1, 3600, {6, 0, 0}}, {2, 3600, {7, 0, 0}}}));
  EXPECT_EQ(reader->clock(), Clock(1774745100, 900));
}

TEST(ReadingsReader, StartsAtAGivenOriginAndResumes) {
  const std::string text = "time,meter,value\n2026-03-29T02:00:00Z,m1,1\n2026-03-29T02:15:00Z,m1,2\n";
  auto given = options();
  given.origin = Stamp{1774747800, 0};  // 2026-03-29T01:30:00Z
  EXPECT_EQ(drain_text(text, given).rows,
            (std::vector<PlainRow>{{0, 0, {0, 0, 0}}, {1, 0, {0, 0, 0}}, {2, 0, {1, 0, 0}}, {3, 0, {2, 0, 0}}}));
  auto reader = open(text, given);
  ASSERT_TRUE(reader);
  reader->skip_before(3);
  EXPECT_EQ(test::drain(*reader).rows, (std::vector<PlainRow>{{3, 0, {2, 0, 0}}}));
  EXPECT_EQ(reader->counters().skipped, 1u);
  given.origin = Stamp{1774750500, 0};  // 2026-03-29T02:15:00Z
  EXPECT_TRUE(contains(error_of(text, given), "r.csv:2:1: found time '2026-03-29T02:00:00Z', which is before"));
}

TEST(ReadingsReader, AHeaderOnlyIsNoSlots) {
  const auto drained = drain_text("time,meter,value\n");
  EXPECT_FALSE(drained.error);
  EXPECT_TRUE(drained.rows.empty());
}

TEST(ReadingsReader, BadHeader) {
  const std::string expected = "; expected a header with the columns time, meter and value";
  EXPECT_EQ(error_of(""), "r.csv: found an empty file" + expected);
  EXPECT_EQ(error_of("time,meter\n"), "r.csv:1:1: found other columns" + expected);
  EXPECT_EQ(error_of("0,m1,17\n"), "r.csv:1:1: found other columns" + expected);
  EXPECT_EQ(error_of("time,meter,value,zone\n"),
            "r.csv:1:18: found column 'zone'; expected the columns time, meter and value, each once");
  EXPECT_EQ(error_of("time,meter,value,time\n"),
            "r.csv:1:18: found column 'time'; expected the columns time, meter and value, each once");
}

TEST(ReadingsReader, BadRows) {
  const std::string head = "time,meter,value\n0,m1,1\n";
  EXPECT_EQ(error_of(head + "0,m2\n"), "r.csv:3:1: found 2 fields; expected 3 fields, as in the header");
  EXPECT_EQ(error_of(head + "0,m2,1,5\n"), "r.csv:3:1: found 4 fields; expected 3 fields, as in the header");
  EXPECT_EQ(error_of("time,meter,value\n0\n"), "r.csv:2:1: found 1 field; expected 3 fields, as in the header");
  EXPECT_EQ(
      error_of(head + "0,m9,1\n"),
      "r.csv:3:3: found meter 'm9'; expected a meter of the series map, where one without a series counts nowhere");
  EXPECT_EQ(
      error_of(head + "0,,1\n"),
      "r.csv:3:3: found meter nothing; expected a meter of the series map, where one without a series counts nowhere");
  EXPECT_EQ(
      error_of(head + "0,0.123,1\n"),
      "r.csv:3:3: found meter a number; expected a meter of the series map, where one without a series counts nowhere");
  EXPECT_EQ(error_of(head + ",m1,1\n"),
            "r.csv:3:1: found time nothing; expected a slot number such as 0, 1, 2, as in the first row");
  EXPECT_EQ(error_of(head + "200000,m1,1\n"),
            "r.csv:3:1: found time written as a number, which is far ahead of the readings before; expected a gap of "
            "at most 96 slots; if the input really paused, allow a larger gap");
  EXPECT_EQ(error_of("time,meter,value\n2026-03-29T01:45:00Z,m1,1\n2026-03-29T01:50:00Z,m1,1\n"),
            "r.csv:3:1: found time '2026-03-29T01:50:00Z'; expected the start of a slot, a multiple of 900 s from "
            "2026-03-29T01:45:00Z");
  EXPECT_TRUE(
      contains(error_of("time,meter,value\n2026-03-29T01:45,m1,1\n"), "r.csv:2:1: found time '2026-03-29T01:45'"));
  auto given = options();
  given.slot_s.reset();
  const auto drained = drain_text("time,meter,value\n2026-03-29T01:45:00Z,m1,1\n", given);
  ASSERT_TRUE(drained.error);
  EXPECT_EQ(drained.error->cause, Cause::usage);
}

TEST(ReadingsReader, BadValuesAreNotShown) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"12kWh", "text where a number belongs"},
      {"NaN", "NaN where a number belongs"},
      {"-inf", "an infinity where a number belongs"},
      {"0x12", "a hexadecimal number where a decimal belongs"}};
  for (const auto& [value, found] : cases) {
    EXPECT_EQ(error_of("time,meter,value\n0,m1,1\n0,m2," + value + "\n"),
              "r.csv:3:6: found " + found + "; expected a number such as 0.25, or nothing for a missing reading");
  }
  EXPECT_EQ(error_of("time,meter,value\n0,m1,1\n0,m2,12e30\n0,m3,-12e30\n"), "no error")
      << "a number, however large, is clamped: stopping would show it";
}

std::string many_rows(int slots) {
  std::string text = "time,meter,value\n";
  for (int slot = 0; slot < slots; ++slot) {
    for (const char* meter : {"m1", "m2", "m3"}) {
      text += std::to_string(slot) + "," + meter + "," + std::to_string(slot % 100) + "\n";
    }
  }
  return text;
}

TEST(ReadingsReader, TheFirstBadRowOfTheFileIsReportedWhateverTheThreads) {
  std::string text = many_rows(400);
  const std::string bad = text + "400,m1,x\n" + "400,m1\n" + many_rows(400).substr(17) + "x";
  for (unsigned threads : {1u, 2u}) {
    for (std::size_t block_size : {16u, 64u, 1000u, 100'000u}) {
      auto given = options();
      given.threads = threads;
      given.block_size = block_size;
      const auto drained = drain_text(bad, given);
      ASSERT_TRUE(drained.error);
      EXPECT_TRUE(contains(drained.error->message, "r.csv:1202:8: found text")) << drained.error->message;
      EXPECT_EQ(drained.rows.size(), 398u);  // slots 398 and 399 are within the grace period
    }
  }
}

TEST(ReadingsReader, CanBeLeftInTheMiddle) {
  auto given = options();
  given.block_size = 64;
  auto reader = open(many_rows(1000), given);
  ASSERT_TRUE(reader);
  SlotRow row;
  EXPECT_TRUE(*reader->next(row));
}

TEST(ReadingsReader, TruncatedGzipKeepsWhatWasClosed) {
  const std::string whole = test::gzip(many_rows(3000));
  const auto cut = drain_text(whole.substr(0, whole.size() * 3 / 4));
  ASSERT_TRUE(cut.error);
  EXPECT_EQ(cut.error->message, "r.csv: found gzip data that ends early; expected a complete gzip file");
  const auto all = drain_text(many_rows(3000)).rows;
  ASSERT_GT(cut.rows.size(), 500u);
  EXPECT_TRUE(std::equal(cut.rows.begin(), cut.rows.end(), all.begin()));
}

/// A live source: hands out what has been written, and waits (here: fails the test) beyond that. Where there is a time
/// of day, waiting lets it pass.
class Live final : public ByteSource {
 public:
  explicit Live(std::shared_ptr<std::string> bytes, std::shared_ptr<std::int64_t> now_s = nullptr)
      : bytes_(std::move(bytes)), now_s_(std::move(now_s)) {}
  void wait(std::chrono::milliseconds at_most) override { *now_s_ += at_most / std::chrono::seconds(1); }
  Result<std::size_t> read(std::span<char> into) override {
    EXPECT_FALSE(would_wait()) << "read() would wait for ever";
    const std::size_t size = std::min(into.size(), bytes_->size());
    std::copy_n(bytes_->data(), size, into.data());
    bytes_->erase(0, size);
    return size;
  }
  bool would_wait() override { return bytes_->empty(); }
  bool is_live() const override { return true; }

 private:
  std::shared_ptr<std::string> bytes_;
  std::shared_ptr<std::int64_t> now_s_;
};

TEST(ReadingsReader, LiveSlotsComeAsSoonAsTheyClose) {
  auto pipe = std::make_shared<std::string>("time,meter,value\n");
  auto reader = ReadingsReader::open(Input("live", std::make_unique<Live>(pipe)), map_of(), options());
  ASSERT_TRUE(reader);
  SlotRow row;
  EXPECT_TRUE(reader->would_wait());
  *pipe += "0,m1,1\n1,m1,2\n2,m1";
  EXPECT_TRUE(reader->would_wait());
  *pipe += ",3\n";
  ASSERT_FALSE(reader->would_wait());
  ASSERT_TRUE(*reader->next(row));
  EXPECT_EQ(row.slot, 0);
  EXPECT_TRUE(reader->would_wait());
  *pipe += "5,m1,1\n5,m2,1\n";
  for (Slot slot : {1, 2, 3}) {
    ASSERT_FALSE(reader->would_wait());
    ASSERT_TRUE(*reader->next(row));
    EXPECT_EQ(row.slot, slot);
  }
  EXPECT_TRUE(reader->would_wait());
  *pipe += "5,m1,rubbish\n";
  EXPECT_FALSE(reader->would_wait());
  EXPECT_FALSE(reader->next(row).has_value());
}

TEST(ReadingsReader, AMapThatChangesLiveHoldsFromTheFirstSlotWithoutReadings) {
  auto pipe = std::make_shared<std::string>("time,meter,value\n0,m1,1\n1,m1,2\n2,m1,3\n");
  bool changed = false;
  auto given = options();
  given.new_map = [&](const SeriesMap& now) -> std::optional<SeriesMap> {
    if (!std::exchange(changed, false)) return std::nullopt;
    const std::string moved = "meter,series\nm1," + now.series()[2] + "\nm2," + now.series()[0] + "\n";
    return *SeriesMap::read_again(Input::from_memory("map.csv", moved), now);
  };
  auto reader = ReadingsReader::open(Input("live", std::make_unique<Live>(pipe)), map_of(), given);
  ASSERT_TRUE(reader);
  SlotRow row;
  ASSERT_TRUE(*reader->next(row));
  EXPECT_EQ(test::plain(row), (PlainRow{0, 0, {1, 0, 0}}));
  EXPECT_TRUE(row.counting) << "the first row says how meters count";
  changed = true;
  *pipe += "3,m1,4\n4,m1,5\n5,m2,6\n6,m1,7\n";
  const std::vector<PlainRow> expected{{1, 0, {2, 0, 0}}, {2, 0, {3, 0, 0}}, {3, 0, {0, 0, 4}}, {4, 0, {0, 0, 5}}};
  for (const PlainRow& each : expected) {
    ASSERT_TRUE(*reader->next(row));
    EXPECT_EQ(test::plain(row), each);
    EXPECT_EQ(row.counting.has_value(), each.slot == 3) << "where it changes, and nowhere else";
  }
}

constexpr std::int64_t kMidnight_s = 1'774'742'400;  // 2026-03-29T00:00:00Z

std::string at(std::int64_t minutes) { return Clock(kMidnight_s, 60).text(minutes); }

/// Quarter hours from midnight on, read live, with a time of day that the test sets.
class LiveReadings : public testing::Test {
 protected:
  void open(ReadingsOptions given) {
    given.wall_clock_s = [now = now_s_] { return *now; };
    given.warn = [this](const std::string& message) { warnings_ += message + "\n"; };
    auto made = ReadingsReader::open(Input("live", std::make_unique<Live>(pipe_, now_s_)), map_of(), std::move(given));
    ASSERT_TRUE(made) << made.error().message;
    reader_.emplace(*std::move(made));
  }
  void set_time(std::int64_t minutes) { *now_s_ = kMidnight_s + minutes * 60; }
  std::int64_t minutes() const { return (*now_s_ - kMidnight_s) / 60; }
  void send(std::int64_t minutes, const std::string& rest) { *pipe_ += at(minutes) + "," + rest + "\n"; }
  /// The next slot and its sums.
  PlainRow next() {
    SlotRow row;
    const auto more = reader_->next(row);
    EXPECT_TRUE(more && *more) << (more ? "the end" : more.error().message);
    return test::plain(row);
  }

  std::shared_ptr<std::string> pipe_ = std::make_shared<std::string>("time,meter,value\n");
  std::shared_ptr<std::int64_t> now_s_ = std::make_shared<std::int64_t>(kMidnight_s);
  std::optional<ReadingsReader> reader_;
  std::string warnings_;
};

TEST_F(LiveReadings, ATimeAheadOfTheClockClosesNothing) {
  auto given = options();
  given.late = LateRule::drop;
  open(given);
  set_time(20);
  send(0, "m1,1");
  send(30, "m1,2");  // within the grace of one slot: a meter's clock may be a little fast
  send(45, "m1,3");  // one slot more is ahead
  send(15, "m2,4");  // would be late if it had closed slots
  EXPECT_FALSE(reader_->would_wait());
  EXPECT_EQ(next(), (PlainRow{0, 0, {1, 0, 0}}));
  EXPECT_TRUE(reader_->would_wait());
  set_time(45);
  send(45, "m1,5");
  EXPECT_EQ(next(), (PlainRow{1, 0, {4, 4, 0}}));
  EXPECT_EQ(reader_->counters().early, 1u);
  EXPECT_EQ(reader_->counters().late, 0u);
  EXPECT_EQ(warnings_,
            "live:4:1: found time '2026-03-29T00:45:00Z', which is ahead of this machine's clock; expected readings up "
            "to 2026-03-29T00:30:00Z; it and others like it are dropped\n");
}

TEST_F(LiveReadings, ATimeAheadOfTheClockIsAnErrorUnlessDropped) {
  open(options());
  send(0, "m1,1");
  send(96 * 15, "m1,2");  // a day, within the largest gap: without a clock it would close 95 slots
  SlotRow row;
  const auto found = reader_->next(row);
  ASSERT_FALSE(found);
  EXPECT_TRUE(contains(found.error().message, "ahead of this machine's clock")) << found.error().message;
}

TEST_F(LiveReadings, AFirstTimeAheadOfTheClockStartsNoStream) {
  auto given = options();
  given.late = LateRule::drop;
  open(given);
  send(30, "m1,1");
  SlotRow row;
  const auto found = reader_->next(row);
  ASSERT_FALSE(found);
  EXPECT_TRUE(contains(found.error().message, "a first time ahead of this machine's clock")) << found.error().message;
}

TEST_F(LiveReadings, TheClockClosesSlotsWhetherOrNotRowsArrive) {
  auto given = options();
  given.close_by_clock = true;
  open(given);
  send(0, "m1,1");
  EXPECT_TRUE(reader_->would_wait());
  EXPECT_EQ(next(), (PlainRow{0, 0, {1, 0, 0}}));
  EXPECT_EQ(minutes(), 30) << "the end of its slot plus one of grace";
  EXPECT_TRUE(reader_->would_wait());
  EXPECT_EQ(next(), (PlainRow{1, 0, {0, 0, 0}}));
  EXPECT_EQ(minutes(), 45);
}

// What makes the order of arrival public otherwise: a fast clock closes slots of others.
TEST_F(LiveReadings, ByTheClockNoRowMakesAnotherLate) {
  for (const bool by_clock : {true, false}) {
    *pipe_ = "time,meter,value\n";
    set_time(0);
    auto given = options();
    given.close_by_clock = by_clock;
    given.late = LateRule::drop;
    open(given);
    send(0, "m1,1");
    EXPECT_TRUE(reader_->would_wait());
    set_time(29);
    send(30, "m1,2");  // a fast clock
    if (!by_clock) {
      EXPECT_EQ(next(), (PlainRow{0, 0, {1, 0, 0}})) << "the broken twin: slot 0 is gone";
    }
    EXPECT_TRUE(reader_->would_wait());
    send(0, "m2,4");  // arrives in time
    EXPECT_TRUE(reader_->would_wait());
    if (by_clock) {
      EXPECT_EQ(next(), (PlainRow{0, 0, {5, 4, 0}}));
    }
    EXPECT_EQ(reader_->counters().late, by_clock ? 0u : 1u);
  }
}

TEST_F(LiveReadings, AfterAnOutageTheClockWaitsForWhatWasKept) {
  auto given = options();
  given.close_by_clock = true;
  given.origin = Stamp{kMidnight_s, 0};
  set_time(10 * 15);
  open(given);
  reader_->skip_before(2);
  EXPECT_TRUE(reader_->would_wait());  // for one grace period, although slot 2 is over
  for (int slot = 2; slot < 11; ++slot) send(slot * 15, "m1," + std::to_string(slot));
  for (int slot = 2; slot < 8; ++slot) EXPECT_EQ(next(), (PlainRow{slot, 0, {slot, 0, 0}}));
  EXPECT_EQ(minutes(), 10 * 15) << "rows that are there close what is over without waiting";
  for (int slot = 8; slot < 10; ++slot) EXPECT_EQ(next(), (PlainRow{slot, 0, {slot, 0, 0}}));
  EXPECT_EQ(minutes(), 11 * 15);
  EXPECT_EQ(reader_->counters().late, 0u);
}

TEST_F(LiveReadings, SilenceClosesAsManySlotsAsAGapMay) {
  auto given = options();
  given.close_by_clock = true;
  given.gap_slots_max = 3;
  open(given);
  send(0, "m1,1");
  for (Slot slot = 0; slot < 4; ++slot) EXPECT_EQ(next().slot, slot);
  SlotRow row;
  const auto found = reader_->next(row);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "live: found no readings for the 3 slots before 2026-03-29T01:00:00Z; expected some. If the input really "
            "paused, allow a larger gap");
}

TEST_F(LiveReadings, TheClockNeedsStamps) {
  auto given = options();
  given.close_by_clock = true;
  open(given);
  *pipe_ += "0,m1,1\n";
  SlotRow row;
  const auto found = reader_->next(row);
  ASSERT_FALSE(found);
  EXPECT_TRUE(contains(found.error().message, "time stamps, because the clock closes slots")) << found.error().message;
}

// A meter whose clock is wrong, or an outage: the message says what to give, and nothing is closed for that row.
TEST(ReadingsReader, OneRowCannotBurnManySlots) {
  const std::string text = "time,meter,value\n" + at(0) + ",m1,1\n" + at(97 * 15) + ",m1,1\n";
  const auto drained = drain_text(text);
  ASSERT_TRUE(drained.error);
  EXPECT_EQ(
      drained.error->message,
      "r.csv:3:1: found time '2026-03-30T00:15:00Z', which is far ahead of the readings before; expected a gap of "
      "at most 96 slots; if the input really paused, allow a larger gap: 97 slots");
  EXPECT_EQ(drained.rows.size(), 0u);
  auto given = options();
  given.gap_slots_max = 97;
  EXPECT_EQ(drain_text(text, given).rows.size(), 98u);
}

struct Row {
  Slot slot;
  int meter;  // 1 to 3
  std::optional<std::int64_t> value;
};

std::vector<Row> random_rows() {
  const auto count = *rc::gen::inRange<int>(0, 60);
  std::vector<Row> rows;
  Slot newest = 0;
  for (int i = 0; i < count; ++i) {
    newest += *rc::gen::weightedElement<Slot>({{6, 0}, {3, 1}, {1, 5}});
    const Slot back = *rc::gen::weightedElement<Slot>({{5, 0}, {2, 1}, {1, 2}, {1, 4}});
    const auto value = *rc::gen::maybe(rc::gen::inRange<std::int64_t>(-150, 150));
    rows.push_back(
        {std::max<Slot>(0, newest - back), *rc::gen::inRange(1, 4), value ? std::optional(*value) : std::nullopt});
  }
  return rows;
}

// The rules once more, in the simplest words.
std::vector<PlainRow> reference(const std::vector<Row>& rows, Slot grace) {
  std::vector<PlainRow> out;
  if (rows.empty()) return out;
  const Slot first = rows[0].slot;
  Slot newest = first;
  std::map<Slot, std::map<int, std::int64_t>> counted;
  for (const Row& row : rows) {
    if (row.slot < first || row.slot + grace < newest) continue;  // late
    newest = std::max(newest, row.slot);
    if (row.value) counted[row.slot].emplace(row.meter, std::clamp<std::int64_t>(*row.value, -100, 100));
  }
  for (Slot slot = first; slot <= newest; ++slot) {
    auto& values = counted[slot];
    out.push_back({slot, 0, {values[1] + values[2], values[2] + values[3], values[3]}});
  }
  return out;
}

RC_GTEST_PROP(ReadingsReader, AgreesWithTheReference, ()) {
  const auto rows = random_rows();
  const Clock clock = *rc::gen::arbitrary<bool>() ? Clock(1774745100, 900) : Clock();
  std::string text = "value,time,meter\n";
  for (const Row& row : rows) {
    text +=
        (row.value ? std::to_string(*row.value) : "") + "," + clock.text(row.slot) + ",m" + std::to_string(row.meter);
    text += *rc::gen::element<std::string>("\n", "\r\n", "\n\n");
  }
  if (*rc::gen::arbitrary<bool>()) text.pop_back();
  auto given = options();
  given.late = LateRule::drop;
  given.grace_slots = *rc::gen::inRange<Slot>(0, 5);
  given.threads = *rc::gen::element(1u, 2u);
  given.block_size = *rc::gen::inRange<std::size_t>(1, 200);
  if (clock.has_time()) given.origin = Stamp{clock.start_of(0), 0};
  const std::string bytes = *rc::gen::arbitrary<bool>() ? test::gzip(text) : text;
  auto reader = ReadingsReader::open(test::dripping(bytes, *rc::gen::inRange<std::size_t>(1, 200)), map_of(), given);
  RC_ASSERT(reader.has_value());
  if (clock.has_time() && !rows.empty()) reader->skip_before(rows[0].slot);
  const auto drained = test::drain(*reader);
  RC_ASSERT(!drained.error);
  RC_ASSERT(drained.rows == reference(rows, given.grace_slots));
}

TEST(ReadingsReader, BlocksAndPiecesOfEverySizeSayTheSame) {
  const std::string text = many_rows(12);
  const auto expected = drain_text(text).rows;
  ASSERT_EQ(expected.size(), 12u);
  for (std::size_t size = 1; size <= text.size(); ++size) {
    auto given = options();
    given.block_size = size;
    given.threads = 1 + size % 2;
    EXPECT_EQ(drain_text(text, given).rows, expected) << size;
    auto reader = ReadingsReader::open(test::dripping(text, size), map_of(), options());
    ASSERT_TRUE(reader);
    EXPECT_EQ(test::drain(*reader).rows, expected) << size;
  }
}

}  // namespace
}  // namespace fugu
