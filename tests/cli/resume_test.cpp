// Every state a kill can leave on disk, made by hand: a ledger cut at each of its last bytes, releases cut anywhere up
// to what that ledger pays for. And states that no kill can leave, which must be refused without touching a file.
#include <algorithm>
#include <random>

#include "fugu/accounting/ledger.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr int kSlots = 10;
constexpr const char* kPromise = " --definition w-event --epsilon 1 --w 4 --sensitivity 3 --slot-length 15m";

/// Rows in winter time, then in summer time; slot 5 has no row.
std::string stream() {
  std::string text = "time,north,south\n";
  for (int slot = 0; slot < kSlots; ++slot) {
    char row[80];
    const int minutes = slot * 15 + 90 + (slot >= 2 ? 60 : 0);
    std::snprintf(row, sizeof row, "2026-03-29T%02d:%02d:00+0%d:00,%d,%d\n", minutes / 60, minutes % 60,
                  slot >= 2 ? 2 : 1, 100 + slot, 200 + slot);
    if (slot != 5) text += row;
  }
  return text;
}

/// Slots closed in a ledger.
int slots_in(const std::string& path) {
  auto reader = LedgerReader::open(path);
  int slots = 0;
  while (reader) {
    const auto record = reader->next();
    if (!record || !*record) break;
    slots += std::holds_alternative<SlotEnd>(**record) ? 1 : 0;
  }
  return slots;
}

class Resume : public testing::TestWithParam<std::string> {
 protected:
  std::string command() const {
    return "publish --stream - --follow --ledger run.ledger --out out.csv" + std::string(kPromise) + " " + GetParam();
  }
  Finished publish(const std::string& input) { return run_fugu(directory_, command(), input); }

  /// A run that was fed row by row, so that each slot has its own frame.
  void make_finished_run() {
    Process process(fugu_command(command()), {.directory = directory_.path()});
    std::size_t rows = 1;
    for (const std::string& line : lines_of(stream())) {
      process.feed(line + "\n");
      if (line.starts_with("time")) continue;
      rows += 2;
      if (line.find("T04:00") != std::string::npos) rows += 2;  // the slot without a row comes with it
      process.wait_until([&] { return lines_of(read_file(directory_ / "out.csv"), true).size() >= rows; });
    }
    ASSERT_EQ(process.wait().exit_code, 0) << process.wait();
    ledger_ = read_file(directory_ / "run.ledger");
    out_ = read_file(directory_ / "out.csv");
    ASSERT_EQ(lines_of(out_).size(), 1 + 2 * kSlots);
  }

  /// Bytes of a releases file with this many whole slots.
  std::size_t bytes_of_slots(int slots) const {
    std::size_t bytes = 0;
    for (int i = 0; i < 1 + 2 * slots; ++i) bytes = out_.find('\n', bytes) + 1;
    return bytes;
  }

  TempDir directory_;
  std::string ledger_;
  std::string out_;
};

TEST_P(Resume, FromEveryByteOfTheLedger) {
  make_finished_run();
  ASSERT_FALSE(HasFatalFailure());
  std::mt19937 random(20260329);
  const std::size_t first = ledger_.size() - std::min<std::size_t>(ledger_.size(), 190);
  for (std::size_t cut = first; cut <= ledger_.size(); ++cut) {
    SCOPED_TRACE("ledger cut at byte " + std::to_string(cut) + " of " + std::to_string(ledger_.size()));
    write_file(directory_ / "run.ledger", ledger_.substr(0, cut));
    std::filesystem::remove(directory_ / "run.ledger.head");  // a kill never leaves one ahead of the ledger
    const int paid = slots_in(directory_ / "run.ledger");
    const std::size_t visible = std::uniform_int_distribution<std::size_t>(0, bytes_of_slots(paid))(random);
    write_file(directory_ / "out.csv", out_.substr(0, cut % 3 == 0 ? bytes_of_slots(paid) : visible));
    const Finished finished = publish(stream());
    ASSERT_EQ(finished.exit_code, 0) << finished;
    const std::string out = read_file(directory_ / "out.csv");
    ASSERT_EQ(lines_of(out).size(), 1 + 2 * kSlots) << out;
    ASSERT_EQ(out.substr(0, bytes_of_slots(paid)), out_.substr(0, bytes_of_slots(paid)))
        << "paid slots keep their values";
    for (int i = 0; i < 2 * kSlots; ++i) {
      const auto line = static_cast<std::size_t>(1 + i);
      ASSERT_EQ(fields_of(lines_of(out)[line])[0], fields_of(lines_of(out_)[line])[0]) << "times go on in the same way";
    }
  }
  const AuditVerdict verdict = expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  EXPECT_EQ(verdict.slots, kSlots);
}

TEST_P(Resume, ACutLedgerNeverPaysTwice) {
  make_finished_run();
  ASSERT_FALSE(HasFatalFailure());
  int refused = 0;
  for (std::size_t cut = 0; cut < ledger_.size(); cut += 7) {
    SCOPED_TRACE("ledger cut at byte " + std::to_string(cut));
    const std::string ledger = ledger_.substr(0, cut);
    write_file(directory_ / "run.ledger", ledger);
    write_file(directory_ / "out.csv", out_);
    std::filesystem::remove(directory_ / "run.ledger.head");  // the releases alone show that the ledger is older
    if (slots_in(directory_ / "run.ledger") == kSlots) continue;
    const Finished finished = publish(stream());
    EXPECT_TRUE(finished.exit_code == 2 || finished.exit_code == 3) << finished;
    refused += finished.exit_code == 3 ? 1 : 0;
    EXPECT_EQ(read_file(directory_ / "run.ledger"), ledger) << "a refusal changes nothing";
    EXPECT_EQ(read_file(directory_ / "out.csv"), out_) << "a refusal changes nothing";
  }
  EXPECT_GT(refused, 10);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Resume,
                         testing::Values("--mechanism uniform", "--mechanism hybrid --every 3 --interval 0.9",
                                         "--mechanism uniform --filter kalman",
                                         "--mechanism ba --filter truncate:0:150"),
                         [](const auto& each) { return "run" + std::to_string(each.index); });

/// A finished run of four slots.
class ResumeRules : public testing::Test {
 protected:
  static constexpr const char* kRun =
      "publish --stream s.csv --definition w-event --epsilon 1 --w 4 --sensitivity 3 --mechanism hybrid --every 2 "
      "--filter truncate:0:9000 --interval 0.9 --ledger run.ledger --out out.csv";

  void SetUp() override {
    write_file(directory_ / "s.csv", "time,load\n0,1000\n1,1010\n2,1020\n3,1030\n");
    const Finished finished = run_fugu(directory_, kRun);
    ASSERT_EQ(finished.exit_code, 0) << finished;
    ledger_ = read_file(directory_ / "run.ledger");
    out_ = read_file(directory_ / "out.csv");
  }
  /// The run again, with one option exchanged.
  Finished with(const std::string& from, const std::string& to) {
    std::string command = kRun;
    EXPECT_NE(command.find(from), std::string::npos);
    return run_fugu(directory_, command.replace(command.find(from), from.size(), to));
  }

  TempDir directory_;
  std::string ledger_;
  std::string out_;
};

TEST_F(ResumeRules, OtherOptionsAreRefused) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"--epsilon 1", "--epsilon 2"},
      {"--w 4", "--w 5"},
      {"--sensitivity 3", "--sensitivity 4"},
      {"--mechanism hybrid --every 2", "--mechanism uniform"},
      {"--every 2", "--every 3"},
      {"--filter truncate:0:9000", "--filter truncate:0:8000"},
      {"--filter truncate:0:9000", ""},
      {"--interval 0.9", "--interval 0.8"},
      {"--interval 0.9", ""},
      {"--definition w-event --epsilon 1 --w 4", "--definition event --epsilon 1"},
      {"--epsilon 1", "--epsilon 1 --delta 1e-6"},
      {"--epsilon 1", "--epsilon 1 --unit-step 0.5"},
  };
  EXPECT_NE(with("--every 2", "--every 3").err.find("every = 2 there and 3 here"), std::string::npos);
  EXPECT_NE(with("--sensitivity 3 --mechanism hybrid --every 2", "--sensitivity 4 --mechanism hybrid --every 3")
                .err.find("every = 2 there and 3 here; sensitivity = 3 unit steps there and 4 unit steps here"),
            std::string::npos);
  for (const auto& [from, to] : changes) {
    const Finished finished = with(from, to);
    EXPECT_EQ(finished.exit_code, 2) << from << " → " << to << "\n" << finished;
    EXPECT_NE(finished.err.find("run.ledger"), std::string::npos) << finished;
    EXPECT_NE(finished.err.find(" there and "), std::string::npos) << from << " → " << to << "\n" << finished;
    EXPECT_EQ(read_file(directory_ / "run.ledger"), ledger_) << from << " → " << to;
    EXPECT_EQ(read_file(directory_ / "out.csv"), out_) << from << " → " << to;
  }
}

TEST_F(ResumeRules, OtherSeriesAreRefused) {
  write_file(directory_ / "s.csv", "time,other\n0,1000\n");
  const Finished finished = run_fugu(directory_, kRun);
  EXPECT_EQ(finished.exit_code, 2) << finished;
}

TEST_F(ResumeRules, ReleasesOfAnotherRunAreRefused) {
  // The same stream published once more: same times, other values.
  const Finished other = with("--ledger run.ledger --out out.csv", "--ledger other.ledger --out other.csv");
  ASSERT_EQ(other.exit_code, 0) << other;
  const std::string other_out = read_file(directory_ / "other.csv");
  ASSERT_NE(other_out, out_);
  const Finished finished = with("--out out.csv", "--out other.csv");
  EXPECT_EQ(finished.exit_code, 3) << finished;
  EXPECT_EQ(read_file(directory_ / "other.csv"), other_out);
  // Releases without their ledger are never overwritten.
  const Finished fresh = with("--ledger run.ledger", "--ledger new.ledger");
  EXPECT_EQ(fresh.exit_code, 3) << fresh;
  EXPECT_EQ(read_file(directory_ / "out.csv"), out_);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "new.ledger"));
}

TEST_F(ResumeRules, AnotherFileAsOutputIsRefused) {
  for (const char* content : {"time,load\n0,1000\n", "hello", "time,series,value\n", "\n\n"}) {
    write_file(directory_ / "out.csv", content);
    const Finished finished = run_fugu(directory_, kRun);
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_EQ(read_file(directory_ / "out.csv"), content);
  }
}

TEST_F(ResumeRules, NotALedger) {
  for (const std::string& content : {std::string(), std::string("time,load\n0,1\n"), ledger_.substr(0, 5),
                                     ledger_.substr(0, 30), std::string("x").append(ledger_, 1)}) {
    write_file(directory_ / "run.ledger", content);
    for (const std::string& command : {std::string(kRun), std::string("audit --ledger run.ledger")}) {
      const Finished finished = run_fugu(directory_, command);
      EXPECT_EQ(finished.exit_code, 2) << command << "\n" << finished;
      EXPECT_NE(finished.err.find("run.ledger"), std::string::npos) << finished;
    }
    EXPECT_EQ(read_file(directory_ / "run.ledger"), content);
    EXPECT_EQ(read_file(directory_ / "out.csv"), out_);
  }
}

TEST_F(ResumeRules, ADamagedLedgerIsNotContinued) {
  // One changed byte in the middle, with more frames behind it.
  write_file(directory_ / "s.csv", "time,load\n0,1000\n1,1010\n2,1020\n3,1030\n4,1040\n");
  ASSERT_EQ(run_fugu(directory_, kRun).exit_code, 0);
  std::string ledger = read_file(directory_ / "run.ledger");
  ASSERT_GT(ledger.size(), ledger_.size());
  ledger[ledger_.size() - 3] = static_cast<char>(ledger[ledger_.size() - 3] ^ 1);
  write_file(directory_ / "run.ledger", ledger);
  const std::string out = read_file(directory_ / "out.csv");
  const Finished finished = run_fugu(directory_, kRun);
  EXPECT_EQ(finished.exit_code, 2) << finished;
  EXPECT_EQ(run_fugu(directory_, "audit --ledger run.ledger").exit_code, 1);
  EXPECT_EQ(read_file(directory_ / "run.ledger"), ledger);
  EXPECT_EQ(read_file(directory_ / "out.csv"), out);
}

TEST_F(ResumeRules, LongerStreamGoesOn) {
  write_file(directory_ / "s.csv", "time,load\n0,1000\n1,1010\n2,1020\n3,1030\n4,1040\n6,1060\n");
  const Finished finished = run_fugu(directory_, kRun);
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const std::string out = read_file(directory_ / "out.csv");
  EXPECT_TRUE(out.starts_with(out_));
  EXPECT_EQ(lines_of(out).size(), 8u);
  const AuditVerdict verdict = expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  EXPECT_EQ(verdict.slots, 7u);
  EXPECT_EQ(verdict.answers, 4u);
}

TEST_F(ResumeRules, ALostOutputIsWrittenAgain) {
  std::filesystem::remove(directory_ / "out.csv");
  EXPECT_EQ(run_fugu(directory_, kRun).exit_code, 0);
  EXPECT_EQ(read_file(directory_ / "out.csv"), out_);
}

TEST(Start, LeftoversOfAKilledStart) {
  const TempDir directory;
  write_file(directory / "s.csv", "time,load\n0,1000\n1,1010\n");
  write_file(directory / "run.ledger.new", "fuguled2 half a head");
  write_file(directory / "out.csv", "");
  const Finished finished =
      run_fugu(directory,
               "publish --stream s.csv --definition event --epsilon 1 --sensitivity 1 --mechanism "
               "uniform --ledger run.ledger --out out.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
}

TEST(Start, AStreamWithoutSlotsLeavesNothingBehind) {
  const TempDir directory;
  const std::string command =
      "publish --stream - --definition event --epsilon 1 --sensitivity 1 --mechanism uniform --ledger run.ledger --out "
      "out.csv --slot-length 1h";
  EXPECT_EQ(run_fugu(directory, command, "time,load\n").exit_code, 0);
  // The producer comes back, now with rows: its clock is the one that counts.
  const Finished finished = run_fugu(directory, command, "time,load\n2026-01-01T05:00:00+01:00,17\n");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(lines_of(read_file(directory / "out.csv"))[1].substr(0, 26), "2026-01-01T05:00:00+01:00,");
}

TEST(Start, SlotNumbersMayBeginLater) {
  const TempDir directory;
  write_file(directory / "s.csv", "time,load\n3,1000\n4,1010\n");
  const std::string command =
      "publish --stream s.csv --definition event --epsilon 1 --sensitivity 1 --mechanism uniform --ledger run.ledger "
      "--out out.csv";
  const Finished finished = run_fugu(directory, command);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::vector<std::string> lines = lines_of(read_file(directory / "out.csv"));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[3], "2,load,,,0,0") << "slots before the first row are missing";
  const AuditVerdict verdict = expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
  EXPECT_EQ(verdict.answers, 2u);
  const std::string out = read_file(directory / "out.csv");
  EXPECT_EQ(run_fugu(directory, command).exit_code, 0);
  EXPECT_EQ(read_file(directory / "out.csv"), out);
  // A number that is far off is a mistake.
  write_file(directory / "s.csv", "time,load\n3000000,1000\n");
  remove_ledger(directory);
  std::filesystem::remove(directory / "out.csv");
  EXPECT_EQ(run_fugu(directory, command).exit_code, 2);
}

}  // namespace
}  // namespace fugu::test
