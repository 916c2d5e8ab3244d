#include "fugu/stream/stream_reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "text.hpp"

namespace fugu {
namespace {

using test::contains;
using test::Drained;
using test::PlainRow;
using Values = std::vector<std::optional<std::int64_t>>;

Drained drain_text(const std::string& text, StreamOptions options = {}) {
  auto reader = StreamReader::open(Input::from_memory("s.csv", text), std::move(options));
  if (!reader) return {{}, reader.error()};
  return test::drain(*reader);
}

std::string error_of(const std::string& text, const StreamOptions& options = {}) {
  const auto drained = drain_text(text, options);
  if (!drained.error) return "no error";
  EXPECT_EQ(drained.error->cause, Cause::bad_input);
  return drained.error->message;
}

UnitStep unit(std::string_view text) { return *UnitStep::parse(text); }

TEST(StreamReader, SlotNumbers) {
  const auto drained = drain_text("time,a,b\n3,1,-2\n4,,5\n6,7,\n");
  ASSERT_FALSE(drained.error) << drained.error->message;
  const std::vector<PlainRow> expected{
      {3, 0, {1, -2}}, {4, 0, {std::nullopt, 5}}, {5, 0, {std::nullopt, std::nullopt}}, {6, 0, {7, std::nullopt}}};
  EXPECT_EQ(drained.rows, expected);
}

TEST(StreamReader, TimesAndTheirOffsets) {
  auto reader = StreamReader::open(Input::from_memory("s.csv",
                                                      "time,a\n"
                                                      "2026-03-29T01:30:00+01:00,1.5\n"
                                                      "2026-03-29T01:45:00+01:00,2.5\n"
                                                      "2026-03-29T03:15:00+02:00,3.5\n"),
                                   {.unit_step = unit("0.1")});
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(reader->series(), std::vector<std::string>{"a"});
  const auto drained = test::drain(*reader);
  ASSERT_FALSE(drained.error) << drained.error->message;
  const std::vector<PlainRow> expected{{0, 3600, {15}}, {1, 3600, {25}}, {2, 3600, {std::nullopt}}, {3, 7200, {35}}};
  EXPECT_EQ(drained.rows, expected);
  EXPECT_EQ(reader->clock().slot_s(), 900);
  EXPECT_EQ(reader->clock().text(3, 7200), "2026-03-29T03:15:00+02:00");
}

TEST(StreamReader, StartsAtAGivenOrigin) {
  const Stamp origin{1774742400, 3600};  // 2026-03-29T01:00:00+01:00
  const std::string text = "time,a\n2026-03-29T02:30+02:00,1\n";
  const auto hour = drain_text("time,a\n2026-03-29T04:00+02:00,1\n", {.slot_s = 3600, .origin = origin});
  ASSERT_FALSE(hour.error) << hour.error->message;
  EXPECT_EQ(hour.rows, (std::vector<PlainRow>{{0, 3600, {std::nullopt}}, {1, 3600, {std::nullopt}}, {2, 7200, {1}}}));
  EXPECT_TRUE(
      contains(error_of(text, {.slot_s = 3600, .origin = origin}), "s.csv:2:1: found time '2026-03-29T02:30+02:00'"));
  EXPECT_TRUE(
      contains(error_of("time,a\n2026-03-28T04:00Z,1\n", {.slot_s = 3600, .origin = origin}), "before the origin"));
}

TEST(StreamReader, Resumes) {
  for (const auto& [skip, rows] : std::vector<std::pair<Slot, std::vector<PlainRow>>>{
           {1, {{1, 0, {std::nullopt}}, {2, 0, {20}}, {3, 0, {30}}}},
           {3, {{3, 0, {30}}}},
           {4, {}},
       }) {
    auto reader = StreamReader::open(Input::from_memory("s.csv", "time,a\n0,0\n2,20\n3,30\n"), {});
    ASSERT_TRUE(reader);
    reader->skip_before(skip);
    EXPECT_EQ(test::drain(*reader).rows, rows) << skip;
  }
}

TEST(StreamReader, AHeaderOnlyIsNoSlots) {
  const auto drained = drain_text("time,a\n");
  EXPECT_FALSE(drained.error);
  EXPECT_TRUE(drained.rows.empty());
}

TEST(StreamReader, BadHeader) {
  EXPECT_EQ(error_of(""), "s.csv: found an empty file; expected a header `time,<series>…`");
  EXPECT_EQ(error_of(test::gzip("")), "s.csv: found an empty file; expected a header `time,<series>…`");
  EXPECT_EQ(error_of("slot,a\n"),
            "s.csv:1:1: found first column 'slot'; expected a header `time,<series>…`; if the time column has another "
            "name, say "
            "which");
  EXPECT_EQ(error_of("time\n"), "s.csv:1:1: found no series; expected a header `time,<series>…`");
  EXPECT_EQ(error_of("time,a,,b\n"), "s.csv:1:8: found nothing; expected a series name");
  EXPECT_EQ(error_of("time,a,b,a\n"), "s.csv:1:10: found series 'a' a second time; expected each series once");
  EXPECT_EQ(error_of("\"time\",\"a\"\n"),
            "s.csv:1:1: found first column '\"time\"'; expected a header `time,<series>…`; if the time column has "
            "another name, "
            "say which");
  EXPECT_EQ(drain_text("slot,a\n0,1\n", {.time_column = "slot"}).rows.size(), 1u);
}

TEST(StreamReader, ALiveRowAheadOfTheClockClosesNothing) {
  StreamOptions live;
  live.slot_s = 900;
  live.wall_clock_s = [] { return std::int64_t{1'774'742'400}; };  // 2026-03-29T00:00:00Z
  const std::string text = "time,a\n2026-03-29T00:00:00Z,1\n2026-03-29T00:15:00Z,1\n2026-03-29T00:30:00Z,1\n";
  const auto drained = drain_text(text, live);
  ASSERT_TRUE(drained.error);
  EXPECT_EQ(drained.error->message,
            "s.csv:4:1: found time '2026-03-29T00:30:00Z', which is ahead of this machine's clock; expected rows of a "
            "live stream up to 2026-03-29T00:15:00Z");
  EXPECT_EQ(drained.rows.size(), 2u);
  EXPECT_FALSE(drain_text("time,a\n2026-03-29T00:30:00Z,1\n", live).rows.size()) << "not as the first row either";
}

TEST(StreamReader, BadRows) {
  EXPECT_EQ(error_of("time,a\n0,1\n0,2\n"),
            "s.csv:3:1: found time written as a number, which the row before has; expected each slot once");
  EXPECT_EQ(
      error_of("time,a\n1,1\n0,2\n"),
      "s.csv:3:1: found time written as a number, which is before that of an earlier row; expected ascending times");
  EXPECT_EQ(error_of("time,a,b\n0,1,2\n1,2\n"), "s.csv:3:1: found 2 fields; expected 3 fields, as in the header");
  EXPECT_EQ(error_of("time,a,b\n0,1,2,3\n"), "s.csv:2:1: found 4 fields; expected 3 fields, as in the header");
  EXPECT_EQ(error_of("time,a\n0.5,1\n"),
            "s.csv:2:1: found time written as a number; expected a slot number such as 0, 1, 2, or a time such as "
            "2026-03-29T01:45:00+01:00");
  EXPECT_EQ(error_of("time,a\n0,1\n1.5,1\n"),
            "s.csv:3:1: found time written as a number; expected a slot number such as 0, 1, 2, as in the first row");
  EXPECT_EQ(error_of("time,a\n0,1\n200000,1\n"),
            "s.csv:3:1: found time written as a number, which is far ahead of the rows before; expected a gap of at "
            "most 96 slots; if the input really paused, allow a larger gap");
  EXPECT_EQ(error_of("time,a\n2026-03-29T01:00:00Z,1\n"),
            "s.csv: found a single row; expected two rows, or a stated slot length");
  EXPECT_EQ(
      error_of("time,a\n2026-03-29T01:00:00Z,1\n2026-03-29T01:00:00Z,1\n"),
      "s.csv:3:1: found time '2026-03-29T01:00:00Z', which is not after the row before; expected ascending times");
  EXPECT_EQ(error_of("time,a\n2026-03-29T01:00:00Z,1\n2026-03-29T01:15:00Z,1\n2026-03-29T01:25:00Z,1\n"),
            "s.csv:4:1: found time '2026-03-29T01:25:00Z'; expected the start of a slot, a multiple of 900 s from "
            "2026-03-29T01:00:00Z");
  EXPECT_TRUE(contains(error_of("time,a\n2026-03-29T01:00:00,1\n", {.slot_s = 900}), "UTC offset"));
}

TEST(StreamReader, BadValuesAreNotShown) {
  const std::vector<std::pair<std::string, std::string>> cases{{"12kWh", "text where a number belongs"},
                                                               {"NaN", "NaN where a number belongs"},
                                                               {"-inf", "an infinity where a number belongs"},
                                                               {"0x12", "a hexadecimal number where a decimal belongs"},
                                                               {"12e30", "a number too large for the unit step"}};
  for (const auto& [value, found] : cases) {
    const auto drained = drain_text("time,a,b\n0,1,2\n1,3," + value + "\n");
    ASSERT_TRUE(drained.error) << value;
    EXPECT_EQ(drained.error->message,
              "s.csv:3:5: found " + found + "; expected a number such as 0.25, or nothing for a missing value");
    EXPECT_EQ(drained.rows.size(), 1u);
  }
}

TEST(StreamReader, ARowWhereTheHeaderBelongsIsNotShown) {
  for (const char* row : {"0;48.593", "2026-01-01T00:00:00+00:00;48.593", "0\t48.593", "48.593 kW"}) {
    const auto drained = drain_text(std::string(row).append("\n").append(row).append("\n"));
    ASSERT_TRUE(drained.error) << row;
    EXPECT_EQ(drained.error->message.find("48"), std::string::npos) << drained.error->message;
    EXPECT_NE(drained.error->message.find("another name"), std::string::npos) << drained.error->message;
  }
}

TEST(StreamReader, TruncatedGzip) {
  std::string text = "time,a\n";
  for (int i = 0; i < 5000; ++i) text += std::to_string(i) + "," + std::to_string(i * i % 9973) + "\n";
  const std::string whole = test::gzip(text);
  EXPECT_EQ(drain_text(whole).rows, drain_text(text).rows);
  const auto cut = drain_text(whole.substr(0, whole.size() - 100));
  ASSERT_TRUE(cut.error);
  EXPECT_EQ(cut.error->message, "s.csv: found gzip data that ends early; expected a complete gzip file");
  EXPECT_GT(cut.rows.size(), 1000u);
}

struct Case {
  std::string text;
  std::vector<PlainRow> rows;
};

// A random stream as text, and what it says.
Case random_case() {
  Case made;
  const auto series = *rc::gen::inRange<std::size_t>(1, 4);
  made.text = "time";
  for (std::size_t i = 0; i < series; ++i) made.text += ",s" + std::to_string(i);
  made.text += *rc::gen::element<std::string>("\n", "\r\n");
  const UnitStep tenth = unit("0.1");
  const bool stamps = *rc::gen::arbitrary<bool>();
  const Clock clock = stamps ? Clock(1774742400, 900) : Clock();
  Slot slot = 0;
  const auto rows = *rc::gen::inRange(0, 12);
  std::int32_t offset_s = 0;
  for (int i = 0; i < rows; ++i) {
    const Slot gap = i == 0 ? 0 : *rc::gen::weightedElement<Slot>({{8, 0}, {1, 1}, {1, 4}});
    for (Slot missing = 0; missing < gap; ++missing) made.rows.push_back({slot++, offset_s, Values(series)});
    offset_s = stamps ? *rc::gen::element(0, 3600, -12600) : 0;
    PlainRow row{slot, offset_s, {}};
    made.text += clock.text(slot++, offset_s);
    for (std::size_t s = 0; s < series; ++s) {
      const auto value = *rc::gen::maybe(rc::gen::inRange<std::int64_t>(-100'000, 100'000));
      made.text += "," + (value ? tenth.text(*value) : std::string());
      row.values.push_back(value ? std::optional(*value) : std::nullopt);
    }
    made.text += *rc::gen::element<std::string>("\n", "\r\n", "\n\n");
    made.rows.push_back(std::move(row));
  }
  if (*rc::gen::arbitrary<bool>() && !made.text.empty() && made.text.back() == '\n') made.text.pop_back();
  return made;
}

RC_GTEST_PROP(StreamReader, ReadsWhatWasWritten, ()) {
  const Case made = random_case();
  const auto piece = *rc::gen::inRange<std::size_t>(1, 50);
  const StreamOptions options{
      .unit_step = unit("0.1"), .slot_s = 900, .block_size = *rc::gen::inRange<std::size_t>(1, 99)};
  const std::string bytes = *rc::gen::arbitrary<bool>() ? test::gzip(made.text) : made.text;
  auto reader = StreamReader::open(test::dripping(bytes, piece), options);
  RC_ASSERT(reader.has_value());
  const auto drained = test::drain(*reader);
  RC_ASSERT(!drained.error);
  RC_ASSERT(drained.rows == made.rows);
}

}  // namespace
}  // namespace fugu
