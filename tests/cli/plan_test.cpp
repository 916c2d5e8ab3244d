// fugu plan: what it prints follows from the policies, and what it says is so when one does it.
#include <cmath>
#include <map>

#include "report/balance.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kHeader = "meter,start,end,length,magnitude,epsilon\n";

/// Two meters, two busy periods.
constexpr const char* kPolicies =
    "a,0,7,2,2.5,1\n"
    "a,4,11,4,0.5,1\n"
    "b,2,9,1,3,0.5\n"
    "a,20,23,4,10,1\n";

class PlanCommand : public testing::Test {
 protected:
  void SetUp() override { write_file(directory_ / "p.csv", std::string(kHeader) + kPolicies); }

  Finished plan(const std::string& options, const std::string& file = "p.csv") {
    return run_fugu(directory_, "plan --policies " + file + " --unit-step 0.1 " + options);
  }

  TempDir directory_;
};

/// The words of the line that starts with a word, such as a strategy.
std::vector<std::string> row_of(const std::string& text, const std::string& word) {
  for (const std::string& line : lines_of(text)) {
    std::vector<std::string> parts = words(line);
    if (!parts.empty() && parts[0] == word) return parts;
  }
  return {};
}

/// The line after the one that starts with a word.
std::string line_after(const std::string& text, const std::string& word) {
  bool next = false;
  for (const std::string& line : lines_of(text)) {
    if (next) return line;
    const std::vector<std::string> parts = words(line);
    next = !parts.empty() && parts[0] == word;
  }
  return "";
}

double expected_error(const Finished& finished, const std::string& strategy) {
  const auto row = row_of(finished.out, strategy);
  return row.size() > 5 ? std::strtod(row[5].c_str(), nullptr) : std::nan("");
}

TEST_F(PlanCommand, ShowsEveryStrategyWithItsVerdict) {
  const Finished finished = plan("");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  for (const char* name : {"narwhal", "unicorn-ps", "unicorn-is", "tes-uniform", "uniform", "conference-repaired"}) {
    const auto row = row_of(finished.out, name);
    ASSERT_GE(row.size(), 9u) << name << "\n" << finished;
    EXPECT_EQ(row.back(), "holds") << name;
  }
  EXPECT_LE(expected_error(finished, "narwhal"), expected_error(finished, "unicorn-ps"));
  EXPECT_LT(expected_error(finished, "unicorn-ps"), expected_error(finished, "uniform"));
  for (const char* part : {"4 of 2 meters, ε = 0.5 … 1", "in 16 of 24 a policy is relevant", "Who binds",
                           "What everybody would gain", "withdrawn", "ε = 1: ", "73:27", "62:38"})
    EXPECT_NE(finished.out.find(part), std::string::npos) << part << "\n" << finished;
}

TEST_F(PlanCommand, CatchesARuleThatBreaksItsPromise) {
  write_file(directory_ / "witness.csv", std::string(kHeader) + "a,1,4,1,1,1\na,1,2,1,1,1\na,3,4,1,1,1\n");
  const Finished finished = plan("--strategies conference-9", "witness.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find("BREAKS, 1.50 of 1"), std::string::npos) << finished;
  EXPECT_NE(finished.out.find("for comparison only"), std::string::npos) << finished;
  // Loses 1.002 / 1.001: a thousandth is enough to be seen.
  write_file(directory_ / "close.csv", std::string(kHeader) + "a,1,4,1,1,1\na,1,2,1,0.001,1\na,3,4,1,0.001,1\n");
  const Finished close = run_fugu(directory_, "plan --policies close.csv --unit-step 0.001 --strategies conference-9");
  EXPECT_NE(close.out.find("1.001  BREAKS, 1.001 of 1"), std::string::npos) << close;
}

TEST_F(PlanCommand, OnePolicyHasTheNoiseThatFollowsByHand) {
  write_file(directory_ / "one.csv", std::string(kHeader) + "a,2,5,4,3,0.5\n");
  const Finished finished = plan("--strategies narwhal --unit kW", "one.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(row_of(finished.out, "narwhal")[1], "24.0") << finished;  // T·θ/ε = 4·3/0.5
  EXPECT_EQ(words(line_after(finished.out, "share"))[0], "100") << "it alone binds\n" << finished;
  const auto gains = row_of(finished.out, "a");
  ASSERT_GE(gains.size(), 13u) << finished;
  EXPECT_EQ(gains[5], "−50") << "half as large";
  EXPECT_EQ(gains[9], "−50") << "ε doubled";
  EXPECT_EQ(gains[11], "−100") << "withdrawn";
}

TEST_F(PlanCommand, SharesOfThoseWhoBindAddUpToAHundred) {
  write_file(directory_ / "two.csv", std::string(kHeader) + "m1,10,19,2,3,0.5\nm2,15,24,1,4,1\n");
  for (const char* options : {"", "--delta 1e-6", "--series 3 --budgets own"}) {
    const Finished finished = plan(options, "two.csv");
    double sum = 0;
    for (const std::string& line : lines_of(finished.out)) {
      const std::vector<std::string> row = words(line);
      if (row.size() == 10 && row[1] == "%" && row[2].starts_with("m")) sum += std::strtod(row[0].c_str(), nullptr);
    }
    EXPECT_NEAR(sum, 100, 1) << options << "\n" << finished;
  }
}

TEST_F(PlanCommand, WhatIsGainedIsAChangeOfTheTotal) {
  write_file(directory_ / "two.csv", std::string(kHeader) + "m1,10,19,2,3,0.5\nm2,15,24,1,4,1\n");
  const Finished finished = plan("", "two.csv");
  // 10 slots of 12 and 5 of 4 are 140. Without m2 it is 120, though their mean is larger.
  EXPECT_NEAR(expected_error(finished, "narwhal"), 140.0 / 15, 0.01) << finished;
  EXPECT_NE(finished.out.find("change of the total expected error over all slots"), std::string::npos) << finished;
  const auto row = row_of(finished.out, "m2");
  ASSERT_GE(row.size(), 2u) << finished;
  EXPECT_EQ(row[row.size() - 2], "−14") << finished;
}

TEST_F(PlanCommand, SaysWhenThereIsNothingToExplain) {
  write_file(directory_ / "late.csv", std::string(kHeader) + "m1,10,19,2,3,0.5\nm2,0,4,1,4,1\n");
  const auto expect_words = [&](const std::string& options, const char* why) {
    const Finished finished = plan(options, "late.csv");
    EXPECT_EQ(finished.exit_code, 0) << finished;
    EXPECT_NE(finished.out.find(why), std::string::npos) << finished;
    EXPECT_EQ(finished.out.find("Who binds"), std::string::npos) << finished;
    EXPECT_EQ(finished.out.find("What everybody would gain"), std::string::npos) << finished;
  };
  expect_words("--slots 8 --meter m1", "No policy of meter 'm1' is relevant from 0 to 7.");
  expect_words("--slots 8 --sensitivity 100 --floor event:0.001", "No policy binds");
  write_file(directory_ / "late.csv", std::string(kHeader) + "m1,10,19,2,3,0.5\n");
  expect_words("--slots 5", "No policy is relevant from 0 to 4.");
  const Finished drawn = plan("--slots 5 --plot p.svg", "late.csv");
  EXPECT_NE(drawn.err.find("No picture was drawn"), std::string::npos) << drawn;
}

TEST_F(PlanCommand, APolicyThatMovesLaterDoesNotLeaveTheStream) {
  write_file(directory_ / "one.csv", std::string(kHeader) + "a,2,5,4,3,0.5\n");
  EXPECT_EQ(row_of(plan("--strategies narwhal", "one.csv").out, "a")[7], "0") << "it needs its noise four slots later";
  EXPECT_EQ(row_of(plan("--strategies narwhal --slots 6", "one.csv").out, "a")[7], "−100") << "the stream has ended";
  write_file(directory_ / "two.csv", std::string(kHeader) + "a,0,3,4,3,1\na,4,7,4,3,1\n");
  const Finished two = plan("--strategies narwhal", "two.csv");
  std::vector<std::string> later;
  for (const std::string& line : lines_of(two.out)) {
    const auto parts = words(line);
    if (parts.size() == 13 && parts[0] == "a") later.push_back(parts[1] + ": " + parts[7]);
  }
  // The first moves onto the second: four slots of scale 24 instead of eight of 12. The second moves out of its way.
  std::sort(later.begin(), later.end());
  EXPECT_EQ(later, (std::vector<std::string>{"0: 0", "4: 0"})) << two;
}

std::string with_epsilons_times(double factor) {
  std::string text = kHeader;
  for (const std::string& line : lines_of(kPolicies)) {
    const std::size_t comma = line.rfind(',');
    char epsilon[40];
    std::snprintf(epsilon, sizeof epsilon, "%.9g", factor * std::strtod(line.c_str() + comma + 1, nullptr));
    text += line.substr(0, comma + 1) + epsilon + "\n";
  }
  return text;
}

/// Without line breaks and indentation.
std::string joined(const std::string& text) {
  std::string all;
  for (const std::string& line : lines_of(text)) {
    for (const std::string& word : words(line)) all += word + " ";
  }
  return all;
}

/// The factor that --target-error found.
double factor_in(const Finished& finished) {
  const std::string before = "every ε is multiplied by ";
  const std::string text = joined(finished.out);
  const std::size_t at = text.find(before);
  return at == std::string::npos ? std::nan("") : std::strtod(text.c_str() + at + before.size(), nullptr);
}

TEST_F(PlanCommand, TheFactorOfATargetErrorReachesIt) {
  for (const char* options :
       {"--strategies narwhal", "--strategies unicorn-ps", "--strategies narwhal --floor event:5 --sensitivity 10",
        "--strategies narwhal --delta 1e-6"}) {
    const Finished solved = plan(std::string(options) + " --target-error 4.6");
    ASSERT_EQ(solved.exit_code, 0) << solved;
    const double factor = factor_in(solved);
    ASSERT_GT(factor, 0) << solved;
    write_file(directory_ / "scaled.csv", with_epsilons_times(factor));
    const Finished again = plan(options, "scaled.csv");
    ASSERT_EQ(again.exit_code, 0) << again;
    EXPECT_NEAR(expected_error(again, words(options)[1]), 4.6, 0.05) << options << "\n" << again;
  }
}

TEST_F(PlanCommand, ATargetBeyondAllNoiseEndsAtTheSmallestEpsilon) {
  for (const char* options : {"", "--delta 1e-6", "--floor event:1 --sensitivity 10"}) {
    for (const char* target : {"1e9", "1e12", "1e20"}) {
      const Finished solved = plan(std::string("--strategies narwhal --target-error ") + target + " " + options);
      ASSERT_EQ(solved.exit_code, 0) << solved;
      const bool ends = joined(solved.out).find("even with the smallest ε that can be kept") != std::string::npos;
      EXPECT_EQ(ends, std::string(target) != "1e9" || std::string(options) == "--delta 1e-6") << solved;
      write_file(directory_ / "scaled.csv", with_epsilons_times(factor_in(solved)));
      const Finished again = plan(std::string("--strategies narwhal ") + options, "scaled.csv");
      ASSERT_EQ(again.exit_code, 0) << again;
      EXPECT_EQ(row_of(again.out, "narwhal").back(), "holds") << again;
      EXPECT_EQ(row_of(again.out, "narwhal")[6], "0") << "nothing is released\n" << again;
    }
  }
}

TEST_F(PlanCommand, SaysWhenTheFloorMakesATargetImpossible) {
  const Finished finished = plan("--strategies narwhal --floor event:1 --sensitivity 10 --target-error 9");
  EXPECT_EQ(finished.exit_code, 1) << finished;
  EXPECT_NE(joined(finished.out).find("cannot be reached: the floor (event, ε = 1) alone leads to 10.0"),
            std::string::npos)
      << finished;
}

TEST_F(PlanCommand, EndsAtTheHorizonOfTheFloor) {
  const std::string horizon = "--strategies narwhal --sensitivity 10 --out plan.csv --floor user:1:";
  const Finished cut = plan(horizon + "15");
  ASSERT_EQ(cut.exit_code, 0) << cut;
  EXPECT_NE(cut.out.find("0 to 14; in 12 of 15 a policy is relevant (80 %); the plan ends at the floor's horizon"),
            std::string::npos)
      << cut;
  EXPECT_EQ(lines_of(read_file(directory_ / "plan.csv")).size(), 1u + 15);
  EXPECT_NE(plan(horizon + "15 --slots 30").out.find("0 to 14; "), std::string::npos);
  const Finished whole = plan(horizon + "24");
  EXPECT_EQ(whole.out.find("the floor's horizon"), std::string::npos) << whole;
}

TEST_F(PlanCommand, WritesACsvOfEverySlot) {
  ASSERT_EQ(plan("--strategies narwhal,uniform --out plan.csv --from 2 --until 21").exit_code, 0);
  const auto lines = lines_of(read_file(directory_ / "plan.csv"));
  ASSERT_EQ(lines.size(), 1u + 20 * 2);
  EXPECT_EQ(lines[0], "slot,strategy,scale,expected_error,relevant");
  EXPECT_TRUE(lines[1].starts_with("2,narwhal,"));
  EXPECT_EQ(fields_of(lines[1])[2], fields_of(lines[1])[3]) << "of Laplace noise";
  EXPECT_EQ(fields_of(lines[1])[4], "1");
  EXPECT_EQ(lines[1 + 2 * 10], "12,narwhal,0,0,0") << "nothing is relevant";
}

TEST_F(PlanCommand, WhatCanBePipedHasStandardOutputForItself) {
  ASSERT_EQ(plan("--strategies narwhal --out plan.csv --html plan.html").exit_code, 0);
  const Finished csv = plan("--strategies narwhal --out -");
  ASSERT_EQ(csv.exit_code, 0) << csv;
  EXPECT_EQ(csv.out, read_file(directory_ / "plan.csv"));
  EXPECT_NE(csv.err.find("Who binds"), std::string::npos) << csv;
  const Finished page = plan("--strategies narwhal --html -");
  EXPECT_EQ(page.out, read_file(directory_ / "plan.html"));
}

TEST_F(PlanCommand, KnowsTimes) {
  write_file(directory_ / "times.csv",
             std::string(kHeader) + "a,2026-03-29T01:00:00+01:00,2026-03-29T03:00:00+02:00,1,1,1\n");
  const Finished finished = plan("--start 2026-03-29T00:00:00+01:00 --slot-length 15m --out -", "times.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_TRUE(finished.out.starts_with("time,strategy,scale,expected_error,relevant\n")) << finished;
  EXPECT_NE(finished.out.find("2026-03-29T02:00:00+01:00,narwhal,1,1,1"), std::string::npos) << finished;
  const Finished without = plan("", "times.csv");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("times.csv:2"), std::string::npos) << without;
  EXPECT_NE(without.err.find("--start"), std::string::npos) << without;
}

TEST_F(PlanCommand, DrawsTheTimeline) {
  ASSERT_EQ(plan("--unit kW --meter b --plot plan.svg --html plan.html").exit_code, 0);
  const std::string picture = read_file(directory_ / "plan.svg");
  EXPECT_EQ(imbalance(picture), "");
  EXPECT_NE(picture.find("What meter b hides"), std::string::npos);
  EXPECT_NE(picture.find("noise scale"), std::string::npos);
  EXPECT_NE(picture.find("no policy is relevant"), std::string::npos);
  const std::string page = read_file(directory_ / "plan.html");
  EXPECT_EQ(imbalance(page), "");
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("73:27"), std::string::npos);
}

TEST_F(PlanCommand, SaysWhenMagnitudesAreRoundedUp) {
  const Finished coarse = run_fugu(directory_, "plan --policies p.csv");
  ASSERT_EQ(coarse.exit_code, 0) << coarse;
  EXPECT_NE(coarse.err.find("p.csv: magnitudes are not multiples of the unit step 1 and get rounded up"),
            std::string::npos)
      << coarse;
  EXPECT_EQ(plan("").err, "");
}

TEST_F(PlanCommand, PoliciesMayBecomeKnownLate) {
  const Finished late = plan("--strategies narwhal --notice 0");
  ASSERT_EQ(late.exit_code, 0) << late;
  EXPECT_NE(late.out.find("0 slots before a policy begins"), std::string::npos) << late;
  EXPECT_EQ(row_of(late.out, "narwhal").back(), "holds");
  EXPECT_NE(row_of(late.out, "narwhal")[1], row_of(plan("--strategies narwhal").out, "narwhal")[1]);
}

/// The scales of a series in released.csv, by the slot in front.
std::map<std::string, double> released_scales(const std::filesystem::path& file, const std::string& series) {
  std::map<std::string, double> scales;
  for (const std::string& line : lines_of(read_file(file))) {
    const auto fields = fields_of(line);
    if (fields[1] == series) scales[fields[0]] = std::strtod(fields[3].c_str(), nullptr);
  }
  return scales;
}

/// The scales of narwhal in plan.csv, with the series in its last column where there is one.
std::map<std::string, double> planned_scales(const std::filesystem::path& file, const std::string& series) {
  std::map<std::string, double> scales;
  for (const std::string& line : lines_of(read_file(file))) {
    const auto fields = fields_of(line);
    if (fields[1] == "narwhal" && (fields.size() < 6 || fields[5] == series))
      scales[fields[0]] = std::strtod(fields[2].c_str(), nullptr);
  }
  return scales;
}

class PlanAndPublish : public PlanCommand {
 protected:
  void SetUp() override {
    PlanCommand::SetUp();
    write_file(directory_ / "map.csv", "meter,series\na,one\na,all\nb,two\nb,all\nc,three\nc,four\nd,five\n");
    std::string wide[2] = {"time,one\n", "time,one,two,three,four,five\n"};
    std::string readings = "time,meter,value\n";
    for (int slot = 0; slot < 24; ++slot) {
      const std::string time = std::to_string(slot);
      wide[0] += time + ",7\n";
      wide[1] += time + ",7,8,9,10,11\n";
      for (const char* meter : {"a", "b", "c", "d"}) readings += time + "," + meter + ",1\n";
    }
    write_file(directory_ / "1.csv", wide[0]);
    write_file(directory_ / "5.csv", wide[1]);
    write_file(directory_ / "readings.csv", readings);
  }

  void expect_same(const std::string& plan_options, const std::string& publish_options,
                   const std::vector<std::string>& series) {
    const std::string both = " --policies p.csv --unit-step 0.1 ";
    const Finished planned =
        run_fugu(directory_, "plan --strategies narwhal --slots 24 --out plan.csv" + both + plan_options);
    ASSERT_EQ(planned.exit_code, 0) << planned;
    const Finished published =
        run_fugu(directory_, "publish --mechanism narwhal --seed 1 --out released.csv" + both + publish_options);
    ASSERT_EQ(published.exit_code, 0) << published;
    for (const std::string& name : series) {
      const auto expected = released_scales(directory_ / "released.csv", name);
      const auto found = planned_scales(directory_ / "plan.csv", name);
      ASSERT_EQ(found.size(), 24u) << name << planned;
      for (const auto& [slot, scale] : expected)
        EXPECT_NEAR(found.at(slot), scale, 1e-6 * scale) << name << " in slot " << slot;
    }
  }
};

TEST_F(PlanAndPublish, ScalesAreThoseOfTheReleases) {
  const std::vector<std::string> five = {"one", "two", "three", "four", "five"};
  const std::string named = " --series one,two,three,four,five";
  for (const std::string rest :
       {" --exact-when-idle", " --floor event:2 --sensitivity 10", " --floor event:2 --sensitivity 10 --delta 1e-6"}) {
    expect_same(rest, "--stream 1.csv" + rest, {"one"});
    expect_same(named + rest, "--stream 5.csv" + rest, five);
    expect_same(named + " --budgets own" + rest, "--stream 5.csv --budgets own" + rest, five);
  }
  expect_same("--series-map map.csv --sensitivity 4 --floor event:2",
              "--readings readings.csv --series-map map.csv --clamp 4 --floor event:2",
              {"one", "two", "all", "three", "four", "five"});
}

TEST_F(PlanAndPublish, PoliciesThatBecomeKnownOnTheWay) {
  const std::string header = "meter,start,end,length,magnitude,epsilon";
  const std::string rows[] = {"a,2,17,4,2,1", "a,10,15,3,5,1", "b,5,12,2,3,0.5", "c,16,21,2,4,1"};
  const std::string known[] = {"", ",9", ",5", ",14"};
  std::string in_advance = header + "\n", on_the_way = header + ",known\n";
  for (std::size_t i = 0; i < 4; ++i) {
    in_advance.append(rows[i]).append("\n");
    on_the_way.append(rows[i]).append(known[i].empty() ? "," : known[i]).append("\n");
  }
  const std::string floor = " --floor event:2 --sensitivity 10";
  write_file(directory_ / "p.csv", in_advance);
  expect_same(floor, "--stream 1.csv" + floor, {"one"});
  const auto foreseen = planned_scales(directory_ / "plan.csv", "one");
  write_file(directory_ / "p.csv", on_the_way);
  expect_same(floor, "--stream 1.csv" + floor, {"one"});
  EXPECT_NE(planned_scales(directory_ / "plan.csv", "one"), foreseen) << "what is not known cannot be planned for";
  expect_same(" --exact-when-idle", "--stream 1.csv --exact-when-idle", {"one"});
  expect_same("--series-map map.csv --sensitivity 5 --floor event:2",
              "--readings readings.csv --series-map map.csv --clamp 5 --floor event:2",
              {"one", "two", "three", "five"});

  const Finished said = plan("--strategies narwhal");
  EXPECT_NE(said.out.find("as the file says, 3 policies stated or taken back while the stream runs"), std::string::npos)
      << said;
  const Finished asked = plan("--strategies narwhal --notice 0");
  EXPECT_NE(asked.out.find("0 slots before a policy begins, whatever the file says"), std::string::npos) << asked;
  const Finished solved = plan("--strategies narwhal --target-error 1");
  EXPECT_EQ(solved.exit_code, 0) << solved;
}

TEST_F(PlanAndPublish, TheOrderOfRowsIsNotThatInWhichTheyBecomeKnown) {
  const std::string later = "a,14,22,3,1,1,6\n", sooner = "b,5,16,4,1,0.5,2\n", first = "b,5,16,4,1,0.5,\n";
  for (const std::string& rows : {later + sooner, sooner + later, later + first + "a,1,3,2,1,1,\n"}) {
    write_file(directory_ / "p.csv", "meter,start,end,length,magnitude,epsilon,known\n" + rows);
    expect_same(" --exact-when-idle", "--stream 1.csv --exact-when-idle", {"one"});
  }
}

TEST_F(PlanAndPublish, PoliciesThatAreTakenBack) {
  const std::string taken = R"({"meter": "a", "start": 14, "end": 19, "length": 3, "magnitude": 6, "epsilon": 0.5)";
  const std::string kept = R"({"meter": "a", "start": 3, "end": 16, "length": 2, "magnitude": 2, "epsilon": 1})";
  std::string text = kept + "\n" + taken + "}\n" + taken + R"(, "known": 9, "withdraw": true})" + "\n";
  write_file(directory_ / "p.csv", text);
  const std::string floor = " --floor event:2 --sensitivity 10";
  expect_same(floor, "--stream 1.csv" + floor, {"one"});
  const auto with = planned_scales(directory_ / "plan.csv", "one");
  write_file(directory_ / "p.csv", kept + "\n");
  expect_same(floor, "--stream 1.csv" + floor, {"one"});
  EXPECT_NE(planned_scales(directory_ / "plan.csv", "one"), with) << "until it is taken back, it is planned for";
}

TEST_F(PlanAndPublish, BothRefuseWhatTheSensitivityContradicts) {
  const std::string promise = " --policies p.csv --unit-step 0.1 --floor event:1 --sensitivity 4";
  for (const std::string& command :
       {"plan" + promise, "publish --stream 1.csv --mechanism narwhal --seed 1 --out o.csv" + promise}) {
    const Finished refused = run_fugu(directory_, command);
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_NE(refused.err.find("expected at most 4, as the sensitivity says"), std::string::npos) << refused;
  }
}

TEST_F(PlanAndPublish, SeveralSeriesShareTheBudget) {
  const std::string narwhal = "--strategies narwhal ";
  const double alone = expected_error(plan(narwhal), "narwhal");
  EXPECT_NEAR(expected_error(plan(narwhal + "--series 5"), "narwhal"), 5 * alone, 0.05 * alone);
  EXPECT_NEAR(expected_error(plan(narwhal + "--series 5 --budgets own"), "narwhal"), alone, 0.01 * alone);
  EXPECT_NE(plan(narwhal).out.find("--series"), std::string::npos) << "one series is assumed: said";
  EXPECT_NE(plan(narwhal + "--series 5").out.find("Noise of each series"), std::string::npos);
  const Finished mapped = plan(narwhal + "--series-map map.csv --html plan.html --plot plan.svg");
  ASSERT_EQ(mapped.exit_code, 0) << mapped;
  EXPECT_NE(mapped.out.find("No policy is about 3 of the series"), std::string::npos) << mapped;
  EXPECT_EQ(imbalance(read_file(directory_ / "plan.html")), "");
}

TEST_F(PlanCommand, PoliciesMayNameSeries) {
  write_file(directory_ / "named.json",
             "{\"meter\": \"m3\", \"start\": 4, \"end\": 9, \"profile\": {\"park\": [1, 1], \"bar\": [1, 0]}, "
             "\"epsilon\": 1}\n"
             "{\"meter\": \"p7\", \"start\": 4, \"end\": 9, \"epsilon\": 1, \"patterns\": [[[\"park\"], "
             "[\"park\"]], [[\"bar\"], [\"bar\"]]]}\n");
  const Finished finished = plan("--series park,bar --strategies narwhal", "named.json");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  const Finished without = plan("", "named.json");
  EXPECT_EQ(without.exit_code, 2) << without;
}

/// Streams of places: one line of a policy file that says "park or bar", and as many places as wanted.
class PlanOfPlaces : public PlanCommand {
 protected:
  static std::string names(std::size_t places) {
    std::string names = "park,bar";
    for (std::size_t i = 2; i < places; ++i) names += ",place" + std::to_string(i);
    return names;
  }
  /// What the audit of a published stream says about the worst policy: its loss.
  double audited(std::size_t places, const std::string& file) {
    std::string stream = "time," + names(places) + "\n";
    for (int slot = 0; slot < 12; ++slot) {
      stream += std::to_string(slot);
      for (std::size_t i = 0; i < places; ++i) stream += ",7";
      stream += "\n";
    }
    write_file(directory_ / "s.csv", stream);
    const std::string run = std::to_string(places);
    const Finished published =
        run_fugu(directory_, "publish --stream s.csv --mechanism narwhal --exact-when-idle --policies " + file +
                                 " --out r" + run + ".csv --ledger " + run + ".ledger");
    EXPECT_EQ(published.exit_code, 0) << published;
    const Finished audit = run_fugu(directory_, "audit --ledger " + run + ".ledger");
    EXPECT_EQ(audit.exit_code, 0) << audit;
    const std::string words = "the worst may have lost ε = ";
    const std::size_t at = audit.out.find(words);
    return at == std::string::npos ? std::nan("") : std::strtod(audit.out.c_str() + at + words.size(), nullptr);
  }
};

TEST_F(PlanOfPlaces, ParkOrBarNeedsScaleFourAndPlanAndAuditAgree) {
  write_file(directory_ / "places.json",
             "{\"meter\": \"p\", \"start\": 4, \"end\": 5, \"epsilon\": 1, \"patterns\": [[[\"park\"], "
             "[\"park\"]], [[\"bar\"], [\"bar\"]]]}\n");
  for (const std::size_t places : {3u, 10u, 20u, 100u}) {
    const Finished planned =
        run_fugu(directory_, "plan --policies places.json --strategies narwhal,unicorn-ps --series " + names(places));
    ASSERT_EQ(planned.exit_code, 0) << planned;
    for (const char* strategy : {"narwhal", "unicorn-ps"}) {
      const auto row = row_of(planned.out, strategy);
      ASSERT_GE(row.size(), 9u) << planned;
      EXPECT_EQ(row[1], "4.00") << places << " places";
      EXPECT_EQ(row[8], "1.00") << places << " places";
    }
    EXPECT_NEAR(audited(places, "places.json"), 1, 1e-4) << places << " places";
  }
}

// Slots that differ are planned as if all were at their largest, but what is said about the loss is exact.
TEST_F(PlanOfPlaces, ThePlanSaysWhatTheAuditWillSayOfProfiles) {
  write_file(directory_ / "profile.json",
             "{\"meter\": \"p\", \"start\": 4, \"end\": 9, \"profile\": {\"park\": [4, 1], \"bar\": [2, 0]}, "
             "\"epsilon\": 1}\n");
  const Finished planned =
      run_fugu(directory_, "plan --policies profile.json --strategies narwhal --series " + names(5));
  const auto row = row_of(planned.out, "narwhal");
  ASSERT_GE(row.size(), 9u) << planned;
  EXPECT_NEAR(std::strtod(row[8].c_str(), nullptr), 7.0 / 12, 0.001);
  EXPECT_NEAR(audited(5, "profile.json"), 7.0 / 12, 1e-3);
}

TEST_F(PlanCommand, SaysWhatThePoliciesAreLike) {
  const Finished finished = plan("--sensitivity 10 --slots 24");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  ASSERT_NE(finished.out.find("What the policies are like"), std::string::npos) << finished;
  const std::string like = finished.out.substr(finished.out.find("What the policies are like"));
  // Σ Δ_t of a: 8 · 2.5 + 8 · 0.5 + 4 · 10 = 64 over 24 slots; δ(J) 4, 6 and 4.
  const std::vector<std::string> a = row_of(like, "a");
  ASSERT_EQ(a.size(), 8u) << finished;
  EXPECT_EQ(a[1], "3");
  EXPECT_EQ(a[2], "8");
  EXPECT_EQ(a[3], "6");
  EXPECT_EQ(a[4], "0.267");
  // (12 · 6 + 4 · 4) / 8 / 24
  EXPECT_EQ(a[5], "0.458");
  // b has the strictest wish in slots 2 to 9; a all of the other 8 of 16.
  EXPECT_EQ(a[6], "50") << finished;
  EXPECT_EQ(row_of(like, "b")[6], "0") << "nowhere the longest";
  EXPECT_EQ(row_of(like, "(all)").size(), 6u) << finished;
}

TEST_F(PlanCommand, SaysWhichPolicyDominatesAnother) {
  write_file(directory_ / "d.csv", std::string(kHeader) + "a,0,9,3,2,0.5\na,2,8,2,1,1\n");
  const Finished finished = plan("--meter a", "d.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  EXPECT_NE(finished.out.find("dominated by"), std::string::npos) << finished;
  EXPECT_NE(finished.out.find("0 to 9"), std::string::npos) << finished;
}

TEST_F(PlanCommand, ARuleThatAsksForTooMuchShowsWhatPublishDoes) {
  ASSERT_EQ(run_fugu(directory_, "simulate policies --days 3 --per-day 6 --epsilon 1 --seed 2 --out w.csv").exit_code,
            0);
  const std::string options = "--unit-step 0.001 --policies w.csv --exact-when-idle ";
  const Finished planned = run_fugu(directory_, "plan --strategies unicorn-ps --notice 4 --out plan.csv " + options);
  ASSERT_EQ(planned.exit_code, 0) << planned;
  EXPECT_NE(planned.out.find("held back, asks for 1.34 of 1"), std::string::npos) << planned;
  // The same with the slot from which each is known written down.
  std::string known;
  std::string stream = "time,value\n";
  for (const std::string& line : lines_of(read_file(directory_ / "w.csv"))) {
    const auto fields = fields_of(line);
    known += line + (known.empty() ? ",known" : "," + std::to_string(std::max(0, std::stoi(fields[1]) - 4))) + "\n";
  }
  const auto rows = lines_of(read_file(directory_ / "plan.csv"));
  for (std::size_t slot = 0; slot + 1 < rows.size(); ++slot) stream += std::to_string(slot) + ",5\n";
  write_file(directory_ / "w.csv", known);
  write_file(directory_ / "s.csv", stream);
  const Finished published =
      run_fugu(directory_, "publish --stream s.csv --mechanism unicorn-ps --seed 1 --out r.csv " + options);
  ASSERT_EQ(published.exit_code, 0) << published;
  const auto released = lines_of(read_file(directory_ / "r.csv"));
  ASSERT_EQ(released.size(), rows.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double scale = std::strtod(fields_of(released[i])[3].c_str(), nullptr);
    EXPECT_NEAR(std::strtod(fields_of(rows[i])[2].c_str(), nullptr), scale, 1e-6 * scale) << released[i];
  }
}

TEST_F(PlanCommand, DestroysNothingItReads) {
  const std::string before = read_file(directory_ / "p.csv");
  write_file(directory_ / "map.csv", "meter,series\na,x\nb,x\n");
  for (const char* options : {"--out p.csv", "--plot ./p.csv", "--html p.csv", "--out x --html x",
                              "--plot x --html ./x", "--series-map map.csv --html map.csv"}) {
    const Finished finished = plan(options);
    EXPECT_EQ(finished.exit_code, 2) << finished;
    EXPECT_NE(finished.err.find("must be different files"), std::string::npos) << finished;
  }
  EXPECT_EQ(read_file(directory_ / "p.csv"), before);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "x"));
  for (const char* output : {"--out", "--plot", "--html"}) {
    const Finished full = plan(std::string(output) + " /dev/full");
    EXPECT_EQ(full.exit_code, 4) << full;
    EXPECT_NE(full.err.find("/dev/full: writing failed"), std::string::npos) << full;
  }
}

TEST_F(PlanCommand, RejectsWhatMakesNoSense) {
  write_file(directory_ / "empty.csv", kHeader);
  write_file(directory_ / "bad.csv", std::string(kHeader) + "a,5,2,1,1,1\n");
  const std::map<std::string, std::string> wrong = {
      {"plan", "--policies is missing"},
      {"plan --policies nowhere.csv", "nowhere.csv"},
      {"plan --policies empty.csv", "holds no policy"},
      {"plan --policies bad.csv", "bad.csv:2"},
      {"plan --policies p.csv --strategies unicorn", "known are narwhal"},
      {"plan --policies p.csv --meter z", "no policy of meter 'z'"},
      {"plan --policies p.csv --floor event:1", "--sensitivity"},
      {"plan --policies p.csv --floor event:1 --sensitivity 1 --exact-when-idle", "both found and exclude each other"},
      {"publish --stream s.csv --mechanism narwhal --policies p.csv --floor event:1 --exact-when-idle", "both found"},
      {"plan --policies p.csv --floor w-event:1:0 --sensitivity 10", "--floor: w must be"},
      {"plan --policies p.csv --floor often", "--floor"},
      {"plan --policies p.csv --target-error 0", "--target-error: found 0;"},
      {"plan --policies p.csv --target-error -1", "--target-error: found -1;"},
      {"plan --policies p.csv --target-error nan", "--target-error: found nan;"},
      {"plan --policies p.csv --notice -1", "--notice: found -1;"},
      {"plan --policies p.csv --from 9 --until 3", "--from and --until"},
      {"plan --policies p.csv --from soon", "--from: found 'soon'; expected a slot number such as 0, 1, 2 (or"},
      {"plan --policies p.csv --slots 0", "--slots: found 0; expected 1 to 16777216"},
      {"plan --policies p.csv --slots 99999999999", "--slots: found 99999999999; expected 1 to 16777216"},
      {"plan --policies p.csv --delta 2", "--delta"},
      {"plan --policies p.csv --out - --html -", "only one of"},
      {"plan --policies p.csv --top -1", "--top"},
      {"plan --policies p.csv --top 0", "--top"},
      {"plan --policies p.csv --series 0", "--series"},
      {"plan --policies p.csv --series a,b,a", "'a' twice"},
      {"plan --policies p.csv --series a --series-map p.csv", "leave --series"},
      {"plan --policies p.csv --series a,b --sensitivity 1,2,3", "--sensitivity"},
      {"plan --policies p.csv --unit-step 0", "--unit-step: unit step: found zero"},
      {"plan --policies p.csv --start 2026-01-01T00:00:00Z --slot-length 0m", "--slot-length: duration: found '0m'"},
      {"simulate policies --epsilon 1 --days -1", "--days: found -1; expected 1 to 36600"},
      {"simulate policies --epsilon 1 --meters 0", "--meters: found 0; expected 1 to 10000000"},
      {"plan --policies p.csv --start yesterday", "--start"},
  };
  for (const auto& [command, message] : wrong) {
    const Finished finished = run_fugu(directory_, command);
    EXPECT_EQ(finished.exit_code, command.find("nowhere") == std::string::npos ? 2 : finished.exit_code) << command;
    EXPECT_NE(finished.exit_code, 0) << command;
    EXPECT_NE(finished.err.find(message), std::string::npos) << command << "\n" << finished;
  }
}

TEST_F(PlanCommand, SimulatedPoliciesCanBePlanned) {
  const std::string simulate = "simulate policies --meters 3 --days 2 --per-day 6 --epsilon 0.5 --seed 4";
  const Finished made = run_fugu(directory_, simulate);
  ASSERT_EQ(made.exit_code, 0) << made;
  EXPECT_EQ(lines_of(made.out)[0] + "\n", kHeader);
  EXPECT_GT(lines_of(made.out).size(), 20u);
  EXPECT_EQ(run_fugu(directory_, simulate).out, made.out) << "equal seeds give equal policies";
  EXPECT_NE(run_fugu(directory_, simulate + "1").out, made.out);
  write_file(directory_ / "made.csv", made.out);
  const Finished finished = run_fugu(directory_, "plan --policies made.csv --unit-step 0.001");
  EXPECT_EQ(finished.exit_code, 0) << finished;
  EXPECT_EQ(finished.err, "") << "its magnitudes are on the grid it names";
  for (const char* wrong : {"--epsilon 0", "--per-day 0", "--meters 0", "--start soon"})
    EXPECT_EQ(run_fugu(directory_, std::string("simulate policies ") + wrong).exit_code, 2) << wrong;
}

}  // namespace
}  // namespace fugu::test
