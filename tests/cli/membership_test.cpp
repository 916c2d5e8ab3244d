// fugu publish while meters move between series, are exchanged, and belong to households.
#include <cmath>

#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kMap = "meter,series\na,north\nb,south\nc,north\nd,south\n";
constexpr const char* kMoved = "meter,series\nb,south\nd,south\na,south\nc,north\n";

/// Every meter reads 500 in each slot.
std::string readings(int from, int to, const std::string& meters = "abcd") {
  std::string text;
  for (int slot = from; slot < to; ++slot) {
    for (const char meter : meters) text += std::to_string(slot) + "," + meter + ",500\n";
  }
  return text;
}

class PublishMembership : public testing::Test {
 protected:
  void SetUp() override { write("map.csv", kMap); }
  void write(const std::string& name, const std::string& text) { write_file(directory_ / name, text); }
  Finished publish(const std::string& options, const std::string& rows) {
    return run_fugu(
        directory_,
        "publish --readings - --series-map map.csv --clamp 1000 --ledger run.ledger --out out.csv " + options,
        "time,meter,value\n" + rows);
  }
  /// What was released of a series in a slot.
  double value_of(const std::string& slot, const std::string& series, std::size_t column = 2) {
    for (const std::string& line : lines_of(read_file(directory_ / "out.csv"))) {
      if (!line.starts_with(slot + "," + series + ",")) continue;
      std::string_view rest = line;
      for (std::size_t i = 0; i < column; ++i) rest.remove_prefix(rest.find(',') + 1);
      return std::stod(std::string(rest));
    }
    ADD_FAILURE() << "nothing released of " << series << " in slot " << slot;
    return 0;
  }

  TempDir directory_;
  // Little noise, so that sums can be told apart.
  const std::string clear_ = "--definition event --epsilon 1000 --mechanism uniform";
};

TEST_F(PublishMembership, AStreamGoesOnWithAnotherMap) {
  for (const char* mechanism : {"uniform", "fast-w", "bd-grouped", "pegasus"}) {
    SCOPED_TRACE(mechanism);
    for (const char* name : {"run.ledger", "run.ledger.head", "out.csv"}) std::filesystem::remove(directory_ / name);
    write("map.csv", kMap);
    const std::string options = "--definition w-event --epsilon 20 --w 10 --mechanism " + std::string(mechanism);
    ASSERT_EQ(publish(options, readings(0, 63)).exit_code, 0);
    write("map.csv", kMoved);
    const Finished moved = publish(options, readings(63, 120));
    ASSERT_EQ(moved.exit_code, 0) << moved;
    EXPECT_NE(moved.err.find("moved to other series: 1;"), std::string::npos) << moved;
    expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  }
}

TEST_F(PublishMembership, MetersCountWhereTheMapSays) {
  ASSERT_EQ(publish(clear_, readings(0, 5)).exit_code, 0);
  write("map.csv", kMoved);
  ASSERT_EQ(publish(clear_, readings(5, 9)).exit_code, 0);
  EXPECT_EQ(publish(clear_, readings(9, 10)).err.find("moved to other series"), std::string::npos) << "nobody has";
  EXPECT_NEAR(value_of("3", "north"), 1000, 100);
  EXPECT_NEAR(value_of("7", "north"), 500, 100);
  EXPECT_NEAR(value_of("7", "south"), 1500, 100);
}

TEST_F(PublishMembership, ALiveMapIsFollowedBetweenSlots) {
  Process process(
      fugu_command(
          "publish --readings - --series-map map.csv --clamp 1000 --follow --ledger run.ledger --out out.csv " +
          clear_),
      {.directory = directory_.path()});
  const auto released = [&](std::size_t slots) {
    return process.wait_until(
        [&] { return lines_of(read_file(directory_ / "out.csv"), true).size() >= 1 + 2 * slots; });
  };
  process.feed("time,meter,value\n" + readings(0, 6));
  ASSERT_TRUE(released(4));
  write("map.csv", "meter,series\nno such columns,at all,here\n");
  process.feed(readings(6, 7));
  ASSERT_TRUE(released(5));
  write("map.csv", kMoved);
  process.feed(readings(7, 14));
  process.close_input();
  const Finished finished = process.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("map.csv:2:1: found 3 fields"), std::string::npos) << finished;
  EXPECT_NEAR(value_of("4", "north"), 1000, 100);
  EXPECT_NEAR(value_of("13", "north"), 500, 100);
  EXPECT_NEAR(value_of("13", "south"), 1500, 100);
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

TEST_F(PublishMembership, NobodyCountsIntoMoreSeriesThanWhenTheLedgerBegan) {
  ASSERT_EQ(publish(clear_, readings(0, 5)).exit_code, 0);
  const std::string before = read_file(directory_ / "out.csv");
  write("map.csv", std::string(kMap) + "a,south\n");
  const Finished both = publish(clear_, readings(5, 9));
  EXPECT_EQ(both.exit_code, 2) << both;
  EXPECT_NE(both.err.find("'a' counts into a combination of series that nobody had"), std::string::npos) << both;
  write("map.csv", std::string(kMap) + "e,west\n");
  const Finished west = publish(clear_, readings(5, 9));
  EXPECT_EQ(west.exit_code, 2) << west;
  EXPECT_NE(west.err.find("map.csv:6:1: found a series that the stream did not begin with"), std::string::npos) << west;
  EXPECT_EQ(read_file(directory_ / "out.csv"), before);
  write("map.csv", kMap);
  EXPECT_EQ(publish(clear_, readings(5, 9)).exit_code, 0);
}

TEST_F(PublishMembership, AHouseholdIsProtectedAsAWhole) {
  const std::string promise = "--definition event --epsilon 1 --mechanism uniform";
  ASSERT_EQ(publish(promise, readings(0, 3)).exit_code, 0);
  EXPECT_DOUBLE_EQ(value_of("1", "north", 3), 1000);
  for (const char* name : {"run.ledger", "run.ledger.head", "out.csv"}) std::filesystem::remove(directory_ / name);
  // Two meters in the north and one in the south: twice the change in one series, and two series to reach.
  write("homes.csv", "meter,household\na,h1\nc,h1\nb,h1\n");
  ASSERT_EQ(publish(promise + " --households homes.csv", readings(0, 3)).exit_code, 0);
  EXPECT_DOUBLE_EQ(value_of("1", "north", 3), 4000);
  EXPECT_DOUBLE_EQ(value_of("1", "south", 3), 2000);
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

TEST_F(PublishMembership, AMeterDoesNotLeaveItsHousehold) {
  const std::string promise = "--definition w-event --epsilon 20 --w 10 --mechanism fast-w";
  ASSERT_EQ(publish(promise, readings(0, 20)).exit_code, 0);
  const std::string before = read_file(directory_ / "out.csv");
  write("map.csv", kMoved);
  write("homes.csv", "meter,household\na,somebody\n");
  const Finished renamed = publish(promise + " --households homes.csv", readings(20, 30));
  EXPECT_EQ(renamed.exit_code, 2) << renamed;
  EXPECT_NE(renamed.err.find("meter 'a' belongs to another household than before"), std::string::npos) << renamed;
  EXPECT_EQ(read_file(directory_ / "out.csv"), before);
}

/// A stream that is followed: what the publisher cannot agree to changes nothing, and the stream goes on.
class FollowedMembership : public PublishMembership {
 protected:
  void start(const std::string& options) {
    process_.emplace(
        fugu_command("publish --readings - --series-map map.csv --households homes.csv --clamp 1000 --follow --grace 0 "
                     "--ledger run.ledger --out out.csv " +
                     options),
        ProcessOptions{.directory = directory_.path()});
    process_->feed("time,meter,value\n");
  }
  bool released(std::size_t slots) {
    return process_->wait_until(
        [&] { return lines_of(read_file(directory_ / "out.csv"), true).size() >= 1 + 2 * slots; });
  }
  Finished finish() {
    process_->close_input();
    return process_->wait();
  }

  std::optional<Process> process_;
};

TEST_F(FollowedMembership, MetersKeepTheirHouseholds) {
  write("homes.csv", "meter,household\na,home\n");
  start(clear_);
  process_->feed(readings(0, 5));
  ASSERT_TRUE(released(4));
  write("homes.csv", "meter,household\na,other\n");
  write("map.csv", kMoved);
  process_->feed(readings(5, 12));
  const Finished finished = finish();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("'a' belongs to another household than before"), std::string::npos) << finished;
  EXPECT_NEAR(value_of("10", "north"), 1000, 100) << "a goes on counting where it did";
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

TEST_F(FollowedMembership, AMoveThatAPolicyForbidsDoesNotEndTheStream) {
  write("homes.csv", "meter,household\na,home\n");
  write("p.csv", "meter,start,end,length,magnitude,epsilon\na,2,30,2,500,1\n");
  start("--policies p.csv --exact-when-idle --mechanism unicorn-ps");
  process_->feed(readings(0, 5));
  ASSERT_TRUE(released(4));
  write("map.csv", kMoved);
  process_->feed(readings(5, 12));
  const Finished finished = finish();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("cannot move to other series before"), std::string::npos) << finished;
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

TEST_F(FollowedMembership, AMeterThatJoinsMayStateAPolicy) {
  write("homes.csv", "meter,household\na,home\n");
  write("p.csv", "meter,start,end,length,magnitude,epsilon\na,2,3,2,500,1\n");
  start("--policies p.csv --exact-when-idle --mechanism unicorn-ps");
  process_->feed(readings(0, 5));
  ASSERT_TRUE(released(4));
  write("map.csv", std::string(kMap) + "e,south\n");
  process_->feed(readings(5, 8));
  ASSERT_TRUE(released(7));
  write("p.csv", "meter,start,end,length,magnitude,epsilon\na,2,3,2,500,1\ne,15,20,2,500,1\n");
  process_->feed(readings(8, 25, "abcde"));
  const Finished finished = finish();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(finished.err.find("expected a meter of the series map"), std::string::npos) << finished;
  EXPECT_DOUBLE_EQ(value_of("13", "south"), 1500) << "nobody hides anything, and e counts";
  EXPECT_GT(value_of("17", "south", 3), 0) << "the policy of e is kept";
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

/// What it states before it counts anywhere holds wherever it counts later.
TEST_F(FollowedMembership, WhoStatedAPolicyBeforeItCountedAnywhereIsHiddenWhereItJoins) {
  for (const bool rejoins : {false, true}) {
    SCOPED_TRACE(rejoins);
    std::filesystem::remove(directory_ / "run.ledger");
    std::filesystem::remove(directory_ / "run.ledger.head");
    std::filesystem::remove(directory_ / "out.csv");
    write("homes.csv", "meter,household\ne,home\n");
    write("map.csv", std::string(kMap) + (rejoins ? "e,south\n" : "e,\n"));
    const std::string header = "meter,start,end,length,magnitude,epsilon\n";
    const std::string wish = "home,12,60,1,500,0.1\n";
    write("p.csv", rejoins ? header : header + wish);
    start("--policies p.csv --exact-when-idle --mechanism narwhal");
    process_->feed(readings(0, 5, "abcde"));
    ASSERT_TRUE(released(4));
    if (rejoins) {
      write("map.csv", std::string(kMap) + "e,\n");
      process_->feed(readings(5, 8, "abcde"));
      ASSERT_TRUE(released(7));
      write("p.csv", header + wish);
      process_->feed(readings(8, 10, "abcde"));
      ASSERT_TRUE(released(9));
    }
    write("map.csv", std::string(kMap) + "e,south\n");
    process_->feed(readings(rejoins ? 10 : 5, 20, "abcde"));
    const Finished finished = finish();
    ASSERT_EQ(finished.exit_code, 0) << finished;
    EXPECT_DOUBLE_EQ(value_of("11", "south"), 1500) << "its interval has not begun, and e counts";
    EXPECT_GT(value_of("14", "south", 3), 0) << "its policy is kept where it counts now";
    expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  }
}

TEST_F(PublishMembership, HouseholdsThatMakeNoSenseAreNamed) {
  for (const auto& [text, said] : {std::pair("meter,home\na,h\n", "homes.csv:1:1: found other columns"),
                                   {"meter,household\na,h\na,i\n", "homes.csv:3:1: found a meter that an earlier row"},
                                   {"meter,household\na,b\n", "homes.csv: found household 'b', which is also"},
                                   // A policy of b would be the household's or the meter's, which is another's.
                                   {"meter,household\na,b\nb,c\n", "homes.csv: found household 'b', which is also"}}) {
    write("homes.csv", text);
    const Finished finished = publish(clear_ + " --households homes.csv", readings(0, 3));
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_NE(finished.err.find(said), std::string::npos) << finished;
  }
}

}  // namespace
}  // namespace fugu::test
