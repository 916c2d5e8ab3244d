// fugu advise through the real program: what it says is what fugu bench and fugu publish then do.
#include <algorithm>
#include <cmath>
#include <map>

#include "support/released.hpp"

namespace fugu::test {
namespace {

/// A sample with a season, on which strategies differ clearly.
void write_sample(const TempDir& directory) {
  const Finished made = run_fugu(
      directory, "simulate artificial --length 400 --season 40 --amplitude 1000 --growth 1.1 --seed 5 --out s.csv");
  ASSERT_EQ(made.exit_code, 0) << made;
}

/// The value of `"name": …` after `from` in JSON, as it stands there.
std::string member(const std::string& json, const std::string& name, std::size_t from = 0) {
  const std::string key = std::string("\"").append(name).append("\": ");
  const std::size_t at = json.find(key, from);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size();
  const std::size_t end = json[begin] == '"' ? json.find('"', begin + 1) + 1 : json.find_first_of(",}\n", begin);
  return json.substr(begin, end - begin);
}

/// Of every candidate, by its label.
std::map<std::string, double> errors_of(const std::string& json) {
  std::map<std::string, double> errors;
  for (std::size_t at = json.find("{\"rank\""); at != std::string::npos; at = json.find("{\"rank\"", at + 1)) {
    std::string label = member(json, "label", at);
    errors[label.substr(1, label.size() - 2)] = std::stod(member(json, "error", at));
  }
  return errors;
}

TEST(Advise, RanksAsABenchmarkOfTheSameStreamDoes) {
  const TempDir directory;
  write_sample(directory);
  const Finished advice = run_fugu(directory, "advise --sample s.csv --sensitivity 1 --epsilon 1 --w 40 --json");
  ASSERT_EQ(advice.exit_code, 0) << advice;
  const auto predicted = errors_of(advice.out);
  ASSERT_GE(predicted.size(), 10U);
  write_file(directory / "b.toml", R"(
seed = 77
runs = 60
mechanisms = ["all"]
[[stream]]
file = "s.csv"
[[requirement]]
epsilon = 1
w = 40
)");
  ASSERT_EQ(run_fugu(directory, "bench --suite b.toml --data . --no-report --out out").exit_code, 0);
  std::map<std::string, double> measured;
  for (const std::string& line : lines_of(read_file(directory / "out/results.csv"))) {
    const auto fields = fields_of(line);
    if (fields[0] != "mechanism") measured[fields[0]] = std::stod(fields[7]);
  }
  std::size_t compared = 0;
  for (const auto& [a, error_a] : predicted) {
    for (const auto& [b, error_b] : predicted) {
      if (!measured.contains(a) || !measured.contains(b) || error_a * 1.3 > error_b) continue;
      EXPECT_LT(measured[a], measured[b]) << a << " was predicted to be clearly better than " << b;
      ++compared;
    }
  }
  EXPECT_GE(compared, 30U);
  for (const char* yardstick : {"zero", "best-constant", "last-public"})
    EXPECT_NEAR(predicted.at(yardstick), measured.at(yardstick), 1e-4 * measured.at(yardstick)) << yardstick;
}

TEST(Advise, RecommendsACommandThatRuns) {
  const TempDir directory;
  write_sample(directory);
  const Finished advice = run_fugu(directory, "advise --sample s.csv --sensitivity 1 --epsilon 1 --w 40");
  ASSERT_EQ(advice.exit_code, 0) << advice;
  EXPECT_NE(advice.out.find("declare public"), std::string::npos) << "a sample is public, and that is said";
  EXPECT_NE(advice.out.find("Use hybrid --every "), std::string::npos) << advice;
  EXPECT_EQ(advice.out.find("as-published"), std::string::npos) << advice;
  const std::size_t at = advice.out.find("fugu publish --stream STREAM.csv ");
  ASSERT_NE(at, std::string::npos) << advice;
  std::string command = advice.out.substr(at + 5, advice.out.find('\n', at) - at - 5);
  command.replace(command.find("STREAM.csv"), 10, "s.csv");
  const Finished published = run_fugu(directory, command);
  EXPECT_EQ(published.exit_code, 0) << command << "\n" << published;
  expect_audit_holds(directory, "--ledger run.ledger --released released.csv");
}

TEST(Advise, SaysSoWhenNothingBeatsNotLooking) {
  const TempDir directory;
  const std::string facts = "advise --amplitude 10 --period 40 --growth 1.5 --sensitivity 1 --epsilon 0.1 --w 120";
  const Finished advice = run_fugu(directory, facts);
  EXPECT_EQ(advice.exit_code, 0) << advice;
  EXPECT_NE(advice.out.find("Nothing beats not looking at the data"), std::string::npos) << advice;
  EXPECT_EQ(advice.out.find("fugu publish"), std::string::npos) << "nothing to publish with\n" << advice;
  const Finished json = run_fugu(directory, std::string(facts).append(" --json"));
  EXPECT_EQ(member(json.out, "looking_helps"), "false");
  EXPECT_EQ(member(json.out, "publish_options"), "null");
}

TEST(Advise, SuggestsNoTargetThatItWouldRefuse) {
  const TempDir directory;
  write_file(directory / "zero.csv", "t,a\n0,0\n1,0\n2,0\n3,0\n");
  const Finished advice = run_fugu(directory, "advise --sample zero.csv --sensitivity 1 --epsilon 1 --w 2");
  EXPECT_EQ(advice.exit_code, 0) << advice;
  EXPECT_NE(advice.out.find("Spend no budget on this.\n"), std::string::npos) << advice;
  EXPECT_EQ(advice.out.find("--target-error"), std::string::npos) << advice;
}

TEST(Advise, SameAnswerEveryTime) {
  const TempDir directory;
  const std::string facts = "advise --amplitude 100 --period 20 --length 200 --sensitivity 1 --epsilon 1 --w 10 --json";
  const Finished first = run_fugu(directory, facts);
  EXPECT_EQ(run_fugu(directory, facts).out, first.out);
  EXPECT_NE(run_fugu(directory, std::string(facts).append(" --seed 2")).out, first.out);
}

TEST(Advise, SolvedEpsilonReachesTheTargetWithOtherSeeds) {
  const TempDir directory;
  write_sample(directory);
  const Finished solved =
      run_fugu(directory, "advise --sample s.csv --sensitivity 1 --w 40 --target-error 30 --solve epsilon --json");
  ASSERT_EQ(solved.exit_code, 0) << solved;
  EXPECT_EQ(member(solved.out, "reached"), "true");
  const std::string epsilon = member(solved.out, "epsilon");
  const Finished checked =
      run_fugu(directory,
               std::string("advise --sample s.csv --sensitivity 1 --w 40 --json --seed 9 --epsilon ").append(epsilon));
  double least = HUGE_VAL;
  for (const auto& [label, error] : errors_of(checked.out)) {
    if (!label.ends_with("constant") && label != "zero" && label != "last-public") least = std::min(least, error);
  }
  EXPECT_NEAR(least, 30, 0.03 * 30) << "ε is found to 1 %, rounded up; the rest is for other random numbers";
}

TEST(Advise, ATargetOutOfReachIsANo) {
  const TempDir directory;
  write_sample(directory);
  const Finished window =
      run_fugu(directory, "advise --sample s.csv --sensitivity 1 --epsilon 0.1 --target-error 0.01 --solve w");
  EXPECT_EQ(window.exit_code, 1) << window;
  EXPECT_NE(window.out.find("No: mae of at most 0.01 cannot be reached"), std::string::npos) << window;
  const Finished exact = run_fugu(directory,
                                  "advise --sample s.csv --period 40 --sensitivity 1 --w 4 --metric forecast_mae "
                                  "--target-error 0.001 --solve epsilon");
  EXPECT_EQ(exact.exit_code, 1) << exact;
  EXPECT_NE(exact.out.find("not even the true values"), std::string::npos) << exact;
  const Finished json =
      run_fugu(directory, "advise --sample s.csv --sensitivity 1 --epsilon 0.1 --target-error 0.01 --solve w --json");
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(member(json.out, "reached"), "false");
}

TEST(Advise, ATargetBelowWhatRunsShowIsNotPromised) {
  const TempDir directory;
  write_sample(directory);
  const std::string question = "advise --sample s.csv --sensitivity 10 --w 100 --solve epsilon --target-error ";
  const Finished tiny = run_fugu(directory, std::string(question).append("1e-100"));
  EXPECT_EQ(tiny.exit_code, 1) << tiny;
  EXPECT_NE(tiny.out.find("No: that mae of at most 1e-100 is reached cannot be shown"), std::string::npos) << tiny;
  EXPECT_NE(tiny.out.find("too few of its runs"), std::string::npos) << tiny;
  EXPECT_EQ(tiny.out.find("closest is 0"), std::string::npos) << tiny;
  const Finished small = run_fugu(directory, std::string(question).append("1e-6"));
  EXPECT_EQ(small.exit_code, 0) << small;
  EXPECT_NE(small.out.find(", with uniform"), std::string::npos) << small;
  EXPECT_NE(small.out.find("an error in 0 of 128 runs"), std::string::npos) << small;
  EXPECT_NE(small.out.find("Use uniform"), std::string::npos) << small;
}

struct Wrong {
  const char* options;
  const char* says;
};

TEST(Advise, SaysWhetherSeriesShareTheBudget) {
  const TempDir directory;
  const std::string facts = "advise --amplitude 100 --period 20 --length 100 --sensitivity 1 --epsilon 1 --w 10";
  const auto says = [&](const std::string& options, const char* text) {
    return run_fugu(directory, std::string(facts).append(options)).out.find(text) != std::string::npos;
  };
  EXPECT_TRUE(says(" --series 3", "the series share the budget"));
  EXPECT_TRUE(says(" --series 3 --budgets own", "no meter counts into two"));
  EXPECT_FALSE(says("", "the series share the budget")) << "one series";
}

TEST(Advise, WrongUsageAndBadSamples) {
  const TempDir directory;
  write_sample(directory);
  write_file(directory / "two.csv", "t,a,b\n0,1,2\n1,3,4\n");
  write_file(directory / "empty.csv", "");
  write_file(directory / "header.csv", "t,a\n");
  write_file(directory / "wishes.csv", "meter,start,end,length,magnitude,epsilon\nh1,0,10,2,3,0.5\nh1,9,12,2,3,0.5\n");
  write_file(directory / "text.csv", "t,a\n0,1\n1,x7341\n");
  for (const Wrong& wrong : {
           Wrong{"", "give --amplitude and --period, or a public --sample"},
           Wrong{"--sample s.csv --amplitude 5 --sensitivity 1 --epsilon 1 --w 4", "contradict --sample"},
           Wrong{"--sample s.csv --sensitivity 1 --w 4", "--epsilon is missing: there is no default"},
           Wrong{"--sample s.csv --sensitivity 1 --epsilon 1", "--w is missing"},
           Wrong{"--sample s.csv --sensitivity 1 --epsilon 1 --w 0", "--w must be at least 1"},
           Wrong{"--sample s.csv --epsilon 1 --w 4", "--sensitivity is missing"},
           Wrong{"--sample s.csv --sensitivity 1 --epsilon -1 --w 4", "--epsilon: "},
           Wrong{"--sample s.csv --sensitivity 1 --epsilon 1 --w 4 --metric accuracy", "known are mae, rmse"},
           Wrong{"--sample s.csv --sensitivity 1 --epsilon 1 --w 4 --metric season_kept", "--period"},
           Wrong{"--sample s.csv --sensitivity 1 --epsilon 1 --w 4 --target-error 5", "needs --solve"},
           Wrong{"--sample s.csv --sensitivity 1 --epsilon 1 --w 4 --target-error 5 --solve epsilon", "contradicts"},
           Wrong{"--sample s.csv --sensitivity 1 --w 4 --target-error 0 --solve epsilon", "must be positive"},
           Wrong{"--sample s.csv --sensitivity 1 --w 4 --solve epsilon", "--solve needs --target-error"},
           Wrong{"--sample none.csv --sensitivity 1 --epsilon 1 --w 4", "none.csv: there is no such file"},
           Wrong{"--sample empty.csv --sensitivity 1 --epsilon 1 --w 4", "empty.csv"},
           Wrong{"--sample header.csv --sensitivity 1 --epsilon 1 --w 4", "no slots"},
           Wrong{"--sample wishes.csv --sensitivity 1 --epsilon 1 --w 4",
                 "wishes.csv:1:1: found a file of policies; expected a stream"},
           Wrong{"--sample text.csv --sensitivity 1 --epsilon 1 --w 4", "text.csv:3:3"},
           Wrong{"--sample two.csv --series 3 --sensitivity 1 --epsilon 1 --w 4", "found 2 series; expected 3"},
           Wrong{"--amplitude -3 --period 10 --sensitivity 1 --epsilon 1 --w 4", "amplitude must be positive"},
           Wrong{"--amplitude 10 --period 1 --sensitivity 1 --epsilon 1 --w 4", "period must be"},
           Wrong{"--amplitude 10 --sensitivity 1 --epsilon 1 --w 4", "--period is missing"},
       }) {
    const Finished finished = run_fugu(directory, std::string("advise ").append(wrong.options));
    EXPECT_EQ(finished.exit_code, 2) << wrong.options << "\n" << finished;
    EXPECT_NE(finished.err.find(wrong.says), std::string::npos) << wrong.options << "\n" << finished;
    EXPECT_EQ(finished.err.find("7341"), std::string::npos) << finished;
    EXPECT_EQ(finished.out, "") << wrong.options;
  }
}

}  // namespace
}  // namespace fugu::test
