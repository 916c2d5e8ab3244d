// Results on file belong to the study that takes them up: its facts, its rows, its order.
#include "fugu/study/result_file.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

class ResultFileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto file = ResultFile::open(options());
    ASSERT_TRUE(file) << file.error().message;
    for (const char* row : {"a,1,0.5", "a,2,0.6", "b,1,0.7"}) ASSERT_TRUE(file->add(row));
  }
  ResultFile::Options options() const {
    return {.folder = directory_ / "out",
            .header = "name,size,error",
            .keys = {"a,1", "a,2", "b,1", "b,2"},
            .facts = {{"seed", "7"}}};
  }
  void write_rows(const std::string& rows) {
    write_file(directory_ / "out/results.csv", std::string("name,size,error\n").append(rows));
  }
  /// What is said about what is there, or nothing.
  static std::string refusal(const ResultFile::Options& options) {
    const auto file = ResultFile::open(options);
    return file ? std::string() : file.error().message;
  }

  TempDir directory_;
};

TEST_F(ResultFileTest, GoesOnWithTheNextRow) {
  auto file = ResultFile::open(options());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->rows(), (std::vector<std::string>{"a,1,0.5", "a,2,0.6", "b,1,0.7"}));
  ASSERT_TRUE(file->add("b,2,0.8"));
}

TEST_F(ResultFileTest, RowsMustBeThoseOfTheStudyInItsOrder) {
  const std::pair<const char*, const char*> cases[] = {
      {"a,2,0.6\na,1,0.5\n", "results.csv:2: found a row that does not belong there"},                // reordered
      {"a,1,0.5\nb,1,0.7\n", "results.csv:3: found a row"},                                           // one left out
      {"a,1,0.5\na,3,0.6\n", "results.csv:3: found a row"},                                           // of another cell
      {"a,10,0.5\n", "results.csv:2: found a row"},                                                   // begins alike
      {"a,1\n", "results.csv:2: found a row"},                                                        // too short
      {"a,1,0.5,1\n", "results.csv:2: found a row"},                                                  // too long
      {"a,1,0.5\na,2,0.6\nb,1,0.7\nb,2,0.8\nb,2,0.8\n", "results.csv:6: found a row that does not"},  // too many
  };
  for (const auto& [rows, message] : cases) {
    write_rows(rows);
    EXPECT_NE(refusal(options()).find(message), std::string::npos) << rows << refusal(options());
  }
  write_rows("a,1,0.5\n");
  EXPECT_EQ(refusal(options()), "");
}

TEST_F(ResultFileTest, WhatCannotBeReadIsRefused) {
  ResultFile::Options picky = options();
  picky.readable = [](std::string_view row) { return !row.ends_with("0.6"); };
  EXPECT_NE(refusal(picky).find("results.csv:3: found a row"), std::string::npos) << refusal(picky);
}

TEST_F(ResultFileTest, ANumberThatWasChangedIsRefused) {
  write_rows("a,1,0.5\na,2,0.9\nb,1,0.7\n");
  EXPECT_NE(refusal(options()).find("results.csv:3: found a row that is not as it was written"), std::string::npos)
      << refusal(options());
  write_rows("a,1,0.5\na,2,0.6\n");
  EXPECT_EQ(refusal(options()), "") << "the last row was taken away: it is computed again";
  {
    auto file = ResultFile::open(options());
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->add("b,1,0.8"));  // as if a new version computed it
  }
  EXPECT_EQ(refusal(options()), "");
}

TEST_F(ResultFileTest, ARowWithoutItsSumIsDropped) {
  const std::string sums = read_file(directory_ / "out/results.sums");
  write_file(directory_ / "out/results.sums", sums.substr(0, sums.size() - 5));  // of the third of three
  {
    auto file = ResultFile::open(options());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->rows(), (std::vector<std::string>{"a,1,0.5", "a,2,0.6"}));
    ASSERT_TRUE(file->add("b,1,0.7"));
  }
  EXPECT_EQ(read_file(directory_ / "out/results.csv"), "name,size,error\na,1,0.5\na,2,0.6\nb,1,0.7\n");
  EXPECT_EQ(read_file(directory_ / "out/results.sums"), sums);
}

TEST_F(ResultFileTest, RowsWithoutSumsAreRefused) {
  std::filesystem::remove(directory_ / "out/results.sums");
  EXPECT_NE(refusal(options()).find("results.csv: results without the results.sums"), std::string::npos);
  EXPECT_NE(refusal(options()).find("results.csv: results without the results.sums"), std::string::npos) << "still";
  EXPECT_EQ(read_file(directory_ / "out/results.csv"), "name,size,error\na,1,0.5\na,2,0.6\nb,1,0.7\n");
  write_rows("");
  EXPECT_EQ(refusal(options()), "") << "killed before the first row, and before the sums";
}

TEST_F(ResultFileTest, WhatLiesInTheFolderIsNotReplaced) {
  ResultFile::Options there = options();
  there.timings_header = "name,seconds";
  there.companions = {{"suite.toml", "as given", "another suite"}};
  for (const char* name : {"report.html", "run.toml", "results.sums", "timings.csv", "suite.toml"}) {
    there.folder = directory_ / (std::string("folder-of-").append(name));
    std::filesystem::create_directories(there.folder);
    const std::string mine = std::string(there.folder).append("/").append(name);
    write_file(mine, "my own");
    EXPECT_NE(refusal(there).find(std::string(name).append(": would be replaced")), std::string::npos) << name;
    EXPECT_NE(refusal(there), "") << "nor by giving the command twice";
    EXPECT_EQ(read_file(mine), "my own");
    there.restart = true;
    EXPECT_EQ(refusal(there), "");
    there.restart = false;
  }
  there.folder = directory_ / "same";
  std::filesystem::create_directories(there.folder);
  write_file(there.folder + "/suite.toml", "as given");
  EXPECT_EQ(refusal(there), "") << "the suite itself may lie there";
}

TEST_F(ResultFileTest, FactsMustBeTheSameBothWays) {
  ResultFile::Options other = options();
  other.facts = {{"seed", "8"}};
  EXPECT_NE(refusal(other).find("(seed = 7 there and 8 here)"), std::string::npos) << refusal(other);
  other = options();
  other.facts.push_back({"zones", "3"});  // here and not there
  EXPECT_NE(refusal(other).find("(zones = nothing there and 3 here)"), std::string::npos) << refusal(other);
  other.restart = true;
  ASSERT_EQ(refusal(other), "");  // from now on it is there
  EXPECT_NE(refusal(options()).find("(run.toml holds more than this study writes there)"), std::string::npos)
      << refusal(options());
}

}  // namespace
}  // namespace fugu::test
