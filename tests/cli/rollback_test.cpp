// Ledgers that are not the latest, heads that were kept, signatures; and outputs that must not be what they seem.
#include <filesystem>

#include "support/released.hpp"

namespace fugu::test {
namespace {

std::string stream(int slots) {
  std::string text = "time,load\n";
  for (int slot = 0; slot < slots; ++slot) text += std::to_string(slot) + "," + std::to_string(1000 + slot) + "\n";
  return text;
}

/// The head that fugu publish says at its end.
std::string head_in(const Finished& finished) {
  const std::string words = "head of the ledger: ";
  const std::size_t at = finished.err.find(words);
  return at == std::string::npos ? "" : finished.err.substr(at + words.size(), 64);
}

class Rollback : public testing::Test {
 protected:
  static constexpr const char* kRun =
      "publish --stream s.csv --definition w-event --epsilon 1 --w 4 --sensitivity 3 --mechanism uniform "
      "--ledger run.ledger";

  Finished publish(int slots, const std::string& more = "") {
    write_file(directory_ / "s.csv", stream(slots));
    return run_fugu(directory_, kRun + more);
  }

  TempDir directory_;
};

TEST_F(Rollback, OnStandardOutputNoSlotIsReleasedASecondTime) {
  ASSERT_EQ(publish(3).exit_code, 0);
  std::filesystem::copy(directory_ / "run.ledger", directory_ / "backup");
  ASSERT_EQ(publish(9).exit_code, 0);
  const auto overwrite = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy(directory_ / "backup", directory_ / "run.ledger", overwrite);
  const Finished refused = publish(12);
  EXPECT_EQ(refused.exit_code, 3) << refused;
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("--not-before"), std::string::npos) << refused;
  EXPECT_EQ(publish(12, " --not-before 11").exit_code, 3);
  EXPECT_EQ(publish(12, " --not-before soon").exit_code, 2);
  const Finished goes_on = publish(15, " --not-before 12");
  ASSERT_EQ(goes_on.exit_code, 0) << goes_on;
  const auto lines = lines_of(goes_on.out);
  ASSERT_EQ(lines.size(), 3u) << goes_on;
  EXPECT_EQ(fields_of(lines[0])[0], "12");
  const Finished audit = run_fugu(directory_, "audit --ledger run.ledger");
  EXPECT_EQ(audit.exit_code, 0) << audit;
  EXPECT_NE(audit.out.find("left out    9 slots"), std::string::npos) << audit;
}

TEST_F(Rollback, WhatFollowsALossIsAuditedWithItsFilter) {
  const std::string files = " --filter moving-average:3 --out out.csv";
  ASSERT_EQ(publish(3, files).exit_code, 0);
  const std::string ledger = read_file(directory_ / "run.ledger");
  const std::string out = read_file(directory_ / "out.csv");
  ASSERT_EQ(publish(9, files).exit_code, 0);
  write_file(directory_ / "run.ledger", ledger);
  EXPECT_EQ(publish(15, files + " --not-before 12").exit_code, 3)
      << "the file has rows that this ledger does not pay for";
  write_file(directory_ / "out.csv", out);
  const Finished goes_on = publish(15, files + " --not-before 12");
  ASSERT_EQ(goes_on.exit_code, 0) << goes_on;
  expect_audit_holds(directory_, "--ledger run.ledger --released out.csv");
  const std::string released = read_file(directory_ / "out.csv");
  ASSERT_EQ(publish(15, files).exit_code, 0) << "resuming checks the file against the ledger";
  EXPECT_EQ(read_file(directory_ / "out.csv"), released);
}

TEST_F(Rollback, APromiseForEverDoesNotGoOn) {
  const std::string run =
      "publish --stream s.csv --definition user --horizon 50 --epsilon 1 --sensitivity 3 --mechanism uniform "
      "--ledger run.ledger";
  write_file(directory_ / "s.csv", stream(3));
  ASSERT_EQ(run_fugu(directory_, run).exit_code, 0);
  const std::string older = read_file(directory_ / "run.ledger");
  write_file(directory_ / "s.csv", stream(6));
  ASSERT_EQ(run_fugu(directory_, run).exit_code, 0);
  write_file(directory_ / "run.ledger", older);
  for (const char* more : {"", " --not-before 40"}) EXPECT_EQ(run_fugu(directory_, run + more).exit_code, 3) << more;
  EXPECT_EQ(read_file(directory_ / "run.ledger"), older);
}

TEST_F(Rollback, AKeptHeadTellsWhetherHistoryWasRewritten) {
  const std::string kept = head_in(publish(5));
  ASSERT_EQ(kept.size(), 64u);
  ASSERT_EQ(publish(8).exit_code, 0);
  expect_audit_holds(directory_, "--ledger run.ledger --head " + kept);
  remove_ledger(directory_);
  ASSERT_EQ(publish(8).exit_code, 0);
  EXPECT_EQ(run_fugu(directory_, "audit --ledger run.ledger --head " + kept).exit_code, 1);
  EXPECT_EQ(run_fugu(directory_, "audit --ledger run.ledger --head abc").exit_code, 2);
}

TEST_F(Rollback, SignaturesAreChecked) {
  ASSERT_EQ(run_fugu(directory_, "key new --out operator.key").exit_code, 0);
  EXPECT_EQ(run_fugu(directory_, "key new --out operator.key").exit_code, 2) << "a key is never overwritten";
  ASSERT_EQ(run_fugu(directory_, "key new --out other.key").exit_code, 0);
  ASSERT_EQ(publish(5, " --key operator.key").exit_code, 0);
  ASSERT_EQ(publish(8, " --key operator.key").exit_code, 0);
  EXPECT_EQ(publish(9).exit_code, 2) << "not without the key";
  EXPECT_EQ(publish(9, " --key other.key").exit_code, 2);
  expect_audit_holds(directory_, "--ledger run.ledger --key operator.key.pub");
  EXPECT_EQ(run_fugu(directory_, "audit --ledger run.ledger --key other.key.pub").exit_code, 1);
  EXPECT_EQ(run_fugu(directory_, "audit --ledger run.ledger --key operator.key").exit_code, 2);
}

TEST_F(Rollback, WhatIsAboutALedgerNeedsOne) {
  write_file(directory_ / "s.csv", stream(3));
  for (const char* more : {" --head h", " --key k", " --not-before 3"}) {
    const Finished finished = run_fugu(
        directory_,
        std::string("publish --stream s.csv --definition event --epsilon 1 --sensitivity 3 --mechanism uniform") +
            more);
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_NE(finished.err.find("--ledger"), std::string::npos) << finished;
  }
}

TEST(Output, OfASimulationIsMarkedInEveryRow) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(3));
  for (const char* more : {"", " --interval 0.9"}) {
    const Finished finished =
        run_fugu(directory, std::string("publish --stream s.csv --definition event --epsilon 1 --sensitivity 3 "
                                        "--mechanism uniform --seed 1") +
                                more);
    const auto lines = lines_of(finished.out);
    ASSERT_EQ(lines.size(), 4u) << finished;
    EXPECT_EQ(fields_of(lines[0]).back(), "simulated");
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(fields_of(lines[i]).back(), "1") << lines[i];
  }
}

TEST(Output, DoesNotFollowASymbolicLink) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(3));
  write_file(directory / "precious", "something of somebody");
  std::filesystem::create_symlink("precious", directory / "out.csv");
  for (const char* more : {"", " --ledger run.ledger", " --seed 1"}) {
    const Finished finished =
        run_fugu(directory, std::string("publish --stream s.csv --definition event --epsilon 1 --sensitivity 3 "
                                        "--mechanism uniform --out out.csv") +
                                more);
    EXPECT_EQ(finished.exit_code, 2) << more << finished;
    EXPECT_EQ(read_file(directory / "precious"), "something of somebody");
  }
}

TEST(Output, OverwritesItsOwnKindOnly) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(3));
  const auto publish = [&](const std::string& more) {
    return run_fugu(directory,
                    "publish --stream s.csv --definition event --epsilon 1 --sensitivity 3 --mechanism uniform" + more);
  };
  ASSERT_EQ(publish(" --ledger run.ledger --out out.csv").exit_code, 0);
  write_file(directory / "precious", "something of somebody");
  for (const char* how : {"", " --seed 1"}) {
    for (const char* name : {"run.ledger", "run.ledger.head", "precious"}) {
      const std::string before = read_file(directory / name);
      const Finished refused = publish(std::string(how) + " --out " + name);
      EXPECT_EQ(refused.exit_code, 3) << name << how << refused;
      EXPECT_NE(refused.err.find("found something else than releases"), std::string::npos) << refused;
      EXPECT_EQ(read_file(directory / name), before);
    }
  }
  const std::string releases = read_file(directory / "out.csv");
  const Finished simulated = publish(" --seed 1 --out out.csv");
  EXPECT_EQ(simulated.exit_code, 3) << simulated;
  EXPECT_NE(simulated.err.find("holds releases that were not simulated"), std::string::npos) << simulated;
  EXPECT_EQ(read_file(directory / "out.csv"), releases);

  for (const char* how : {" --seed 1", " --seed 2 --interval 0.9", " --seed 3", "", " --delta 1e-6", ""}) {
    const Finished again = publish(std::string(how) + " --out mine.csv");
    EXPECT_EQ(again.exit_code, 0) << how << again;
    EXPECT_EQ(lines_of(read_file(directory / "mine.csv")).size(), 4u) << how;
  }
}

}  // namespace
}  // namespace fugu::test
