// examples/embed.cpp: a program that links core and strategies publishes, is killed, and goes on.
#include <filesystem>

#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr int kSlots = 60;
constexpr int kKills = 12;

std::vector<std::string> embed() {
  return {(std::filesystem::path(FUGU_BINARY).parent_path() / "embed").string(), "-"};
}

std::string row(int slot) { return std::to_string(slot) + "," + std::to_string(500 + slot) + "\n"; }

/// Rows of whole slots in the output.
std::vector<std::string> released(const TempDir& directory) {
  const std::string path = directory / "embed.csv";
  return std::filesystem::exists(path) ? lines_of(read_file(path), true) : std::vector<std::string>();
}

TEST(Embed, IsKilledAndGoesOnWithTheSameValues) {
  const TempDir directory;
  std::vector<std::string> seen;
  for (int kill = 0; kill <= kKills; ++kill) {
    Process process(embed(), {.directory = directory.path()});
    process.feed("time,load\n");
    const int to = kSlots * (kill + 1) / (kKills + 1);
    for (int slot = 0; slot < to; ++slot) process.feed(row(slot));
    if (kill == kKills) {
      ASSERT_EQ(process.wait().exit_code, 0) << process.wait();
    } else {
      // Any time after the first new slot is out: some slots of this part may be, others not.
      process.wait_until([&] { return released(directory).size() > seen.size() + 1; });
      process.kill();
      process.wait();
    }
    const auto now = released(directory);
    ASSERT_GE(now.size(), seen.size());
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), now.begin())) << "after kill " << kill;
    seen = now;
  }
  EXPECT_EQ(seen.size(), 1u + kSlots);
  const AuditVerdict verdict = expect_audit_holds(directory, "--ledger embed.ledger --released embed.csv");
  EXPECT_EQ(verdict.slots, static_cast<std::uint64_t>(kSlots));
  EXPECT_EQ(verdict.answers, static_cast<std::uint64_t>(kSlots));
}

TEST(Embed, RefusesALedgerThatIsNotTheLatest) {
  const TempDir directory;
  std::string rows = "time,load\n" + row(0) + row(1);
  ASSERT_EQ(run(embed(), rows, {.directory = directory.path()}).exit_code, 0);
  const std::string older = read_file(directory / "embed.ledger");
  rows += row(2) + row(3);
  ASSERT_EQ(run(embed(), rows, {.directory = directory.path()}).exit_code, 0);
  write_file(directory / "embed.ledger", older);
  std::filesystem::remove(directory / "embed.csv");
  const Finished finished = run(embed(), rows + row(4), {.directory = directory.path()});
  EXPECT_EQ(finished.exit_code, 3) << finished;
  EXPECT_EQ(read_file(directory / "embed.ledger"), older);
}

}  // namespace
}  // namespace fugu::test
