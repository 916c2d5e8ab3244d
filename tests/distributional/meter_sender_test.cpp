// A meter that remembers what it sent: again the same, never another value for a slot, whatever happened in between.
#include "fugu/distributional/meter_sender.hpp"

#include <gtest/gtest.h>

#include "support/process.hpp"

namespace fugu::test {
namespace {

constexpr ClampRange kClamp{0, 100};

class Sender : public ::testing::Test {
 protected:
  Sender() {
    const DistributionalPlan plan{
        .form = DistributionalForm::capped, .clamp = kClamp, .epsilon = 1, .spread_steps = 10, .half_width_steps = 40};
    state_text_ = prepared(plan).text();
  }
  static DistributionalState prepared(const DistributionalPlan& plan) {
    return *DistributionalState::prepare(plan, *map_of_one_meter("a"), {MeterProfile::learn({0, 30, 60}, kClamp)});
  }
  MeterTransform meter() const {
    return *MeterTransform::make(*DistributionalState::read(Input::from_memory("a.state", state_text_)));
  }
  /// Readings of slot numbers from `first` on: as many as there are, −1 for a row without a value.
  static std::string rows(Slot first, const std::vector<int>& values) {
    std::string text = "time,meter,value\n";
    for (const int value : values) {
      text.append(std::to_string(first++)).append(",a,");
      if (value >= 0) text.append(std::to_string(value));
      text += '\n';
    }
    return text;
  }
  Result<void> send(const std::string& readings, const std::string& out = "sent.csv", Slot gap_slots_max = 96) {
    NameTable names;
    names.intern("a");
    FUGU_ASSIGN(MeterReadings rows, MeterReadings::open(Input::from_memory("a.csv", readings), names, {}));
    FUGU_ASSIGN(MeterSender sender,
                MeterSender::open(meter(), rows.format(), {directory / "a.journal", directory / out}, gap_slots_max));
    FUGU_TRY(sender.run(rows, [] {}));
    sent_ = sender.sent();
    return {};
  }
  std::string text(const std::string& name) { return read_file(directory / name); }
  void expect_error(const Result<void>& result, Cause cause, const std::string& word) {
    ASSERT_FALSE(result) << word;
    EXPECT_EQ(result.error().cause, cause) << result.error().message;
    EXPECT_NE(result.error().message.find(word), std::string::npos) << result.error().message;
  }

  TempDir directory;
  std::string state_text_;
  std::uint64_t sent_ = 0;
};

TEST_F(Sender, SendsAValueForEverySlotAndTheSameWhenAskedAgain) {
  ASSERT_TRUE(send(rows(5, {10, -1, 20})));
  ASSERT_TRUE(send(rows(10, {30})));
  const std::string once = text("sent.csv");
  EXPECT_EQ(lines_of(once).size(), 1U + 6) << "slots 5 to 10, with or without a reading\n" << once;
  ASSERT_TRUE(send(rows(5, {10, -1, 20})));
  EXPECT_EQ(sent_, 0U);
  EXPECT_EQ(text("sent.csv"), once) << "a file gets what it does not have";
  ASSERT_TRUE(send(rows(5, {10, -1, 20}), "again.csv"));
  EXPECT_EQ(text("again.csv"), once.substr(0, text("again.csv").size())) << "asked again, the same answer";
  EXPECT_EQ(std::filesystem::status(directory / "a.journal").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Sender, TwoReadingsForOneSlotAreRefusedAndNothingLeaves) {
  ASSERT_TRUE(send(rows(0, {10, -1, 20})));
  const std::string sent = text("sent.csv");
  const std::string journal = text("a.journal");
  expect_error(send(rows(0, {11})), Cause::refused, "a.csv:2:1: found another reading");
  expect_error(send(rows(1, {11}), "again.csv"), Cause::refused, "found another reading");
  expect_error(send(rows(0, {-1}), "again.csv"), Cause::refused, "found another reading");
  EXPECT_EQ(lines_of(text("again.csv")).size(), 1U);
  EXPECT_EQ(text("sent.csv"), sent);
  EXPECT_EQ(text("a.journal"), journal);
  ASSERT_TRUE(send(rows(3, {150})));
  EXPECT_TRUE(send(rows(3, {100}), "again.csv")) << "clamped, it is the same reading";
}

// Killed after the journal was durable and before the value left: the same readings send what is missing, and no other.
TEST_F(Sender, WhatDidNotLeaveIsSentWhenAskedAgain) {
  const std::string readings = rows(0, {10, 20, 30, 40});
  ASSERT_TRUE(send(readings));
  const std::string whole = text("sent.csv");
  for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {  // torn anywhere
    write_file(directory / "sent.csv", whole.substr(0, bytes));
    const auto again = send(readings);
    ASSERT_TRUE(again) << bytes << again.error().message;
    ASSERT_EQ(text("sent.csv"), whole) << bytes;
  }
}

// A journal from a backup does not know the last slots. Draws follow from the key: nothing is drawn anew.
TEST_F(Sender, AnOlderJournalOrNoneDrawsNothingAnew) {
  const std::string readings = rows(0, {10, 20, 30, 40});
  ASSERT_TRUE(send(readings));
  const std::string whole = text("sent.csv");
  const std::string journal = text("a.journal");
  for (std::size_t bytes = 0; bytes <= journal.size(); ++bytes) {  // also torn anywhere
    write_file(directory / "a.journal", journal.substr(0, bytes));
    std::filesystem::remove(directory / "again.csv");
    const auto again = send(readings, "again.csv");
    ASSERT_TRUE(again) << bytes << again.error().message;
    ASSERT_EQ(text("again.csv"), whole) << bytes;
    ASSERT_EQ(text("a.journal"), journal) << bytes;
  }
  // What the file of sent values has is not sent again, whatever the journal forgot.
  const std::string first_slot = journal.substr(0, journal.find('\n', journal.find('\n') + 1) + 1);
  write_file(directory / "a.journal", first_slot);
  ASSERT_TRUE(send(rows(0, {10, 21})));
  EXPECT_EQ(text("sent.csv"), whole);

  // The broken twin: a state that was prepared again draws anew.
  const std::string kept = state_text_;
  state_text_ = prepared(meter().state().plan()).text();
  std::filesystem::remove(directory / "a.journal");
  ASSERT_TRUE(send(readings, "twin.csv"));
  EXPECT_NE(text("twin.csv"), whole);
}

TEST_F(Sender, ADamagedJournalOrOneOfAnotherMeterIsNotGoneOnWith) {
  ASSERT_TRUE(send(rows(0, {10, 20, 30})));
  const std::string journal = text("a.journal");
  const auto lines = lines_of(journal);
  write_file(directory / "a.journal", lines[0] + "\n" + lines[1] + "\n" + lines[3] + "\n");
  expect_error(send(rows(3, {10})), Cause::bad_input, "a.journal:3:1: found something else");
  write_file(directory / "a.journal", lines[0] + "\n0,12\n");
  expect_error(send(rows(3, {10})), Cause::bad_input, "a.journal:2:1");
  write_file(directory / "a.journal", "time,meter,value\n");
  expect_error(send(rows(3, {10})), Cause::bad_input, "another file");
  write_file(directory / "a.journal", journal);
  state_text_ = prepared(meter().state().plan()).text();
  expect_error(send(rows(3, {10})), Cause::refused, "the journal of another state");
}

TEST_F(Sender, WhatCannotBeIsSaid) {
  ASSERT_TRUE(send(rows(50, {10})));
  expect_error(send(rows(49, {10})), Cause::refused, "a slot before the first one");
  expect_error(send(rows(500, {10})), Cause::bad_input, "a gap of at most 96 slots");
  EXPECT_TRUE(send(rows(500, {10}), "sent.csv", 1000));
  EXPECT_EQ(lines_of(text("sent.csv")).size(), 1U + 451);
  // Not what was sent, but readings of the meter: appended to, they would be handed on.
  write_file(directory / "past.csv", rows(0, {10, 20}));
  expect_error(send(rows(501, {10}), "past.csv"), Cause::bad_input, "expected a header `time,meter,sent`");
  EXPECT_EQ(text("past.csv"), rows(0, {10, 20}));
  std::string renamed = rows(0, {10, 20});
  renamed.replace(renamed.find("value"), 5, "sent");
  write_file(directory / "past.csv", renamed);
  expect_error(send(rows(501, {10}), "past.csv"), Cause::refused,
               "values of slots that the journal does not begin with");
  EXPECT_EQ(text("past.csv"), renamed);
  const std::string journal = text("a.journal");
  std::filesystem::remove(directory / "a.journal");
  expect_error(send(rows(2, {10}), "past.csv"), Cause::refused, "the journal that they were sent with");
  write_file(directory / "a.journal", journal);
  write_file(directory / "other.csv", "time,meter,sent\n0,b,1\n");
  expect_error(send(rows(501, {10}), "other.csv"), Cause::bad_input, "what this meter sent, and nobody else");
  EXPECT_EQ(text("other.csv"), "time,meter,sent\n0,b,1\n");
}

}  // namespace
}  // namespace fugu::test
