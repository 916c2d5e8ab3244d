// fugu attack: figures that follow by hand, a promise that is broken, and what is not right.
#include "support/process.hpp"

namespace fugu::test {
namespace {

constexpr const char* kPolicies = "meter,start,end,length,magnitude,epsilon\n";
constexpr const char* kReleases = "time,series,value,scale,loss_rate,sampled\n";

class AttackCommand : public testing::Test {
 protected:
  void SetUp() override {
    write("p.csv", kPolicies, "a,0,3,1,2,1\n");
    // Scale 2: the secret of 2 loses 1, wherever it is. Slot 2 repeats slot 1.
    write("r.csv", kReleases, "0,load,5.5,2,0.5,1\n1,load,4,2,0.5,1\n2,load,4,2,0,0\n3,load,4.5,2,0.5,1\n");
  }
  void write(const char* name, std::string text, const char* rows) { write_file(directory_ / name, text.append(rows)); }
  Finished attack(const std::string& options) { return run_fugu(directory_, "attack " + options); }
  void expect_error(const std::string& options, const char* message) {
    const Finished finished = attack(options);
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_NE(finished.err.find(message), std::string::npos) << finished;
  }
  static bool says(const Finished& finished, const char* text) { return finished.out.find(text) != std::string::npos; }

  TempDir directory_;
};

TEST_F(AttackCommand, OneSecretByHand) {
  const Finished finished = attack(
      "--released r.csv --policies p.csv --unit-step 0.000001 --unit kW --out all.csv --plot roc.svg --html a.html");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  for (const char* text : {"1 attacked; 0 lose more", "1.00 of 1", "73:27", "within ε", "thinks it is 50:50", "69.7 %"})
    EXPECT_TRUE(says(finished, text)) << text << "\n" << finished;  // accuracy 1 − e^(−½)/2
  const std::vector<std::string> rows = lines_of(read_file(directory_ / "all.csv"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[1].starts_with("a,0,3,1,2,1,0.7")) << rows[1];
  EXPECT_TRUE(rows[1].ends_with(",0.731059,0.731059,0.731059,0")) << rows[1];
  EXPECT_NE(read_file(directory_ / "roc.svg").find("</svg>"), std::string::npos);
  EXPECT_NE(read_file(directory_ / "a.html").find("</html>"), std::string::npos);
}

TEST_F(AttackCommand, WithoutAUnitStepMagnitudesCountAsStated) {
  write("p.csv", kPolicies, "a,0,3,1,0.3,0.15\n");
  const Finished fine = attack("--released r.csv --policies p.csv");
  EXPECT_EQ(fine.exit_code, 0) << fine;
  EXPECT_TRUE(says(fine, "1.00 of 1")) << fine;
  EXPECT_EQ(attack("--released r.csv --policies p.csv --unit-step 1").exit_code, 1) << "as if 1 was to be hidden";
  for (const char* options : {"", " --delta 1e-6"}) {  // noise too wide for a fine grid
    write("r.csv", kReleases, "0,load,5,2e8,5e-9,1\n");
    const Finished wide = attack(std::string("--released r.csv --policies p.csv").append(options));
    EXPECT_EQ(wide.exit_code, 0) << wide;
  }
  write("p.csv", kPolicies, "a,0,3,1,2000000,20\n");  // a magnitude of more than 2^40 millionths
  write("r.csv", kReleases, "0,load,5,100000,0.00001,1\n");
  const Finished large = attack("--released r.csv --policies p.csv");
  EXPECT_EQ(large.exit_code, 0) << large;
  EXPECT_TRUE(says(large, "1.00 of 1")) << large;
}

TEST_F(AttackCommand, ASecondSecretCountsTogether) {
  write("p.csv", kPolicies, "a,0,3,1,2,1\na,2,3,1,1,1\n");
  const Finished finished = attack("--released r.csv --policies p.csv");
  EXPECT_EQ(finished.exit_code, 1) << finished;  // 1.5 of 1
  EXPECT_TRUE(says(finished, "MORE than ε permits")) << finished;
  EXPECT_TRUE(says(finished, "1.50 of 1")) << finished;
  EXPECT_TRUE(says(finished, "82:18")) << finished;
}

TEST_F(AttackCommand, SeriesOfDifferentMetersAreAttackedOneByOne) {
  write("r.csv", kReleases, "0,a,5,2,0.5,1\n0,b,4,2,0.5,1\n1,a,5,2,0.5,1\n1,b,4,2,0.5,1\n");
  EXPECT_TRUE(says(attack("--released r.csv --policies p.csv"), "2.00 of 1"));
  const Finished own = attack("--released r.csv --policies p.csv --budgets own");
  EXPECT_EQ(own.exit_code, 0) << own;
  EXPECT_TRUE(says(own, "1.00 of 1")) << own;
  write("r.csv", kReleases, "0,a,5,2,0.5,1\n0,b,4,1,1,1\n1,a,5,2,0.5,1\n1,b,4,2,0.5,1\n");
  const Finished broken = attack("--released r.csv --policies p.csv --budgets own");
  EXPECT_EQ(broken.exit_code, 1) << broken;
  EXPECT_TRUE(says(broken, "2.00 of 1")) << broken;

  write_file(directory_ / "map.csv", "meter,series\na,a\n");
  expect_error("--released r.csv --policies p.csv --budgets own --series-map map.csv", "leave --budgets out");
  write_file(directory_ / "u.csv", "meter,appliance,start,minutes,kw\n");
  expect_error("--released r.csv --policies p.csv --budgets own --uses u.csv", "give --series-map");
}

TEST_F(AttackCommand, HalfTheScaleIsCaught) {
  write("r.csv", kReleases, "0,load,5.5,1,1,1\n1,load,4,1,1,1\n");
  const Finished finished = attack("--released r.csv --policies p.csv");
  EXPECT_EQ(finished.exit_code, 1) << finished;
  EXPECT_TRUE(says(finished, "2.00 of 1")) << finished;
}

TEST_F(AttackCommand, RepeatedReleasesTellNothingAndTrueValuesAll) {
  write("p.csv", kPolicies, "a,2,2,1,2,1\n");
  const Finished repeated = attack("--released r.csv --policies p.csv");
  EXPECT_EQ(repeated.exit_code, 0) << repeated;
  EXPECT_TRUE(says(repeated, "best AUC    0.500")) << repeated;
  write("r.csv", kReleases, "0,load,5,2,0.5,1\n1,load,4,2,0.5,1\n2,load,4,0,inf,1\n");
  const Finished exact = attack("--released r.csv --policies p.csv");
  EXPECT_EQ(exact.exit_code, 1) << exact;
  EXPECT_TRUE(says(exact, "100:0")) << exact;
}

TEST_F(AttackCommand, GaussianNoiseWithDelta) {
  write("r.csv", kReleases, "0,load,5,8,0.0078125,1\n1,load,4,8,0.0078125,1\n");
  const Finished finished = attack("--released r.csv --policies p.csv --delta 1e-3");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_TRUE(says(finished, "discrete Gaussian")) << finished;
  EXPECT_TRUE(says(finished, "unless something happens")) << finished;
}

TEST_F(AttackCommand, AMeterIsInTheSeriesOfTheMap) {
  write("r.csv", kReleases, "0,north,5,2,0.5,1\n0,south,5,4,0.25,1\n1,north,5,2,0.5,1\n1,south,5,4,0.25,1\n");
  write("map.csv", "meter,series\n", "a,south\n");
  const Finished south = attack("--released r.csv --policies p.csv --series-map map.csv");
  EXPECT_EQ(south.exit_code, 0) << south;
  EXPECT_TRUE(says(south, "0.500 of 1")) << south;
  const Finished both = attack("--released r.csv --policies p.csv");
  EXPECT_EQ(both.exit_code, 1) << both;
  EXPECT_TRUE(says(both, "1.50 of 1")) << both;
}

TEST_F(AttackCommand, ThePlainAttackIsJudgedByTheLog) {
  ASSERT_EQ(run_fugu(directory_,
                     "simulate households --households 2 --days 3 --totals load.csv --log uses.csv --policies p.csv")
                .exit_code,
            0);
  ASSERT_EQ(run_fugu(directory_,
                     "publish --stream load.csv --policies p.csv --exact-when-idle --unit-step 0.001 --repeats keep "
                     "--mechanism narwhal --out r.csv")
                .exit_code,
            0);
  const Finished finished =
      attack("--released r.csv --policies p.csv --unit-step 0.001 --repeats keep --uses uses.csv --plays 200");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_TRUE(says(finished, "matched filter")) << finished;
  EXPECT_TRUE(says(finished, "precision")) << finished;
}

TEST_F(AttackCommand, AUseInSeveralSeriesCountsOnce) {
  std::string rows;
  for (int slot = 0; slot < 40; ++slot)
    for (const char* series : {"north", "south"})
      rows.append(std::to_string(slot)).append(",").append(series).append(slot == 20 ? ",7,2,0.5,1\n" : ",5,2,0.5,1\n");
  write("r.csv", kReleases, rows.c_str());
  write("p.csv", kPolicies, "a,0,3,1,1,1\n");
  write("uses.csv", "meter,appliance,start,minutes,kw\n", "a,oven,300,15,2\n");
  const Finished finished = attack("--released r.csv --policies p.csv --uses uses.csv --plays 200");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  // One use, one claim, which is right.
  EXPECT_TRUE(says(finished, "oven          1       1    100.0 %")) << finished;
}

TEST_F(AttackCommand, WithDeltaZeroIsSaidOnlyForWhatIsWithin) {
  write("p.csv", kPolicies, "a,0,0,1,1000,1\n");
  for (const auto& [sigma, exit_code, verdict] : {std::tuple{"6000", 0, "within ε"},
                                                  {"2000", 1, "not shown to be within ε"},
                                                  {"1000", 1, "MORE than ε permits"}}) {
    write("r.csv", kReleases, std::string("0,load,5,").append(sigma).append(",0,1\n").c_str());
    const Finished finished = attack("--released r.csv --policies p.csv --delta 1e-6");
    EXPECT_EQ(finished.exit_code, exit_code) << sigma << "\n" << finished;
    EXPECT_TRUE(says(finished, verdict)) << sigma << "\n" << finished;
  }
}

TEST_F(AttackCommand, AnIntervalFarLongerThanTheReleaseIsAttackedAtOnce) {
  write("p.csv", kPolicies, "a,0,3500000,2,1,1\n");
  EXPECT_EQ(attack("--released r.csv --policies p.csv").exit_code, 0);
}

TEST_F(AttackCommand, NoInputAndNoOtherOutputIsOverwritten) {
  const std::string before = read_file(directory_ / "p.csv").append(read_file(directory_ / "r.csv"));
  const std::string inputs = "--released r.csv --policies p.csv ";
  expect_error(std::string(inputs).append("--out p.csv"), "--policies and --out must be different files");
  expect_error(std::string(inputs).append("--html ./r.csv"), "--released and --html must be different files");
  expect_error(std::string(inputs).append("--plot new --html ./new"), "--plot and --html must be different files");
  EXPECT_EQ(read_file(directory_ / "p.csv").append(read_file(directory_ / "r.csv")), before);
  EXPECT_EQ(attack(std::string(inputs).append("--out /dev/null --html /dev/null")).exit_code, 0) << "not a file";
}

TEST_F(AttackCommand, WhatIsNotRightIsNamed) {
  write("wide.csv", kReleases, "0,load,5,1e13,0,1\n");
  expect_error("--released wide.csv --policies p.csv", "published with");
  expect_error("--policies p.csv", "--released is missing");
  expect_error("--released r.csv", "--policies is missing");
  expect_error("--released - --policies p.csv", "must be a file");
  expect_error("--released r.csv --policies p.csv --delta 1", "--delta");
  expect_error("--released r.csv --policies p.csv --noise uniform", "laplace or gaussian");
  expect_error("--released r.csv --policies p.csv --noise gaussian", "without --delta");
  expect_error("--released r.csv --policies p.csv --plays -1", "--plays: found -1; expected 100");
  expect_error("--released r.csv --policies p.csv --meter b", "no policy of meter 'b'");
  expect_error("--released r.csv --policies p.csv --unit-step 0", "--unit-step: unit step");
  write("late.csv", kPolicies, "a,10,13,1,2,1\n");
  expect_error("--released r.csv --policies late.csv", "no policy overlaps the released slots");
  write("none.csv", kPolicies, "");
  expect_error("--released r.csv --policies none.csv", "holds no policy");
  write("empty.csv", kReleases, "");
  expect_error("--released empty.csv --policies p.csv", "holds no release");
  write("bad.csv", kReleases, "0,load,5,x,0.5,1\n");
  expect_error("--released bad.csv --policies p.csv", "bad.csv:2:10");
  write("map.csv", "meter,series\n", "b,load\n");
  expect_error("--released r.csv --policies p.csv --series-map map.csv", "meter 'a' is not in it");
  write("uses.csv", "meter,appliance,start,minutes,kw\n", "a,oven,3,-5,1\n");
  expect_error("--released r.csv --policies p.csv --uses uses.csv", "uses.csv:2:10");
  expect_error("--released r.csv --policies p.csv --uses uses.csv --slot-length 30s", "whole minutes");
  expect_error("--released nowhere.csv --policies p.csv", "nowhere.csv: cannot be opened");
}

}  // namespace
}  // namespace fugu::test
