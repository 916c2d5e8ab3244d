// fugu study through the real program: the list, kills, threads, bad folders.
#include <filesystem>

#include "support/exchange_rows.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQuick = "study swellfish-thesis --days 7 --households 3 --zones 3";

TEST(Study, ListsWhatThereIs) {
  const TempDir directory;
  const Finished list = run_fugu(directory, "study");
  ASSERT_EQ(list.exit_code, 0) << list;
  EXPECT_NE(list.out.find("\nswellfish-thesis "), std::string::npos) << list;
  const Finished unknown = run_fugu(directory, "study nothing");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("there is no command 'nothing' of fugu study; known are "), std::string::npos) << unknown;
  const Finished help = run_fugu(directory, "study swellfish-thesis --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("--full"), std::string::npos);
  EXPECT_NE(help.out.find("Examples"), std::string::npos);
}

TEST(Study, WritesRowsAndAReport) {
  const TempDir directory;
  const Finished finished = run_fugu(directory, kQuick);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find("Narwhal"), std::string::npos) << finished;
  const std::string folder = "study-swellfish-thesis/";
  for (const char* file : {"results.csv", "timings.csv", "collections.csv", "report.html", "run.toml"})
    EXPECT_TRUE(fs::exists(directory / (folder + file))) << file;
  const auto rows = lines_of(read_file(directory / "study-swellfish-thesis/results.csv"));
  EXPECT_TRUE(rows[0].starts_with("household,zone,mechanism,epsilon,method,runs,mae_kw,mre,"));
  EXPECT_EQ(rows.size(), 1 + 3U * (10 * 13 + 7 * 13 + 4 + 3));
  const Finished again = run_fugu(directory, kQuick);
  EXPECT_NE(again.err.find(" rows are in study-swellfish-thesis already"), std::string::npos) << again;
}

TEST(Study, KilledAgainAndAgainItGivesTheSameBytes) {
  const TempDir directory;
  const std::string quick = std::string(kQuick).append(" --runs 30 --no-report --out ");
  ASSERT_EQ(run_fugu(directory, quick + "whole --threads 1").exit_code, 0);
  const std::string whole = read_file(directory / "whole/results.csv");
  std::size_t kills = 0;
  for (std::size_t rows = 40; rows < 500; rows += 90) {
    Process process(fugu_command(quick + "killed"), {.directory = directory.path()});
    const auto has_rows = [&] { return lines_of(read_file(directory / "killed/results.csv"), true).size() > rows; };
    ASSERT_TRUE(process.wait_until(has_rows));
    process.kill();
    kills += process.wait().signal == SIGKILL ? 1 : 0;
  }
  EXPECT_GE(kills, 2U) << "the study is over too soon for this test";
  const Finished finished = run_fugu(directory, quick + "killed");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(read_file(directory / "killed/results.csv"), whole);
}

TEST(Study, DistributionalGoesOnAfterAKill) {
  const TempDir directory;
  const std::string quick = "study distributional --meters 100 --samples 3000 --threads 1 --out ";
  ASSERT_EQ(run_fugu(directory, quick + "whole").exit_code, 0);
  {
    Process process(fugu_command(quick + "killed"), {.directory = directory.path()});
    ASSERT_TRUE(
        process.wait_until([&] { return lines_of(read_file(directory / "killed/results.csv"), true).size() > 2; }));
    process.kill();
    ASSERT_EQ(process.wait().signal, SIGKILL) << "the study is over too soon for this test";
  }
  const Finished resumed = run_fugu(directory, quick + "killed");
  ASSERT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_NE(resumed.err.find("of 10 cases are in killed already"), std::string::npos) << resumed;
  for (const char* file : {"results.csv", "report.html", "distributional-scatter.svg"})
    EXPECT_EQ(read_file(directory / (std::string("killed/") + file)),
              read_file(directory / (std::string("whole/") + file)))
        << file;
  const Finished other = run_fugu(directory, "study distributional --meters 50 --samples 3000 --out killed");
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_NE(other.err.find("meters = 100 there and 50 here"), std::string::npos) << other;
}

TEST(Study, ANumberThatWasChangedIsRefused) {
  const TempDir directory;
  const std::string quick = "study distributional --meters 10 --samples 100 --no-report --out out";
  ASSERT_EQ(run_fugu(directory, quick).exit_code, 0);
  std::string results = read_file(directory / "out/results.csv");
  results[results.size() - 2] = results[results.size() - 2] == '1' ? '2' : '1';  // the last digit
  write_file(directory / "out/results.csv", results);
  const Finished refused = run_fugu(directory, quick);
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(refused.err.find("results.csv:11: found a row that is not as it was written"), std::string::npos)
      << refused;
  EXPECT_EQ(run_fugu(directory, quick + " --restart").exit_code, 0);
}

TEST(Study, RowsInAnotherOrderAreRefused) {
  const TempDir directory;
  const std::string quick = "study temporal --households 2 --no-report --out out";
  ASSERT_EQ(run_fugu(directory, quick).exit_code, 0);
  EXPECT_EQ(run_fugu(directory, quick).exit_code, 0);
  write_file(directory / "out/results.csv", with_rows_exchanged(read_file(directory / "out/results.csv")));
  const Finished refused = run_fugu(directory, quick);
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(refused.err.find("results.csv:2: found a row that does not belong there"), std::string::npos) << refused;
}

TEST(Study, TemporalJudgesSentencesAndKeepsReadingsApart) {
  const TempDir directory;
  const std::string quick = "study temporal --households 3 --no-report --out out";
  const Finished finished = run_fugu(directory, quick);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find("\n16 "), std::string::npos) << finished;
  EXPECT_NE(finished.out.find(" holds\n"), std::string::npos) << finished;
  const Finished gone = run_fugu(directory, quick + " --data gone");
  EXPECT_EQ(gone.exit_code, 2) << gone;
  EXPECT_NE(gone.err.find("expected a data folder with lvgrid/ieee_eulv/profiles_1min_kw_100.csv.gz"),
            std::string::npos)
      << gone;
  std::string profiles = "minute,p001_kw\n";
  for (int minute = 0; minute < 1440; ++minute) profiles.append(std::to_string(minute)).append(",0.5\n");
  fs::create_directories(directory / "data/lvgrid/ieee_eulv");
  write_file(directory / "data/lvgrid/ieee_eulv/profiles_1min_kw_100.csv.gz", profiles);
  const Finished others = run_fugu(directory, quick + " --data data");
  EXPECT_EQ(others.exit_code, 2) << others;
  EXPECT_NE(others.err.find("other readings"), std::string::npos) << others;
}

TEST(Study, BadInputSaysWhatAndWhere) {
  const TempDir directory;
  const auto expect = [&](const std::string& options, int exit_code, const std::string& message) {
    const Finished finished = run_fugu(directory, "study swellfish-thesis " + options);
    EXPECT_EQ(finished.exit_code, exit_code) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << options << "\n" << finished;
  };
  expect("--data gone", 2, "expected a data folder with gefcom2012/load_kw.csv.gz");
  fs::create_directories(directory / "half/gefcom2012");
  write_file(directory / "half/gefcom2012/load_kw.csv.gz", "timestamp,zone1_kw\n2004-01-01T00:00,5\n");
  expect("--data half", 2, "half/gefcom2012/load_kw.csv.gz:1: found no column zone2_kw");
  expect("--households 0", 2, "--households: expected at least 1");
  expect("--days -1", 2, "days: expected at least 1");
  expect("--days 7 --unknown", 2, "--unknown");
  expect("--zones 0", 2, "--zones: expected 1 to 20");
  expect("--runs 0", 2, "--runs");
  expect("--days 7 --zones 2 --beyond clip --interval never", 2, "--interval");
  expect("--beyond never", 2, "--beyond");
  expect("--days 1 --households 200 --beyond drop", 2, "has no policy whose interval lies within 1 days");
  EXPECT_FALSE(fs::exists(directory / "study-swellfish-thesis")) << "nothing is begun before all is in order";
}

TEST(Study, GridGivesTheSameBytesWhateverTheThreads) {
  const TempDir directory;
  const std::string quick = "study grid --days 3 --runs 2 --out ";
  const Finished one = run_fugu(directory, quick + "one --threads 1");
  ASSERT_EQ(one.exit_code, 0) << one;
  ASSERT_EQ(run_fugu(directory, quick + "three --threads 3 --no-report").exit_code, 0);
  EXPECT_EQ(read_file(directory / "one/results.csv"), read_file(directory / "three/results.csv"));
  EXPECT_FALSE(fs::exists(directory / "three/report.html"));
  const std::string page = read_file(directory / "one/report.html");
  for (const char* part : {"Figure 6.3", "Table 6.5", "no customer data", "household filter", "Narwhal"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_NE(one.out.find("household filter"), std::string::npos) << one;
}

}  // namespace
}  // namespace fugu::test
