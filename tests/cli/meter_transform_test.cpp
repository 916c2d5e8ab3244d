// fugu meter transform, card, and distributional gather: from meters that trust nobody to an audited release; killed
// (-9), bad input.
#include <cmath>
#include <filesystem>
#include <map>

#include "support/released.hpp"

namespace fugu::test {
namespace {

const std::string kPrepareOptions = "--clamp 100 --slot-length 1h --spread 20 --epsilon 1 ";
const std::vector<std::string> kMeters = {"m0", "m1", "m2"};

/// Hours of January 2026.
std::string readings(const std::string& meter, int date, int days) {
  std::string rows = "time,meter,value\n";
  for (int hour = 0; hour < 24 * days; ++hour) {
    char time[40];
    std::snprintf(time, sizeof time, "2026-01-%02dT%02d:00:00+01:00,", date + hour / 24, hour % 24);
    const int value = (hour * hour * 7 + hour % 24 * 2 + meter.back() * 5) % 90;
    rows.append(time).append(meter).append(",").append(hour % 11 == 5 ? "" : std::to_string(value)).append("\n");
  }
  return rows;
}

class MeterTransforms : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& meter : kMeters) {
      write(meter + "-past.csv", readings(meter, 1, 5));
      write(meter + ".csv", readings(meter, 6, 3));
    }
    write("map.csv", "meter,series\nm0,north\nm1,north\nm2,south\n");
  }
  Finished fugu(const std::string& options) { return run_fugu(directory, options); }
  void write(const std::string& name, const std::string& text) { write_file(directory / name, text); }
  std::string text(const std::string& name) { return read_file(directory / name); }
  bool is_there(const std::string& name) { return std::filesystem::exists(directory / name); }
  void expect_done(const std::string& options) {
    const Finished finished = fugu(options);
    ASSERT_EQ(finished.exit_code, 0) << options << "\n" << finished;
  }
  void expect_error(const std::string& options, int exit_code, const std::string& word) {
    const Finished finished = fugu(options);
    EXPECT_EQ(finished.exit_code, exit_code) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(word), std::string::npos) << options << "\n" << finished;
  }
  void prepare(const std::string& meter, const std::string& options = "") {
    expect_done("distributional prepare --meter " + meter + " --readings " + meter + "-past.csv --out " + meter +
                ".state " + kPrepareOptions + options);
  }
  static std::string transform(const std::string& meter) {
    return "meter transform --state " + meter + ".state --readings " + meter + ".csv --slot-length 1h --journal " +
           meter + ".journal --out " + meter + ".sent.csv ";
  }
  /// All meters prepare, give their cards and send; what they sent is put together, and a state for its sum.
  void gather(const std::string& options = "") {
    std::string cards;
    for (const std::string& meter : kMeters) {
      prepare(meter, options);
      expect_done("meter card --state " + meter + ".state --out " + meter + ".card");
      expect_done(transform(meter));
      cards += text(meter + ".card");
    }
    write("all.cards", cards);
    write("sent.csv", merged());
    expect_done("distributional gather --cards all.cards --series-map map.csv --out sum.state");
  }
  std::string merged() {
    std::multimap<std::string, std::string> by_time;
    for (const std::string& meter : kMeters) {
      for (const std::string& line : lines_of(text(meter + ".sent.csv"))) {
        if (!line.starts_with("time")) by_time.emplace(fields_of(line)[0], line);
      }
    }
    std::string rows = "time,meter,sent\n";
    for (const auto& [time, line] : by_time) rows.append(line).append("\n");
    return rows;
  }

  TempDir directory;
};

const std::string kPublish =
    "publish --readings sent.csv --series-map map.csv --slot-length 1h --clamp 100 --distributional sum.state "
    "--definition event --mechanism uniform ";

TEST_F(MeterTransforms, FromMetersToAnAuditedRelease) {
  for (const std::string options : {"", "--one-level --reading-epsilon 2 "}) {
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      const std::string name = entry.path().filename();
      if (name == "out.csv" || !name.ends_with(".csv") || name.find("sent") != std::string::npos)
        std::filesystem::remove(entry.path());
    }
    gather(options);
    EXPECT_EQ(lines_of(text("m0.sent.csv")).size(), 1U + 72) << "missing readings are sent as well";
    expect_done(kPublish + "--epsilon 1 --ledger run.ledger --out out.csv");
    const Finished audited = fugu("audit --ledger run.ledger --released out.csv --distributional sum.state");
    EXPECT_EQ(audited.exit_code, 0) << audited;
    for (const char* said : {"at the meters: the promise holds against whoever adds up as well",
                             "one meter changes a total by 160 at most", "promise     for one meter ε = 1, δ = 0"})
      EXPECT_NE(audited.out.find(said), std::string::npos) << said << audited;
    const char* readings_line = options.empty() ? "NOT HIDDEN  single readings from whoever gets the values"
                                                : "readings    noise of scale 80 in each value: a reading has ε = 2";
    EXPECT_NE(audited.out.find(readings_line), std::string::npos) << audited;
  }
}

// With next to no noise of its own, the release is the sum of what was sent: nothing else is added or left out.
TEST_F(MeterTransforms, AReleaseIsTheSumOfWhatWasSent) {
  gather();
  expect_done(kPublish + "--epsilon 30000 --out out.csv");
  std::map<std::pair<std::string, std::string>, double> sums;
  for (const std::string& line : lines_of(text("sent.csv"))) {
    const auto fields = fields_of(line);
    if (fields[0] != "time") sums[{fields[0], fields[1] == "m2" ? "south" : "north"}] += std::stod(fields[2]);
  }
  std::size_t compared = 0;
  for (const std::string& line : lines_of(text("out.csv"))) {
    const auto fields = fields_of(line);
    if (fields[0] == "time") continue;
    EXPECT_EQ(std::stod(fields[2]), sums.at({fields[0], fields[1]})) << line;
    ++compared;
  }
  EXPECT_EQ(compared, 2U * 72);
}

TEST_F(MeterTransforms, ASilentMeterIsFilledIn) {
  gather();
  std::string some;
  for (const std::string& line : lines_of(text("sent.csv"))) {
    if (line.find("T07") == std::string::npos || line.find("m2") == std::string::npos) some.append(line).append("\n");
  }
  write("sent.csv", some);
  expect_done(kPublish + "--epsilon 30000 --out out.csv");
  const std::string card = text("m2.card");
  const std::size_t begin = card.find("levels,") + 7;
  const double level = std::stod(fields_of(card.substr(begin, card.find('\n', begin) - begin))[7]);
  std::size_t found = 0;
  for (const std::string& line : lines_of(text("out.csv"))) {
    const auto fields = fields_of(line);
    if (fields[1] != "south" || fields[0].find("T07") == std::string::npos) continue;
    EXPECT_LE(std::fabs(std::stod(fields[2]) - level), 80.5) << line;
    ++found;
  }
  EXPECT_EQ(found, 3U);
}

TEST_F(MeterTransforms, KilledAndStartedAgainTheSameLeaves) {
  prepare("m0");
  const std::string all = text("m0.csv");
  expect_done(
      "meter transform --state m0.state --readings m0.csv --slot-length 1h --journal whole.journal --out "
      "whole.csv");
  const std::string live = "meter transform --state m0.state --slot-length 1h --journal m0.journal --out m0.sent.csv";
  for (const std::size_t rows : {20U, 50U}) {
    Process process(fugu_command(live), {.directory = directory.path()});
    std::size_t end = 0;
    for (std::size_t i = 0; i <= rows; ++i) end = all.find('\n', end) + 1;
    process.feed(all.substr(0, end));
    ASSERT_TRUE(process.wait_until([&] { return lines_of(text("m0.sent.csv"), true).size() == rows + 1; }));
    if (rows == 20) {
      const Finished second = fugu(transform("m0"));
      EXPECT_EQ(second.exit_code, 4) << second;
      EXPECT_NE(second.err.find("another fugu meter works with this journal"), std::string::npos) << second;
    }
    process.kill();
    process.wait();
    write("m0.sent.csv", text("m0.sent.csv") + "2026-01-0");  // torn
    write("m0.journal", text("m0.journal") + "17676");
  }
  expect_done(transform("m0"));
  EXPECT_EQ(text("m0.sent.csv"), text("whole.csv"));
  EXPECT_EQ(text("m0.journal"), text("whole.journal"));
  const Finished again = fugu(transform("m0"));
  EXPECT_NE(again.err.find("72 readings, 0 values sent; 72 readings had been taken before"), std::string::npos)
      << again;
}

TEST_F(MeterTransforms, NothingOfAReadingLeavesButTheValue) {
  write("m0-past.csv", readings("m0", 1, 5));
  prepare("m0", "--unit-step 1 ");
  std::string rows = "time,meter,value\n2026-01-06T00:00:00+01:00,m0,47\n2026-01-06T01:00:00+01:00,m0,47\n";
  write("m0.csv", rows);
  const Finished finished = fugu(transform("m0"));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(finished.err.find("47"), std::string::npos) << finished;
  const auto journal = lines_of(text("m0.journal"));
  ASSERT_EQ(journal.size(), 3U);
  EXPECT_NE(fields_of(journal[1])[1], fields_of(journal[2])[1]) << "the same reading at another time: another hash";
}

TEST_F(MeterTransforms, BadInputIsNamed) {
  prepare("m0");
  prepare("m1");
  const std::string state = text("m0.state");
  expect_error("meter transform --readings m0.csv --slot-length 1h --journal m0.journal", 2, "--state is required");
  expect_error("meter transform --state m0.state --readings m0.csv --slot-length 1h", 2, "--journal is required");
  expect_error("meter transform --state none.state --readings m0.csv --journal m0.journal", 2, "none.state");
  expect_error("meter transform --state m0.state --readings m0.csv --journal m0.journal", 2, "state the slot length");
  expect_error("meter transform --state m0.state --readings m0.csv --journal m0.state", 2, "must be different files");
  // Another meter's readings, or another meter's state.
  expect_error("meter transform --state m1.state --readings m0.csv --slot-length 1h --journal m1.journal", 2,
               "m0.csv:2:27: found meter 'm0'; expected meter 'm1', whose state this is, and no other");
  EXPECT_EQ(lines_of(text("m1.journal")).size(), 1U) << "nothing was taken";
  // No key, a torn state, the state of a whole stream.
  std::string without = state;
  without.erase(without.find("key,"), 4 + 64 + 1);
  write("x.state", without);
  const std::string with_x = "meter transform --state x.state --readings m0.csv --slot-length 1h --journal x.journal";
  expect_error(with_x, 2, "x.state:3:1");
  write("x.state", state.substr(0, state.size() / 2));
  expect_error(with_x, 2, "x.state:");
  std::filesystem::remove(directory / "x.state");
  std::string past = text("m0-past.csv");
  for (const char* meter : {"m1", "m2"}) {
    for (const std::string& line : lines_of(text(std::string(meter) + "-past.csv"))) {
      if (!line.starts_with("time")) past.append(line).append("\n");
    }
  }
  std::multimap<std::string, std::string> by_time;
  for (const std::string& line : lines_of(past))
    by_time.emplace(line.starts_with("time") ? "" : line.substr(0, 25), line);
  past.clear();
  for (const auto& [time, line] : by_time) past.append(line).append("\n");
  write("past.csv", past);
  expect_done("distributional prepare --series-map map.csv --readings past.csv --out x.state " + kPrepareOptions);
  expect_error(with_x, 2, "x.state: found the state of a whole stream");
  expect_error("meter card --state x.state --out x.card", 2, "of a whole stream");
  EXPECT_FALSE(is_there("x.journal"));

  // A slot twice, in one file and in two.
  expect_done(transform("m0"));
  const std::string sent = text("m0.sent.csv");
  write("m0.csv", "time,meter,value\n2026-01-07T00:00:00+01:00,m0,1\n2026-01-07T00:00:00+01:00,m0,2\n");
  expect_error(transform("m0"), 3, "m0.csv:2:1: found another reading than the one that was sent for this slot");
  write("m0.csv", "time,meter,value\n2026-01-09T00:00:00+01:00,m0,1\n2026-01-09T00:00:00+01:00,m0,2\n");
  expect_error(transform("m0"), 2, "found a second value of meter 'm0' for this slot");
  write("m0.csv", "time,meter,value\n2026-01-05T00:00:00+01:00,m0,1\n");
  expect_error(transform("m0"), 3, "a slot before the first one that was sent");
  expect_error("meter transform --state m0.state --readings m0.csv --slot-length 1h --journal new.journal", 3,
               "before the past readings end");
  write("m0.csv", "time,meter,value\n2026-02-05T00:00:00+01:00,m0,1\n");
  expect_error(transform("m0"), 2, "a gap of at most 96 slots");
  EXPECT_EQ(text("m0.sent.csv"), sent) << "none of this sent anything";

  // A damaged journal, one of another meter, another length of slots.
  write("m0.csv", readings("m0", 6, 3));
  const std::string journal = text("m0.journal");
  write("m0.journal", journal.substr(0, 100) + "x" + journal.substr(101));
  expect_error(transform("m0"), 2, "m0.journal:");
  write("m0.journal", journal);
  expect_error("meter transform --state m1.state --readings m1.csv --slot-length 1h --journal m0.journal", 3,
               "the journal of another state");
  expect_error("meter transform --state m0.state --readings m0.csv --slot-length 30m --journal m0.journal", 3,
               "slots of another length");
  expect_error(
      "meter transform --state m1.state --readings m1.csv --slot-length 1h --journal m1.journal --out "
      "m0.sent.csv",
      2, "expected what this meter sent, and nobody else");
}

TEST_F(MeterTransforms, PrepareSaysWhatDoesNotGoTogether) {
  const std::string prepare = "distributional prepare --readings m0-past.csv --out x.state " + kPrepareOptions;
  expect_error(prepare, 2, "expected --series-map");
  expect_error(prepare + "--meter m0 --series-map map.csv", 2, "expected --series-map");
  expect_error(prepare + "--meter m0 --hidden --delta 1e-6", 2, "--hidden is not for --meter");
  expect_error(prepare + "--series-map map.csv --reading-epsilon 1", 2, "--reading-epsilon belongs to --meter");
  expect_error(prepare + "--meter m0 --reading-epsilon -1", 2, "the ε of single readings");
  expect_error(prepare + "--meter a,b", 2, "--meter");
  expect_error(prepare + "--meter m1", 2, "found meter 'm0'; expected readings of this meter alone");
  EXPECT_FALSE(is_there("x.state"));
}

// Readings that are summed as if they were values have no promise about habits; values that are transformed once more
// are no totals of anything.
TEST_F(MeterTransforms, ReadingsAndValuesAreToldApart) {
  gather();
  std::string rows = text("sent.csv");
  rows.replace(rows.find("sent"), 4, "value");
  write("readings.csv", rows);
  std::string publish = kPublish + "--epsilon 1 --out out.csv";
  expect_error(std::string(publish).replace(publish.find("sent.csv"), 8, "readings.csv"), 2,
               "readings.csv:1:1: found other columns; expected a header with the columns time, meter and sent");
  const auto past = [&] {
    std::multimap<std::string, std::string> by_time;
    for (const std::string& meter : kMeters) {
      for (const std::string& line : lines_of(text(meter + "-past.csv"))) {
        if (!line.starts_with("time")) by_time.emplace(fields_of(line)[0], line);
      }
    }
    std::string all = "time,meter,value\n";
    for (const auto& [time, line] : by_time) all.append(line).append("\n");
    return all;
  };
  write("past.csv", past());
  expect_done("distributional prepare --series-map map.csv --readings past.csv --out central.state " + kPrepareOptions);
  publish.replace(publish.find("sum.state"), 9, "central.state");
  expect_error(publish, 2,
               "sent.csv:1:1: found other columns; expected a header with the columns time, meter and value");
  expect_error("distributional prepare --series-map map.csv --readings sent.csv --out x.state " + kPrepareOptions, 2,
               "expected a header `time,meter,value`");
  EXPECT_FALSE(is_there("out.csv"));
}

TEST_F(MeterTransforms, SumsNeedTheCardsOfTheirMeters) {
  gather();
  const std::string gather_x = "distributional gather --series-map map.csv --out x.state --cards ";
  write("two.cards", text("m0.card") + text("m1.card"));
  expect_error(gather_x + "two.cards", 2, "found none of meter 'm2'");
  write("torn.cards", text("all.cards").substr(0, text("all.cards").size() - 10));
  expect_error(gather_x + "torn.cards", 2, "torn.cards:15:1: found another checksum");
  expect_error(gather_x + "m0.state", 2, "m0.state:1:1: found another file; expected cards");
  expect_error(gather_x + "none.cards", 2, "none.cards");
  write("twice.cards", text("all.cards") + text("m0.card"));
  expect_error(gather_x + "twice.cards", 2, "a second card of meter 'm0'");
  write("map1.csv", "meter,series\nm0,north\nm1,north\n");
  expect_error("distributional gather --series-map map1.csv --out x.state --cards all.cards", 2,
               "found one of meter 'm2'");
  EXPECT_FALSE(is_there("x.state"));
  expect_error("distributional gather --cards all.cards --series-map map.csv --out sum.state", 2, "is there already");
  std::string other = kPublish;
  expect_error(other.replace(other.find("--clamp 100"), 11, "--clamp 99") + "--epsilon 1 --out o.csv", 3,
               "another clamp");
  expect_error("meter transform --state sum.state --readings m0.csv --slot-length 1h --journal x.journal", 2,
               "of a whole stream");
}

TEST_F(MeterTransforms, MetersJoinAndLeaveAndTheStreamGoesOn) {
  gather();
  expect_done(kPublish + "--epsilon 1 --ledger run.ledger --out out.csv");
  write("m3-past.csv", readings("m3", 1, 5));
  prepare("m3");
  expect_done("meter card --state m3.state --out m3.card");
  write("map.csv", "meter,series\nm0,north\nm3,north\nm2,south\n");
  std::string rows;  // m1 is gone
  for (const std::string& line : lines_of(text("sent.csv"))) {
    if (line.find(",m1,") == std::string::npos) rows.append(line).append("\n");
  }
  write("m3.csv", readings("m3", 9, 1));
  expect_done(transform("m3"));
  rows += text("m3.sent.csv").substr(text("m3.sent.csv").find('\n') + 1);
  write("sent.csv", rows);
  const std::string publish = kPublish + "--epsilon 1 --ledger run.ledger --out out.csv";
  expect_error(publish, 3, "other meters");
  const std::string change = "distributional change --state sum.state --series-map map.csv --ledger run.ledger ";
  expect_error(change, 2, "found none of meter 'm3'");
  expect_error(change + "--readings m3-past.csv --slot-length 1h", 2, "meters of this stream learn for themselves");
  const Finished changed = fugu(change + "--cards m3.card");
  ASSERT_EQ(changed.exit_code, 0) << changed;
  EXPECT_NE(changed.err.find("nobody pays"), std::string::npos) << changed;
  expect_done(publish);
  EXPECT_EQ(lines_of(text("out.csv")).size(), 1U + 2 * 96);
  const Finished audited = fugu("audit --ledger run.ledger --released out.csv --distributional sum.state");
  EXPECT_EQ(audited.exit_code, 0) << audited;

  // Who prepares again has drawn again, and pays again: not under the same name.
  std::filesystem::remove(directory / "m0.state");
  prepare("m0");
  expect_done("meter card --state m0.state --out m0.card");
  write("map.csv", "meter,series\nm0,north\nm2,south\n");
  expect_error(change + "--cards m0.card", 3, "to have a new name");
}

}  // namespace
}  // namespace fugu::test
