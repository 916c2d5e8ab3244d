// fugu querylog: distances of a log, and what is mined from them.
#include "support/process.hpp"

namespace fugu::test {
namespace {

constexpr const char* kSchema = "CREATE TABLE customer (name text, town text, debts integer NOT NULL);\n";

std::string line(const std::string& query) { return "{\"query\": \"" + query + "\"}\n"; }

class Querylog : public testing::Test {
 protected:
  void SetUp() override {
    write_file(directory_ / "schema.sql", kSchema);
    write_file(directory_ / "log.jsonl", line("SELECT name FROM customer WHERE debts > 5") +
                                             line("SELECT name FROM customer WHERE debts >= 6") +
                                             line("SELECT town FROM customer WHERE debts < 7"));
  }
  Finished distances(const std::string& options, const std::string& log = "log.jsonl") {
    return run_fugu(directory_, "querylog distances " + log + " --schema schema.sql " + options);
  }
  Finished mine(const std::string& options) { return run_fugu(directory_, "querylog mine matrix.csv " + options); }

  TempDir directory_;
};

TEST_F(Querylog, WritesExactFractions) {
  EXPECT_EQ(distances("--distance token").out, "first,second,distance\n1,2,2/7\n1,3,4/8\n2,3,4/8\n");
  EXPECT_EQ(distances("--distance structure").out, "first,second,distance\n1,2,2/5\n1,3,4/6\n2,3,4/6\n");
  EXPECT_EQ(distances("--distance access-area").out, "first,second,distance\n1,2,0/2\n1,3,1/2\n2,3,1/2\n");
  EXPECT_EQ(distances("--distance access-area --overlap 1/3").out,
            "first,second,distance\n1,2,0/3\n1,3,1/3\n2,3,1/3\n");
}

TEST_F(Querylog, ReadsStandardInput) {
  const Finished piped = run_fugu(directory_, "querylog distances - --schema schema.sql --distance token",
                                  line("SELECT 1") + line("SELECT 2"));
  EXPECT_EQ(piped.out, "first,second,distance\n1,2,2/3\n") << piped;
}

TEST_F(Querylog, EndsAtWhatItDoesNotUnderstandAndLeavesNoFile) {
  write_file(directory_ / "bad.jsonl", line("SELECT 1") + line("SELECT secret FROM customer") + line("SELECT 2"));
  const Finished refused = distances("--distance token --out matrix.csv", "bad.jsonl");
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(refused.err.find("bad.jsonl:2: found byte 8: a column that is not in FROM; expected a query that is "
                             "understood; --skip-unsupported leaves the others out"),
            std::string::npos)
      << refused;
  EXPECT_EQ(refused.err.find("secret"), std::string::npos) << refused;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "matrix.csv"));
}

TEST_F(Querylog, LeavesOutAndCountsWhenTold) {
  write_file(directory_ / "bad.jsonl", line("SELECT 1") + line("SELECT secret FROM customer") +
                                           line("DROP TABLE secret") + line("SELECT 2") +
                                           line("SELECT public FROM customer"));
  const Finished skipped = distances("--distance token --skip-unsupported", "bad.jsonl");
  EXPECT_EQ(skipped.exit_code, 0) << skipped;
  EXPECT_EQ(skipped.out, "first,second,distance\n1,4,2/3\n");  // lines of the log
  EXPECT_NE(skipped.err.find("left out 3 of 5 queries:"), std::string::npos) << skipped;
  EXPECT_NE(skipped.err.find("  2 with a column that is not in FROM"), std::string::npos) << skipped;
  EXPECT_NE(skipped.err.find("  1 with a statement that is not SELECT"), std::string::npos) << skipped;
  EXPECT_EQ(skipped.err.find("secret"), std::string::npos) << skipped;
}

TEST_F(Querylog, AMalformedLineEndsTheRunEvenThen) {
  write_file(directory_ / "bad.jsonl", line("SELECT 1") + "SELECT secret\n");
  const Finished refused = distances("--distance token --skip-unsupported", "bad.jsonl");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err.find("secret"), std::string::npos) << refused;
}

TEST_F(Querylog, SaysWhatIsWrongWithOptions) {
  const auto error = [&](const std::string& options) {
    const Finished finished = distances(options);
    EXPECT_EQ(finished.exit_code, 2) << options << finished;
    return finished.err;
  };
  for (const char* const overlap : {"0/1", "1", "2/2", "-1/2", "1/2000", "0.5"}) {
    EXPECT_NE(
        error("--distance access-area --overlap " + std::string(overlap)).find("expected a fraction between 0 and 1"),
        std::string::npos);
  }
  EXPECT_NE(error("--distance token --out log.jsonl").find("must be different files"), std::string::npos);
  error("--distance result");
  write_file(directory_ / "log.jsonl", line("SELECT 1"));
  EXPECT_NE(error("--distance token").find("found 1 queries that are understood; expected at least two"),
            std::string::npos);
}

TEST_F(Querylog, MinesWithEveryAlgorithm) {
  // Items 1, 2 and 4, 5 are pairs; 9 is far from all.
  write_file(directory_ / "matrix.csv",
             "first,second,distance\n1,2,1/10\n1,4,8/10\n2,4,8/10\n1,5,8/10\n2,5,8/10\n4,5,1/10\n"
             "1,9,1/1\n2,9,1/1\n4,9,1/1\n5,9,1/1\n");
  const std::string clusters = "item,cluster\n1,0\n2,0\n4,1\n5,1\n9,2\n";
  for (const char* const algorithm : {"single", "average", "complete"}) {
    EXPECT_EQ(mine("--clusters 3 --algorithm " + std::string(algorithm)).out, clusters);
  }
  EXPECT_EQ(mine("--algorithm average").out, "first,second,height\n1,2,0.1\n4,5,0.1\n1,4,0.8\n1,9,1\n");
  for (const char* const algorithm : {"k-medoids", "fast-pam"}) {
    const Finished found = mine("--clusters 3 --algorithm " + std::string(algorithm));
    EXPECT_EQ(found.out, "item,cluster\n1,0\n2,0\n4,1\n5,1\n9,2\n") << found;
    EXPECT_NE(found.err.find("medoids of clusters 0, 1, …: 1 4 9"), std::string::npos) << found;
  }
  const Finished noise = mine("--algorithm dbscan --min-items 2 --radius 0.1");
  EXPECT_EQ(noise.out, "item,cluster\n1,0\n2,0\n4,1\n5,1\n9,\n");
  EXPECT_NE(noise.err.find("2 clusters, 1 of 5 items are noise, mean silhouette 0.7"), std::string::npos) << noise;
  EXPECT_EQ(mine("--algorithm optics --min-items 2 --radius 0.8").out,
            "item,reachability,core_distance\n1,,0.1\n2,0.1,0.1\n4,0.8,0.1\n5,0.1,0.1\n9,,\n");
  EXPECT_EQ(mine("--algorithm optics-of --min-items 1").out, "item,outlier_factor\n9,10\n1,1\n2,1\n4,1\n5,1\n");
  EXPECT_EQ(mine("--algorithm knn-outliers --min-items 1").out, "item,distance\n9,1\n1,0.1\n2,0.1\n4,0.1\n5,0.1\n");
}

TEST_F(Querylog, MiningSaysWhatItNeeds) {
  write_file(directory_ / "matrix.csv", "first,second,distance\n1,2,1/10\n");
  const auto error = [&](const std::string& options) {
    const Finished finished = mine(options);
    EXPECT_EQ(finished.exit_code, 2) << options << finished;
    return finished.err;
  };
  const auto says = [&](const std::string& options, const std::string& what) {
    EXPECT_NE(error(options).find(what), std::string::npos) << options << "\n" << error(options);
  };
  says("--algorithm fast-pam", "--clusters is missing: --algorithm fast-pam needs it");
  says("--algorithm dbscan --min-items 2", "--radius is missing");
  says("--algorithm optics", "--min-items is missing");
  says("--algorithm optics --min-items 2 --clusters 2", "--clusters means nothing with --algorithm optics");
  says("--algorithm average --radius 1", "--radius means nothing with --algorithm average");
  says("--algorithm fast-pam --clusters 3", "--clusters: found 3 of 2 items; expected fewer");
  says("--algorithm optics-of --min-items 2", "--min-items: found 2 of 2 items; expected fewer");
  error("--algorithm magic");
  write_file(directory_ / "matrix.csv", "first,second,distance\n1,2,1/10\n1,3,1/10\n");
  says("--algorithm single", "matrix.csv:3: found the end of the file; expected the distances of each item");
}

}  // namespace
}  // namespace fugu::test
