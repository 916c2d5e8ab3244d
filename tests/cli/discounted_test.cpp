// Discounted definitions on the command line: publish, kill, resume, audit, and what is refused.
#include <cmath>

#include "support/released.hpp"

namespace fugu::test {
namespace {

std::string stream(int slots) {
  std::string text = "time,total\n";
  for (int slot = 0; slot < slots; ++slot)
    text.append(std::to_string(slot)).append(",").append(std::to_string(1000 + slot)).append("\n");
  return text;
}

double scale_in(const std::string& released, std::size_t slot) {
  return std::stod(fields_of(lines_of(released).at(slot + 1))[3]);
}

TEST(Discounted, EqualHasTheFirstReportAtFullEpsilonAndNoiseThatGrowsLikeTheLogarithm) {
  const TempDir directory;
  const Finished exponential = run_fugu(directory,
                                        "publish --stream - --definition discounted-exp --alpha 0.75 --epsilon 1 "
                                        "--sensitivity 1000 --mechanism equal",
                                        stream(10));
  ASSERT_EQ(exponential.exit_code, 0) << exponential;
  EXPECT_EQ(scale_in(exponential.out, 0), 1000);
  for (std::size_t slot = 1; slot < 10; ++slot) EXPECT_NEAR(scale_in(exponential.out, slot), 4000, 1e-3);
  const Finished hyperbolic = run_fugu(directory,
                                       "publish --stream - --definition discounted-hyp --beta 1 --epsilon 1 "
                                       "--sensitivity 1000 --mechanism equal",
                                       stream(365));
  ASSERT_EQ(hyperbolic.exit_code, 0) << hyperbolic;
  EXPECT_EQ(scale_in(hyperbolic.out, 0), 1000);
  EXPECT_NEAR(scale_in(hyperbolic.out, 1), 2000, 1e-3);
  EXPECT_NEAR(scale_in(hyperbolic.out, 364), 6800, 50);
}

TEST(Discounted, EveryMechanismIsAuditedWithAndWithoutItsLedger) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(60));
  const std::string promises[] = {"--definition discounted-exp --alpha 0.9 --epsilon 1 --sensitivity 50",
                                  "--definition discounted-hyp --beta 0.5 --epsilon 1 --sensitivity 50"};
  const std::string mechanisms[] = {"equal", "equal --every 3", "planned --horizon 60",
                                    "planned --horizon 60 --least largest", "published"};
  int run = 0;
  for (const std::string& promise : promises) {
    for (const std::string& mechanism : mechanisms) {
      const std::string name = std::to_string(++run);
      std::string command = "publish --stream s.csv " + promise;
      command.append(" --mechanism ")
          .append(mechanism)
          .append(" --ledger l")
          .append(name)
          .append(" --out o")
          .append(name);
      const Finished published = run_fugu(directory, command);
      ASSERT_EQ(published.exit_code, 0) << command << published;
      const Finished audit = run_fugu(directory, "audit --ledger l" + name + " --released o" + name);
      EXPECT_EQ(audit.exit_code, 0) << command << audit;
      const Finished stated = run_fugu(directory, "audit --released o" + name + " " + promise);
      EXPECT_EQ(stated.exit_code, 0) << command << stated;
    }
  }
  // A promise that was not made: half of ε.
  const Finished broken =
      run_fugu(directory, "audit --released o1 --definition discounted-exp --alpha 0.9 --epsilon 0.5 --sensitivity 50");
  EXPECT_EQ(broken.exit_code, 1) << broken;
}

TEST(Discounted, AnotherDiscountIsAnotherRun) {
  const TempDir directory;
  const std::string command =
      "publish --stream s.csv --definition discounted-hyp --beta 1 --epsilon 1 --sensitivity 50 --mechanism planned "
      "--horizon 80 --ledger run.ledger --out o.csv";
  write_file(directory / "s.csv", stream(40));
  ASSERT_EQ(run_fugu(directory, command).exit_code, 0);
  const std::string before = read_file(directory / "o.csv");
  write_file(directory / "s.csv", stream(80));
  const Finished other = run_fugu(directory,
                                  "publish --stream s.csv --definition discounted-hyp --beta 2 --epsilon 1 "
                                  "--sensitivity 50 --mechanism planned --horizon 80 --ledger run.ledger --out o.csv");
  EXPECT_EQ(other.exit_code, 2) << other;
  EXPECT_EQ(read_file(directory / "o.csv"), before);
}

TEST(Discounted, BadInputIsSaidClearly) {
  struct Case {
    std::string options;
    int exit_code;
    std::string says;
  };
  const std::vector<Case> cases = {
      {"--definition discounted-exp --epsilon 1 --mechanism equal", 2, "--alpha is missing"},
      {"--definition discounted-hyp --epsilon 1 --mechanism equal", 2, "--beta is missing"},
      {"--definition discounted-exp --alpha 0.9 --mechanism equal", 2, "--epsilon is missing"},
      {"--definition discounted-exp --alpha 1 --epsilon 1 --mechanism equal", 2, "between 0 and 1"},
      {"--definition discounted-exp --alpha 0 --epsilon 1 --mechanism equal", 2, "between 0 and 1"},
      {"--definition discounted-exp --alpha=-0.5 --epsilon 1 --mechanism equal", 2, "between 0 and 1"},
      {"--definition discounted-hyp --beta 0 --epsilon 1 --mechanism equal", 2, "beta must be a number from 1e-6"},
      {"--definition discounted-hyp --beta=-1 --epsilon 1 --mechanism equal", 2, "beta must be a number from 1e-6"},
      {"--definition discounted-hyp --alpha 0.5 --epsilon 1 --mechanism equal", 2, "--alpha belongs to"},
      {"--definition event --beta 1 --epsilon 1 --mechanism uniform", 2, "--beta belongs to"},
      {"--definition discounted-exp --alpha 0.9 --epsilon 1 --delta 1e-6 --mechanism equal", 2, "pure"},
      {"--definition discounted-exp --alpha 0.9 --epsilon 1 --w 5 --mechanism equal", 2, "--w belongs to"},
      {"--definition discounted-exp --alpha 0.9 --epsilon 1 --mechanism planned", 2, "--horizon N"},
      {"--definition discounted-exp --alpha 0.9 --epsilon 1 --mechanism planned --horizon 0", 2, "at least 1"},
      {"--definition discounted-exp --alpha 0.9 --epsilon 1 --mechanism equal --horizon 5", 2, "--horizon belongs"},
      {"--definition discounted-exp --alpha 0.9 --epsilon 1 --mechanism equal --least largest", 2, "--least belongs"},
      {"--definition discounted-exp --alpha 0.9 --epsilon 1 --mechanism uniform", 2, "use equal, planned or published"},
      {"--definition w-event --w 5 --epsilon 1 --mechanism equal", 2, "discounted-exp and discounted-hyp"},
      {"--definition event --epsilon 1 --mechanism published", 2, "(and user)"},
      {"--definition discounted-hyp --beta 4 --epsilon 1 --mechanism published", 3, "loses 1.064 epsilon"},
  };
  const TempDir directory;
  for (const Case& one : cases) {
    const Finished finished = run_fugu(directory, "publish --stream - --sensitivity 5 " + one.options, stream(3));
    EXPECT_EQ(finished.exit_code, one.exit_code) << one.options << finished;
    EXPECT_NE(finished.err.find(one.says), std::string::npos) << one.options << finished;
    EXPECT_TRUE(finished.out.empty()) << one.options << finished;
  }
}

}  // namespace
}  // namespace fugu::test
