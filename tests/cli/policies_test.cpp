// fugu publish --policies: what households state is kept, and what makes no sense is refused before anything is
// released.
#include <zlib.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kHeader = "meter,start,end,length,magnitude,epsilon\n";

std::string stream(int slots) {
  std::string text = "time,load\n";
  for (int slot = 0; slot < slots; ++slot)
    text.append(std::to_string(slot)).append(",").append(std::to_string(100 + slot % 7)).append("\n");
  return text;
}

class Policies : public testing::Test {
 protected:
  void SetUp() override { write_file(directory_ / "s.csv", stream(40)); }

  void state(const std::string& rows) { write_file(directory_ / "p.csv", kHeader + rows); }
  Finished publish(const std::string& options) {
    return run_fugu(directory_, "publish --stream s.csv --unit-step 0.001 " + options);
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(directory_ / name); }

  TempDir directory_;
};

TEST_F(Policies, AreKeptAndAudited) {
  state("a,4,15,3,2.1,1\na,10,17,8,0.2,0.5\nb,12,20,2,1.5,1\n");
  for (const std::string mechanism :
       {"narwhal", "narwhal-adaptive", "unicorn-ps", "unicorn-is", "unicorn", "tes-uniform", "uniform", "sample"}) {
    const Finished finished = publish(
        "--policies p.csv --floor event:1 --sensitivity 10 --ledger run.ledger --out out.csv --mechanism " + mechanism);
    ASSERT_EQ(finished.exit_code, 0) << mechanism << finished;
    expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
    const Finished audit = run_fugu(directory_, "audit --released out.csv --policies p.csv");
    EXPECT_EQ(audit.exit_code, 0) << mechanism << audit;
    EXPECT_NE(audit.out.find("policies    3; the worst may have lost"), std::string::npos) << audit;
    remove_ledger(directory_);
    std::filesystem::remove(directory_ / "out.csv");
  }
}

TEST_F(Policies, TrueValuesWhereNothingIsRelevantAndOnlyThere) {
  state("a,4,15,3,2.1,1\n");
  const Finished finished = publish("--policies p.csv --exact-when-idle --mechanism narwhal");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::vector<std::string> lines = lines_of(finished.out);
  ASSERT_EQ(lines.size(), 41u);
  for (int slot = 0; slot < 40; ++slot) {
    const auto fields = fields_of(lines[static_cast<std::size_t>(slot) + 1]);
    const bool relevant = slot >= 4 && slot <= 15;
    EXPECT_EQ(fields[3] == "0", !relevant) << lines[static_cast<std::size_t>(slot) + 1];
    EXPECT_EQ(fields[4] == "inf", !relevant);
    if (!relevant) {
      EXPECT_EQ(fields[2], std::to_string(100 + slot % 7));
    }
  }
}

TEST_F(Policies, AnAuditOfReleasesSaysWhatItLookedAtBesides) {
  state("a,4,15,3,2.1,1\n");
  ASSERT_EQ(publish("--policies p.csv --exact-when-idle --mechanism narwhal --out out.csv").exit_code, 0);
  const Finished unsaid = run_fugu(directory_, "audit --released out.csv --policies p.csv");
  EXPECT_EQ(unsaid.exit_code, 0) << unsaid;
  EXPECT_NE(unsaid.out.find("was not looked at (--floor or --exact-when-idle)"), std::string::npos) << unsaid;
  const Finished said = run_fugu(directory_, "audit --released out.csv --policies p.csv --exact-when-idle");
  EXPECT_EQ(said.exit_code, 0) << said;
  EXPECT_EQ(said.out.find("was not looked at"), std::string::npos) << said;
  EXPECT_NE(said.out.find("true values when idle"), std::string::npos) << said;
}

TEST_F(Policies, WhoHidesNothingIsWarned) {
  const std::string options =
      "--policies p.csv --exact-when-idle --mechanism narwhal --ledger run.ledger --out out.csv";
  const auto warnings = [&](const std::string& rows, const std::string& more) {
    state(rows);
    remove_ledger(directory_);
    std::filesystem::remove(directory_ / "out.csv");
    const Finished finished = publish(options + more);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    return finished.err;
  };
  const std::string at_the_end = "no policy was relevant in any slot: every value was released as it is";
  const std::string none = warnings("", "");
  EXPECT_NE(none.find("p.csv: holds no policy: "), std::string::npos) << none;
  EXPECT_NE(none.find(at_the_end), std::string::npos) << none;
  EXPECT_NE(warnings("", " --follow").find("p.csv: holds no policy yet: "), std::string::npos);
  const std::string outside = warnings("a,40,45,3,2,1\n", "");  // the stream ends with slot 39
  EXPECT_EQ(outside.find("holds no policy"), std::string::npos) << outside;
  EXPECT_NE(outside.find(at_the_end), std::string::npos) << outside;
  // What earlier runs released counts: a run that goes on after the policy is over says nothing.
  const std::string within = warnings("a,4,15,3,2,1\n", "");
  EXPECT_EQ(within.find("warning"), std::string::npos) << within;
  write_file(directory_ / "s.csv", stream(50));
  const Finished resumed = publish(options);
  EXPECT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_EQ(resumed.err.find("warning"), std::string::npos) << resumed;
}

TEST_F(Policies, ARuleThatBreaksThemRunsInSimulationsOnlyAndFailsTheAudit) {
  state("a,1,4,1,1,1\na,1,2,1,1,1\na,3,4,1,1,1\n");  // the witness against the conference paper's Theorem 8
  const std::string options = "--policies p.csv --exact-when-idle --mechanism conference-9 --out out.csv";
  const Finished refused = publish(options);
  EXPECT_EQ(refused.exit_code, 3) << refused;
  EXPECT_FALSE(exists("out.csv"));
  ASSERT_EQ(publish(options + " --seed 1").exit_code, 0);
  EXPECT_EQ(run_fugu(directory_, "audit --released out.csv --policies p.csv").exit_code, 3) << "marked as simulated";
  std::string unmarked;
  for (const std::string& line : lines_of(read_file(directory_ / "out.csv")))
    unmarked += line.substr(0, line.rfind(',')) + "\n";
  write_file(directory_ / "out.csv", unmarked);
  const Finished audit = run_fugu(directory_, "audit --released out.csv --policies p.csv");
  EXPECT_EQ(audit.exit_code, 1) << audit;
  EXPECT_NE(audit.out.find("ε = 1.5 of 1 promised"), std::string::npos) << audit;
}

TEST_F(Policies, BadRowsAreNamedAndNothingIsReleased) {
  struct Case {
    std::string rows;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"a,4,5,3,2,1\n", "p.csv:2:"},                               // shorter than the pattern
      {"a,4,15,3,2,1\na,9,7,1,2,1\n", "p.csv:3:"},                 // end before start
      {"a,4,15,3,2,0\n", "p.csv:2:"},                              // ε ≤ 0
      {"a,4,15,3,2,-1\n", "p.csv:2:"},                             //
      {"a,4,15,3,2,nan\n", "p.csv:2:"},                            //
      {"a,4,15,3,-2,1\n", "p.csv:2:"},                             // negative
      {"a,4,15,3,0,1\n", "p.csv:2:"},                              // nothing to hide
      {"a,4,15,3,1e30,1\n", "p.csv:2:"},                           // absurd
      {"a,-3,15,3,2,1\n", "p.csv:2:"},                             // the past
      {"a,4,15,3,2,1\nb,4,15,3,2,1\na,4,15,3,2,1\n", "p.csv:4:"},  // said before, in line 2
      {"a,4,15,3,2\n", "p.csv:2:"},                                // a field is missing
      {"a,4,x,3,2,1\n", "p.csv:2:"},                               //
      {",4,15,3,2,1\n", "p.csv:2:"},                               // whose?
  };
  for (const Case& each : cases) {
    state(each.rows);
    const Finished finished =
        publish("--policies p.csv --exact-when-idle --mechanism narwhal --ledger run.ledger --out out.csv");
    EXPECT_EQ(finished.exit_code, 2) << each.rows << finished;
    EXPECT_NE(finished.err.find(each.message), std::string::npos) << each.rows << finished;
    EXPECT_FALSE(exists("out.csv") || exists("run.ledger")) << each.rows;
  }
}

TEST_F(Policies, ThatCannotBeAccountedLeaveNothingBehind) {
  write_file(directory_ / "s.csv", "time,a,b,c\n0,1,2,3\n1,1,2,3\n2,1,2,3\n");
  const auto expect_refused = [&](const std::string& options, const std::string& why) {
    const Finished finished = publish(
        "--policies p.csv --floor event:1 --sensitivity 1e7 --mechanism narwhal --ledger run.ledger "
        "--out out.csv " +
        options);
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_NE(finished.err.find("p.csv:2: " + why), std::string::npos) << finished;
    EXPECT_FALSE(exists("out.csv") || exists("run.ledger")) << options;
  };
  const std::string good = R"({"meter":"a","start":1,"end":2,"length":1,"magnitude":1,"epsilon":1})";
  write_file(directory_ / "p.csv", good + "\n" + R"({"meter":"a","start":1,"end":2,"profile":{"a":[4]},"epsilon":9})");
  expect_refused("--budgets own", "the profile names a series that its meter does not, or need not, count into");
  write_file(directory_ / "p.csv", good + "\n" + R"({"meter":"a","start":1,"end":2,"profile":[9e6],"epsilon":9})");
  expect_refused("--delta 1e-6", "the magnitude is more than");
}

TEST_F(Policies, OneBadRowInAMillion) {
  std::string rows;
  for (int i = 0; i < 1'000'000; ++i)
    rows.append("m").append(std::to_string(i)).append(i == 700'000 ? ",9,2,1,2,1\n" : ",2,9,1,2,1\n");
  state(rows);
  const Finished finished = publish("--policies p.csv --exact-when-idle --mechanism narwhal --out out.csv");
  EXPECT_EQ(finished.exit_code, 2) << finished;
  EXPECT_NE(finished.err.find("p.csv:700002:"), std::string::npos) << finished;
  EXPECT_FALSE(exists("out.csv"));
}

TEST_F(Policies, AFloorWithAHorizonEndsTheStreamAndTheLedger) {
  state("a,4,15,3,2.1,1\n");
  const std::string options = "--policies p.csv --floor user:1:30 --sensitivity 10 --mechanism narwhal --out out.csv";
  const Finished finished = publish(options + " --ledger run.ledger");
  EXPECT_EQ(finished.exit_code, 3) << finished;
  EXPECT_EQ(expect_audit_holds(directory_, "--ledger run.ledger --released out.csv").slots, 30u);
}

TEST_F(Policies, OptionsThatDoNotGoTogether) {
  state("a,4,15,3,2,1\n");
  for (const std::string options :
       {"--policies p.csv --mechanism narwhal",
        "--policies p.csv --floor event:1 --mechanism narwhal",  // no sensitivity
        "--policies p.csv --floor event:1 --exact-when-idle --sensitivity 9 --mechanism narwhal",
        "--policies p.csv --floor event --sensitivity 9 --mechanism narwhal",
        "--policies p.csv --floor w-event:1 --sensitivity 9 --mechanism narwhal",
        "--policies p.csv --exact-when-idle --epsilon 1 --mechanism narwhal",
        "--policies p.csv --exact-when-idle --mechanism hybrid --every 2",
        "--definition event --epsilon 1 --sensitivity 9 --mechanism narwhal",
        "--definition swellfish --exact-when-idle --mechanism narwhal",
        "--policies p.csv --exact-when-idle --mechanism conference-repaired --delta 1e-6",
        "--policies none.csv --exact-when-idle --mechanism narwhal",
        "--policies p.csv --exact-when-idle --mechanism narwhal --largest-magnitude 1",
        "--policies p.csv --exact-when-idle --mechanism narwhal --smallest-epsilon 2"}) {
    const Finished finished = publish(options + " --out out.csv");
    EXPECT_TRUE(finished.exit_code == 2 || finished.exit_code == 4) << options << finished;
    EXPECT_FALSE(exists("out.csv")) << options;
  }
}

TEST_F(Policies, OfReadingsBelongToKnownMeters) {
  write_file(directory_ / "r.csv", "time,meter,value\n0,a,1\n0,b,2\n1,a,1\n1,b,2\n");
  write_file(directory_ / "map.csv", "meter,series\na,north\nb,south\n");
  const std::string command =
      "publish --readings r.csv --series-map map.csv --clamp 10 --policies p.csv --floor event:1 --mechanism narwhal";
  state("a,0,1,1,2,1\n");
  const Finished known = run_fugu(directory_, command);
  ASSERT_EQ(known.exit_code, 0) << known;
  state("x,0,1,1,2,1\n");
  const Finished unknown = run_fugu(directory_, command);
  EXPECT_EQ(unknown.exit_code, 2) << unknown;
  EXPECT_NE(unknown.err.find("p.csv:2:"), std::string::npos) << unknown;
}

TEST_F(Policies, ThatAreAppendedWhileTheStreamRunsAreKeptFromThenOn) {
  state("a,2,5,1,1,1\n");
  const std::string options =
      "publish --stream - --unit-step 0.001 --policies p.csv --exact-when-idle --notice 2 --mechanism narwhal --follow "
      "--ledger run.ledger --out out.csv";
  Process process(fugu_command(options), {.directory = directory_.path()});
  const auto row = [](int slot) { return std::to_string(slot) + ",100\n"; };
  ASSERT_TRUE(process.feed("time,load\n" + row(0) + row(1)));
  process.wait_until([&] { return lines_of(read_file(directory_ / "out.csv")).size() > 1; }, 10);
  state("a,2,5,1,1,1\nb,8,9,1,1,1\nb,3,4,1,1,1\n");  // good; at too short notice or begun
  for (int slot = 2; slot < 12; ++slot) ASSERT_TRUE(process.feed(row(slot)));
  process.close_input();
  const Finished finished = process.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("p.csv:4:"), std::string::npos) << finished;
  const std::vector<std::string> lines = lines_of(read_file(directory_ / "out.csv"));
  ASSERT_EQ(lines.size(), 13u);
  EXPECT_NE(fields_of(lines[1 + 8])[3], "0") << "the appended policy";
  EXPECT_EQ(fields_of(lines[1 + 10])[3], "0");
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");

  // The same command again finds everything done, with the file as it is now.
  const std::string out = read_file(directory_ / "out.csv");
  std::string rows = "time,load\n";
  for (int slot = 0; slot < 12; ++slot) rows += row(slot);
  const Finished again = run_fugu(directory_, options, rows);
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(read_file(directory_ / "out.csv"), out);

  // A policy that was kept cannot be edited away.
  state("b,8,9,1,1,1\n");
  const Finished edited = run_fugu(directory_, options, rows);
  EXPECT_EQ(edited.exit_code, 2) << edited;
  EXPECT_NE(edited.err.find("a policy of meter a, slots 2 to 5, is on record"), std::string::npos) << edited;
}

/// A live run whose policies file changes while it goes on.
class LivePolicies : public Policies {
 protected:
  static constexpr const char* kExact = "--exact-when-idle";
  static constexpr const char* kFloor = "--floor event:1 --sensitivity 1";

  static std::string command(const std::string& idle) {
    return "publish --stream - --unit-step 0.001 --policies p.csv " + idle +
           " --mechanism narwhal --follow --ledger run.ledger --out out.csv";
  }
  /// Starts with what holds where no policy is relevant; the first slots are out when this returns.
  void begin(const std::string& idle = kExact) {
    next_ = 0;
    idle_scale_ = idle == kExact ? 0 : 1;
    process_.emplace(fugu_command(command(idle)), ProcessOptions{.directory = directory_.path()});
    feed_until(2, "time,load\n");
    wait_for(2);
  }
  /// Feeds slots up to, not including, `slot`.
  void feed_until(int slot, std::string rows = {}) {
    for (; next_ < slot; ++next_) rows.append(std::to_string(next_)).append(",100\n");
    ASSERT_TRUE(process_->feed(rows));
  }
  void wait_for(int slots) {
    process_->wait_until(
        [&] { return lines_of(read_file(directory_ / "out.csv")).size() > static_cast<std::size_t>(slots); }, 10);
  }
  Finished end_at(int slot) {
    feed_until(slot);
    process_->close_input();
    return process_->wait();
  }
  /// The slots that got more noise than those where no policy is relevant.
  std::string noisy_slots() const {
    std::string slots;
    for (const std::string& line : lines_of(read_file(directory_ / "out.csv")))
      if (const auto fields = fields_of(line); fields[0] != "time" && std::stod(fields[3]) > 1.01 * idle_scale_)
        slots.append(fields[0]) += ' ';
    return slots;
  }
  std::size_t released_slots() const { return lines_of(read_file(directory_ / "out.csv")).size() - 1; }
  /// The same command again, on slots 0 … `slots` − 1.
  Finished run_again(int slots, const std::string& idle = kExact) const {
    std::string rows = "time,load\n";
    for (int slot = 0; slot < slots; ++slot) rows.append(std::to_string(slot)).append(",100\n");
    return run_fugu(directory_, command(idle), rows);
  }
  void forget_run() const {
    for (const char* name : {"run.ledger", "run.ledger.head", "out.csv", "p.csv"})
      std::filesystem::remove(directory_ / name);
  }
  void append(const std::string& rows) { std::ofstream(directory_ / "p.csv", std::ios::app) << rows; }

 private:
  std::optional<Process> process_;
  int next_ = 0;
  double idle_scale_ = 0;
};

TEST_F(LivePolicies, OfJsonStayJsonWhateverIsAppended) {
  const auto row = [](int slot) {
    return R"({"meter":"m","length":1,"magnitude":1,"epsilon":0.1,"start":)" + std::to_string(slot) + R"(,"end":)" +
           std::to_string(slot) + "}\n";
  };
  for (const std::string first : {"", "\n", " \n "}) {
    write_file(directory_ / "p.csv", first + row(2));
    begin(kFloor);
    append("\n");
    feed_until(4), wait_for(4);
    append("meter,start\n");
    feed_until(6), wait_for(6);
    append(row(8));
    const Finished finished = end_at(12);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    EXPECT_NE(finished.err.find("the row is ignored"), std::string::npos) << finished;
    EXPECT_EQ(noisy_slots(), "2 8 ") << finished;
    expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
    remove_ledger(directory_);
    std::filesystem::remove(directory_ / "out.csv");
  }
}

// Each way to change a file other than by appending: what was stated holds on, what is new is taken in, and no row is
// read from its middle.
TEST_F(LivePolicies, OfAFileThatWasReplacedOrEditedAreReadAnew) {
  const std::string kept = "house-1,2,3,1,1,0.1\nhouse-2,14,15,1,1,0.1\n";
  const std::string added = "house-north-0001,10,10,1,1,0.1\n";
  const auto begin_with_kept = [&] {
    forget_run();
    state(kept);
    begin(kFloor);
    feed_until(5), wait_for(5);
  };
  const auto expect_kept = [&](const std::string& noisy, const std::string& said) {
    const Finished finished = end_at(20);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    EXPECT_EQ(noisy_slots(), noisy) << finished;
    EXPECT_NE(finished.err.find(said), std::string::npos) << finished;
    EXPECT_EQ(finished.err.find("is not kept"), std::string::npos) << finished;
    EXPECT_EQ(finished.err.find("is ignored"), std::string::npos) << finished;
    expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  };
  const std::string anew = "read anew from the beginning";

  begin_with_kept();  // replaced by a longer file with the new row first
  write_file(directory_ / "p.new", kHeader + added + kept);
  std::filesystem::rename(directory_ / "p.new", directory_ / "p.csv");
  expect_kept("2 3 10 14 15 ", anew);

  begin_with_kept();  // a row was taken out, another put in
  state("house-1,2,3,1,1,0.1\n" + added);
  expect_kept("2 3 10 14 15 ", "no longer has 1 policy that holds (meter 'house-2', slots 14 to 15)");

  begin_with_kept();  // emptied, then written in two parts
  write_file(directory_ / "p.csv", "");
  feed_until(6), wait_for(6);
  state("house-2,14,15,1,1,0.1\n");
  feed_until(7), wait_for(7);
  append("house-1,2,3,1,1,0.1\n" + added);
  expect_kept("2 3 10 14 15 ", anew);

  begin_with_kept();  // gone, and back with more
  std::filesystem::remove(directory_ / "p.csv");
  feed_until(7), wait_for(7);
  state(kept + added);
  expect_kept("2 3 10 14 15 ", "the file is gone");

  begin_with_kept();  // no policies at all for a while
  write_file(directory_ / "p.csv", "something else\nm,1\n");
  feed_until(7), wait_for(7);
  state(added + kept);
  expect_kept("2 3 10 14 15 ", "nothing is added until the file changes");

  begin_with_kept();  // the same, and what comes after it lacks a row
  write_file(directory_ / "p.csv", "something else\nm,1\n");
  feed_until(7), wait_for(7);
  state("house-1,2,3,1,1,0.1\n" + added);
  expect_kept("2 3 10 14 15 ", "no longer has 1 policy that holds (meter 'house-2', slots 14 to 15)");
}

TEST_F(LivePolicies, TakenBackAndStatedAgainHoldWhenTheFileIsReadAnew) {
  const auto row = [](int slot, const std::string& more) {
    return R"({"meter":"m","length":1,"magnitude":1,"epsilon":1,"start":)" + std::to_string(slot) + R"(,"end":)" +
           std::to_string(slot) + more + "}\n";
  };
  const std::string turns = row(9, "") + row(9, R"(,"known":1,"withdraw":true)") + row(9, R"(,"known":2)");
  write_file(directory_ / "p.csv", turns);
  begin();
  feed_until(5), wait_for(5);
  write_file(directory_ / "p.csv", row(8, "") + turns);
  const Finished finished = end_at(12);
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(noisy_slots(), "8 9 ") << finished;
  EXPECT_EQ(finished.err.find("is not kept"), std::string::npos) << finished;
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

// A policy may be missing from a file that cannot be read as a whole. With a floor the stream goes on (above); a true
// value would expose whoever stated it.
TEST_F(LivePolicies, ThatCannotBeReadStopTrueValuesUntilTheyCan) {
  const std::string kept = "house-1,2,3,1,1,1\n";
  const std::string added = "house-2,7,8,1,1,1\n";
  const std::filesystem::path file = directory_ / "p.csv";
  struct Breakage {
    std::string what;
    std::function<void()> happens;
    std::string said;
  };
  const std::vector<Breakage> breakages = {
      {"a wrong row is appended", [&] { append("house-2,7,8,1,x,1\n"); }, "p.csv:3:"},
      {"a row of too few fields", [&] { append("house-2,7\n"); }, "p.csv:3:"},
      {"a right row, then a wrong one", [&] { append(added + "house-3,7,8,1,1,0\n"); }, "p.csv:4:"},
      {"the file vanishes", [&] { std::filesystem::remove(file); }, "p.csv: the file is gone"},
      {"it is emptied", [&] { write_file(file, ""); }, "p.csv: found no whole line"},
      {"it is replaced by something else", [&] { write_file(file, "something else\nm,1\n"); }, "p.csv:1:"},
      {"it becomes a folder", [&] { std::filesystem::remove(file), std::filesystem::create_directory(file); }, "p.csv"},
      {"it becomes a gzip file that is cut short", [&] { write_file(file, "\x1f\x8b\x08"); }, "p.csv"},
  };
  for (const Breakage& breakage : breakages) {
    forget_run();
    state(kept);
    begin();
    feed_until(5), wait_for(5);
    breakage.happens();
    const Finished stopped = end_at(10);
    EXPECT_EQ(stopped.exit_code, 2) << breakage.what << stopped;
    EXPECT_NE(stopped.err.find(breakage.said), std::string::npos) << breakage.what << stopped;
    EXPECT_NE(stopped.err.find("no true value is released"), std::string::npos) << breakage.what << stopped;
    EXPECT_EQ(released_slots(), 5u) << breakage.what;
    const Finished still = run_again(10);
    EXPECT_EQ(still.exit_code, 2) << breakage.what << still;
    EXPECT_EQ(released_slots(), 5u) << breakage.what;
    std::filesystem::remove(file);
    state(kept + added);
    const Finished repaired = run_again(10);
    EXPECT_EQ(repaired.exit_code, 0) << breakage.what << repaired;
    EXPECT_EQ(released_slots(), 10u) << breakage.what;
    EXPECT_EQ(noisy_slots(), "2 3 7 8 ") << breakage.what;
    expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  }
}

TEST_F(LivePolicies, HalfALineIsNoPolicyAndDoesNotStayUnnoticed) {
  const std::string half = "house-2,7,8,1,1,1";  // or the beginning of an ε of 10
  state(half);
  const Finished at_start = run_again(10);
  EXPECT_EQ(at_start.exit_code, 2) << at_start;
  EXPECT_NE(at_start.err.find("p.csv:2: found a last line without an end"), std::string::npos) << at_start;
  EXPECT_FALSE(exists("out.csv") || exists("run.ledger"));

  state("house-1,2,3,1,1,1\n");
  begin();
  append(half);
  feed_until(4), wait_for(4);  // somebody may be writing it
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  const Finished stopped = end_at(10);
  EXPECT_EQ(stopped.exit_code, 2) << stopped;
  EXPECT_NE(stopped.err.find("p.csv:3: found a last line without an end"), std::string::npos) << stopped;
  EXPECT_EQ(released_slots(), 4u);
  append("\n");
  EXPECT_EQ(run_again(10).exit_code, 0);
  EXPECT_EQ(noisy_slots(), "2 3 7 8 ");
}

TEST_F(LivePolicies, MayBeAppendedToAGzipFile) {
  const auto append_member = [&](const std::string& text) {
    gzFile file = gzopen((directory_ / "p.csv").c_str(), "ab");
    gzputs(file, text.c_str());
    gzclose(file);
  };
  append_member(std::string(kHeader) + "a,2,3,1,1,1\n");
  begin();
  append_member("b,7,8,1,1,1\n");
  const Finished finished = end_at(10);
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(noisy_slots(), "2 3 7 8 ") << finished;
}

/// A run that is stopped and started again while its policies file changes.
class RestartedPolicies : public Policies {
 protected:
  /// Publishes slots 0 … `slots` − 1, going on where the ledger ends.
  Finished run_until(int slots, const std::string& options = "", const std::string& idle = "--exact-when-idle") {
    std::string rows = "time,load\n";
    for (int slot = 0; slot < slots; ++slot) rows.append(std::to_string(slot)).append(",100\n");
    return run_fugu(
        directory_,
        "publish --stream - --unit-step 0.001 --policies p.csv --mechanism narwhal --follow --ledger run.ledger "
        "--out out.csv " +
            idle + " " + options,
        rows);
  }
  /// Whether the true value was released.
  bool is_exact(int slot) const {
    return fields_of(lines_of(read_file(directory_ / "out.csv")).at(static_cast<std::size_t>(slot) + 1))[3] == "0";
  }
  void state_known(const std::string& rows) {
    write_file(directory_ / "p.csv", "meter,start,end,length,magnitude,epsilon,known\n" + rows);
  }
};

TEST_F(RestartedPolicies, ThoseStatedMeanwhileAreKept) {
  const std::string before = "m1,2,4,1,1,1,0\nm2,6,7,1,1,1,3\n";
  state_known(before);
  ASSERT_EQ(run_until(10).exit_code, 0);
  state_known(before + "m3,16,19,1,1,1,0\n");
  const Finished finished = run_until(22);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  for (int slot = 10; slot < 22; ++slot) EXPECT_EQ(is_exact(slot), slot < 16 || slot > 19) << slot;
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  EXPECT_EQ(run_fugu(directory_, "audit --released out.csv --policies p.csv").exit_code, 0);
}

TEST_F(RestartedPolicies, AFileThatCannotBeReadAsAWholeStopsTheRun) {
  const std::string before = "m1,2,4,1,1,1\n";
  for (const std::string idle : {"--exact-when-idle", "--floor event:1 --sensitivity 1"}) {
    remove_ledger(directory_);
    std::filesystem::remove(directory_ / "out.csv");
    state(before);
    ASSERT_EQ(run_until(10, "", idle).exit_code, 0);
    const std::string released = read_file(directory_ / "out.csv");
    for (const std::string wrong : {"m3,16,19,1,x,1\n", "m3,16\n", ",16,19,1,1,1\n"}) {
      state(before + wrong + "m4,12,13,1,1,1\n");
      const Finished stopped = run_until(22, "", idle);
      EXPECT_EQ(stopped.exit_code, 2) << wrong << stopped;
      EXPECT_NE(stopped.err.find("p.csv:3:"), std::string::npos) << wrong << stopped;
      EXPECT_EQ(read_file(directory_ / "out.csv"), released) << wrong;
    }
    state(before + "m3,16,19,1,1,1\n");
    EXPECT_EQ(run_until(22, "", idle).exit_code, 0);
    expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  }
}

TEST_F(RestartedPolicies, WithdrawalsAndLaterStatementsAreFoundAgain) {
  write_file(directory_ / "p.csv",
             R"({"meter":"m1","start":2,"end":4,"length":1,"magnitude":1,"epsilon":1}
{"meter":"m2","start":8,"end":9,"length":1,"magnitude":1,"epsilon":1}
{"meter":"m2","start":8,"end":9,"length":1,"magnitude":1,"epsilon":1,"known":1,"withdraw":true}
{"meter":"m2","start":8,"end":9,"length":1,"magnitude":1,"epsilon":1,"known":5}
{"meter":"m3","start":12,"end":13,"length":1,"magnitude":1,"epsilon":1}
)");
  ASSERT_EQ(run_until(6).exit_code, 0);
  const Finished finished = run_until(16);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_FALSE(is_exact(8));
  EXPECT_FALSE(is_exact(12));
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

TEST_F(RestartedPolicies, TheRuleOfAdmissionHoldsAfterARestartToo) {
  state("m1,2,20,1,1,1\n");
  const std::string rule = "--notice 4 --most-overlapping 2";
  ASSERT_EQ(run_until(8, rule).exit_code, 0);
  // At too short notice; fine; one too many; begun.
  state("m1,2,20,1,1,1\nm1,9,12,1,1,1\nm1,14,18,1,1,1\nm1,15,16,1,1,1\nm1,5,6,1,1,1\n");
  const Finished finished = run_until(24, rule);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  for (const char* line : {"p.csv:3:", "p.csv:5:", "p.csv:6:"})
    EXPECT_NE(finished.err.find(line), std::string::npos) << line << finished;
  EXPECT_EQ(finished.err.find("p.csv:4:"), std::string::npos) << finished;
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

TEST_F(RestartedPolicies, ARecurringWishThatIsAppendedIsKeptEachTime) {
  write_file(directory_ / "p.csv", R"({"meter":"m1","start":0,"end":1,"length":1,"magnitude":1,"epsilon":1}
)");
  const std::string options =
      "publish --stream - --unit-step 0.001 --slot-length 6h --policies p.csv --exact-when-idle --mechanism narwhal "
      "--follow --ledger run.ledger --out out.csv";
  Process process(fugu_command(options), {.directory = directory_.path()});
  const auto row = [](int slot) {
    char text[40];
    std::snprintf(text, sizeof text, "2026-01-%02dT%02d:00:00+00:00,100\n", 5 + slot / 4, slot % 4 * 6);
    return std::string(text);
  };
  ASSERT_TRUE(process.feed("time,load\n" + row(0) + row(1)));
  process.wait_until([&] { return lines_of(read_file(directory_ / "out.csv")).size() > 1; }, 10);
  std::ofstream(directory_ / "p.csv", std::ios::app)
      << R"({"meter":"m9","length":1,"magnitude":1,"epsilon":1,"repeat":{"days":"daily","from":"12:00","to":"18:00","until":"2026-01-09"}})"
      << "\n";
  for (int slot = 2; slot < 16; ++slot) ASSERT_TRUE(process.feed(row(slot)));
  process.close_input();
  const Finished finished = process.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  for (int day = 1; day < 4; ++day) EXPECT_FALSE(is_exact(day * 4 + 2)) << "day " << day << finished;
  EXPECT_TRUE(is_exact(7));
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

TEST_F(Policies, OfALiveStreamMayBeCompressed) {
  gzFile file = gzopen((directory_ / "p.csv.gz").c_str(), "wb");
  gzputs(file, (std::string(kHeader) + "a,2,5,1,1,1\n").c_str());
  gzclose(file);
  const Finished finished = run_fugu(
      directory_,
      "publish --stream - --unit-step 0.001 --policies p.csv.gz --exact-when-idle --mechanism narwhal --follow "
      "--ledger run.ledger --out out.csv",
      stream(10));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  EXPECT_EQ(run_fugu(directory_, "audit --released out.csv --policies p.csv.gz").exit_code, 0);
}

TEST_F(Policies, WhoHasPoliciesDoesNotMoveToOtherSeries) {
  write_file(directory_ / "map.csv", "meter,series\na,north\nb,south\n");
  state("a,6,8,1,1,1\n");
  const std::string command =
      "publish --readings - --series-map map.csv --clamp 10 --policies p.csv --exact-when-idle --mechanism narwhal "
      "--ledger run.ledger --out out.csv";
  const std::string rows = "time,meter,value\n0,a,1\n0,b,1\n1,a,1\n1,b,1\n";
  ASSERT_EQ(run_fugu(directory_, command, rows).exit_code, 0);
  write_file(directory_ / "map.csv", "meter,series\nb,north\na,south\n");
  const Finished moved = run_fugu(directory_, command, rows + "2,a,1\n");
  EXPECT_EQ(moved.exit_code, 3) << moved;
  EXPECT_NE(moved.err.find("a has policies until slot 8"), std::string::npos) << moved;
  // Without a series it waits; once its policies are over it may count elsewhere.
  write_file(directory_ / "map.csv", "meter,series\nb,north\nc,south\na,\n");
  ASSERT_EQ(run_fugu(directory_, command, "time,meter,value\n8,b,1\n9,b,1\n").exit_code, 0);
  write_file(directory_ / "map.csv", "meter,series\nb,north\na,south\n");
  ASSERT_EQ(run_fugu(directory_, command, "time,meter,value\n10,a,1\n11,a,1\n").exit_code, 0);
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
}

}  // namespace
}  // namespace fugu::test
