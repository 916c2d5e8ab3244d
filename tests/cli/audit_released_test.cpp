// What the audit sees of a released file: every byte of it.
#include <algorithm>
#include <functional>

#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kPublish = "publish --stream s.csv --definition w-event --epsilon 1 --w 4 --sensitivity 2 ";
constexpr const char* kAudit = "audit --ledger run.ledger --released ";

std::string stream(int slots) {
  std::string text = "time,north,south\n";
  for (int slot = 0; slot < slots; ++slot) {
    char time[40];
    std::snprintf(time, sizeof time, "2024-01-01T%02d:%02d:00+01:00", slot / 4, slot % 4 * 15);
    text.append(time).append(",").append(std::to_string(1000 + slot)).append(",500\n");
  }
  return text;
}

class ReleasedFile : public ::testing::Test {
 protected:
  void SetUp() override { write_file(directory_ / "s.csv", stream(20)); }

  void publish(const std::string& options) {
    const Finished run = run_fugu(directory_, kPublish + options + " --ledger run.ledger --out out.csv");
    ASSERT_EQ(run.exit_code, 0) << run;
    expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  }
  /// Audits the releases after `change` was made to their lines; [0] is the header.
  Finished audit_changed(const std::function<void(std::vector<std::string>&)>& change) {
    std::vector<std::string> lines = lines_of(read_file(directory_ / "out.csv"));
    change(lines);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write_file(directory_ / "changed.csv", text);
    return run_fugu(directory_, std::string(kAudit) + "changed.csv");
  }
  /// The same with another text in a field of line `line`: one that noise cannot come to by chance.
  Finished audit_with_field(std::size_t line, std::size_t field, const std::string& value) {
    return audit_changed([&](std::vector<std::string>& lines) {
      std::vector<std::string> fields = fields_of(lines[line]);
      fields[field] = value;
      lines[line].clear();
      for (std::size_t i = 0; i < fields.size(); ++i) lines[line] += (i == 0 ? "" : ",") + fields[i];
    });
  }
  static void expect_fails(const Finished& audit, const std::string& words) {
    EXPECT_EQ(audit.exit_code, 1) << audit;
    EXPECT_NE(audit.out.find(words), std::string::npos) << audit;
  }

  TempDir directory_;
};

TEST_F(ReleasedFile, TrueValuesBehindAFilterAreFound) {
  publish("--mechanism hybrid --every 2 --filter kalman,truncate:0:5000");
  expect_fails(audit_with_field(7, 2, "1003.03125"), "series north: the released value is not what the filter makes");
}

TEST_F(ReleasedFile, TrueValuesInTheErrorBandAreFound) {
  publish("--mechanism uniform --interval 0.9 --filter truncate:0:5000");
  expect_fails(audit_with_field(7, 6, "1003.5"), "series north: the error band is not that of the recorded answer");
  expect_fails(audit_with_field(8, 7, "500.5"), "series south: the error band is not that of the recorded answer");
}

TEST_F(ReleasedFile, TruncationInsideTheLoopIsRunAgain) {
  // BA compares with what it released, cut off at 400; bands are about the answers, which are not.
  publish("--mechanism ba --interval 0.9 --filter truncate:0:400");
  expect_fails(audit_with_field(7, 2, "1003"), "series north: the released value is not what the filter makes");
}

TEST_F(ReleasedFile, EveryDigitOfAnIntervalCounts) { publish("--mechanism uniform --interval 0.99999999"); }

TEST_F(ReleasedFile, AnUnknownColumnIsFound) {
  publish("--mechanism uniform");
  const Finished audit = audit_changed([](auto& lines) {
    lines[0] += ",load";
    for (std::size_t i = 1; i < lines.size(); ++i) lines[i] += ",1003";
  });
  expect_fails(audit, "column 'load' is none that the run publishes");
  const Finished stated =
      run_fugu(directory_, "audit --released changed.csv --definition w-event --epsilon 1 --w 4 --sensitivity 2");
  EXPECT_EQ(stated.exit_code, 2) << stated;
}

TEST_F(ReleasedFile, AColumnThatIsNotInTheHeaderIsFound) {
  publish("--mechanism uniform");
  expect_fails(audit_changed([](auto& lines) { lines[5] += ",1003"; }), "7 fields instead of 6 fields");
}

TEST_F(ReleasedFile, AnotherTextForTheSameNumberIsFound) {
  publish("--mechanism hybrid --every 2");
  const auto field = [&](std::size_t i) { return fields_of(lines_of(read_file(directory_ / "out.csv"))[1])[i]; };
  expect_fails(audit_with_field(1, 2, field(2) + ".0"), "the released value");
  expect_fails(audit_with_field(1, 3, field(3) + "0000000001"), "the stated scale");
  expect_fails(audit_with_field(1, 4, field(4) + "0000000001"), "the stated loss rate");
  expect_fails(audit_with_field(1, 0, "2023-12-31T23:00:00Z"), "the time is not as the ledger has it");
  expect_fails(audit_changed([](auto& lines) { lines[3] += "\r"; }), "the sampled flag");
  expect_fails(audit_changed([](auto& lines) { lines.insert(lines.begin() + 3, ""); }), "line 4: the time is none");
}

TEST_F(ReleasedFile, RowsThatAreMissingInASlotAreFound) {
  publish("--mechanism uniform");
  for (const char* series : {"north", "south"}) {
    const auto is_of = [&](const std::string& line) { return line.find(std::string(",") + series) != line.npos; };
    expect_fails(audit_changed([&](auto& lines) { std::erase_if(lines, is_of); }), "missing");
    expect_fails(audit_changed([&](auto& lines) { lines.erase(std::find_if(lines.begin() + 9, lines.end(), is_of)); }),
                 "slot 4: ");
  }
  expect_fails(audit_changed([](auto& lines) { lines.pop_back(); }), "slot 19: the row of series south is missing");
  const Finished shorter = audit_changed([](auto& lines) { lines.resize(lines.size() - 4); });
  EXPECT_EQ(shorter.exit_code, 0) << shorter;
  EXPECT_NE(shorter.out.find("2 of these slots are not in the file"), std::string::npos) << shorter;
}

TEST_F(ReleasedFile, SaysWhatWasNotChecked) {
  publish("--mechanism uniform");
  const Finished alone = run_fugu(directory_, "audit --ledger run.ledger");
  EXPECT_NE(alone.out.find("not checked what was published"), std::string::npos) << alone;
  const Finished both = run_fugu(directory_, std::string(kAudit) + "out.csv");
  EXPECT_EQ(both.out.find("not checked what was published"), std::string::npos) << both;
  EXPECT_NE(both.out.find("not checked that noise was drawn"), std::string::npos) << both;
  const Finished stated =
      run_fugu(directory_, "audit --released out.csv --definition w-event --epsilon 1 --w 4 --sensitivity 2");
  EXPECT_EQ(stated.exit_code, 0) << stated;
  EXPECT_NE(stated.out.find("not checked values, error bands"), std::string::npos) << stated;
}

TEST_F(ReleasedFile, SaysInWhichCurrencyItsRatesAre) {
  publish("--mechanism uniform --delta 1e-6");
  const std::string text = read_file(directory_ / "out.csv");
  EXPECT_TRUE(text.starts_with("time,series,value,scale,loss_rate_rho,sampled\n"));
  const std::string claim = "audit --definition w-event --epsilon 1 --w 4 --sensitivity 2 --released ";
  const Finished pure = run_fugu(directory_, claim + "out.csv");
  EXPECT_EQ(pure.exit_code, 2) << pure;
  EXPECT_NE(pure.err.find("states its losses in ρ"), std::string::npos) << pure;
  EXPECT_EQ(run_fugu(directory_, claim + "out.csv --delta 1e-6").exit_code, 0);
  // As if it were ε: the scales give it away.
  write_file(directory_ / "old.csv", "time,series,value,scale,loss_rate,sampled" + text.substr(text.find('\n')));
  expect_fails(run_fugu(directory_, claim + "old.csv"), "the stated loss rate is below what the stated scale costs");
  const Finished mixed = run_fugu(directory_, claim + "old.csv --delta 1e-6");
  EXPECT_EQ(mixed.exit_code, 2) << mixed;
  expect_fails(run_fugu(directory_, std::string(kAudit) + "old.csv"), "the header is not that of the run");
}

TEST_F(ReleasedFile, SimulatedReleasesAreNoEvidence) {
  publish("--mechanism uniform");
  (void)audit_changed([](auto& lines) {
    lines[0] += ",simulated";
    for (std::size_t i = 1; i < lines.size(); ++i) lines[i] += ",1";
  });
  const std::string claim = "audit --definition w-event --epsilon 1 --w 4 --sensitivity 2 --released changed.csv";
  for (const std::string& command : {std::string(kAudit) + "changed.csv", claim}) {
    const Finished audit = run_fugu(directory_, command);
    EXPECT_EQ(audit.exit_code, 3) << audit;
    EXPECT_NE(audit.err.find("simulated"), std::string::npos) << audit;
  }
  const Finished resumed =
      run_fugu(directory_, std::string(kPublish) + "--mechanism uniform --ledger run.ledger --out changed.csv");
  EXPECT_EQ(resumed.exit_code, 3) << resumed;
  EXPECT_NE(resumed.err.find("holds simulated releases"), std::string::npos) << resumed;
  EXPECT_EQ(run_fugu(directory_, "metrics --stream s.csv --released changed.csv").exit_code, 0);
}

TEST_F(ReleasedFile, FewRowsCannotFillTheMemory) {
  write_file(directory_ / "far.csv",
             "time,series,value,scale,loss_rate,sampled\n0,a,5,,0.1,1\n1099511627776,a,5,,0.1,1\n");
  const Finished audit =
      run_fugu(directory_, "audit --released far.csv --definition w-event --epsilon 1 --w 4 --sensitivity 2");
  EXPECT_EQ(audit.exit_code, 2) << audit;
  EXPECT_NE(audit.err.find("too far from the rows before"), std::string::npos) << audit;
}

}  // namespace
}  // namespace fugu::test
