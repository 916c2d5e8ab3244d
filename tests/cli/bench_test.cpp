// fugu bench through the real program: suites by name and by file, kills, threads, results of something else.
#include <filesystem>

#include "support/released.hpp"

namespace fugu::test {
namespace {

namespace fs = std::filesystem;

/// About 1,500 rows, a second or so of work.
constexpr const char* kManyCells = R"(
name = "many"
runs = 40
mechanisms = ["uniform", "sample", "hybrid:4"]
metrics = ["season", "peak"]
[[stream]]
length = 300
season = [20, 30, 40, 50]
amplitude = [10, 100, 1000, 10000]
[[requirement]]
epsilon = [0.1, 0.2, 0.5, 1]
w = [10, 20, 40, 80]
)";

constexpr const char* kFewCells = R"(
mechanisms = ["uniform"]
runs = 3
[[stream]]
length = 50
season = 20
amplitude = 10
[[requirement]]
epsilon = 1
w = 5
)";

TEST(Bench, RunsAShippedSuiteFromAnywhere) {
  const TempDir directory;
  const Finished finished = run_fugu(directory, "bench --suite smoke");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find("uniform"), std::string::npos) << "a table of what came out";
  EXPECT_NE(finished.err.find("bench-smoke/results.csv, bench-smoke/report.html"), std::string::npos) << finished;
  const auto rows = lines_of(read_file(directory / "bench-smoke/results.csv"));
  EXPECT_TRUE(rows[0].starts_with("mechanism,stream,season,amplitude,epsilon,w,runs,mae,mae_p95,mre,"));
  EXPECT_GT(rows.size(), 40U);
  EXPECT_NE(read_file(directory / "bench-smoke/report.html").find("</html>"), std::string::npos);
  EXPECT_TRUE(fs::exists(directory / "bench-smoke/deterioration.csv"));
}

TEST(Bench, ListsAndPrintsSuites) {
  const TempDir directory;
  const Finished list = run_fugu(directory, "bench --list");
  ASSERT_EQ(list.exit_code, 0);
  for (const char* name : {"smoke", "thesis-artificial", "artificial-plus", "thesis-real", "policies", "unseen",
                           "many-sparse", "anomalies"}) {
    EXPECT_NE(list.out.find(std::string("\n").append(name).append(" ")), std::string::npos) << name;
    const Finished printed = run_fugu(directory, std::string("bench --print ").append(name));
    EXPECT_EQ(printed.exit_code, 0);
    EXPECT_NE(printed.out.find("[[requirement]]"), std::string::npos);
  }
}

TEST(Bench, SameBytesWhateverTheThreads) {
  const TempDir directory;
  write_file(directory / "many.toml", kManyCells);
  for (const char* threads : {"1", "2", "5"}) {
    const std::string out = std::string("out").append(threads);
    const Finished finished = run_fugu(
        directory,
        std::string("bench --suite many.toml --runs 5 --threads ").append(threads).append(" --out ").append(out));
    ASSERT_EQ(finished.exit_code, 0) << finished;
    for (const char* file : {"/results.csv", "/report.html"})
      EXPECT_EQ(read_file(directory / (out + file)), read_file(directory / std::string("out1").append(file))) << out;
  }
  EXPECT_GT(read_file(directory / "out1/results.csv").size(), 10'000U);
}

TEST(Bench, KilledAgainAndAgainItGivesTheSameBytes) {
  const TempDir directory;
  write_file(directory / "many.toml", kManyCells);
  ASSERT_EQ(run_fugu(directory, "bench --suite many.toml --no-report --out whole").exit_code, 0);
  const std::string whole = read_file(directory / "whole/results.csv");
  const std::string command = "bench --suite many.toml --no-report --out killed";
  std::size_t kills = 0;
  std::string seen;
  for (std::size_t rows = 1; rows < 1200; rows += 150) {
    Process process(fugu_command(command), {.directory = directory.path()});
    const auto has_rows = [&] { return lines_of(read_file(directory / "killed/results.csv"), true).size() > rows; };
    ASSERT_TRUE(process.wait_until(has_rows));
    process.kill();
    kills += process.wait().signal == SIGKILL ? 1 : 0;
    const std::string now = read_file(directory / "killed/results.csv");
    EXPECT_TRUE(now.starts_with(seen)) << "what was computed is kept";
    seen = now.substr(0, now.rfind('\n') + 1);
    EXPECT_TRUE(whole.starts_with(seen));
  }
  EXPECT_GE(kills, 3U) << "the suite is over too soon for this test";
  const Finished finished = run_fugu(directory, command);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find(" cells are in killed already"), std::string::npos) << finished;
  EXPECT_EQ(read_file(directory / "killed/results.csv"), whole);
}

TEST(Bench, BadInputSaysWhatAndWhere) {
  const TempDir directory;
  const auto expect = [&](const std::string& options, int exit_code, const std::string& message) {
    const Finished finished = run_fugu(directory, "bench " + options);
    EXPECT_EQ(finished.exit_code, exit_code) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << options << "\n" << finished;
  };
  const auto suite = [&](const std::string& name, const std::string& replace, const std::string& with) {
    std::string text = kFewCells;
    text.replace(text.find(replace), replace.size(), with);
    write_file(directory / name, text);
  };
  expect("", 2, "--suite is missing");
  expect("--suite nothing", 2, "there is no suite 'nothing'; known are smoke");
  expect("--suite ./nothing.toml", 2, "nothing.toml: cannot be opened");
  suite("unknown.toml", "uniform", "unicron");
  expect("--suite unknown.toml", 2, "unknown.toml:2:15: there is no mechanism 'unicron'; known are uniform, sample");
  suite("policies.toml", "uniform", "narwhal");
  expect("--suite policies.toml", 2, "policies.toml:2:15: found narwhal, which follows policies");
  suite("empty.toml", "[\"uniform\"]", "[]");
  expect("--suite empty.toml", 2, "empty.toml:2:14: found an empty list");
  suite("file.toml", "length = 50\nseason = 20\namplitude = 10", "file = \"streams/gone.csv\"");
  expect("--suite file.toml", 2, "file.toml:5:8: found the file streams/gone.csv and no data folder");
  expect("--suite file.toml --data .", 2,
         "file.toml:5:8: found a stream that cannot be read; expected ./streams/gone.csv");
  suite("broken.toml", "runs = 3", "runs = ");
  expect("--suite broken.toml", 2, "broken.toml:3");
  expect("--suite thesis-real", 2, "thesis-real.toml:14:8: found the file streams/worldcup98");
  suite("good.toml", "runs = 3", "runs = 4");
  expect("--suite good.toml --threads 0", 2, "--threads");
  for (const char* runs : {"0", "-1", "1000001", "99999999999", "18446744073709551616"})
    expect(std::string("--suite good.toml --runs ").append(runs), 2, "not in range 1 to 1000000");
  suite("path.toml", "runs = 3", "runs = 3\nname = \"../../x\"");
  expect("--suite path.toml", 2, "path.toml:4:8: found the name '../../x'; expected a name without slash");
  suite("discounted.toml", "uniform", "planned");
  expect("--suite discounted.toml", 2,
         "discounted.toml:2:15: found planned, which serves neither w nor policies; expected a mechanism that does");
  expect("--suite good.toml --out good.toml", 4, "good.toml");
  EXPECT_FALSE(fs::exists(directory / "bench-good")) << "nor with options that are wrong";
  EXPECT_FALSE(fs::exists(directory / "bench-unknown")) << "nothing is begun before all is known to be in order";
}

TEST(Bench, ResultsOfAnotherStudyAreRefusedAndKept) {
  const TempDir directory;
  write_file(directory / "few.toml", kFewCells);
  ASSERT_EQ(run_fugu(directory, "bench --suite few.toml --out out").exit_code, 0);
  const std::string before = read_file(directory / "out/results.csv");
  const Finished refused = run_fugu(directory, "bench --suite few.toml --seed 2 --out out");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("(seed = 1 there and 2 here); choose another --out, or throw them away with --restart"),
            std::string::npos)
      << refused;
  EXPECT_EQ(read_file(directory / "out/results.csv"), before);
  EXPECT_EQ(run_fugu(directory, "bench --suite few.toml --out out").exit_code, 0) << "again, nothing to do";
  EXPECT_EQ(read_file(directory / "out/results.csv"), before);
  EXPECT_EQ(run_fugu(directory, "bench --suite few.toml --seed 2 --out out --restart").exit_code, 0);
  EXPECT_NE(read_file(directory / "out/results.csv"), before);
}

TEST(Bench, RefusesTheStreamsThatPublishRefuses) {
  const TempDir directory;
  const std::string publish =
      "publish --definition w-event --epsilon 1 --w 5 --sensitivity 1 --mechanism uniform --stream s.csv";
  const auto expect = [&](const std::string& stream, const std::string& series, const std::string& message) {
    write_file(directory / "s.csv", stream);
    std::string text = kFewCells;
    const std::string artificial = "length = 50\nseason = 20\namplitude = 10";
    text.replace(text.find(artificial), artificial.size(), "file = \"s.csv\"\n" + series);
    write_file(directory / "file.toml", text);
    for (const char* command :
         {"bench --suite file.toml --data .", "advise --sample s.csv --sensitivity 1 --epsilon 1 --w 5"}) {
      if (!series.empty() && std::string_view(command).starts_with("advise")) continue;  // it has all series
      const Finished finished = run_fugu(directory, command);
      EXPECT_EQ(finished.exit_code, 2) << command << "\n" << finished;
      EXPECT_NE(finished.err.find(message), std::string::npos) << command << "\n" << finished;
    }
  };
  expect("0,5,7\n1,5,7\n2,5,7\n", "", "s.csv:1:1: found a row of data; expected a header");
  EXPECT_EQ(run_fugu(directory, publish).exit_code, 2);
  expect("2026-01-01T00:00:00Z,5\n2026-01-01T00:15:00Z,5\n", "", "s.csv:1:1: found a row of data; expected a header");
  EXPECT_EQ(run_fugu(directory, publish).exit_code, 2);
  expect("time,a,a\n0,5,7\n1,5,7\n", "", "s.csv:1:8: found series 'a' a second time; expected each series once");
  EXPECT_EQ(run_fugu(directory, publish).exit_code, 2);
  expect("time,a,b\n0,5,7\n1,5,7\n", "series = [\"a\", \"a\"]",
         "file.toml:6:16: found 'a' twice; expected each series once");
}

TEST(Bench, ARestartThrowsAwayWhatWasMadeOfTheOldResults) {
  const TempDir directory;
  write_file(directory / "few.toml", kFewCells);
  ASSERT_EQ(run_fugu(directory, "bench --suite few.toml --out out").exit_code, 0);
  const Finished finished = run_fugu(directory, "bench --suite few.toml --seed 2 --out out --restart --no-report");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  for (const char* name : {"out/report.html", "out/deterioration.csv"}) EXPECT_FALSE(fs::exists(directory / name));

  fs::create_directory(directory / "mine");
  write_file(directory / "mine/report.html", "not of fugu");
  ASSERT_EQ(run_fugu(directory, "bench --suite few.toml --out mine --restart --no-report").exit_code, 0);
  EXPECT_EQ(read_file(directory / "mine/report.html"), "not of fugu") << "nothing says that it is made of results";

  fs::create_directory(directory / "other");
  write_file(directory / "other/deterioration.csv", "not of fugu");
  EXPECT_EQ(run_fugu(directory, "bench --suite few.toml --out other").exit_code, 2) << "would be replaced";
  EXPECT_EQ(read_file(directory / "other/deterioration.csv"), "not of fugu");
}

TEST(Bench, SaysWhenASensitivityIsRoundedUp) {
  const TempDir directory;
  std::string text = kFewCells;
  text.replace(text.find("amplitude = 10"), 14, "amplitude = 10\nsensitivity = 0.25");
  write_file(directory / "few.toml", text);
  const Finished finished = run_fugu(directory, "bench --suite few.toml --no-report");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.err.find("warning: sensitivity of season20-amplitude10: 0.25 is no multiple of the unit step and "
                              "counts as 1: a finer unit step needs less noise"),
            std::string::npos)
      << finished;
  write_file(directory / "few.toml", kFewCells);
  EXPECT_EQ(run_fugu(directory, "bench --suite few.toml --no-report --restart").err.find("warning"), std::string::npos);
}

TEST(Bench, RecordedStreams) {
  if (!fs::exists(fs::path(FUGU_SHARED_DATA) / "streams")) GTEST_SKIP() << "no recorded data here";
  const TempDir directory;
  const Finished finished = run_fugu(
      directory, std::string("bench --suite thesis-real --runs 1 --no-report --data ").append(FUGU_SHARED_DATA));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::string results = read_file(directory / "bench-thesis-real/results.csv");
  EXPECT_NE(results.find("\nuniform,load-zones,24,,0.1,120,1,"), std::string::npos);
  EXPECT_NE(results.find("\nsample,load-zone20_kw,24,,"), std::string::npos);
}

}  // namespace
}  // namespace fugu::test
