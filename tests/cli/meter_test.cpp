// fugu meter from the command line: a day from meter to sums, killed (-9) again and again, and bad input.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <sstream>

#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr int kMeters = 5;
constexpr int kSlots = 400;
constexpr const char* kReport =
    "meter report --readings r.csv --keys meters.keys --period 400 --state g.state --out reports.csv ";
constexpr const char* kCollect =
    "meter collect --reports reports.csv --keys collector.keys --from 0 --slots 400 --ring --out e.csv --accumulated "
    "a.csv ";

int load(int meter, int slot) { return (meter * 31 + slot * 17) % 101; }

std::string readings(int slots = kSlots) {
  std::string text = "time,meter,value\n";
  for (int slot = 0; slot < slots; ++slot) {
    for (int meter = 0; meter < kMeters; ++meter) {
      text.append(std::to_string(slot)).append(",m").append(std::to_string(meter)).append(",");
      text.append(std::to_string(load(meter, slot))).append("\n");
    }
  }
  return text;
}

class Meter : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(directory / "r.csv", readings());
    ASSERT_EQ(
        run_fugu(directory, "meter keys --readings r.csv --out meters.keys --collector-out collector.keys").exit_code,
        0);
  }
  Finished fugu(const std::string& options) { return run_fugu(directory, options); }
  std::string text(const std::string& name) { return read_file(directory / name); }

  /// What the sums file says, and that it is exactly what was measured.
  void expect_exact_sums() {
    std::istringstream lines(text("a.csv"));
    std::string line;
    std::getline(lines, line);
    int meters = 0;
    while (std::getline(lines, line)) {
      const auto fields = fields_of(line);
      const int meter = fields[0][1] - '0';
      int sum = 0;
      for (int slot = 0; slot < kSlots; ++slot) sum += load(meter, slot);
      EXPECT_EQ(fields[1], std::to_string(sum));
      EXPECT_EQ(fields[2], std::to_string(kSlots));
      EXPECT_EQ(fields[6], "0") << "lost";
      EXPECT_EQ(fields[7], "yes") << "complete";
      ++meters;
    }
    EXPECT_EQ(meters, kMeters);
  }

  TempDir directory;
};

TEST_F(Meter, ADayFromMeterToSums) {
  for (const std::string scheme : {"--b 2", "--epsilon 1 --delta 1e-4"}) {
    std::filesystem::remove(directory / "g.state");
    std::filesystem::remove(directory / "reports.csv");
    const Finished sent = fugu(std::string(kReport).append(scheme).append(" --drain"));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    const Finished collected = fugu(std::string(kCollect).append(scheme));
    EXPECT_EQ(collected.exit_code, 0) << collected.err;
    expect_exact_sums();
  }
}

TEST_F(Meter, WhatWaitsGoesOutWithTheNextFile) {
  write_file(directory / "r.csv", readings(200));
  EXPECT_NE(fugu(std::string(kReport).append("--b 2")).err.find("some wait in g.state"), std::string::npos);
  write_file(directory / "r.csv", readings());
  const Finished second = fugu(std::string(kReport).append("--b 2 --drain"));
  EXPECT_NE(second.err.find("1000 readings had been taken before"), std::string::npos) << second.err;
  EXPECT_EQ(fugu(std::string(kCollect).append("--b 2")).exit_code, 0);
  expect_exact_sums();
}

// Readings come through a pipe; the gateway is killed with reports queued, half written or unsent, and started again
// with all readings from the start, as a meter with a memory would.
TEST_F(Meter, KilledAtAnyPointNothingIsLostAndNothingCountsTwice) {
  const std::string all = readings();
  const std::vector<std::string> command =
      fugu_command("meter report --keys meters.keys --period 400 --b 3 --state g.state --out reports.csv");
  ProcessOptions options;
  options.directory = directory.path();
  for (int kill = 1; kill <= 12; ++kill) {
    Process process(command, options);
    process.feed(all.substr(0, all.size() * static_cast<std::size_t>(kill) / 13));
    // At another moment each time: before, while and after it saves and sends.
    process.wait_until([] { return false; }, 0.002 * kill);
    process.kill();
    process.wait();
  }
  EXPECT_EQ(fugu(std::string(kReport).append("--b 3 --drain")).exit_code, 0);
  const Finished collected = fugu(std::string(kCollect).append("--b 3"));
  EXPECT_EQ(collected.exit_code, 0) << collected.err;
  expect_exact_sums();
}

TEST_F(Meter, AReplayedReportCountsOnceAndAForgedOneNotAtAll) {
  ASSERT_EQ(fugu(std::string(kReport).append("--b 1 --drain")).exit_code, 0);
  std::string reports = text("reports.csv");
  const std::size_t end = reports.size() - 1;
  const std::string last = reports.substr(reports.rfind('\n', end - 1) + 1);
  write_file(directory / "reports.csv", reports + last + last);
  const Finished replayed = fugu(std::string(kCollect).append("--b 1"));
  EXPECT_NE(replayed.err.find("2 duplicates dropped"), std::string::npos) << replayed.err;
  expect_exact_sums();

  std::string forged = last;
  forged[forged.size() - 2] = forged[forged.size() - 2] == '0' ? '1' : '0';
  write_file(directory / "reports.csv", reports + forged);
  const Finished refused = fugu(std::string(kCollect).append("--b 1"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("reports.csv:2007:1: found a report that meter"), std::string::npos) << refused.err;
  const Finished aside = fugu(std::string(kCollect).append("--b 1 --set-aside aside.csv"));
  EXPECT_EQ(aside.exit_code, 0);
  EXPECT_NE(aside.err.find("1 rows set aside"), std::string::npos) << aside;
  EXPECT_EQ(text("aside.csv"), "line,reason,row\n2007,forged," + forged);
  expect_exact_sums();
}

TEST_F(Meter, AFullQueueIsSaid) {
  const Finished sent = fugu(std::string(kReport).append("--b 20 --queue 2 --drain"));
  EXPECT_EQ(sent.exit_code, 0);
  EXPECT_NE(sent.err.find("the queue was full and"), std::string::npos) << sent.err;
  EXPECT_EQ(fugu(std::string(kCollect).append("--b 20")).exit_code, 0);
  expect_exact_sums();
}

TEST_F(Meter, BadInputIsNamed) {
  const auto expect = [&](const std::string& options, int code, const std::string& part) {
    const Finished finished = fugu(options);
    EXPECT_EQ(finished.exit_code, code) << options << "\n" << finished.err;
    EXPECT_NE(finished.err.find(part), std::string::npos) << options << "\n" << finished.err;
  };
  const std::string report_options = kReport;
  expect(report_options + "--b 0", 2, "b: expected 0.01 to 1000 slots");
  expect(report_options + "--b -1", 2, "b: expected 0.01 to 1000 slots");
  expect(report_options + "--b 1 --lambda 0", 2, "--lambda: expected a number above 0");
  expect(report_options, 2, "either --b (published form) or --epsilon and --delta");
  expect(report_options + "--b 1 --epsilon 1", 2, "either --b");
  expect(report_options + "--epsilon 1", 2, "needs both --epsilon and --delta");
  expect(report_options + "--epsilon 1 --delta 2", 2, "delta: expected");
  expect(report_options + "--epsilon 1 --delta 1e-4 --queue 3", 3, "can get full");
  const std::string periodless = "meter report --readings r.csv --keys meters.keys --state g.state --out reports.csv ";
  expect(periodless + "--epsilon 1 --delta 1e-4 --ring 96", 3, "a ring would show");
  expect(periodless + "--b 1 --ring 1", 3, "--ring: periods of 1 slot protect nothing");
  expect(periodless + "--b 1 --period 1", 3, "--period: periods of 1 slot protect nothing");
  expect(periodless + "--b 1 --period 9 --ring 9", 2, "expected one of --period, --ring and --calendar");
  expect(periodless + "--b 1 --calendar none.csv", 2, "none.csv");
  expect("meter keys --rotate m0 --out meters.keys --collector-out collector.keys", 2, "--rotate and --remove need");
  expect("meter keys --remove m0 --out meters.keys --collector-out collector.keys", 2, "--rotate and --remove need");
  expect("meter keys --rotate m0 --state none.state --out meters.keys --collector-out collector.keys", 2, "none.state");
  expect("meter keys --add m9 --state g.state --out meters.keys --collector-out collector.keys", 2, "--state belongs");
  EXPECT_FALSE(std::filesystem::exists(directory / "none.state.turn.lock"));
  expect("meter keys --add m1 --out meters.keys --collector-out collector.keys", 2, "--add: found a meter that has");
  expect("meter keys --add m9 --meter m8 --out meters.keys --collector-out collector.keys", 2, "--add, --rotate and");
  const std::string billing = "meter collect --keys collector.keys --b 1 --slots 9 --bill b.csv ";
  expect(billing, 2, "--bill needs --state");
  expect(billing + "--state c.state", 2, "--bill needs --unit");
  expect(billing + "--state c.state --unit kW", 2, "state the --slot-length");
  expect(billing + "--state c.state --unit horses", 2, "--unit: expected W, kW, Wh or kWh");
  expect("meter collect --keys collector.keys --b 1 --slots 9 --bill-incomplete", 2, "belongs to --bill");
  expect(report_options + "--epsilon 1 --delta 1e-4 --parts 2 --divide-below 5", 3, "when the load is steady");
  expect(report_options + "--b 1 --parts 2 --divide-below much", 2, "--divide-below: expected a number above 0");
  expect("meter keys --readings r.csv --out meters.keys --collector-out c", 2, "is there already");
  expect("meter keys --out k --collector-out c", 2, "no meters");
  expect("meter keys --meter a,b --out k --collector-out c", 2, "--meter: found a comma");
  write_file(directory / "quoted.csv", "time,meter,value\n1,\"m\",2\n");
  expect("meter keys --readings quoted.csv --out k --collector-out c", 2, "quoted.csv:2:3: found a quote");
  expect("meter keys --readings none.csv --out k --collector-out c", 2, "none.csv");
  expect("meter collect --keys meters.keys --b 1 --slots 9", 3, "shift keys");
  expect("meter collect --keys collector.keys --b 1 --slots 0", 2, "the window: expected");
  expect("meter collect --keys collector.keys --b 1 --slots 9 --from noon", 2, "--from: expected a slot number");

  ASSERT_EQ(fugu(report_options + "--b 1 --drain").exit_code, 0);
  const std::string state = text("g.state");
  const std::string change = "meter keys --state g.state --out meters.keys --collector-out collector.keys ";
  expect(change + "--rotate m9", 2, "--rotate: found meter 'm9'");
  expect(change + "--remove m9", 2, "--remove: found meter 'm9'");
  expect(report_options + "--b 2", 2, "g.state:2:1: found 'rules,");
  write_file(directory / "g.state", state.substr(0, state.size() / 2));
  expect(report_options + "--b 1", 2, "g.state:");
  write_file(directory / "g.state", state);
  ASSERT_EQ(fugu("meter keys --meter other --out other.keys --collector-out other.collector").exit_code, 0);
  write_file(directory / "other.csv", "time,meter,value\n1,other,2\n");
  expect("meter report --b 1 --readings other.csv --keys other.keys --period 400 --state g.state --out o.csv", 2,
         "found the state of another meter");
  expect("meter report --b 1 --readings r.csv --keys other.keys --state o.state --out o.csv", 2,
         "r.csv:2:3: found meter");
  expect("meter collect --reports reports.csv --keys other.collector --b 1 --slots 9", 2,
         "expected a meter of the collector's keys");
}

TEST_F(Meter, FilesMustBeDifferent) {
  const std::string keys = text("meters.keys");
  const std::string collector_keys = text("collector.keys");
  const auto refuses = [&](const std::string& options, const std::string& part) {
    const Finished finished = fugu(options);
    EXPECT_EQ(finished.exit_code, 2) << options << "\n" << finished.err;
    EXPECT_NE(finished.err.find(part), std::string::npos) << options << "\n" << finished.err;
  };
  const std::string report_options = "meter report --b 1 --readings r.csv --keys meters.keys ";
  refuses(report_options + "--state meters.keys --out o.csv", "--keys and --state must be different files");
  refuses(report_options + "--state g.state --out ./meters.keys", "--keys and --out must be different files");
  refuses(report_options + "--state r.csv --out o.csv", "--readings and --state must be different files");
  refuses(report_options + "--state g.state --out r.csv", "--readings and --out must be different files");
  refuses(report_options + "--state new --out ./new", "--state and --out must be different files");
  refuses("meter keys --readings r.csv --out new --collector-out new", "--out and --collector-out must be different");
  EXPECT_FALSE(std::filesystem::exists(directory / "new"));
  std::filesystem::create_hard_link(directory / "collector.keys", directory / "linked");
  write_file(directory / "reports.csv", "");
  const std::string collect_options = "meter collect --reports reports.csv --keys collector.keys --b 1 --slots 9 ";
  refuses(collect_options + "--out linked", "--keys and --out must be different files");
  refuses(collect_options + "--accumulated reports.csv", "--reports and --accumulated must be different files");
  refuses(collect_options + "--statistics s.csv --histogram s.csv", "--statistics and --histogram must be different");
  EXPECT_EQ(text("meters.keys"), keys);
  EXPECT_EQ(text("collector.keys"), collector_keys);
  EXPECT_EQ(text("r.csv"), readings());
}

// Over a gap, what was due in it would leave when the next reading is taken, which arrivals must not show.
TEST_F(Meter, TheLaggedFormNeedsARowForEverySlotOfALiveInput) {
  const auto live = [&](const std::string& rows, const std::string& scheme) {
    std::filesystem::remove(directory / "g.state");
    std::filesystem::remove(directory / "reports.csv");
    ProcessOptions options;
    options.directory = directory.path();
    const std::string command = "meter report --keys meters.keys --state g.state --out reports.csv ";
    Process process(fugu_command(command + scheme), options);
    process.feed(std::string("time,meter,value\n").append(rows));
    return process.wait();
  };
  const std::string lagged = "--epsilon 1 --delta 1e-4";
  const std::string gap = "0,m0,5\n1,m0,7\n4,m0,5\n";
  const Finished refused = live(gap, lagged);
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_NE(refused.err.find(":4:1: found a jump by 3 slots; expected a row for every slot"), std::string::npos)
      << refused.err;
  EXPECT_NE(text("g.state").find("meter,m0,0,1,"), std::string::npos) << "what came before the gap is kept";
  EXPECT_EQ(live("0,m0,5\n1,m0,7\n2,m1,\n3,m0,\n4,m0,5\n", lagged).exit_code, 0);
  EXPECT_EQ(live(gap, "--b 1").exit_code, 0) << "no promise about arrivals";
  write_file(directory / "r.csv", std::string("time,meter,value\n").append(gap));
  std::filesystem::remove(directory / "g.state");
  std::filesystem::remove(directory / "reports.csv");
  EXPECT_EQ(fugu(std::string(kReport).append(lagged)).exit_code, 0) << "a file";
}

TEST_F(Meter, AnOldStateIsNoticed) {
  write_file(directory / "r.csv", readings(200));
  ASSERT_EQ(fugu(std::string(kReport).append("--b 1")).exit_code, 0);
  const std::string old = text("g.state");
  write_file(directory / "r.csv", readings(300));
  ASSERT_EQ(fugu(std::string(kReport).append("--b 1")).exit_code, 0);
  write_file(directory / "g.state", old);
  std::string changed = readings(200);
  changed.append("250,m0,1\n251,m0,2\n252,m0,3\n253,m0,4\n254,m0,5\n255,m0,6\n");
  write_file(directory / "r.csv", changed);
  ASSERT_EQ(fugu(std::string(kReport).append("--b 1 --drain")).exit_code, 0);
  const Finished collected = fugu(std::string(kCollect).append("--b 1"));
  EXPECT_EQ(collected.exit_code, 2);
  EXPECT_NE(collected.err.find("its state file may be an old copy"), std::string::npos) << collected.err;
}

// Collected with another b, every estimate was wrong by the correction factor, and nobody was told.
TEST_F(Meter, ACollectorWithOtherOptionsIsRefused) {
  ASSERT_EQ(fugu(std::string(kReport).append("--b 1 --drain")).exit_code, 0);
  for (const char* other :
       {"--b 2", "--epsilon 1 --delta 1e-4", "--b 1 --parts 2", "--b 1 --lambda 3", "--b 1 --unit-step 0.5"}) {
    const Finished refused = fugu(std::string(kCollect).append(other));
    EXPECT_EQ(refused.exit_code, 2) << other << refused;
    EXPECT_NE(refused.err.find("with the scheme, parts, unit step and slot length"), std::string::npos) << refused;
    EXPECT_FALSE(std::filesystem::exists(directory / "a.csv"));
  }
  EXPECT_EQ(fugu(std::string(kCollect).append("--b 1")).exit_code, 0);
  expect_exact_sums();
}

TEST_F(Meter, AHistogramNeedsItsBinWidthBeforeAnythingIsWritten) {
  ASSERT_EQ(fugu(std::string(kReport).append("--b 2 --drain")).exit_code, 0);
  for (const char* wrong : {"--histogram h.csv", "--histogram h.csv --bin-width 0", "--bin-width 5"}) {
    const Finished finished = fugu(std::string(kCollect).append("--b 2 ").append(wrong));
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_NE(finished.err.find("--bin-width"), std::string::npos) << finished;
    for (const char* file : {"e.csv", "a.csv", "h.csv"})
      EXPECT_FALSE(std::filesystem::exists(directory / file)) << wrong << " " << file;
  }
}

TEST_F(Meter, ValuesThatGetRoundedAreToldOnce) {
  write_file(directory / "r.csv", "time,meter,value\n0,m0,1.5\n0,m1,0.25\n1,m0,2.125\n");
  const Finished coarse = fugu(std::string(kReport).append("--b 2"));
  EXPECT_EQ(coarse.exit_code, 0) << coarse;
  const std::size_t at = coarse.err.find("r.csv: values are not multiples of the unit step 1 and get rounded");
  ASSERT_NE(at, std::string::npos) << coarse;
  EXPECT_EQ(coarse.err.find("get rounded", at + 80), std::string::npos) << coarse;
  std::filesystem::remove(directory / "g.state");
  std::filesystem::remove(directory / "reports.csv");
  const Finished fine = fugu(std::string(kReport).append("--b 2 --unit-step 0.001"));
  EXPECT_EQ(fine.err.find("get rounded"), std::string::npos) << fine;
}

TEST_F(Meter, TimeStampsWork) {
  write_file(directory / "r.csv",
             "time,meter,value\n2026-03-29T01:45:00+01:00,m0,1.5\n2026-03-29T03:00:00+02:00,m0,2\n");
  ASSERT_EQ(fugu(std::string(kReport).append("--b 0.01 --slot-length 15m --unit-step 0.5 --drain")).exit_code, 0);
  const Finished collected = fugu(
      "meter collect --reports reports.csv --keys collector.keys --b 0.01 --slot-length 15m --unit-step 0.5 "
      "--from 2026-03-29T01:30:00+01:00 --slots 3");
  EXPECT_EQ(collected.exit_code, 0) << collected.err;
  EXPECT_NE(collected.out.find("2026-03-29T01:45:00+01:00,1,1.5,1.5,"), std::string::npos) << collected.out;
  EXPECT_NE(collected.out.find("2026-03-29T02:00:00+01:00,1,2,2,"), std::string::npos) << collected.out;
}

// Two gateways with one state would give the same numbers to different reports. Standard output has no lock of its own.
TEST_F(Meter, ASecondGatewayIsKeptAwayFromTheState) {
  const std::string command = "meter report --keys meters.keys --b 1 --state g.state --out - ";
  ProcessOptions options;
  options.directory = directory.path();
  Process first(fugu_command(command), options);
  first.feed("time,meter,value\n0,m0,5\n1,m0,7\n");
  ASSERT_TRUE(first.wait_until([&] { return std::filesystem::exists(directory / "g.state"); }));
  const Finished second = fugu(command + "--readings r.csv");
  EXPECT_EQ(second.exit_code, 4) << second;
  EXPECT_NE(second.err.find("g.state: another fugu meter works with this state; stop it first"), std::string::npos)
      << second;
  EXPECT_EQ(second.out, "");
  EXPECT_EQ(fugu("meter report --keys meters.keys --b 1 --readings r.csv --state other.state --out o.csv").exit_code, 0)
      << "a state of its own";
  first.kill();
  first.wait();
  EXPECT_EQ(fugu(command + "--readings r.csv").exit_code, 0) << "what was killed keeps nobody away";
}

TEST_F(Meter, WithoutItsStateAGatewayDoesNotGoOnWithReports) {
  EXPECT_EQ(fugu(std::string(kReport).append("--b 1")).exit_code, 0);
  std::filesystem::remove(directory / "g.state");
  const std::string reports = text("reports.csv");
  const Finished refused = fugu(std::string(kReport).append("--b 1"));
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(
      refused.err.find("reports.csv: found reports, and no state g.state; expected the state that they were sent"),
      std::string::npos)
      << refused;
  EXPECT_EQ(text("reports.csv"), reports);
  EXPECT_FALSE(std::filesystem::exists(directory / "g.state"));

  // Killed between the header and the first state: no number was used.
  write_file(directory / "reports.csv", reports.substr(0, reports.find('\n') + 1));
  EXPECT_EQ(fugu(std::string(kReport).append("--b 1 --drain")).exit_code, 0);
  EXPECT_EQ(fugu(std::string(kCollect).append("--b 1")).exit_code, 0);
  expect_exact_sums();
}

// How times are written is in the rows: a state begun without any would fit no readings with time stamps, and a state
// with time stamps would not be recognised.
TEST_F(Meter, ReadingsWithoutARowChangeNothing) {
  const std::string nothing = "time,meter,value\n";
  const std::string live = "meter report --keys meters.keys --state g.state --out reports.csv --b 1 --slot-length 15m ";
  const std::string options = live + "--readings r.csv ";
  const auto expect_no_change = [&] {
    const std::string before = text("g.state");
    for (const Finished& empty : {fugu(options + "--drain"), run_fugu(directory, live, nothing)}) {
      EXPECT_EQ(empty.exit_code, 0) << empty;
      EXPECT_NE(empty.err.find("no readings"), std::string::npos) << empty;
    }
    EXPECT_EQ(text("g.state"), before);
  };
  write_file(directory / "r.csv", nothing);
  expect_no_change();
  EXPECT_FALSE(std::filesystem::exists(directory / "g.state"));
  write_file(directory / "r.csv", nothing + "2026-03-29T01:45:00+01:00,m0,1\n");
  EXPECT_EQ(fugu(options).exit_code, 0);
  write_file(directory / "r.csv", nothing);
  expect_no_change();
  write_file(directory / "r.csv", nothing + "2026-03-29T03:00:00+02:00,m0,2\n");
  const Finished after = fugu(options + "--drain");
  EXPECT_EQ(after.exit_code, 0) << after;
  EXPECT_EQ(lines_of(text("reports.csv")).size(), 3U);
}

/// Four days of 100 slots; bills of the window.
class Billing : public Meter {
 protected:
  static constexpr const char* kSend =
      "meter report --readings r.csv --keys meters.keys --epsilon 1 --delta 1e-4 --period 100 --state g.state "
      "--out reports.csv --drain";
  static constexpr const char* kBill =
      "meter collect --reports reports.csv --keys collector.keys --epsilon 1 --delta 1e-4 --unit Wh "
      "--state c.state --bill b.csv --out e.csv ";

  void SetUp() override {
    Meter::SetUp();
    ASSERT_EQ(fugu(kSend).exit_code, 0);
  }
  Finished bill(const std::string& options) { return fugu(kBill + options); }

  /// The rows of a bill as `meter from` → kWh · 1000.
  std::map<std::string, int> billed() {
    std::map<std::string, int> bills;
    for (const std::string& line : lines_of(text("b.csv"))) {
      const auto fields = fields_of(line);
      if (fields[0] != "meter") bills[fields[0] + " " + fields[1]] = static_cast<int>(std::stod(fields[4]) * 1000 + .5);
    }
    return bills;
  }
  static std::map<std::string, int> truth(int first_day, int days) {
    std::map<std::string, int> bills;
    for (int meter = 0; meter < kMeters; ++meter) {
      for (int day = first_day; day < first_day + days; ++day) {
        int& sum = bills["m" + std::to_string(meter) + " " + std::to_string(day * 100)];
        for (int slot = day * 100; slot < (day + 1) * 100; ++slot) sum += load(meter, slot);
      }
    }
    return bills;
  }
};

// A day of a longer log, as a ring or not: its own readings, to the last unit. It used to get those of all days.
TEST_F(Billing, AWindowHasItsOwnReportsAndNobodyElses) {
  EXPECT_EQ(bill("--from 100 --slots 100 --ring --accumulated a.csv").exit_code, 0);
  EXPECT_EQ(billed(), truth(1, 1));
  for (const std::string& line : lines_of(text("a.csv"))) {
    const auto fields = fields_of(line);
    if (fields[0] == "meter") continue;
    EXPECT_EQ(std::stoi(fields[1]), truth(1, 1).at(fields[0] + " 100"));
    EXPECT_EQ(fields[7], "yes");
  }
  EXPECT_EQ(bill("--from 0 --slots 400").exit_code, 0);
  EXPECT_EQ(billed(), truth(0, 4));
  const Finished cut = bill("--from 100 --slots 150");
  EXPECT_EQ(cut.exit_code, 2) << cut;
  EXPECT_NE(cut.err.find("within the period from 200 to 300; expected whole periods"), std::string::npos) << cut;
}

// Without periods nobody can say whose a report is.
TEST_F(Meter, ARingNeedsReportsThatCarryTheirPeriod) {
  ASSERT_EQ(fugu("meter report --readings r.csv --keys meters.keys --b 1 --state g.state --out reports.csv --drain")
                .exit_code,
            0);
  const Finished ring = fugu(std::string(kCollect).append("--b 1"));
  EXPECT_EQ(ring.exit_code, 2) << ring;
  EXPECT_NE(ring.err.find("reports.csv:2:1: found a report without its period"), std::string::npos) << ring;
  const Finished cut = fugu(
      "meter collect --reports reports.csv --keys collector.keys --b 1 --from 100 --slots 100 --out e.csv "
      "--accumulated a.csv");
  EXPECT_EQ(cut.exit_code, 0) << cut;
  EXPECT_NE(cut.err.find("sums of 5 meters are not known to be exact"), std::string::npos) << cut;
}

// Day 0 replayed into the log of day 1 used to be billed again.
TEST_F(Billing, ReplayedDaysAreNotBilledAgain) {
  const auto lines = lines_of(text("reports.csv"));
  std::string first_day = lines[0] + "\n", second_day = first_day;
  for (const std::string& line : lines) {
    if (fields_of(line)[3] == "0") first_day += line + "\n";
    if (fields_of(line)[3] == "100") second_day += line + "\n";
  }
  write_file(directory / "reports.csv", first_day);
  EXPECT_EQ(bill("--from 0 --slots 100").exit_code, 0);
  EXPECT_EQ(billed(), truth(0, 1));
  write_file(directory / "reports.csv", second_day + first_day.substr(first_day.find('\n') + 1));
  const Finished second = bill("--from 100 --slots 100 --accumulated a.csv --ring");
  EXPECT_EQ(second.exit_code, 0) << second;
  EXPECT_EQ(billed(), truth(1, 1));
  // A log that begins in the middle: what came before it is not lost.
  write_file(directory / "reports.csv", second_day);
  EXPECT_EQ(bill("--from 100 --slots 100 --accumulated a.csv").exit_code, 0);
  EXPECT_EQ(fields_of(lines_of(text("a.csv"))[1])[6], "0") << "lost";
  EXPECT_EQ(bill("--from 0 --slots 400").exit_code, 0);
  EXPECT_EQ(billed(), truth(0, 2)) << "the memory has both days";
}

TEST_F(Billing, ALostTailIsNoticed) {
  const std::string all = text("reports.csv");
  std::string cut;
  for (const std::string& line : lines_of(all)) {
    const auto fields = fields_of(line);
    if (fields[3] == "300" && !fields[6].empty()) break;  // the first meter is done with the last day
    cut += line + "\n";
  }
  write_file(directory / "reports.csv", cut);
  const Finished short_log = bill("--from 300 --slots 100 --accumulated a.csv");
  EXPECT_EQ(short_log.exit_code, 0) << short_log;
  EXPECT_NE(short_log.err.find("not billed: 5 periods of meters that are not closed yet"), std::string::npos)
      << short_log;
  EXPECT_TRUE(billed().empty());
  EXPECT_NE(text("a.csv").find(",no,"), std::string::npos);
  write_file(directory / "reports.csv", all);
  EXPECT_EQ(bill("--from 300 --slots 100").exit_code, 0);
  EXPECT_EQ(billed(), truth(3, 1));
}

// One meter's trouble is not everybody's.
TEST_F(Billing, RowsThatCountForNobodyStopNobodysBill) {
  std::string reports = text("reports.csv");
  const std::string last = lines_of(reports).back();
  reports +=
      "nonsense\n99,stranger,0,0,1,5,," + std::string(32, '0') + "\n" + last.substr(0, last.size() - 4) + "0000\n";
  write_file(directory / "reports.csv", reports);
  EXPECT_EQ(bill("--from 0 --slots 400").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(directory / "b.csv"));
  const Finished aside = bill("--from 0 --slots 400 --set-aside aside.csv");
  EXPECT_EQ(aside.exit_code, 0) << aside;
  EXPECT_EQ(billed(), truth(0, 4));
  const auto rows = lines_of(text("aside.csv"));
  ASSERT_EQ(rows.size(), 4U) << text("aside.csv");
  EXPECT_NE(rows[1].find(",malformed,nonsense"), std::string::npos);
  EXPECT_NE(rows[2].find(",unknown meter,99,stranger"), std::string::npos);
  EXPECT_NE(rows[3].find(",forged,"), std::string::npos);
}

// One gateway of five with other periods: its meter is not billed in a window that cuts them.
TEST_F(Billing, OneMetersPeriodsStopNobodysBill) {
  std::string own = "time,meter,value\n";
  for (const std::string& line : lines_of(readings()))
    if (fields_of(line)[1] == "m0") own += line + "\n";
  std::string others = lines_of(text("reports.csv"))[0] + "\n";
  for (const std::string& line : lines_of(text("reports.csv")))
    if (fields_of(line)[1] != "m0" && fields_of(line)[1] != "meter") others += line + "\n";
  write_file(directory / "m0.csv", own);
  ASSERT_EQ(fugu("meter report --readings m0.csv --keys meters.keys --epsilon 1 --delta 1e-4 --period 36 "
                 "--state m0.state --out m0.reports --drain")
                .exit_code,
            0);
  const std::string odd = text("m0.reports");
  write_file(directory / "reports.csv", others + odd.substr(odd.find('\n') + 1));
  const Finished done = bill("--from 0 --slots 100 --accumulated a.csv");
  EXPECT_EQ(done.exit_code, 0) << done;
  auto wanted = truth(0, 1);
  wanted.erase("m0 0");
  auto got = billed();
  std::erase_if(got, [](const auto& each) { return each.first.starts_with("m0 "); });
  EXPECT_EQ(got, wanted);
  EXPECT_FALSE(billed().contains("m0 72")) << "ends outside of the window";
  EXPECT_NE(done.err.find("1 meters whose periods do not fill the window"), std::string::npos) << done;
  for (const std::string& line : lines_of(text("a.csv"))) {
    const auto fields = fields_of(line);
    EXPECT_EQ(fields[7], fields[0] == "meter" ? "complete" : fields[0] == "m0" ? "no" : "yes") << line;
  }
}

TEST_F(Billing, AMeterWithoutReportsIsTold) {
  std::string fewer;
  for (const std::string& line : lines_of(text("reports.csv")))
    if (fields_of(line)[1] != "m3") fewer += line + "\n";
  write_file(directory / "reports.csv", fewer);
  const Finished done = bill("--from 0 --slots 400");
  EXPECT_EQ(done.exit_code, 0) << done;
  EXPECT_NE(done.err.find("1 meters whose periods do not fill the window"), std::string::npos) << done;
}

// Options or keys that are wrong for everybody: nothing is written, and the right command works afterwards.
TEST_F(Billing, WhatIsWrongForEverybodyStops) {
  ASSERT_EQ(fugu("meter keys --readings r.csv --out other.keys --collector-out other.collector").exit_code, 0);
  const std::string keys = text("collector.keys");
  for (const std::string wrong : {"collector.keys --b 1", "other.collector --epsilon 1 --delta 1e-4"}) {
    const Finished stopped = fugu(
        "meter collect --reports reports.csv --unit Wh --state c.state --bill b.csv --out e.csv --from 0 "
        "--slots 400 --set-aside aside.csv --keys " +
        wrong);
    EXPECT_EQ(stopped.exit_code, 2) << stopped;
    EXPECT_NE(stopped.err.find("reports.csv: found reports that 0 of 5 meters made"), std::string::npos) << stopped;
    for (const char* file : {"c.state", "b.csv", "aside.csv"})
      EXPECT_FALSE(std::filesystem::exists(directory / file)) << file;
  }
  // Keys of two meters of five are right: most are not. With three, the other two are set aside.
  const auto mixed = [&](int right) {
    const auto good = lines_of(keys);
    const auto bad = lines_of(text("other.collector"));
    std::string all = good[0] + "\n";
    for (int i = 1; i <= kMeters; ++i) all += (i <= right ? good : bad)[static_cast<std::size_t>(i)] + "\n";
    write_file(directory / "collector.keys", all);
    return bill("--from 0 --slots 400 --set-aside aside.csv");
  };
  EXPECT_EQ(mixed(2).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(directory / "c.state"));
  EXPECT_EQ(mixed(3).exit_code, 0);
  EXPECT_EQ(billed().size(), 12U);
  EXPECT_EQ(mixed(5).exit_code, 0);
  EXPECT_EQ(billed(), truth(0, 4));
}

// The same memory, the same reports, other options: a bill that was handed out does not change.
TEST_F(Billing, AnotherUnitOrAMemoryThatIsGoneChangesNoBill) {
  const std::string collect =
      "meter collect --reports reports.csv --keys collector.keys --epsilon 1 --delta 1e-4 --slots 400 --state c.state "
      "--bill b.csv --out e.csv ";
  ASSERT_EQ(fugu(collect + "--unit kW --slot-length 15m").exit_code, 0);
  const std::string bills = text("b.csv");
  for (const char* other : {"--unit kW --slot-length 1h", "--unit Wh"}) {
    const Finished refused = fugu(collect + other);
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_NE(refused.err.find("bills were made with 'kW in slots of 900 s'"), std::string::npos) << refused;
    EXPECT_EQ(text("b.csv"), bills);
  }
  EXPECT_EQ(fugu(collect + "--unit kW --slot-length 15m").exit_code, 0);
  std::filesystem::remove(directory / "c.state");
  const Finished gone = fugu(collect + "--unit kW --slot-length 15m --bill-incomplete");
  EXPECT_EQ(gone.exit_code, 2) << gone;
  EXPECT_NE(gone.err.find("b.csv: found bills, and no memory c.state"), std::string::npos) << gone;
  EXPECT_EQ(text("b.csv"), bills);
}

TEST_F(Billing, RowsSetAsideStayThere) {
  const std::string all = text("reports.csv");
  write_file(directory / "reports.csv", all + "yesterday\n");
  ASSERT_EQ(bill("--from 0 --slots 400 --set-aside aside.csv").exit_code, 0);
  write_file(directory / "reports.csv", all + "today\n");
  ASSERT_EQ(bill("--from 0 --slots 400 --set-aside aside.csv").exit_code, 0);
  const auto rows = lines_of(text("aside.csv"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_NE(rows[1].find(",malformed,yesterday"), std::string::npos);
  EXPECT_NE(rows[2].find(",malformed,today"), std::string::npos);
}

TEST_F(Billing, TheMemoryKnowsItsScheme) {
  EXPECT_EQ(bill("--from 0 --slots 400").exit_code, 0);
  const Finished other =
      fugu("meter collect --reports reports.csv --keys collector.keys --b 2 --state c.state --slots 400 --out e.csv");
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_NE(other.err.find("c.state:2:1: found 'agreement,lagged epsilon=1"), std::string::npos) << other;
}

// Tariffs by a calendar, and power that becomes energy.
TEST_F(Meter, TariffsAreBilledInKilowattHours) {
  write_file(directory / "calendar.csv", "start,tariff\n0,low\n100,high\n300,low\n400,\n");
  ASSERT_EQ(fugu("meter report --readings r.csv --keys meters.keys --b 2 --parts 2 --calendar calendar.csv "
                 "--state g.state --out reports.csv --drain")
                .exit_code,
            0);
  const std::string collect =
      "meter collect --reports reports.csv --keys collector.keys --b 2 --parts 2 --slots 400 --unit kW "
      "--slot-length 15m --state c.state --bill b.csv --out e.csv --calendar ";
  const Finished billed = fugu(collect + "calendar.csv");
  EXPECT_EQ(billed.exit_code, 0) << billed;
  int high = 0;
  for (int slot = 100; slot < 300; ++slot) high += load(0, slot);
  const std::string quarter[] = {".000000", ".250000", ".500000", ".750000"};
  const std::string row = "m0,100,300,high," + std::to_string(high / 4) + quarter[high % 4] + "," +
                          std::to_string(high) + ",400,0,complete\n";
  EXPECT_NE(text("b.csv").find(row), std::string::npos) << text("b.csv") << row;
  write_file(directory / "other.csv", "start,tariff\n0,low\n200,high\n400,\n");
  const Finished other = fugu(collect + "other.csv");
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_NE(other.err.find("a period that the calendar does not have"), std::string::npos) << other;
}

// The same start, another end: with the collector's calendar all of it would be paid at the tariff of its first part.
TEST_F(Meter, APeriodThatEndsElsewhereThanInTheCalendarIsNotBilled) {
  write_file(directory / "calendar.csv", "start,tariff\n0,low\n400,\n");
  write_file(directory / "other.csv", "start,tariff\n0,low\n200,high\n400,\n");
  ASSERT_EQ(fugu("meter report --readings r.csv --keys meters.keys --b 2 --calendar calendar.csv --state g.state "
                 "--out reports.csv --drain")
                .exit_code,
            0);
  const std::string collect =
      "meter collect --reports reports.csv --keys collector.keys --b 2 --slots 400 --unit Wh --out e.csv --bill b.csv ";
  const Finished other = fugu(collect + "--state c.state --calendar other.csv");
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_NE(other.err.find("a period that the calendar does not have"), std::string::npos) << other;
  EXPECT_EQ(fugu(collect + "--state c.state --calendar other.csv --set-aside aside.csv").exit_code, 0);
  EXPECT_EQ(lines_of(text("b.csv")).size(), 1U) << text("b.csv");
  const auto aside = lines_of(text("aside.csv"));
  EXPECT_EQ(aside.size(), 1U + kMeters) << "the ends of the period";
  for (std::size_t i = 1; i < aside.size(); ++i)
    EXPECT_NE(aside[i].find(",unknown period,"), std::string::npos) << aside[i];
  std::filesystem::remove(directory / "b.csv");
  EXPECT_EQ(fugu(collect + "--state own.state --calendar calendar.csv").exit_code, 0);
  EXPECT_EQ(lines_of(text("b.csv")).size(), 1U + kMeters);
}

// 9·10¹⁵ kWh are no sum in millionths that fits. It is not guessed, and stops nobody else's.
TEST_F(Meter, AnEnergyThatDoesNotFitIsLeftEmpty) {
  std::string rows = "time,meter,value\n";
  for (int slot = 0; slot < 4; ++slot) {
    rows += std::to_string(slot) + ",m0," + (slot == 2 ? "9000000000000000" : "1") + "\n";
    rows += std::to_string(slot) + ",m1,2\n";
  }
  write_file(directory / "r.csv", rows);
  ASSERT_EQ(fugu("meter report --readings r.csv --keys meters.keys --b 1 --period 4 --state g.state --out reports.csv "
                 "--drain")
                .exit_code,
            0);
  const Finished done = fugu(
      "meter collect --reports reports.csv --keys collector.keys --b 1 --slots 4 --unit kWh --state c.state --bill "
      "b.csv "
      "--out e.csv --accumulated a.csv");
  EXPECT_EQ(done.exit_code, 0) << done;
  EXPECT_NE(text("b.csv").find("\nm0,0,4,,,9000000000000003,4,0,complete\n"), std::string::npos) << text("b.csv");
  EXPECT_NE(text("b.csv").find("\nm1,0,4,,8.000000,8,4,0,complete\n"), std::string::npos) << text("b.csv");
  EXPECT_NE(text("a.csv").find("\nm0,9000000000000003,4,"), std::string::npos) << text("a.csv");
  for (const std::string& line : lines_of(text("a.csv"))) {
    const bool is_right = !line.starts_with("m0,") || line.ends_with(",yes,");
    EXPECT_TRUE(is_right && (!line.starts_with("m1,") || line.ends_with(",yes,8.000000"))) << line;
  }
}

// From slot 0, whatever the first reading's slot is, and whether the length divides it.
TEST_F(Meter, PeriodsCountFromSlotZero) {
  for (const int length : {2, 7, 36, 96}) {
    for (const char* file : {"g.state", "reports.csv"}) std::filesystem::remove(directory / file);
    std::string rows = "time,meter,value\n";
    for (int slot = 45; slot < 45 + 2 * length; ++slot) rows += std::to_string(slot) + ",m0,1\n";
    write_file(directory / "r.csv", rows);
    ASSERT_EQ(
        fugu("meter report --readings r.csv --keys meters.keys --b 0.01 --state g.state --out reports.csv --drain "
             "--period " +
             std::to_string(length))
            .exit_code,
        0);
    int reports = 0;
    for (const std::string& line : lines_of(text("reports.csv"))) {
      const auto fields = fields_of(line);
      if (fields[0] == "arrival") continue;
      const int period = std::stoi(fields[3]);
      const int stamp = std::stoi(fields[4]);  // with this b no report is moved; of a closing row, the end
      if (fields[6].empty()) {
        EXPECT_EQ(period, stamp - stamp % length) << line;
        ++reports;
      } else {
        EXPECT_EQ(period + length, stamp) << line;
      }
    }
    EXPECT_EQ(reports, 2 * length);
  }
}

// With time stamps slots count from 1970 in UTC: a period of 24 hours is no day of local time. A calendar is.
TEST_F(Meter, PeriodsOfTimeStampsAreThoseOfUtc) {
  std::string rows = "time,meter,value\n";
  for (int hour = 0; hour < 24; ++hour)
    rows += std::string("2026-01-10T") + (hour < 10 ? "0" : "") + std::to_string(hour) + ":00:00+01:00,m0,1\n";
  write_file(directory / "r.csv", rows);
  write_file(directory / "days.csv", "start,tariff\n2026-01-10T00:00:00+01:00,day\n2026-01-11T00:00:00+01:00,\n");
  const auto periods = [&](const std::string& options) {
    for (const char* file : {"g.state", "reports.csv"}) std::filesystem::remove(directory / file);
    const Finished sent = fugu(
        "meter report --readings r.csv --keys meters.keys --b 0.01 --slot-length 1h --state g.state --out reports.csv "
        "--drain " +
        options);
    EXPECT_EQ(sent.exit_code, 0) << sent;
    std::map<std::string, int> readings_of;
    for (const std::string& line : lines_of(text("reports.csv"))) {
      const auto fields = fields_of(line);
      if (fields[0] != "arrival" && fields[6].empty()) ++readings_of[fields[3]];
    }
    return readings_of;
  };
  using Count = std::map<std::string, int>;
  EXPECT_EQ(periods("--period 24"), (Count{{"2026-01-09T01:00:00+01:00", 1}, {"2026-01-10T01:00:00+01:00", 23}}));
  EXPECT_EQ(periods("--calendar days.csv"), (Count{{"2026-01-10T00:00:00+01:00", 24}}));
  EXPECT_NE(fugu("meter report --help").out.find("UTC"), std::string::npos);
}

// The calendar knows where a period ends that no meter has closed yet.
TEST_F(Meter, AWindowThatCutsTheCalendarIsRefused) {
  write_file(directory / "calendar.csv", "start,tariff\n0,low\n500,\n");
  ASSERT_EQ(fugu("meter report --readings r.csv --keys meters.keys --b 2 --calendar calendar.csv --state g.state "
                 "--out reports.csv --drain")
                .exit_code,
            0);
  const Finished cut = fugu(
      "meter collect --reports reports.csv --keys collector.keys --b 2 --slots 48 --unit Wh --state c.state --bill "
      "b.csv "
      "--bill-incomplete --out e.csv --calendar calendar.csv");
  EXPECT_EQ(cut.exit_code, 2) << cut;
  EXPECT_NE(cut.err.find("within the period from 0 to 500"), std::string::npos) << cut;
}

TEST_F(Meter, ARingSetsAsideWhatHasNoPeriod) {
  ASSERT_EQ(fugu(std::string(kReport).append("--b 1 --drain")).exit_code, 0);
  write_file(directory / "late.csv", "time,meter,value\n0,m0,5\n");
  ASSERT_EQ(
      fugu("meter report --readings late.csv --keys meters.keys --b 1 --state o.state --out o.csv --drain").exit_code,
      0);
  write_file(directory / "reports.csv", text("reports.csv") + lines_of(text("o.csv"))[1] + "\n");
  EXPECT_EQ(fugu(std::string(kCollect).append("--b 1 --set-aside aside.csv")).exit_code, 0);
  EXPECT_NE(text("aside.csv").find(",no period,"), std::string::npos);
  expect_exact_sums();
}

TEST_F(Meter, StatisticsOfPartsAreRefused) {
  ASSERT_EQ(fugu(std::string(kReport).append("--b 2 --parts 2 --drain")).exit_code, 0);
  for (const char* option : {"--statistics s.csv", "--histogram s.csv --bin-width 5"}) {
    const Finished refused = fugu(std::string(kCollect).append("--b 2 --parts 2 ").append(option));
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_NE(refused.err.find("readings are divided into 2 parts"), std::string::npos) << refused;
    EXPECT_FALSE(std::filesystem::exists(directory / "e.csv"));
  }
  ASSERT_EQ(fugu(std::string(kCollect).append("--b 2 --parts 2")).exit_code, 0);
}

TEST_F(Meter, TwoValuesForOneSlotAreAnError) {
  write_file(directory / "r.csv", "time,meter,value\n0,m0,4711\n0,m0,4712\n");
  const Finished refused = fugu(std::string(kReport).append("--b 1"));
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(refused.err.find("r.csv:3:1: found a second value of meter 'm0' for this slot"), std::string::npos)
      << refused;
  EXPECT_EQ(refused.err.find("471"), std::string::npos) << "no reading in a message";
}

// A meter joins, another gets new keys, a third leaves, and the gateway never stops.
TEST_F(Meter, KeysChangeWhileAGatewayRuns) {
  ProcessOptions options;
  options.directory = directory.path();
  const std::string command = "meter report --keys meters.keys --b 1 --period 4 --state g.state --out reports.csv";
  Process gateway(fugu_command(command + " --drain"), options);
  gateway.feed("time,meter,value\n0,m0,1\n0,m1,10\n0,m2,100\n1,m0,1\n1,m1,10\n1,m2,100\n2,m0,1\n");
  ASSERT_TRUE(gateway.wait_until([&] {
    const std::string state = text("g.state");  // with the last row
    const std::size_t at = state.find("meter,m0,");
    return at != std::string::npos && fields_of(state.substr(at, state.find('\n', at) - at))[3] == "2";
  }));
  const Finished changed = fugu(
      "meter keys --add new --rotate m0 --remove m1 --state g.state --out meters.keys --collector-out "
      "collector.keys");
  EXPECT_EQ(changed.exit_code, 0) << changed;
  gateway.feed("2,m1,10\n2,m2,100\n2,new,1000\n3,m0,1\n3,m2,100\n3,new,1000\n");
  const Finished finished = gateway.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("1 readings of removed meters were passed over"), std::string::npos) << finished;
  const Finished collected =
      fugu("meter collect --reports reports.csv --keys collector.keys --b 1 --slots 4 --out e.csv --accumulated a.csv");
  EXPECT_EQ(collected.exit_code, 0) << collected;
  const std::string sums = text("a.csv");
  for (const char* row : {"\nm0,4,4,", "\nm1,20,2,", "\nm2,400,4,", "\nnew,2000,2,"})
    EXPECT_NE(sums.find(row), std::string::npos) << row << sums;
}

// Whoever has a meter's keys, and its state, can go on where it is. Once the meter has other keys, or is removed, that
// is worth nothing to them, even if the meter never sends again. It used to be billed.
TEST_F(Billing, AReplacedOrRemovedKeyIsBilledNoMore) {
  for (const char* file : {"meters.keys", "collector.keys", "g.state"})
    std::filesystem::copy_file(directory / file, directory / (std::string("stolen.") + file));
  std::string more = "time,meter,value\n";
  for (int slot = 400; slot < 500; ++slot) more += std::to_string(slot) + ",m0,99\n";
  write_file(directory / "more.csv", more);
  ASSERT_EQ(fugu("meter report --readings more.csv --keys stolen.meters.keys --epsilon 1 --delta 1e-4 --period 100 "
                 "--state stolen.g.state --out forged.csv --drain")
                .exit_code,
            0);
  const std::string forged = text("forged.csv");
  const std::string sent = text("reports.csv");
  const auto billed_with = [&](const std::string& keys) {
    for (const char* file : {"c.state", "b.csv", "aside.csv"}) std::filesystem::remove(directory / file);
    write_file(directory / "reports.csv", sent + forged.substr(forged.find('\n') + 1));
    const Finished done = fugu(
        "meter collect --reports reports.csv --epsilon 1 --delta 1e-4 --unit Wh --state c.state --bill b.csv --out "
        "e.csv --from 0 --slots 500 --set-aside aside.csv --keys " +
        keys);
    EXPECT_EQ(done.exit_code, 0) << done;
    return billed();
  };
  EXPECT_EQ(billed_with("stolen.collector.keys").at("m0 400"), 9900) << "nobody noticed the theft yet";
  for (const char* how : {"--rotate", "--remove"}) {
    const Finished changed =
        fugu(std::string("meter keys --state g.state --out meters.keys --collector-out collector.keys ").append(how) +
             " m0");
    EXPECT_EQ(changed.exit_code, 0) << changed;
    EXPECT_EQ(billed_with("collector.keys"), truth(0, 4)) << how;
    const auto aside = lines_of(text("aside.csv"));
    ASSERT_EQ(aside.size(), 102U) << "100 reports, and the end of their day";
    EXPECT_NE(aside[1].find(",replaced key,"), std::string::npos) << aside[1];
  }
}

// A second draw of readings that were sent costs ε a second time. It used to be made, with exit code 0.
TEST_F(Meter, AStateFromBeforeARotationIsRefused) {
  const std::string report = std::string(kReport).append("--epsilon 1 --delta 1e-4");
  write_file(directory / "r.csv", readings(200));
  ASSERT_EQ(fugu(report).exit_code, 0);
  const std::string older = text("g.state");
  write_file(directory / "r.csv", readings());
  ASSERT_EQ(fugu(report).exit_code, 0);
  const std::string rotate = "meter keys --rotate m0 --state g.state --out meters.keys --collector-out collector.keys";
  ASSERT_EQ(fugu(rotate).exit_code, 0);
  const std::string latest = text("g.state");
  const std::string sent = text("reports.csv");
  const std::string keys = text("meters.keys");
  write_file(directory / "g.state", older);
  for (const std::string& command : {report, report + " --drain", rotate}) {
    const Finished refused = fugu(command);
    EXPECT_EQ(refused.exit_code, 3) << refused;
    EXPECT_NE(refused.err.find("g.state:4:1: found a state that meter 'm0' did not have when its keys were replaced; "
                               "expected the one it had then, or a later one"),
              std::string::npos)
        << refused;
  }
  std::filesystem::remove(directory / "g.state");
  const Finished without = fugu(std::string(report).replace(report.find("reports.csv"), 11, "other.csv"));
  EXPECT_EQ(without.exit_code, 3) << "no state, and other reports: " << without;
  EXPECT_EQ(text("reports.csv"), sent);
  EXPECT_EQ(text("meters.keys"), keys);
  write_file(directory / "g.state", latest);
  EXPECT_EQ(fugu(report + " --drain").exit_code, 0);
  EXPECT_EQ(fugu(std::string(kCollect).append("--epsilon 1 --delta 1e-4")).exit_code, 0);
  expect_exact_sums();
}

// Keys change again and again while reports are signed and sent: none is made with a key that is not for its number.
TEST_F(Meter, KeysChangeBetweenReports) {
  ProcessOptions options;
  options.directory = directory.path();
  Process gateway(fugu_command("meter report --keys meters.keys --b 2 --period 400 --state g.state --out reports.csv "
                               "--drain"),
                  options);
  const std::string all = readings();
  gateway.feed(all.substr(0, all.find("\n1,") + 1));
  ASSERT_TRUE(gateway.wait_until([&] { return std::filesystem::exists(directory / "g.state"); }));
  std::size_t fed = all.find("\n1,") + 1;
  for (int change = 0; change < 20; ++change) {
    Process keys(fugu_command("meter keys --rotate m" + std::to_string(change % kMeters) +
                              " --state g.state --out meters.keys --collector-out collector.keys"),
                 options);
    for (int slot = 0; slot < 15; ++slot) {  // while the keys change
      const std::size_t end = all.find('\n', std::min(all.size() - 1, fed + 40)) + 1;
      gateway.feed(all.substr(fed, end - fed));
      fed = end;
      gateway.wait_until([] { return false; }, 0.0005);
    }
    const Finished changed = keys.wait();
    ASSERT_EQ(changed.exit_code, 0) << changed;
  }
  gateway.feed(all.substr(fed));
  const Finished finished = gateway.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const Finished collected = fugu(std::string(kCollect).append("--b 2"));
  EXPECT_EQ(collected.exit_code, 0) << collected;
  expect_exact_sums();
}

// The number from which a new key counts is the next one in the state: while one side works, the other must not.
TEST_F(Meter, NothingIsSignedWhileKeysAreReplaced) {
  ProcessOptions options;
  options.directory = directory.path();
  Process gateway(fugu_command("meter report --keys meters.keys --b 0.01 --state g.state --out reports.csv"), options);
  gateway.feed("time,meter,value\n0,m0,1\n1,m0,1\n");
  const auto sent = [&] { return lines_of(text("reports.csv")).size(); };
  ASSERT_TRUE(gateway.wait_until([&] { return sent() == 2U; }));
  const int turn = ::open((directory / "g.state.turn.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(turn, 0);
  ASSERT_TRUE(gateway.wait_until([&] { return ::flock(turn, LOCK_EX | LOCK_NB) == 0; })) << "it waits for readings";
  gateway.feed("2,m0,1\n");
  Process keys(fugu_command("meter keys --rotate m0 --state g.state --out meters.keys --collector-out collector.keys"),
               options);
  const std::string before = text("meters.keys");
  gateway.wait_until([] { return false; }, 0.5);
  EXPECT_EQ(sent(), 2U) << "a report was signed while somebody else had the turn";
  EXPECT_EQ(text("meters.keys"), before) << "keys were replaced while somebody else had the turn";
  ::close(turn);
  const Finished changed = keys.wait();
  EXPECT_EQ(changed.exit_code, 0) << changed;
  EXPECT_NE(changed.err.find("a gateway is sending; waits until it waits for readings"), std::string::npos) << changed;
  EXPECT_NE(text("meters.keys"), before);
  const Finished finished = gateway.wait();
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(sent(), 4U);
}

TEST_F(Meter, ACommandThatChangesNoKeysLeavesNothingBehind) {
  for (const char* files : {"--out none.keys --collector-out collector.keys", "--out meters.keys --collector-out none",
                            "--out collector.keys --collector-out meters.keys"}) {
    const Finished refused = fugu(std::string("meter keys --add new ").append(files));
    EXPECT_NE(refused.exit_code, 0) << refused;
  }
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    EXPECT_NE(entry.path().extension(), ".lock") << entry.path();
}

TEST_F(Meter, ChangedKeysReplaceTheirOwnFilesOnly) {
  const std::string keys = text("meters.keys");
  const std::string merged = text("collector.keys") + "other," + std::string(64, 'a') + ",0\n";
  write_file(directory / "merged.keys", merged);
  write_file(directory / "precious.txt", "precious\n");
  const std::string add = "meter keys --add new --out meters.keys --collector-out ";
  const Finished loses = fugu(add + "merged.keys");
  EXPECT_EQ(loses.exit_code, 2) << loses;
  EXPECT_NE(loses.err.find("merged.keys: found meter 'other', which has no keys here"), std::string::npos) << loses;
  EXPECT_EQ(fugu(add + "precious.txt").exit_code, 2);
  EXPECT_EQ(text("merged.keys"), merged);
  EXPECT_EQ(text("precious.txt"), "precious\n");
  EXPECT_EQ(text("meters.keys"), keys);
  // Whoever says that a meter was added has added it.
  ProcessOptions options;
  options.directory = directory.path();
  std::deque<Process> changes;
  for (int i = 0; i < 8; ++i) {
    changes.emplace_back(
        fugu_command("meter keys --add n" + std::to_string(i) + " --out meters.keys --collector-out collector.keys"),
        options);
  }
  for (int i = 0; i < 8; ++i) {
    const Finished change = changes[static_cast<std::size_t>(i)].wait();
    const bool added = text("meters.keys").find("\nn" + std::to_string(i) + ",") != std::string::npos;
    EXPECT_EQ(added, change.exit_code == 0) << change;
    EXPECT_TRUE(change.exit_code == 0 || change.exit_code == 4) << change;
  }
}

TEST_F(Meter, TheAuditSaysNoToThePublishedForm) {
  const Finished published = fugu("audit temporal --b 1");
  EXPECT_EQ(published.exit_code, 1);
  EXPECT_NE(published.out.find("no promise"), std::string::npos);
  const Finished lagged = fugu("audit temporal --epsilon 1 --delta 1e-6 --parts 2");
  EXPECT_EQ(lagged.exit_code, 0) << lagged.out << lagged.err;
  EXPECT_NE(lagged.out.find("holds"), std::string::npos);
  for (const std::string wrong :
       {"", "--b 1 --epsilon 1", "--epsilon 1", "--b 0", "--b 1 --parts 0", "--b 1 --move 0", "--state g.state"})
    EXPECT_EQ(fugu("audit temporal " + wrong).exit_code, 2) << wrong;
  EXPECT_EQ(fugu("audit --ledger run.ledger temporal --b 1").exit_code, 2) << "one thing at a time";
  EXPECT_NE(fugu("meter lag").out.find("14 slots"), std::string::npos);
  EXPECT_NE(fugu("describe temporal").out.find("docs/guarantees/temporal.md"), std::string::npos);
}

}  // namespace
}  // namespace fugu::test
