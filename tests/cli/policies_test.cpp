// fugu publish --policies: what households state is kept, and what makes no sense is refused before anything is
// released.
#include <zlib.h>

#include <cstdio>
#include <fstream>

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
    std::filesystem::remove(directory_ / "run.ledger");
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

TEST_F(Policies, ARuleThatBreaksThemRunsInSimulationsOnlyAndFailsTheAudit) {
  state("a,1,4,1,1,1\na,1,2,1,1,1\na,3,4,1,1,1\n");  // the witness against the conference paper's Theorem 8
  const std::string options = "--policies p.csv --exact-when-idle --mechanism conference-9 --out out.csv";
  const Finished refused = publish(options);
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_FALSE(exists("out.csv"));
  ASSERT_EQ(publish(options + " --seed 1").exit_code, 0);
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
  state("a,2,5,1,1,1\nb,8,9,1,1,1\nb,3,4,1,1,1\nb,x\n");  // good; at too short notice or begun; wrong
  for (int slot = 2; slot < 12; ++slot) ASSERT_TRUE(process.feed(row(slot)));
  process.close_input();
  const Finished finished = process.wait();
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("p.csv:4:"), std::string::npos) << finished;
  EXPECT_NE(finished.err.find("p.csv:5:"), std::string::npos) << finished;
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
}

/// A run that is stopped and started again while its policies file changes.
class RestartedPolicies : public Policies {
 protected:
  /// Publishes slots 0 … `slots` − 1, going on where the ledger ends.
  Finished run_until(int slots, const std::string& options = "") {
    std::string rows = "time,load\n";
    for (int slot = 0; slot < slots; ++slot) rows.append(std::to_string(slot)).append(",100\n");
    return run_fugu(
        directory_,
        "publish --stream - --unit-step 0.001 --policies p.csv --exact-when-idle --mechanism narwhal --follow "
        "--ledger run.ledger --out out.csv " +
            options,
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

TEST_F(Policies, AMapThatChangedStopsARestart) {
  write_file(directory_ / "map.csv", "meter,series\na,north\nb,south\n");
  state("a,6,8,1,1,1\n");
  const std::string command =
      "publish --readings - --series-map map.csv --clamp 10 --policies p.csv --exact-when-idle --mechanism narwhal "
      "--ledger run.ledger --out out.csv";
  const std::string rows = "time,meter,value\n0,a,1\n0,b,1\n1,a,1\n1,b,1\n";
  ASSERT_EQ(run_fugu(directory_, command, rows).exit_code, 0);
  write_file(directory_ / "map.csv", "meter,series\nb,north\na,south\n");
  const Finished moved = run_fugu(directory_, command, rows);
  EXPECT_EQ(moved.exit_code, 2) << moved;
}

}  // namespace
}  // namespace fugu::test
