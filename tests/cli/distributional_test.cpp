// fugu distributional and publish --distributional: from past readings to an audited release, killed (-9), bad input.
#include <filesystem>

#include "fugu/base/digest.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr int kMeters = 8;
const std::string kPublish =
    "publish --readings now.csv --series-map map.csv --clamp 100 --distributional s.state --definition event --epsilon "
    "1 "
    "--mechanism uniform --ledger run.ledger --out out.csv ";
const std::string kPrepare = "distributional prepare --readings past.csv --series-map map.csv --clamp 100 --by none ";

std::string readings(int slots) {
  std::string text = "time,meter,value\n";
  for (int slot = 0; slot < slots; ++slot) {
    for (int meter = 0; meter < kMeters; ++meter) {
      text.append(std::to_string(slot)).append(",m").append(std::to_string(meter)).append(",");
      text.append(std::to_string((meter * 31 + slot * 17 + slot * slot) % 53)).append("\n");
    }
  }
  return text;
}

class Distributional : public ::testing::Test {
 protected:
  void SetUp() override {
    write("past.csv", readings(100));
    write("now.csv", readings(300));
    std::string map = "meter,series\n";
    for (int meter = 0; meter < kMeters; ++meter) map.append("m").append(std::to_string(meter)).append(",north\n");
    write("map.csv", map);
  }
  Finished fugu(const std::string& options) { return run_fugu(directory, options); }
  void write(const std::string& name, const std::string& text) { write_file(directory / name, text); }
  std::string text(const std::string& name) { return read_file(directory / name); }
  /// A ledger is forgotten together with its head.
  void remove(const std::string& name) {
    for (const char* end : {"", ".head"}) std::filesystem::remove(directory / (name + end));
  }
  void expect_error(const std::string& options, int exit_code, const std::string& word) {
    const Finished finished = fugu(options);
    EXPECT_EQ(finished.exit_code, exit_code) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(word), std::string::npos) << options << "\n" << finished;
  }

  TempDir directory;
};

TEST_F(Distributional, FromPastReadingsToAnAuditedRelease) {
  for (const std::string form : {"--spread 20 --epsilon 1", "--hidden --delta 1e-6 --spread 20 --epsilon 1",
                                 "--transform stable --alpha 1.5 --spread 5 --epsilon 2 --sample 0.5"}) {
    for (const char* name : {"s.state", "run.ledger", "out.csv"}) remove(name);
    EXPECT_EQ(fugu(kPrepare + form + " --out s.state").exit_code, 0) << form;
    const Finished audited = fugu("audit distributional --state s.state");
    EXPECT_EQ(audited.exit_code, 0) << audited;
    EXPECT_NE(audited.out.find("holds"), std::string::npos);
    EXPECT_EQ(fugu(kPublish).exit_code, 0) << form;
    EXPECT_EQ(lines_of(text("out.csv")).size(), 301U);
    const Finished alone = fugu("audit --ledger run.ledger --released out.csv");
    EXPECT_EQ(alone.exit_code, 0) << alone;
    EXPECT_NE(alone.out.find("NOT AUDITED"), std::string::npos) << "a part is missing, and that is said\n" << alone;
    const Finished both = fugu("audit --ledger run.ledger --released out.csv --distributional s.state");
    EXPECT_EQ(both.exit_code, 0) << both;
    for (const std::string& said :
         {std::string("worst loss  ε = 1 of 1 promised"), audited.out, std::string("verdict     holds")})
      EXPECT_NE(both.out.find(said), std::string::npos) << said << both;
    EXPECT_EQ(both.out.find("NOT AUDITED"), std::string::npos) << both;
  }
}

TEST_F(Distributional, TheAuditOfARunFailsWithEitherOfItsPromises) {
  const std::string audit = "audit --ledger run.ledger --released out.csv --distributional s.state";
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  ASSERT_EQ(fugu(kPublish).exit_code, 0);
  std::string released = text("out.csv");
  write("out.csv", released.append(lines_of(released).back()).append("\n"));  // a slot twice
  const Finished ledger_fails = fugu(audit);
  EXPECT_EQ(ledger_fails.exit_code, 1) << ledger_fails;
  EXPECT_NE(ledger_fails.out.find(": holds, while readings"), std::string::npos) << ledger_fails;
  EXPECT_NE(ledger_fails.out.find("verdict     FAILS"), std::string::npos) << ledger_fails;

  for (const char* name : {"s.state", "run.ledger", "out.csv"}) remove(name);
  ASSERT_EQ(
      fugu("distributional prepare --transform bernoulli --series-map map.csv --clamp 100 --out s.state").exit_code, 0);
  ASSERT_EQ(fugu(kPublish).exit_code, 0);
  EXPECT_EQ(fugu("audit --ledger run.ledger --released out.csv").exit_code, 0);
  const Finished state_fails = fugu(audit);
  EXPECT_EQ(state_fails.exit_code, 1) << state_fails;
  EXPECT_NE(state_fails.out.find("means are not protected"), std::string::npos) << state_fails;
  EXPECT_NE(state_fails.out.find("verdict     FAILS"), std::string::npos) << state_fails;
}

TEST_F(Distributional, TheAuditOfARunWantsTheStateOnRecord) {
  const std::string audit = "audit --ledger run.ledger --distributional ";
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  ASSERT_EQ(fugu(kPublish).exit_code, 0);
  const std::string whole = text("s.state");
  const std::string id = whole.substr(whole.find("id,") + 3, 32);

  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out again.state").exit_code, 0);
  expect_error(audit + "again.state", 2, "expected the one that the ledger names, " + id);
  write("map2.csv", "meter,series\nm0,south\nm1,south\n");
  ASSERT_EQ(
      fugu("distributional prepare --transform bernoulli --series-map map2.csv --clamp 9 --out o.state").exit_code, 0);
  expect_error(audit + "o.state", 2, "o.state: found state ");
  expect_error(audit + "none.state", 2, "none.state");
  expect_error(audit + "map.csv", 2, "map.csv:1:1: found another file");
  write("cut.state", whole.substr(0, whole.find("meter,m3")));
  expect_error(audit + "cut.state", 2, "found the end of the file");
  expect_error("audit --released out.csv --distributional s.state", 2, "requires --ledger");
  expect_error("audit distributional", 2, "--state is required");
  expect_error("audit distributional --state none.state", 2, "none.state");
  expect_error("audit --ledger run.ledger distributional --state s.state", 2, "excludes");

  std::string plain = kPublish;
  plain.replace(plain.find("--distributional s.state "), std::string("--distributional s.state ").size(), "");
  for (const char* name : {"run.ledger", "out.csv"}) remove(name);
  ASSERT_EQ(fugu(plain).exit_code, 0);
  expect_error(audit + "s.state", 2, "readings were summed as they are");
  EXPECT_EQ(fugu("audit --ledger run.ledger").out.find("distributional"), std::string::npos);
}

// The id alone is no evidence: a state that was changed, checksum and all, has to fit what the ledger charged for.
TEST_F(Distributional, TheAuditOfARunFindsAStateThatDoesNotFit) {
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  ASSERT_EQ(fugu(kPublish).exit_code, 0);
  std::string both = "meter,series\n";
  std::string either = both;
  for (int meter = 0; meter < kMeters; ++meter) {
    const std::string name = std::string("m").append(std::to_string(meter));
    both.append(name).append(",north\n").append(name).append(",all\n");
    either.append(name).append(meter == 0 ? ",north\n" : ",all\n");
  }
  write("both.csv", both);
  write("either.csv", either);
  const auto expect_finding = [&](const std::string& prepare, const std::string& finding) {
    ASSERT_EQ(fugu(prepare + " --epsilon 1 --out f.state").exit_code, 0);
    const std::string id = text("s.state").substr(text("s.state").find("id,"), 35);
    std::string forged = text("f.state");
    remove("f.state");
    forged.replace(forged.find("id,"), id.size(), id);
    forged.resize(forged.find("end,"));
    const std::string version = to_hex(sha256({forged}));
    write("forged.state", forged.append("end,").append(version).append("\n"));
    const Finished audited = fugu("audit --ledger run.ledger --distributional forged.state");
    EXPECT_EQ(audited.exit_code, 1) << prepare << audited;
    EXPECT_NE(audited.out.find("finding     " + finding), std::string::npos) << prepare << audited;
  };
  expect_finding(kPrepare + "--spread 30",
                 "series north: the ledger charges for a change of 160 steps; with this state");
  expect_finding(kPrepare + "--spread 20 --unit-step 0.5", "the state was prepared for another unit step");
  const auto prepare_for = [](const std::string& map) {
    return "distributional prepare --readings past.csv --clamp 100 --by none --spread 20 --series-map " + map;
  };
  expect_finding(prepare_for("both.csv"), "the state was prepared for other series");

  for (const char* name : {"s.state", "run.ledger", "out.csv"}) remove(name);
  std::string publish = kPublish;
  publish.replace(publish.find("map.csv"), 7, "both.csv");
  ASSERT_EQ(fugu(prepare_for("both.csv") + " --epsilon 1 --out s.state").exit_code, 0);
  ASSERT_EQ(fugu(publish).exit_code, 0);
  expect_finding(prepare_for("either.csv"), "a meter counts into 2 series; the constants were drawn for meters in 1");
  EXPECT_EQ(fugu("audit --ledger run.ledger --distributional s.state").exit_code, 0);
}

TEST_F(Distributional, BernoulliNeedsNoPastAndDoesNotProtectTheMean) {
  EXPECT_EQ(
      fugu("distributional prepare --transform bernoulli --series-map map.csv --clamp 100 --out s.state").exit_code, 0);
  EXPECT_EQ(fugu("audit distributional --state s.state").exit_code, 1);
  EXPECT_EQ(fugu(kPublish).exit_code, 0);
}

// Were what meters send drawn anew for each ledger, two releases together would show what one hides.
TEST_F(Distributional, TwoLedgersOfOneStateReleaseWhatWasSentOnce) {
  ASSERT_EQ(
      fugu("distributional prepare --transform bernoulli --series-map map.csv --clamp 100 --out s.state").exit_code, 0);
  for (const char* run : {"1", "2"}) {
    const Finished published = fugu(
        "publish --readings now.csv --series-map map.csv --clamp 100 --distributional s.state --definition event "
        "--epsilon 5000 --mechanism uniform --ledger " +  // next to no noise of the kernel's own
        std::string(run) +
        ".ledger --out " + run + ".csv");
    ASSERT_EQ(published.exit_code, 0) << published;
  }
  EXPECT_EQ(text("1.csv"), text("2.csv"));
}

TEST_F(Distributional, KilledAndResumedTheConstantsStay) {
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  const std::string state = text("s.state");
  const std::string all = readings(300);
  Process process(
      fugu_command(std::string(kPublish)
                       .append("--follow --readings -")
                       .replace(kPublish.find("--readings now.csv "), std::string("--readings now.csv ").size(), "")),
      {.directory = directory.path()});
  process.feed(all.substr(0, all.size() / 2));
  ASSERT_TRUE(process.wait_until([&] { return lines_of(text("out.csv")).size() > 50; }));
  process.kill();
  process.wait();
  EXPECT_EQ(text("s.state"), state) << "publishing does not touch the state";
  const Finished resumed = fugu(kPublish);
  EXPECT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_EQ(text("s.state"), state);
  EXPECT_EQ(lines_of(text("out.csv")).size(), 301U);
  EXPECT_EQ(fugu("audit --ledger run.ledger --released out.csv").exit_code, 0);
}

TEST_F(Distributional, AStreamThatBeganWithOtherConstantsIsRefused) {
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  ASSERT_EQ(fugu(kPublish).exit_code, 0);
  expect_error(kPrepare + "--spread 20 --epsilon 1 --out s.state", 2, "drawn once");
  remove("s.state");
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  const Finished finished = fugu(kPublish);
  EXPECT_NE(finished.exit_code, 0) << "drawn again, constants could be averaged away";
  std::string without = kPublish;
  without.erase(without.find("--distributional s.state "), std::string("--distributional s.state ").size());
  EXPECT_NE(fugu(without).exit_code, 0);
}

TEST_F(Distributional, SaysWhatIsWrong) {
  expect_error(kPrepare + "--out s.state", 2, "--epsilon is missing");
  expect_error(kPrepare + "--spread 20 --out s.state", 2, "--epsilon");
  expect_error(kPrepare + "--spread 0 --epsilon 1 --out s.state", 2, "--spread must be positive");
  expect_error(kPrepare + "--spread -3 --epsilon 1 --out s.state", 2, "--spread must be positive");
  expect_error(kPrepare + "--spread 80 --epsilon 1 --out s.state", 2, "beyond half of the clamp");
  for (const char* delta : {"", "--delta 0", "--delta 1", "--delta -1"})
    expect_error(std::string(kPrepare).append("--hidden --spread 20 --epsilon 1 --out s.state ").append(delta), 2,
                 "δ between 0 and 1");
  expect_error(kPrepare + "--spread 20 --epsilon 1 --delta 0.1 --out s.state", 2, "δ belongs to the hidden form");
  expect_error(kPrepare + "--transform stable --spread 20 --epsilon 1 --out s.state", 2, "--alpha");
  expect_error("distributional prepare --series-map map.csv --clamp 100 --spread 20 --epsilon 1 --out s.state", 2,
               "--readings is missing");
  write("past.csv", "time,meter,value\n0,m0,5\n");
  expect_error(kPrepare + "--spread 20 --epsilon 1 --out s.state", 2, "no past reading of meter");
  EXPECT_FALSE(std::filesystem::exists(directory / "s.state"));
}

TEST_F(Distributional, ASpreadBelowWhatWasLearnedIsSaidAndKept) {
  const Finished finished = fugu(kPrepare + "--spread 2 --epsilon 1 --out s.state");
  EXPECT_EQ(finished.exit_code, 0) << "an error would tell about readings";
  EXPECT_NE(finished.err.find("8 meters spread more"), std::string::npos) << finished;
}

TEST_F(Distributional, AStreamThatHasWhatWasLearnedFromIsRefused) {
  const auto day = [](const char* date) {
    std::string rows = "time,meter,value\n";
    for (int hour = 0; hour < 24; ++hour) {
      for (int meter = 0; meter < 2; ++meter) {
        char row[80];
        std::snprintf(row, sizeof row, "%sT%02d:00:00Z,m%d,%d\n", date, hour, meter, hour % 7 + meter);
        rows += row;
      }
    }
    return rows;
  };
  write("map.csv", "meter,series\nm0,north\nm1,north\n");
  write("past.csv", day("2026-01-01"));
  write("next.csv", day("2026-01-02"));
  const std::string options = "--series-map map.csv --clamp 10 --slot-length 1h ";
  ASSERT_EQ(
      fugu("distributional prepare --readings past.csv --spread 5 --epsilon 1 --out days.state " + options).exit_code,
      0);
  const std::string publish =
      "publish --distributional days.state --definition event --epsilon 1 --mechanism uniform " + options +
      "--readings ";
  expect_error(publish + "past.csv", 3, "before the past readings end");
  EXPECT_EQ(fugu(publish + "next.csv").exit_code, 0);
}

/// Hours from a date of January 2026 on, in which a meter reads 3 in the first half of a day and 8 in the second.
std::string hours_from(int date, int days, const std::vector<std::string>& meters) {
  std::string rows = "time,meter,value\n";
  for (int hour = 0; hour < 24 * days; ++hour) {
    for (const std::string& meter : meters) {
      char time[40];
      std::snprintf(time, sizeof time, "2026-01-%02dT%02d:00:00+01:00,", date + hour / 24, hour % 24);
      rows.append(time).append(meter).append(",").append(std::to_string((hour % 24 < 12 ? 3 : 8) + hour % 5));
      rows += '\n';
    }
  }
  return rows;
}

const std::string kHourly = "--series-map map.csv --clamp 20 --slot-length 1h ";

TEST_F(Distributional, LearnsByTheHourAndSaysWhatItDidNotLearn) {
  write("map.csv", "meter,series\nm0,north\nm1,north\n");
  write("past.csv", hours_from(1, 2, {"m0", "m1"}));
  write("next.csv", hours_from(3, 2, {"m0", "m1"}));
  const std::string prepare = "distributional prepare --readings past.csv --spread 5 --epsilon 1 " + kHourly;
  const std::string publish =
      "publish --definition event --epsilon 1 --mechanism uniform --readings next.csv " + kHourly + "--distributional ";
  const Finished finished = fugu(prepare + "--out s.state");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("2 meters have fewer than 100 past readings for some"), std::string::npos) << finished;
  EXPECT_NE(finished.err.find("the constant, of scale 480, is larger than the total"), std::string::npos) << finished;
  const Finished audited = fugu("audit distributional --state s.state");
  EXPECT_EQ(audited.exit_code, 0) << audited;
  for (const char* said :
       {"learned by hour: 24 circumstances, 24 levels", "of scale 480: ε = 1", "holds, while readings follow",
        "NOT HIDDEN  how readings differ by weekend,season", "NOT HIDDEN  habits that change after learning"})
    EXPECT_NE(audited.out.find(said), std::string::npos) << said << audited;
  EXPECT_EQ(audited.out.find("for ever "), std::string::npos) << audited;
  EXPECT_EQ(fugu(publish + "s.state").exit_code, 0);

  EXPECT_EQ(fugu(prepare + "--by none --out none.state").exit_code, 0);
  EXPECT_NE(fugu("audit distributional --state none.state").out.find("differ by hour,weekend,season"),
            std::string::npos);
  EXPECT_EQ(fugu(prepare + "--by weekend,hour,season --one-level --out one.state").exit_code, 0);
  const Finished one = fugu("audit distributional --state one.state");
  EXPECT_NE(one.out.find("192 circumstances, 1 level\n"), std::string::npos) << one;
  EXPECT_EQ(one.out.find("differ by"), std::string::npos) << one;
  EXPECT_EQ(fugu(publish + "one.state").exit_code, 0);

  expect_error(prepare + "--by days --out x.state", 2, "--by");
  expect_error(prepare + "--by none --one-level --out x.state", 2, "--one-level");
  SetUp();
  expect_error(
      "distributional prepare --readings past.csv --series-map map.csv --clamp 100 --spread 9 --epsilon 1 "
      "--out x.state",
      2, "--by none");
}

TEST_F(Distributional, AStateByTheHourNeedsTimes) {
  std::string map = "meter,series\n";
  for (int meter = 0; meter < kMeters; ++meter) map.append("m").append(std::to_string(meter)).append(",north\n");
  std::vector<std::string> names;
  for (int meter = 0; meter < kMeters; ++meter) names.push_back(std::string("m").append(std::to_string(meter)));
  write("past.csv", hours_from(1, 2, names));
  ASSERT_EQ(fugu("distributional prepare --readings past.csv --slot-length 1h --series-map map.csv --clamp 100 "
                 "--spread 5 --epsilon 1 --out s.state")
                .exit_code,
            0);
  expect_error(kPublish, 3, "expected time stamps");
  EXPECT_FALSE(std::filesystem::exists(directory / "run.ledger"));
}

TEST_F(Distributional, MetersJoinAndLeaveAStreamThatGoesOn) {
  write("map.csv", "meter,series\nm0,north\nm1,north\nm2,south\n");
  write("past.csv", hours_from(1, 2, {"m0", "m1", "m2"}));
  write("now.csv", hours_from(3, 2, {"m0", "m1", "m2"}));
  const std::string publish =
      "publish --readings now.csv --distributional s.state --definition event --epsilon 1 --mechanism uniform --ledger "
      "run.ledger --out out.csv " +
      kHourly;
  ASSERT_EQ(
      fugu("distributional prepare --readings past.csv --spread 5 --epsilon 1 --out s.state " + kHourly).exit_code, 0);
  ASSERT_EQ(fugu(publish).exit_code, 0);
  const std::string change = "distributional change --state s.state --series-map map.csv --ledger run.ledger ";
  expect_error(change, 2, "nothing changes");

  write("map.csv", "meter,series\nm3,north\nm0,north\nm2,south\n");
  write("now.csv", hours_from(3, 2, {"m0", "m2"}) + hours_from(5, 2, {"m0", "m2", "m3"}).substr(17));
  expect_error(publish, 3, "other meters");
  expect_error(change, 2, "--readings is missing");
  write("past.csv", hours_from(3, 2, {"m3"}));
  const std::string before = text("s.state");
  const Finished changed = fugu(change + "--readings past.csv");
  ASSERT_EQ(changed.exit_code, 0) << changed;
  EXPECT_NE(changed.err.find("each meter that joined or left pays ε = 1 for it"), std::string::npos) << changed;
  EXPECT_NE(text("s.state"), before);
  const Finished resumed = fugu(publish);
  EXPECT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_EQ(lines_of(text("out.csv")).size(), 1U + 2 * 96) << "two series, four days";
  const Finished audited = fugu("audit --ledger run.ledger --released out.csv --distributional s.state");
  EXPECT_EQ(audited.exit_code, 0) << audited;
  EXPECT_NE(audited.out.find("one of them has ε = 2"), std::string::npos) << audited;

  // What the stream has already must not be learned from: it goes on before the past readings of m4 end.
  write("map.csv", "meter,series\nm3,north\nm0,north\nm2,south\nm4,south\n");
  write("past.csv", hours_from(8, 2, {"m4"}));
  const std::string latest = text("s.state");
  expect_error(change + "--readings past.csv", 3, "before the stream goes on, at 2026-01-07T00:00:00+01:00");
  EXPECT_EQ(text("s.state"), latest) << "still the one that the stream can go on with";
  ASSERT_EQ(
      fugu("distributional change --state s.state --series-map map.csv --no-ledger --readings past.csv").exit_code, 0);
  expect_error(publish, 3, "before the past readings end");
  EXPECT_EQ(fugu("audit --ledger run.ledger --released out.csv").exit_code, 0) << "nothing was begun";
}

TEST_F(Distributional, AChangeSaysWhichLedgerKnowsTheLatestState) {
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  ASSERT_EQ(fugu(kPublish).exit_code, 0);
  write("map.csv", "meter,series\nm0,north\n");
  const std::string change = "distributional change --state s.state --series-map map.csv ";
  expect_error(change, 2, "--no-ledger");
  expect_error(change + "--no-ledger --ledger run.ledger", 2, "--no-ledger");
  expect_error(change + "--ledger none.ledger", 2, "none.ledger");
  expect_error(change + "--ledger out.csv", 2, "not a fugu ledger");
  expect_error("distributional change --state s.state --ledger run.ledger", 2, "--series-map is missing");
  expect_error("distributional change --state s.state --ledger run.ledger --slot-length x", 2, "--slot-length");
  std::string without = kPublish;
  without.erase(without.find("--distributional s.state "), std::string("--distributional s.state ").size());
  without.replace(without.find("run.ledger"), 10, "raw.ledger").replace(without.find("out.csv"), 7, "raw.csv");
  SetUp();
  ASSERT_EQ(fugu(without).exit_code, 0);
  expect_error(change + "--ledger raw.ledger", 2, "went through no state");
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out other.state").exit_code, 0);
  write("map.csv", "meter,series\nm0,north\n");
  expect_error("distributional change --state other.state --series-map map.csv --ledger run.ledger", 3, "its own");
  EXPECT_EQ(fugu(change + "--ledger run.ledger").exit_code, 0);
}

TEST_F(Distributional, AHouseholdPaysForAllItsMeters) {
  write("map.csv", "meter,series\nm0,north\nm1,south\nm2,north\nm3,south\n");
  write("homes.csv", "meter,household\nm0,home\nm1,home\nm2,home\n");
  const std::string all = readings(20);
  std::string some;
  for (const std::string& line : lines_of(all)) {
    if (line.find(",m4,") == std::string::npos && line.find(",m5,") == std::string::npos &&
        line.find(",m6,") == std::string::npos && line.find(",m7,") == std::string::npos)
      some.append(line).append("\n");
  }
  write("past.csv", some);
  write("now.csv", some);
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 0.5 --out s.state").exit_code, 0);
  const Finished published = fugu(kPublish + "--households homes.csv");
  EXPECT_EQ(published.exit_code, 0) << published;
  EXPECT_NE(published.err.find("one household has 3 meters"), std::string::npos) << published;
  EXPECT_NE(published.err.find("together ε = 1.5"), std::string::npos) << published;
  const Finished audited = fugu("audit --ledger run.ledger --distributional s.state");
  EXPECT_EQ(audited.exit_code, 0) << audited;
  EXPECT_NE(audited.out.find("household   one with 3 meters has ε = 1.5, δ = 0 for all of them together"),
            std::string::npos)
      << audited;
}

TEST_F(Distributional, ALiveStreamSaysThatItDoesNotFollowTheMap) {
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  std::string publish = kPublish;
  publish.replace(publish.find("--readings now.csv"), 18, "--readings - --follow");
  Process process(fugu_command(publish), {.directory = directory.path()});
  const std::string all = readings(40);
  process.feed(all.substr(0, all.find("\n20,") + 1));
  ASSERT_TRUE(process.wait_until([&] { return lines_of(text("out.csv")).size() > 10; }));
  write("map.csv", "meter,series\nm0,north\n");
  process.feed(all.substr(all.find("\n20,") + 1));
  process.close_input();
  const Finished finished = process.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const std::string said = "map.csv: changed, which does not count yet";
  const std::size_t at = finished.err.find(said);
  ASSERT_NE(at, std::string::npos) << finished;
  EXPECT_EQ(finished.err.find(said, at + 1), std::string::npos) << "once";
  EXPECT_EQ(lines_of(text("out.csv")).size(), 1U + 40);
}

// The law of an hour's mean is not that of a quarter's: what is sent in its place would show which is which.
TEST_F(Distributional, SlotsOfAnotherLengthThanThoseLearnedFromAreRefused) {
  write("map.csv", "meter,series\nm0,north\nm1,north\n");
  write("past.csv", hours_from(1, 2, {"m0", "m1"}));
  write("now.csv", hours_from(3, 2, {"m0", "m1"}));
  const std::string prepare =
      "distributional prepare --readings past.csv --series-map map.csv --clamp 20 --spread 5 --epsilon 1 ";
  const std::string publish =
      "publish --readings now.csv --series-map map.csv --clamp 20 --definition event --epsilon 1 --mechanism uniform "
      "--ledger run.ledger --out out.csv --distributional s.state ";
  for (const char* by : {"hour", "none"}) {
    remove("s.state");
    ASSERT_EQ(fugu(prepare + "--slot-length 1h --out s.state --by " + by).exit_code, 0);
    expect_error(publish + "--slot-length 30m", 3,
                 "slots of 30m, the distributional state was learned from slots of 1h");
    EXPECT_FALSE(std::filesystem::exists(directory / "run.ledger"));
  }
  // Who joins learns from slots as long as everybody's.
  write("map.csv", "meter,series\nm0,north\nm1,north\nm2,north\n");
  write("past.csv", hours_from(1, 2, {"m2"}));
  const std::string change = "distributional change --state s.state --series-map map.csv --no-ledger ";
  expect_error(change + "--readings past.csv --slot-length 30m", 3, "slots of 30m; expected slots of 1h");
  ASSERT_EQ(fugu(change + "--readings past.csv").exit_code, 0);
  write("now.csv", hours_from(3, 2, {"m0", "m1", "m2"}));
  EXPECT_EQ(fugu(publish + "--slot-length 1h").exit_code, 0);
  SetUp();
  for (const char* name : {"run.ledger", "out.csv", "s.state"}) remove(name);
  ASSERT_EQ(fugu("distributional prepare --readings past.csv --series-map map.csv --clamp 20 --spread 5 --epsilon 1 "
                 "--by none --out s.state")
                .exit_code,
            0);
  // Learned from slot numbers: how long they were nobody knows, until somebody says so.
  std::string map = text("map.csv");
  write("now.csv", hours_from(3, 1, {"m0"}));
  expect_error(publish + "--slot-length 1h", 3, "say so once: fugu distributional change --slot-length 1h");
  const std::string statement = "distributional change --state s.state --no-ledger --slot-length 1h";
  ASSERT_EQ(fugu(statement).exit_code, 0);
  expect_error(statement, 2, "slots of 1h, and says so already");
  EXPECT_EQ(fugu(publish + "--slot-length 1h").exit_code, 0);
  write("now.csv", readings(10));
  remove("run.ledger");
  remove("out.csv");
  expect_error(publish, 3, "slot numbers do not say how long slots are");
}

// Who leaves twice, from the same earlier state, is drawn for twice: the difference of the two is no secret any more.
TEST_F(Distributional, AStateThatWasRestoredAndChangedAgainIsRefused) {
  write("map.csv", "meter,series\nm0,north\nm1,north\nm2,south\n");
  write("past.csv", hours_from(1, 2, {"m0", "m1", "m2"}));
  write("now.csv", hours_from(3, 2, {"m0", "m1", "m2"}));
  const std::string publish =
      "publish --readings now.csv --distributional s.state --definition event --epsilon 1 --mechanism uniform --ledger "
      "run.ledger --out out.csv " +
      kHourly;
  ASSERT_EQ(
      fugu("distributional prepare --readings past.csv --spread 5 --epsilon 1 --out s.state " + kHourly).exit_code, 0);
  ASSERT_EQ(fugu(publish).exit_code, 0);
  const std::string backup = text("s.state");
  const std::string old_map = text("map.csv");
  const std::string audit = "audit --ledger run.ledger --released out.csv --distributional ";

  write("map.csv", "meter,series\nm0,north\nm2,south\n");
  write("now.csv", hours_from(3, 3, {"m0", "m2"}));
  const std::string unseen = "distributional change --state s.state --series-map map.csv --no-ledger";
  const std::string change = "distributional change --state s.state --series-map map.csv --ledger run.ledger";
  ASSERT_EQ(fugu(change).exit_code, 0);
  ASSERT_EQ(fugu(publish).exit_code, 0);
  const std::string latest = text("s.state");
  EXPECT_EQ(fugu(audit + "s.state").exit_code, 0);

  write("now.csv", hours_from(3, 4, {"m0", "m2"}));
  write("s.state", backup);
  expect_error(change, 3, "latest state");
  EXPECT_EQ(text("s.state"), backup);
  ASSERT_EQ(fugu(unseen).exit_code, 0);
  const std::string released = text("out.csv");
  expect_error(publish, 3, "latest state");
  EXPECT_EQ(text("out.csv"), released);
  write("again.state", text("s.state"));
  write("s.state", backup);
  write("map.csv", old_map);
  expect_error(publish, 3, "latest state");
  EXPECT_EQ(text("out.csv"), released);
  for (const char* other : {"again.state", "s.state"}) {
    const Finished audited = fugu(audit + other);
    EXPECT_EQ(audited.exit_code, 1) << other << audited;
    EXPECT_NE(audited.out.find("finding     from slot 48 on"), std::string::npos) << other << audited;
  }

  write("s.state", latest);
  write("map.csv", "meter,series\nm0,north\nm2,south\n");
  const Finished resumed = fugu(publish);
  EXPECT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_EQ(fugu(audit + "s.state").exit_code, 0);
}

TEST_F(Distributional, PublishRefusesOtherStatesAndWhatDoesNotFit) {
  ASSERT_EQ(fugu(kPrepare + "--spread 20 --epsilon 1 --out s.state").exit_code, 0);
  const auto with = [](const std::string& from, const std::string& to) {
    std::string changed = kPublish;
    return changed.replace(changed.find(from), from.size(), to);
  };
  expect_error(with("--clamp 100", "--clamp 99"), 3, "another clamp");
  expect_error(kPublish + "--unit-step 0.1", 3, "another unit step");
  write("map.csv", text("map.csv").append("m9,north\n"));
  expect_error(kPublish, 3, "other meters");
  SetUp();
  expect_error(with("--ledger run.ledger", "--seed 1"), 2, "--seed is for simulation");
  const std::string whole = text("s.state");
  write("s.state", whole.substr(0, whole.find("meter,m3")));
  expect_error(kPublish, 2, "must not be drawn again");
  write("s.state", whole.substr(0, whole.find("meter,m3") + 12));
  expect_error(kPublish, 2, "s.state:10:1");
  write("s.state", "time,meter\n");
  expect_error(kPublish, 2, "another file");
  expect_error(with("s.state", "none.state"), 2, "none.state");
  expect_error(
      "publish --stream now.csv --distributional s.state --definition event --epsilon 1 --sensitivity 1 "
      "--mechanism uniform",
      2, "give --readings");
  EXPECT_FALSE(std::filesystem::exists(directory / "out.csv"));
}

}  // namespace
}  // namespace fugu::test
