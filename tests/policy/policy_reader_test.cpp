#include "fugu/policy/policy_reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "build.hpp"
#include "stream/text.hpp"

namespace fugu {
namespace {

using test::any_policy;
using test::kHeader;
using test::policy;
using test::text_input;

// Quarter hours; slot 0 starts on Sunday, 2026-03-29, at midnight in the offset +01:00.
const Clock kQuarters(1774738800, 900);

PolicyOptions watts() {
  PolicyOptions options;
  options.unit_step = *UnitStep::parse("0.1");
  options.clock = kQuarters;
  options.utc_offset_s = 3600;
  options.series = {"park", "bar", "home"};
  return options;
}

struct Read {
  std::vector<StatedPolicy> stated;
  std::string error;  // the first
};

Read read_all(const std::string& text, const PolicyOptions& options = watts()) {
  auto reader = PolicyReader::open(text_input(text), options);
  if (!reader) return {{}, reader.error().message};
  Read read;
  while (true) {
    StatedPolicy stated;
    const auto more = reader->next(stated);
    if (!more) read.error = more.error().message;
    if (!more || !*more) return read;
    read.stated.push_back(stated);
  }
}

/// The only policy of a file.
StatedPolicy read_one(const std::string& text, const PolicyOptions& options = watts()) {
  const Read read = read_all(text, options);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.stated.size(), 1u);
  return read.stated.empty() ? StatedPolicy() : read.stated[0];
}

std::string book_error(const std::string& text, const PolicyOptions& options = watts()) {
  const auto book = read_policy_book(text_input(text), options);
  if (book) return "no error";
  EXPECT_EQ(book.error().cause, Cause::bad_input);
  return book.error().message;
}

TEST(PolicyReader, Csv) {
  const auto stated = read_one(kHeader + "m1,4,15,3,2.1,0.5\n");
  EXPECT_EQ(stated.meter, "m1");
  EXPECT_EQ(stated.policy, policy(4, 15, 3, 21, 0.5));
  EXPECT_EQ(stated.known, 0);
  EXPECT_EQ(stated.line, 2u);
  EXPECT_FALSE(stated.withdrawn);
}

TEST(PolicyReader, ColumnsInAnyOrderGroupsAndWhenKnown) {
  const auto read =
      read_all("known,epsilon,meter,start,end,length,magnitude,group\r\n3,1,m1,4,15,3,2.1,5\r\n,1,m1,4,15,3,2.1,\r\n");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.stated.size(), 2u);
  EXPECT_EQ(read.stated[0].policy, policy(4, 15, 3, 105, 1));
  EXPECT_EQ(read.stated[0].known, 3);
  EXPECT_EQ(read.stated[1].policy, policy(4, 15, 3, 21, 1));
  EXPECT_EQ(read.stated[1].known, 0);
}

TEST(PolicyReader, TimesNameSlotsByTheirStart) {
  const auto stated = read_one(kHeader + "m1,2026-03-29T11:00:00+01:00,2026-03-29T11:45Z,3,2.1,0.5\n");
  EXPECT_EQ(stated.policy.interval, (Interval{44, 51}));
}

// Whatever the rows before were, as these are remembered.
RC_GTEST_PROP(PolicyReader, ReadsTimesAndMagnitudesAsClockAndUnitDo, ()) {
  const auto offsets = rc::gen::element<std::int32_t>(0, 3600, 7200);
  const auto magnitudes = rc::gen::element<std::string>("1", "10", "1.0", "0.01", "2.1", "2.11", "100000001", "7e2");
  const auto rows = *rc::gen::container<std::vector<std::tuple<Slot, std::int32_t, std::string>>>(
      rc::gen::tuple(rc::gen::inRange<Slot>(0, 300), offsets, magnitudes));
  const PolicyOptions options = watts();
  std::string text = kHeader;
  for (const auto& [slot, offset_s, magnitude] : rows) {
    const std::string time = kQuarters.text(slot, offset_s);
    text.append("m,").append(time).append(",").append(time).append(",1,").append(magnitude).append(",1\n");
  }
  const Read read = read_all(text, options);
  RC_ASSERT(read.error.empty());
  RC_ASSERT(read.stated.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [slot, offset_s, magnitude] = rows[i];
    std::int64_t steps = 0;
    RC_ASSERT(options.unit_step.steps(magnitude, steps, Rounding::away) == DecimalFault::none);
    RC_ASSERT(read.stated[i].policy == policy(slot, slot, 1, static_cast<std::uint64_t>(steps), 1));
  }
}

TEST(PolicyReader, ATimeThatLooksLikeTheOneBeforeIsCheckedToo) {
  const std::string good = "m1,2026-03-29T11:00:00+01:00,99,3,2,1\n";
  for (const char* time : {"2026-03-29T24:00:00+01:00", "2026-03-29T11:60:00+01:00", "2026-03-29T1a:00:00+01:00",
                           "2026-03-29T11-00:00+01:00", "2026-03-29T11:07:00+01:00", "2026-03-29T/9:00:00+01:00"}) {
    const Read read = read_all(std::string(kHeader).append(good).append("m1,").append(time).append(",99,3,2,1\n"));
    EXPECT_TRUE(read.error.starts_with(std::string("p.csv:3:4: found start '").append(time).append("'"))) << read.error;
  }
}

TEST(PolicyReader, MagnitudesAreRoundedUp) {
  const auto steps = [](const std::string& text) {
    return read_one(kHeader + "m1,4,15,3," + text + ",0.5\n").policy.magnitude_steps;
  };
  EXPECT_EQ(steps("2.1"), 21u);
  EXPECT_EQ(steps("2.1000000000000000000001"), 22u);
  EXPECT_EQ(steps("1e-30"), 1u);
  const auto json = [](const std::string& text) {
    return read_one(R"({"meter":"m1","start":4,"end":15,"length":3,"epsilon":0.5,"magnitude":)" + text + "}")
        .policy.magnitude_steps;
  };
  EXPECT_EQ(json("2.1"), 21u);
  EXPECT_EQ(json("2.1000000000000000000001"), 22u) << "not rounded to a double on the way";
  EXPECT_EQ(json("2"), 20u);
}

TEST(PolicyReader, JsonSaysTheSameAsCsv) {
  const auto stated = read_one(
      "\n  \n {\"meter\": \"m1\", \"start\": \"2026-03-29T11:00:00+01:00\", \"end\": 51, \"length\": 3, "
      "\"magnitude\": 2.1, \"epsilon\": 0.5, \"group\": 2, \"known\": 7}\n \n");
  EXPECT_EQ(stated.policy, policy(44, 51, 3, 42, 0.5));
  EXPECT_EQ(stated.known, 7);
  EXPECT_EQ(stated.line, 3u);
}

TEST(PolicyReader, Profiles) {
  const auto shape_of = [](const std::string& rest) {
    return read_one(R"({"meter":"m1","start":4,"end":15,"epsilon":0.5,)" + rest + "}").policy;
  };
  const Policy one = shape_of(R"("profile": [2.1, 0, 0.5])");
  EXPECT_EQ(one.length_slots, 3u);
  EXPECT_EQ(one.magnitude_steps, 21u);
  ASSERT_TRUE(one.shape);
  EXPECT_EQ(*one.shape, (Shape{{Profile{{Lane{std::nullopt, {21, 0, 5}}}}}}));
  EXPECT_EQ(shape_of(R"("profile": [2.1, 2.1])"), policy(4, 15, 2, 21, 0.5)) << "no shape where none is needed";
  const Policy lanes = shape_of(R"("profile": {"bar": [1, 0], "park": [0, 2], "home": [0, 0]}, "group": 3)");
  ASSERT_TRUE(lanes.shape);
  EXPECT_EQ(*lanes.shape, (Shape{{Profile{{Lane{SeriesId{0}, {0, 60}}, Lane{SeriesId{1}, {30, 0}}}}}}));
  EXPECT_EQ(lanes.magnitude_steps, 60u);
}

TEST(PolicyReader, Patterns) {
  PolicyOptions options = watts();
  options.unit_step = UnitStep();
  const Policy found =
      read_one(R"({"meter":"m1","start":4,"end":15,"epsilon":0.5,"patterns":[[["park"],["home"]],[["bar"],["home"]]]})",
               options)
          .policy;
  ASSERT_TRUE(found.shape);
  EXPECT_EQ(*found.shape, (Shape{{Profile{{Lane{SeriesId{0}, {1, 0}}, Lane{SeriesId{1}, {1, 0}}}}}}));
  EXPECT_EQ(found.length_slots, 2u);
  EXPECT_EQ(found.magnitude_steps, 1u);
}

// Constraints only say which patterns are possible: the policy is the same as without them.
TEST(PolicyReader, PatternsThatObeyConstraints) {
  PolicyOptions options = watts();
  options.unit_step = UnitStep();
  const std::string patterns = R"({"meter":"m1","start":4,"end":15,"epsilon":0.5,"patterns":[[["park"]],[["bar"]]])";
  const std::string constraints =
      R"(,"constraints":{"at_most_one":[["park","bar","home"]],"implies":[["home","bar"]],"exclusive":[["home","park"]]})";
  EXPECT_EQ(read_one(patterns + constraints + "}", options).policy, read_one(patterns + "}", options).policy);
}

const std::string kLunch = R"({"meter":"m1","length":3,"magnitude":2.1,"epsilon":0.5,)"
                           R"("repeat":{"days":"mon-fri","from":"11:00","to":"14:00","until":"2026-04-06"}})";

TEST(PolicyReader, RecurringWishes) {
  const auto read =
      read_all(kLunch + "\n" + R"({"meter":"m2","start":4,"end":15,"length":3,"magnitude":1,"epsilon":1})");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.stated.size(), 6u);
  for (Slot day = 0; day < 5; ++day)
    EXPECT_EQ(read.stated[static_cast<std::size_t>(day)].policy, policy(140 + 96 * day, 151 + 96 * day, 3, 21, 0.5));
  EXPECT_EQ(read.stated[4].line, 1u);
  EXPECT_EQ(read.stated[4].meter, "m1");
  EXPECT_EQ(read.stated[5].meter, "m2");

  PolicyOptions later = watts();
  later.now = 200;
  EXPECT_EQ(read_all(kLunch, later).stated.size(), 4u) << "those in the past are not asked for";
}

TEST(PolicyReader, GzipAndSmallBlocksSayTheSame) {
  std::string text = kHeader;
  for (int i = 0; i < 50; ++i)
    text.append("m").append(std::to_string(i % 7)).append(",").append(std::to_string(i)).append(",99,1,1,1\n");
  const Read plain = read_all(text);
  EXPECT_EQ(plain.stated.size(), 50u);
  PolicyOptions small = watts();
  small.block_size = 7;
  const Read packed = read_all(test::gzip(text), small);
  ASSERT_EQ(packed.stated.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(packed.stated[i].policy, plain.stated[i].policy);
}

TEST(PolicyReader, GoesOnAfterAWrongRow) {
  auto reader = PolicyReader::open(text_input(kHeader + "m1,4,15,3,2.1,0\nm1,4,15,3,2.1,1\n"), watts());
  ASSERT_TRUE(reader);
  StatedPolicy stated;
  EXPECT_FALSE(reader->next(stated));
  const auto more = reader->next(stated);
  ASSERT_TRUE(more && *more);
  EXPECT_EQ(stated.line, 3u);
}

struct Bad {
  const char* text;   // after the header, when it is a row
  const char* error;  // after "p.csv"
};

constexpr Bad kBadHeaders[] = {
    {"", ": found an empty file; expected a header"},
    {"\n \n", ": found an empty file; expected a header"},
    {"meter,start,end,length,magnitude\n", ":1:1: found no column `epsilon`; expected a header"},
    {"meter,start,end,length,magnitude,epsilon,zone\n", ":1:42: found column 'zone'; expected a header"},
    {"meter,start,end,length,magnitude,epsilon,end\n", ":1:42: found column 'end' twice; expected a header"},
    {"m1,4,15,3,2.1,0.5\n", ":1:1: found column 'm1'; expected a header"},
};

constexpr Bad kBadRows[] = {
    {"m1,4,15,3,2.1", ":3:1: found 5 fields; expected 6 fields, as in the header"},
    {"m1,4,15,3,2.1,1,1", ":3:1: found 7 fields; expected 6 fields, as in the header"},
    {",4,15,3,2.1,1", ":3:1: found nothing; expected a meter id"},
    {"\"m1\",4,15,3,2.1,1", ":3:1: found a quote; expected a meter id without quotes"},
    {"m1,15,4,3,2.1,1", ":3:7: found end '4'; expected an end not before the start, '15'"},
    {"m1,4,5,3,2.1,1", ":3:8: found an interval of 2 slots; expected at least 3, the length of what it hides"},
    {"m1,4,15,0,2.1,1", ":3:9: found length '0'; expected a number of slots from 1 on"},
    {"m1,4,15,-1,2.1,1", ":3:9: found length '-1'; expected a number of slots from 1 on"},
    {"m1,4,15,1.5,2.1,1", ":3:9: found length '1.5'; expected a number of slots from 1 on"},
    {"m1,4,15,99999999999999999999,2.1,1", ":3:9: found length '99999999999999999999'; expected a number of slots"},
    {"m1,4,15,3,2.1,0", ":3:15: found epsilon '0'; expected a number above 0"},
    {"m1,4,15,3,2.1,-1", ":3:15: found epsilon '-1'; expected a number above 0"},
    {"m1,4,15,3,2.1,nan", ":3:15: found epsilon 'nan'; expected a number above 0"},
    {"m1,4,15,3,2.1,inf", ":3:15: found epsilon 'inf'; expected a number above 0"},
    {"m1,4,15,3,2.1,1e9", ":3:15: found epsilon '1e9'; expected a number above 0"},
    {"m1,4,15,3,2.1,1e-99", ":3:15: found epsilon '1e-99'; expected a number above 0"},
    {"m1,4,15,3,2.1,1e-999", ":3:15: found epsilon '1e-999'; expected a number above 0"},
    {"m1,4,15,3,2.1,1x", ":3:15: found epsilon '1x'; expected a number above 0"},
    {"m1,4,15,3,2.1,", ":3:15: found epsilon nothing; expected a number above 0"},
    {"m1,4,15,3,0,1", ":3:11: found magnitude '0'; expected a magnitude above 0"},
    {"m1,4,15,3,-2,1", ":3:11: found magnitude '-2'; expected a magnitude above 0"},
    {"m1, 4, 15, 3, 2, 1", ":3:4: found start ' 4'; expected"},
    {"m1,4,15,3,1e12,1", ":3:11: found magnitude '1e12'; expected a magnitude above 0 and up to 2^40 unit steps"},
    {"m1,4,15,3,1e300,1", ":3:11: found magnitude '1e300'; expected a magnitude above 0"},
    {"m1,4,15,3,nan,1", ":3:11: found magnitude 'nan'; expected a magnitude above 0"},
    {"m1,4,15,3,,1", ":3:11: found magnitude nothing; expected a magnitude above 0"},
    {"m1,2026-03-29T11:07:00+01:00,15,3,2,1",
     ":3:4: found start '2026-03-29T11:07:00+01:00'; expected the start of a slot, a multiple of 900 s from "},
    {"m1,2026-02-30T11:00Z,15,3,2,1", ":3:4: found start '2026-02-30T11:00Z'; expected a day and time that exist"},
    {"m1,2026-03-29T11:00,99,3,2,1", ":3:4: found start '2026-03-29T11:00'; expected an offset"},
    {"m1,2026-03-01T11:00Z,15,3,2,1",
     ":3:4: found start '2026-03-01T11:00Z'; expected a time from 2026-03-29T00:00:00+01:00 on, the stream's first"},
    {"m1,-4,15,3,2,1", ":3:4: found start '-4'; expected a time such as"},
    {"m1,soon,15,3,2,1", ":3:4: found start 'soon'; expected a time such as"},
    {"m1,4,99999999999,3,2,1", ":3:6: found end '99999999999'; expected at most 2201-01-01T00:45:00+01:00"},
    {"m1,4,15,3,2.1,0.5",
     ":3: found the same policy as in line 2; expected each policy once (or that repeats are kept, if both are meant)"},
    {"m1,004,15,3,2.10,5e-1",
     ":3: found the same policy as in line 2; expected each policy once (or that repeats are kept, if both are meant)"},
};

TEST(PolicyReader, BadCsv) {
  for (const Bad& bad : kBadHeaders) {
    const std::string error = book_error(bad.text);
    EXPECT_TRUE(error.starts_with(std::string("p.csv").append(bad.error))) << bad.text << error;
  }
  for (const Bad& bad : kBadRows) {
    const std::string error = book_error(std::string(kHeader).append("m1,4,15,3,2.1,0.5\n").append(bad.text));
    EXPECT_TRUE(error.starts_with(std::string("p.csv").append(bad.error))) << bad.text << "\n" << error;
  }
}

#define ROW R"({"meter":"m1","start":4,"end":15,"length":3,"magnitude":2.1,"epsilon":0.5)"
#define WHEN R"({"meter":"m1","start":4,"end":15,"epsilon":0.5,)"
#define WHAT R"({"meter":"m1","length":3,"magnitude":2.1,"epsilon":0.5,)"

constexpr Bad kBadJson[] = {
    {"{", ":2:2: found text that is no JSON; expected one JSON object"},
    {"[]", ":2: found an array; expected one JSON object"},
    {ROW "} x", ":2:76: found text that is no JSON; expected one JSON object"},
    {ROW ",}", ":2:75: found text that is no JSON"},
    {ROW ", \"epsilon\": 1}", ":2: found key 'epsilon' twice; expected each key once"},
    {ROW ", \"zone\": 1}", ":2: found key 'zone'; expected keys of a policy"},
    {ROW ", \"group\": 0}", ":2: found group '0'; expected a number of individuals from 1 to 1000000"},
    {ROW ", \"group\": 1.5}", ":2: found group '1.5'; expected a number of individuals"},
    {ROW ", \"group\": \"2\"}", ":2: found `group` as text; expected a number"},
    {ROW ", \"group\": [[[[[[[[1]]]]]]]]}", ":2: found JSON of more than 8 levels; expected one JSON object"},
    {ROW ", \"known\": 5}", ":2: found a policy known from 2026-03-29T01:15:00+01:00 on; expected not after"},
    {ROW ", \"known\": true}", ":2: found `known` as true or false; expected a slot number or a time in quotes"},
    {ROW ", \"known\": \"\"}", ":2: found `known` as an empty text; expected a slot number or a time in quotes"},
    {ROW ", \"withdraw\": 1}", ":2: found `withdraw` as a number; expected true or false"},
    {ROW ", \"profile\": [1]}", ":2: found `length` beside `profile`; expected only one of them"},
    {ROW ", \"patterns\": [1]}", ":2: found `length` beside `patterns`; expected only one of them"},
    {ROW ", \"repeat\": {}}", ":2: found `start` beside `repeat`; expected only one of them"},
    {R"({"start":4})", ":2: found no `meter`; expected it in every policy"},
    {R"({"meter":7,"start":4})", ":2: found `meter` as a number; expected text in quotes"},
    {R"({"meter":"a\u0000","epsilon":1})",
     ":2: found a control character; expected a meter id of printable characters"},
    {R"({"meter":"m1","epsilon":1})", ":2: found no `length`; expected it in every policy"},
    {R"({"meter":"m1","epsilon":1e999})", ":2:29: found text that is no JSON"},
    {R"({"meter":"m1","epsilon":-1})", ":2: found epsilon '-1'; expected a number above 0"},
    {R"({"meter":"m1","epsilon":1,"length":1,"magnitude":1,"start":1})", ":2: found no `end`; expected it in every"},
    {WHEN "\"profile\": []}", ":2: found a `profile` that is no list of magnitudes"},
    {WHEN "\"profile\": 3}", ":2: found a `profile` that is no list of magnitudes"},
    {WHEN "\"profile\": [1, \"2\"]}", ":2: found text in a `profile`; expected magnitudes from 0"},
    {WHEN "\"profile\": [1, -2]}", ":2: found magnitude '-2'; expected magnitudes from 0 up to 2^40 unit steps"},
    {WHEN "\"profile\": [0, 0]}", ":2: found a `profile` without a magnitude above 0"},
    {WHEN "\"profile\": [1,1,1,1,1,1,1,1,1,1,1,1,1]}", ":2: found an interval of 12 slots; expected at least 13"},
    {WHEN "\"profile\": {}}", ":2: found a `profile` without a magnitude above 0"},
    {WHEN "\"profile\": {\"moon\": [1]}}", ":2: found series 'moon'; expected a series of the stream"},
    {WHEN "\"profile\": {\"bar\": [1], \"park\": [1, 2]}}", ":2: found lists of different lengths in a `profile`"},
    {WHEN "\"profile\": [1], \"patterns\": []}", ":2: found `patterns` beside `profile`; expected only one of them"},
    {WHEN "\"profile\": [1e10], \"group\": 20}", ":2: found magnitude '1e10' of 20 individuals; expected a magnitude"},
    {WHEN "\"patterns\": 1}", ":2: found `patterns` that are no array; expected such as"},
    {WHEN "\"patterns\": [1]}", ":2: found a pattern that is no array of slots"},
    {WHEN "\"patterns\": [[1]]}", ":2: found a slot of a pattern that is no array"},
    {WHEN "\"patterns\": [[[1]]]}", ":2: found a series of a pattern that is no text"},
    {WHEN "\"patterns\": [[[\"moon\"]], [[]]]}", ":2: found series 'moon'; expected a series of the stream"},
    {WHEN "\"patterns\": [[[\"bar\"]]]}", ":2: found a pattern of 1 slots and no other of that length"},
    {WHEN "\"profile\": [1], \"constraints\": {}}", ":2: found `constraints` without `patterns`; expected both"},
    {WHEN "\"patterns\": [[[\"bar\"]], [[]]], \"constraints\": {}}",
     ":2: found `constraints` that are no object with members; expected such as"},
    {WHEN "\"patterns\": [[[\"bar\"]], [[]]], \"constraints\": {\"excludes\": []}}",
     ":2: found key 'excludes' in `constraints`; expected such as"},
    {WHEN "\"patterns\": [[[\"bar\"]], [[]]], \"constraints\": {\"exclusive\": 1}}",
     ":2: found `exclusive` that is no array; expected such as"},
    {WHEN "\"patterns\": [[[\"bar\"]], [[]]], \"constraints\": {\"implies\": [[\"bar\"]]}}",
     ":2: found `implies` of something else than two; expected such as"},
    {WHEN "\"patterns\": [[[\"bar\"]], [[]]], \"constraints\": {\"at_most_one\": [[\"bar\"]]}}",
     ":2: found `at_most_one` of something else than some; expected such as"},
    {WHEN "\"patterns\": [[[\"bar\"]], [[]]], \"constraints\": {\"implies\": [[\"bar\", \"moon\"]]}}",
     ":2: found series 'moon'; expected a series of the stream"},
    {WHEN "\"patterns\": [[[\"bar\"]], [[]]], \"constraints\": {\"implies\": [[\"bar\", \"bar\"]]}}",
     ":2: found `implies` with a series twice; expected different series"},
    {WHEN "\"patterns\": [[[\"bar\", \"park\"]], [[]]], \"constraints\": {\"exclusive\": [[\"park\", \"bar\"]]}}",
     ":2: found 'park' and 'bar' in slot 1 of a pattern; expected only one of them, as they exclude each other"},
    {WHEN "\"patterns\": [[[\"bar\"]], [[]]], \"constraints\": {\"implies\": [[\"bar\", \"park\"]]}}",
     ":2: found 'bar' without 'park' in slot 1 of a pattern; expected both, as the first implies the second"},
    {WHEN "\"patterns\": [[[]], [[\"home\", \"bar\"]]], \"constraints\": {\"at_most_one\": [[\"park\", \"bar\", "
          "\"home\"]]}}",
     ":2: found 'bar' and 'home' in slot 1 of a pattern; expected only one of them"},
    {WHAT "\"repeat\": 1}", ":2: found a `repeat` that is no object"},
    {WHAT "\"repeat\": {\"days\": \"daily\"}}",
     ":2: found a `repeat` without `from`; expected days, from, to and until"},
    {WHAT "\"repeat\": {\"dates\": \"daily\"}}", ":2: found key 'dates' in `repeat`; expected days, from"},
    {WHAT "\"repeat\": {\"days\": 1}}", ":2: found `days` as a number; expected text in quotes"},
    {WHAT R"("repeat":{"days":"daily","from":"11:00","to":"11:30","until":"2026-04-06"}})",
     ":2: found an interval of 2 slots; expected at least 3"},
    {WHAT R"("repeat":{"days":"often","from":"11:00","to":"14:00","until":"2026-04-06"}})", ":2: found days 'often'"},
    {WHAT R"("repeat":{"days":"daily","from":"11:00","to":"14:00","until":"2026-04-06","since":"2026-03-01"}})",
     ":2: found an interval from 2026-03-01T11:00:00+01:00 on; expected one from"},
    {ROW "}",
     ":2: found the same policy as in line 1; expected each policy once (or that repeats are kept, if both are meant)"},
    {ROW ", \"magnitud\": 1}", ":2: found key 'magnitud'"},
};

TEST(PolicyReader, BadJson) {
  for (const Bad& bad : kBadJson) {
    const std::string error = book_error(std::string(ROW "}\n").append(bad.text));
    EXPECT_TRUE(error.starts_with(std::string("p.csv").append(bad.error))) << bad.text << "\n" << error;
  }
}

TEST(PolicyReader, WhatOptionsForbid) {
  const auto map = SeriesMap::read(text_input("meter,series\nm1,bar\n"));
  PolicyOptions options = watts();
  options.series.clear();
  options.map = &*map;
  EXPECT_EQ(book_error(kHeader + "m1,4,15,3,2.1,1\nm2,4,15,3,2.1,1\n", options),
            "p.csv:3:1: found meter 'm2'; expected a meter of the series map, or a household");
  EXPECT_EQ(book_error(R"({"meter":"m1","start":4,"end":15,"epsilon":0.5,"profile":{"bar":[1]}})", options),
            "no error");
  EXPECT_TRUE(book_error(R"({"meter":"m1","start":4,"end":15,"epsilon":0.5,"profile":{"park":[1]}})", options)
                  .starts_with("p.csv:1: found series 'park'"));

  options = watts();
  options.clock = Clock();
  EXPECT_EQ(book_error(kHeader + "m1,2026-03-29T11:00Z,15,3,2.1,1\n", options),
            "p.csv:2:4: found start '2026-03-29T11:00Z'; expected a slot number such as 0, 1, 2, up to 1099511627776");
  EXPECT_EQ(book_error(kHeader + "m1,0,1099511627777,3,2.1,1\n", options),
            "p.csv:2:6: found end '1099511627777'; expected at most slot 1099511627776");
  EXPECT_EQ(book_error(kLunch, options),
            "p.csv:1: found a recurring wish in a stream of slot numbers; expected start and end");
}

TEST(PolicyReader, WhatTheSensitivityContradicts) {
  PolicyOptions options = watts();
  options.largest_change_steps = 5;
  const std::string expected = "; expected at most 0.5, as the sensitivity says that one meter changes no more";
  const auto found = [&](const std::string& text) {
    const std::string error = book_error(text, options);
    return error.substr(0, error.find(expected));
  };
  EXPECT_EQ(found(kHeader + "m1,4,15,3,2.1,1\n"), "p.csv:2:11: found magnitude '2.1'");
  EXPECT_EQ(found(kHeader + "m1,4,15,3,0.5,1\n"), "no error");
  EXPECT_EQ(found(R"({"meter":"m1","start":4,"end":15,"epsilon":0.5,"profile":[0,2.1]})"),
            "p.csv:1: found magnitude '2.1'");
  EXPECT_EQ(found(R"({"meter":"m1","start":4,"end":15,"epsilon":0.5,"patterns":[[["park"]],[["bar"]]]})"),
            "p.csv:1: found `patterns`, in which everybody counts as 1 in a series")
      << "there is no magnitude in the row";
  EXPECT_EQ(found(kHeader + "m1,4,15,3,,1\n").find("patterns"), std::string::npos);
}

TEST(PolicyReader, WhatTheAdministratorDoesNotAdmit) {
  const auto with = [](const AdmissionRule& rule, const std::string& rows) {
    PolicyOptions options = watts();
    options.admission = rule;
    return book_error("meter,start,end,length,magnitude,epsilon,known\n" + rows, options);
  };
  EXPECT_EQ(with({.largest_magnitude_steps = 20}, "m1,4,15,3,2,1,\nm1,4,15,3,2.1,1,\n"),
            "p.csv:3: the magnitude is 21 steps; at most 20 are admitted");
  EXPECT_EQ(with({.smallest_epsilon = Budget::round_down(0.1)}, "m1,4,15,3,2,0.05,\n"),
            "p.csv:2: epsilon is 0.05; at least 0.1 is admitted");
  EXPECT_EQ(with({.notice_slots = 4}, "m1,1,15,3,2,1,\nm1,8,15,3,2,1,4\nm1,8,15,3,2,2,5\n"),
            "p.csv:4: found a policy known 3 slots ahead; expected a notice of 4 slots");
  EXPECT_EQ(with({.most_overlapping = 2}, "m1,8,15,1,2,1,\nm1,12,20,1,2,1,\nm1,0,9,1,2,1,\nm2,0,9,1,2,1,\n"),
            "no error");
  EXPECT_TRUE(
      with({.most_overlapping = 1}, "m1,8,15,1,2,1,\nm1,8,14,1,2,1,\nm1,8,13,1,2,1,\n").starts_with("p.csv:3:"));
  EXPECT_EQ(with({.most_overlapping = 2}, "m1,8,15,1,2,1,\nm1,0,12,1,2,1,\nm1,0,9,1,2,1,\nm1,30,39,1,2,1,\n"),
            "p.csv:4: found more than 2 policies of a meter relevant in the same slot; expected fewer, as many as the "
            "administrator admits");
}

TEST(PolicyReader, TakingBack) {
  const std::string one = R"({"meter":"m1","start":4,"end":15,"length":3,"magnitude":2.1,"epsilon":0.5})";
  const std::string back =
      R"({"meter":"m1","start":4,"end":15,"length":3,"magnitude":2.1,"epsilon":0.5,"withdraw":true})";
  const auto size = [](const std::string& text) { return read_policy_book(text_input(text), watts())->size(); };
  EXPECT_EQ(size(one + "\n" + back), 0u);
  EXPECT_EQ(size(one + "\n" + back + "\n" + one), 1u);
  EXPECT_EQ(size(kLunch + "\n" + one + "\n" + kLunch.substr(0, kLunch.size() - 1) + ",\"withdraw\":true}"), 1u);
  EXPECT_EQ(book_error(back),
            "p.csv:1: found a policy taken back that no row before states; expected one that is there");
  EXPECT_EQ(book_error(one + "\n" + back + "\n" + back),
            "p.csv:3: found a policy taken back that no row before states; expected one that is there");
  const auto known = [](std::string row, const char* slot) {
    return row.insert(row.size() - 1, std::string(",\"known\":").append(slot));
  };
  EXPECT_EQ(size(known(one, "2") + "\n" + known(back, "2")), 0u);
  const std::string too_early = "p.csv:2: found a policy taken back in slot ";
  EXPECT_EQ(book_error(known(one, "3") + "\n" + known(back, "2")),
            too_early + "2, though line 1 makes it known in slot 3; expected `known` not before that");
  EXPECT_TRUE(book_error(known(one, "3") + "\n" + back).starts_with(too_early + "0,"));
}

TEST(PolicyBookReader, AMillionRowsAndOneBad) {
  constexpr int kRows = 1'000'000;
  std::string text = kHeader;
  for (int i = 0; i < kRows; ++i) {
    if (i == 777'776) text.append("m1,5,4,1,1,1\n");
    text.append("m").append(std::to_string(i % 1000)).append(",").append(std::to_string(i)).append(",2000000,1,1,1\n");
  }
  EXPECT_TRUE(book_error(text).starts_with("p.csv:777778:6: found end '4'"));
}

TEST(PolicyBookReader, NamesTheFirstRepetition) {
  EXPECT_EQ(book_error(kHeader + "a,1,2,1,1,1\nb,1,2,1,1,1\nc,1,2,1,1,1\nb,1,2,1,1,1\na,1,2,1,1,1\n"),
            "p.csv:5: found the same policy as in line 3; expected each policy once (or that repeats are kept, if both "
            "are meant)");
}

TEST(PolicyBookReader, AHeaderAloneIsAnEmptyBook) {
  const auto book = read_policy_book(text_input(kHeader), watts());
  ASSERT_TRUE(book);
  EXPECT_TRUE(book->empty());
}

TEST(PolicyBookReader, EqualShapesAreOneObject) {
  const auto row = [](const std::string& meter) {
    return std::string(R"({"meter":")")
        .append(meter)
        .append(R"(","start":4,"end":15,"epsilon":0.5,"profile":[1,2]})")
        .append("\n");
  };
  const auto book = read_policy_book(text_input(row("a") + row("b")), watts());
  ASSERT_TRUE(book) << book.error().message;
  EXPECT_EQ(book->of(0).policies()[0].shape, book->of(1).policies()[0].shape);
  EXPECT_EQ(book_error(row("a") + row("a")),
            "p.csv:2: found the same policy as in line 1; expected each policy once (or that repeats are kept, if both "
            "are meant)");
}

// Whatever the order of rows and the number of meters: the book is what adding one by one gives.
RC_GTEST_PROP(PolicyBookReader, AgreesWithAddingOneByOne, ()) {
  const int meters = *rc::gen::element(1, 3, 20'000);
  const auto drawn = *rc::gen::container<std::vector<std::pair<int, Policy>>>(
      rc::gen::pair(rc::gen::inRange(0, meters), any_policy(30)));
  PolicyBook expected;
  std::string text = kHeader;
  for (const auto& [number, wish] : drawn) {
    const std::string name = "m" + std::to_string(number);
    const MeterId meter = expected.meter(name);
    if (expected.of(meter).holds(wish)) continue;
    expected.add(meter, wish);
    text.append(name).append(",").append(std::to_string(wish.interval.first)).append(",");
    text.append(std::to_string(wish.interval.last)).append(",").append(std::to_string(wish.length_slots)).append(",");
    text.append(std::to_string(wish.magnitude_steps)).append(",").append(std::to_string(wish.epsilon.to_double()));
    text.append("\n");
  }
  const auto book = read_policy_book(text_input(text), {});
  RC_ASSERT(book.has_value());
  RC_ASSERT(book->size() == expected.size());
  RC_ASSERT(book->meter_count() == expected.meter_count());
  for (MeterId meter = 0; meter < expected.meter_count(); ++meter) {
    RC_ASSERT(book->name(meter) == expected.name(meter));
    RC_ASSERT(std::ranges::is_permutation(book->of(meter).policies(), expected.of(meter).policies()));
  }
}

}  // namespace
}  // namespace fugu
