// Households with two registers, active and reactive power: a clamp for each series, one budget that is split, policies
// on both. Published, audited, resumed, refused.
#include <cmath>
#include <utility>

#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kMap = "meter,series\nC1.p,C1.p\nC1.q,C1.q\nC2.p,C2.p\nC2.q,C2.q\n";
constexpr const char* kHouseholds = "meter,household\nC1.p,C1\nC1.q,C1\nC2.p,C2\nC2.q,C2\n";

/// P is `p` and Q is `q` for both customers.
std::string readings(int slots, const char* p = "1.5", const char* q = "0.3") {
  std::string text = "time,meter,value\n";
  for (int slot = 0; slot < slots; ++slot) {
    for (const char* customer : {"C1", "C2"}) {
      const std::string row = std::to_string(slot) + "," + customer;
      text.append(row).append(".p,").append(p).append("\n").append(row).append(".q,").append(q).append("\n");
    }
  }
  return text;
}

class TwoRegisters : public testing::Test {
 protected:
  void SetUp() override {
    write_file(directory_ / "map.csv", kMap);
    write_file(directory_ / "households.csv", kHouseholds);
    write_file(directory_ / "clamps.csv", "series,clamp\n*.p,0:12\n*.q,-2:6\n");
    write_file(directory_ / "r.csv", readings(8));
  }
  static std::string source(const std::string& clamp = "--clamp-by-series clamps.csv") {
    return "--readings r.csv --series-map map.csv --households households.csv --unit-step 0.001 " + clamp + " ";
  }
  Finished publish(const std::string& options) { return run_fugu(directory_, "publish " + source() + options); }
  /// Column of the rows of a slot; 3 is the scale.
  static std::vector<double> numbers(const std::string& released, int slot, std::size_t column = 3) {
    std::vector<double> found;
    for (const std::string& line : lines_of(released))
      if (fields_of(line)[0] == std::to_string(slot)) found.push_back(std::stod(fields_of(line)[column]));
    return found;
  }
  static void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9 * (1 + expected[i])) << i;
  }

  TempDir directory_;
};

constexpr const char* kEvent = "--definition event --epsilon 1 --mechanism uniform ";
/// So little noise that none is to be expected.
constexpr const char* kBare = "--definition event --epsilon 30000 --mechanism uniform ";

// --- A clamp for each series -----------------------------------------------------------------------------------------

TEST_F(TwoRegisters, ReadingsAreClampedToTheRangeOfTheirOwnSeries) {
  write_file(directory_ / "r.csv", readings(1, "9", "9") + "1,C1.p,-1\n1,C1.q,-1\n1,C2.p,13\n1,C2.q,-3\n");
  const Finished published = publish(kBare);
  ASSERT_EQ(published.exit_code, 0) << published;
  EXPECT_NE(published.err.find("8 readings, 5 clamped"), std::string::npos) << published;
  const auto values = [&](int slot) {
    std::vector<double> rounded;
    for (const double value : numbers(published.out, slot, 2)) rounded.push_back(std::round(value * 10) / 10);
    return rounded;
  };
  // 9 is within the range of P and beyond that of Q, -1 the other way round.
  EXPECT_EQ(values(0), (std::vector<double>{9, 6, 9, 6}));
  EXPECT_EQ(values(1), (std::vector<double>{0, -1, 12, -2}));
  const Finished strict = publish(std::string(kBare) + "--strict");
  EXPECT_EQ(strict.exit_code, 2) << strict;
  EXPECT_NE(strict.err.find("r.csv:3: found a reading beyond the clamp"), std::string::npos) << strict;
  EXPECT_EQ(strict.err.find("9"), std::string::npos) << strict;
}

TEST_F(TwoRegisters, NoiseFollowsTheClampOfEachSeries) {
  const Finished published = publish(std::string(kEvent) + "--ledger run.ledger --out o.csv");
  ASSERT_EQ(published.exit_code, 0) << published;
  expect_near(numbers(read_file(directory_ / "o.csv"), 0), {24, 16, 24, 16});
  expect_audit_holds(directory_, "--ledger run.ledger --released o.csv");
  // A household with two meters in a series changes it by twice as much.
  write_file(directory_ / "map.csv", std::string(kMap) + "C1.extra,C1.p\n");
  write_file(directory_ / "households.csv", std::string(kHouseholds) + "C1.extra,C1\n");
  expect_near(numbers(publish(kEvent).out, 0), {48, 16, 24, 16});
  // Nobody says that the registers belong together: each is a household of its own.
  const Finished apart = run_fugu(
      directory_, std::string("publish --readings r.csv --series-map map.csv --unit-step 0.001 --clamp-by-series ") +
                      "clamps.csv " + kEvent);
  expect_near(numbers(apart.out, 0), {12, 8, 12, 8});
}

TEST_F(TwoRegisters, MetricsReadTheSameStream) {
  ASSERT_EQ(publish(std::string(kBare) + "--out o.csv").exit_code, 0);
  const Finished metrics = run_fugu(directory_, "metrics " + source() + "--released o.csv");
  EXPECT_EQ(metrics.exit_code, 0) << metrics;
}

// --- A split ---------------------------------------------------------------------------------------------------------

TEST_F(TwoRegisters, ScalesOfASplitAreThoseOfTable64) {
  write_file(directory_ / "clamps.csv", "series,clamp\n*.p,4.85\n*.q,3.37\n");
  struct Line {
    const char* options;
    double p;
    double q;
  };
  for (const Line& line : {Line{"--definition event --epsilon 1 --split *.p=0.5,*.q=0.5", 9.70, 6.74},
                           Line{"--definition event --epsilon 0.1 --split *.p=0.5,*.q=0.5", 97, 67.4},
                           Line{"--definition w-event --w 100 --epsilon 1 --split *.p=0.5,*.q=0.5", 970, 674},
                           Line{"--definition user --horizon 100 --epsilon 0.1 --split *.p=0.5,*.q=0.5", 9700, 6740},
                           Line{"--definition event --epsilon 1 --split *.p=0.9,*.q=0.1", 4.85 / 0.9, 33.7},
                           Line{"--definition event --epsilon 1 --split C1.p=0.25,C2.p=0.5,*.q=0.5", 19.4, 6.74}}) {
    const Finished published = publish(std::string("--mechanism uniform ") + line.options);
    ASSERT_EQ(published.exit_code, 0) << line.options << published;
    const std::vector<double> scales = numbers(published.out, 3);
    ASSERT_EQ(scales.size(), 4u);
    EXPECT_NEAR(scales[0] / line.p, 1, 1e-9) << line.options;
    EXPECT_NEAR(scales[1] / line.q, 1, 1e-9) << line.options;
    EXPECT_GE(scales[0], line.p * (1 - 1e-15)) << line.options;
    EXPECT_GE(scales[1], line.q * (1 - 1e-15)) << line.options;
  }
}

TEST_F(TwoRegisters, ASplitIsOnRecordAndAudited) {
  for (const std::string mechanism : {"uniform", "sample", "hybrid --every 2"}) {
    const std::string promise = "--definition w-event --w 4 --epsilon 1 --ledger run.ledger --out o.csv --mechanism ";
    const std::string split = " --split *.p=0.7,*.q=0.3";
    ASSERT_EQ(publish(promise + mechanism + split).exit_code, 0) << mechanism;
    const AuditVerdict verdict = expect_audit_holds(directory_, "--ledger run.ledger --released o.csv");
    EXPECT_NEAR(verdict.worst_loss, 1, 1e-5) << mechanism;
    EXPECT_NE(read_file(directory_ / "run.ledger").find("fact split"), std::string::npos);
    write_file(directory_ / "r.csv", readings(12));
    for (const std::string& other : {std::string(" --split *.p=0.6,*.q=0.3"), std::string()}) {
      const Finished refused = publish(promise + mechanism + other);
      EXPECT_EQ(refused.exit_code, 2) << refused;
      EXPECT_NE(refused.err.find("split"), std::string::npos) << refused;
    }
    ASSERT_EQ(publish(promise + mechanism + split).exit_code, 0);
    EXPECT_EQ(expect_audit_holds(directory_, "--ledger run.ledger --released o.csv").slots, 12u);
    write_file(directory_ / "r.csv", readings(8));
    remove_ledger(directory_);
    std::filesystem::remove(directory_ / "o.csv");
  }
}

TEST_F(TwoRegisters, AnotherClampIsAnotherRun) {
  const std::string command = std::string(kEvent) + "--ledger run.ledger --out o.csv";
  ASSERT_EQ(publish(command).exit_code, 0);
  const std::string before = read_file(directory_ / "o.csv");
  write_file(directory_ / "r.csv", readings(10));
  const std::string same = read_file(directory_ / "clamps.csv");
  for (const char* other : {"series,clamp\n*.p,0:12\n*.q,-1:7\n", "series,clamp\n*.p,0:11\n*.q,-2:6\n"}) {
    write_file(directory_ / "clamps.csv", other);
    const Finished refused = publish(command);
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_NE(refused.err.find("clamp"), std::string::npos) << refused;
  }
  EXPECT_EQ(run_fugu(directory_, "publish " + source("--clamp 12") + command).exit_code, 2);
  EXPECT_EQ(read_file(directory_ / "o.csv"), before);
  write_file(directory_ / "clamps.csv", same);
  ASSERT_EQ(publish(command).exit_code, 0);
  EXPECT_EQ(expect_audit_holds(directory_, "--ledger run.ledger --released o.csv").slots, 10u);
}

TEST_F(TwoRegisters, AHouseholdThatMovesStaysWithinTheClampOfItsSeries) {
  const std::string command = std::string(kEvent) + "--ledger run.ledger --out o.csv";
  ASSERT_EQ(publish(command).exit_code, 0);
  write_file(directory_ / "r.csv", readings(10));
  // A second meter of the same household in one series: more than the ledger began with.
  write_file(directory_ / "map.csv", std::string(kMap) + "C1.extra,C1.q\n");
  write_file(directory_ / "households.csv", std::string(kHouseholds) + "C1.extra,C1\n");
  const Finished refused = publish(command);
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_NE(refused.err.find("2 meters in series 'C1.q'"), std::string::npos) << refused;
}

// --- Policies --------------------------------------------------------------------------------------------------------

constexpr const char* kProfiles =
    R"({"meter": "C1", "start": 2, "end": 5, "profile": {"C1.p": [2, 2], "C1.q": [0.3, 0.3]}, "epsilon": 1})"
    "\n";

TEST_F(TwoRegisters, PoliciesChargeBothOfOneHouseholdAndNobodyElse) {
  write_file(directory_ / "p.jsonl", kProfiles);
  const std::string promise =
      "--policies p.jsonl --exact-when-idle --mechanism narwhal --ledger run.ledger --out o.csv";
  const Finished published = publish(promise);
  ASSERT_EQ(published.exit_code, 0) << published;
  const std::string released = read_file(directory_ / "o.csv");
  // Two slots of 2 kW and 0.3 kvar with ε = 1: 2·(2 + 0.3).
  expect_near(numbers(released, 3), {4.6, 4.6, 0, 0});
  expect_near(numbers(released, 6), {0, 0, 0, 0});
  const Finished audit = run_fugu(directory_, "audit --ledger run.ledger --released o.csv");
  EXPECT_EQ(audit.exit_code, 0) << audit;
  EXPECT_NE(audit.out.find("ε = 1 of 1 promised"), std::string::npos) << audit;
  EXPECT_NE(audit.out.find("meter C1 (in C1.p, C1.q)"), std::string::npos) << audit;
  // As planned.
  const Finished plan = run_fugu(directory_,
                                 "plan --policies p.jsonl --series-map map.csv --households households.csv --unit-step "
                                 "0.001 --exact-when-idle --slots 8 --strategies narwhal --out -");
  ASSERT_EQ(plan.exit_code, 0) << plan;
  EXPECT_NE(plan.out.find("3,narwhal,4.6"), std::string::npos) << plan;
}

TEST_F(TwoRegisters, PoliciesOfBothRegistersAddUp) {
  const auto scales = [&](const std::string& households) {
    write_file(directory_ / "p.jsonl",
               R"({"meter": "C1.p", "start": 2, "end": 5, "profile": {"C1.p": [2, 2]}, "epsilon": 1})"
               "\n"
               R"({"meter": "C1.q", "start": 2, "end": 5, "profile": {"C1.q": [0.3, 0.3]}, "epsilon": 1})"
               "\n");
    const Finished published =
        run_fugu(directory_, "publish --readings r.csv --series-map map.csv " + households +
                                 " --unit-step 0.001 --clamp-by-series clamps.csv --policies p.jsonl --exact-when-idle "
                                 "--mechanism narwhal");
    EXPECT_EQ(published.exit_code, 0) << published;
    return numbers(published.out, 3);
  };
  const std::vector<double> together = scales("--households households.csv");
  ASSERT_EQ(together.size(), 4u);
  for (const std::size_t series : {0u, 1u}) {
    EXPECT_GE(together[series], 4.6 * (1 - 1e-9));
    EXPECT_LE(together[series], 4.6 * 1.02) << "plans stop at a gap of 2 %";
  }
  // Two households: each pays for itself, and who has both loses up to 2ε.
  expect_near(scales(""), {4, 0.6, 0, 0});
}

TEST_F(TwoRegisters, AHouseholdCannotHideBehindTheSeriesOfAnother) {
  write_file(directory_ / "p.jsonl",
             R"({"meter": "C1", "start": 2, "end": 5, "profile": {"C2.p": [2, 2]}, "epsilon": 1})"
             "\n");
  const Finished refused = publish("--policies p.jsonl --floor event:1 --mechanism narwhal");
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_EQ(refused.out, "") << refused;
}

// --- Bad input -------------------------------------------------------------------------------------------------------

TEST_F(TwoRegisters, AllMistakesInClampsAreListedAtOnce) {
  write_file(directory_ / "clamps.csv",
             "series,clamp\n*.p,0:12\nC1.p,5\n*.r,3\nC2.q,6:-2\nC1.*.*,4\nC1.p\n,5\n*.x,a lot\n");
  const Finished refused = publish(kEvent);
  EXPECT_EQ(refused.exit_code, 2) << refused;
  for (const char* said :
       {"clamps.csv: 9 mistakes:", "clamps.csv:5:6: found no range", "clamps.csv:6:1: found several *",
        "clamps.csv:7:1: found 1 field; expected 2 fields", "clamps.csv:8:1: found", "clamps.csv:9:5: found no range",
        "series 'C1.p' is meant twice: by '*.p' (clamps.csv:2) and by 'C1.p' (clamps.csv:3)",
        "1 series is left out: 'C1.q'", "clamps.csv:4: '*.r' is the name of no series",
        "clamps.csv:9: '*.x' is the name of no series"})
    EXPECT_NE(refused.err.find(said), std::string::npos) << said << refused;
}

TEST_F(TwoRegisters, SplitsThatMakeNoSenseAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"*.p=0.7,*.q=0.30000001", "'C1.p', 'C1.q' sum to 1.00000001; expected at most 1"},
      {"*.p=0.7", "2 series are left out: 'C1.q', 'C2.q'"},
      {"*.p=0.5,*.q=0.3,C1.*=0.2", "series 'C1.p' is meant twice"},
      {"*.p=0.5,*.q=0.3,*.x=0.2", "'*.x' is the name of no series"},
      {"*.p=0.5,*.q=0", "found '*.q=0'; expected a series"},
      {"*.p=0.5,*.q=-0.1", "found '*.q=-0.1'"},
      {"*.p=0.5,*.q=half", "found '*.q=half'"},
      {"*.p=0.5,*.q=0.1234567891", "found '*.q=0.1234567891'"},
      {"*.p=0.5,0.5", "found '0.5'"},
      {"*.p=1.5,*.q=x", "2 mistakes:"},
  };
  for (const auto& [split, said] : cases) {
    const Finished refused = publish(std::string(kEvent) + "--ledger run.ledger --out o.csv --split " + split);
    EXPECT_EQ(refused.exit_code, 2) << split << refused;
    EXPECT_NE(refused.err.find(said), std::string::npos) << said << refused;
    EXPECT_FALSE(std::filesystem::exists(directory_ / "run.ledger")) << split;
  }
}

TEST_F(TwoRegisters, OptionsThatDoNotGoTogether) {
  write_file(directory_ / "day.csv", "time,clamp\n0,5\n");
  write_file(directory_ / "s.csv", "time,a\n0,1\n");
  write_file(directory_ / "p.jsonl", kProfiles);
  const std::pair<std::string, const char*> cases[] = {
      {source() + kEvent + "--clamp 12", "--clamp-by-series says it for every series: leave --clamp out"},
      {source() + kEvent + "--clamp-schedule day.csv", "--clamp-by-series does not go with --clamp-schedule"},
      {source() + kEvent + "--distributional day.csv", "--clamp-by-series does not go with --distributional"},
      {source() + kEvent + "--sensitivity 5", "--sensitivity follows from --clamp"},
      {"--stream s.csv --sensitivity 1 --clamp-by-series clamps.csv " + std::string(kEvent), "belong to --readings"},
      {source("--clamp-by-series gone.csv") + kEvent, "gone.csv"},
      {source("--clamp-by-series map.csv") + kEvent, "--series-map and --clamp-by-series must be different files"},
      {source("--clamp-by-series day.csv") + kEvent, "day.csv:1:1: found other columns; expected a header"},
      {source() + "--definition w-event --w 4 --epsilon 1 --mechanism bd --split *.p=0.7,*.q=0.3",
       "bd takes no split between the series of a household"},
      {source() + "--policies p.jsonl --floor event:1 --mechanism uniform --split *.p=0.7,*.q=0.3",
       "uniform with policies takes no split"},
      {source() + "--definition discounted-exp --alpha 0.9 --epsilon 1 --mechanism equal --split *.p=0.7,*.q=0.3",
       "equal takes no split"},
  };
  for (const auto& [options, said] : cases) {
    const Finished refused = run_fugu(directory_, "publish " + options);
    EXPECT_EQ(refused.exit_code, 2) << options << refused;
    EXPECT_NE(refused.err.find(said), std::string::npos) << said << refused;
  }
}

// --- Requirements ----------------------------------------------------------------------------------------------------

/// The cells of the row that begins with `name`, without it.
std::vector<std::string> row_of(const Finished& printed, const std::string& name) {
  for (const std::string& line : lines_of(printed.out)) {
    const std::string trimmed = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    if (trimmed.starts_with(name + "  ")) return words(trimmed.substr(name.size()));
  }
  return {};
}

TEST_F(TwoRegisters, RequirementsAreThoseOfTable64) {
  using Row = std::vector<std::string>;
  const auto asked = [&](const std::string& options) { return run_fugu(directory_, "grid requirement " + options); };
  const Finished one = asked("--epsilon 1");
  EXPECT_EQ(one.exit_code, 0) << one;
  EXPECT_EQ(row_of(one, "refrigerator"), (Row{"0.14", "1", "1", "0.14"})) << one;
  EXPECT_EQ(row_of(asked("--epsilon 0.1"), "space-heating"), (Row{"7", "14", "0.1", "980"}));
  EXPECT_EQ(row_of(asked("--scale 1"), "refrigerator"), (Row{"0.14", "1", "0.14", "1"}));
  EXPECT_EQ(row_of(asked("--appliance washing-machine --then dryer --epsilon 0.5"), "washing-machine, then dryer"),
            (Row{"2.5", "13", "0.5", "65"}));
  EXPECT_EQ(row_of(asked("--appliance 11:4h --with space-heating --epsilon 1 --part 0.5"), "11:4h, with space-heating"),
            (Row{"18", "16", "1", "576"}));
  EXPECT_EQ(row_of(asked("--appliance space-heating --slot-length 1h --epsilon 1"), "space-heating"),
            (Row{"7", "4", "1", "28"}));
}

TEST_F(TwoRegisters, RequirementsBecomeWishesThatArePublished) {
  ASSERT_EQ(run_fugu(directory_,
                     "simulate households --households 2 --days 1 --start 2026-03-02T00:00:00+01:00 --tan-phi 0.3 "
                     "--readings r.csv --series-map map.csv --household-map households.csv")
                .exit_code,
            0);
  const Finished wished = run_fugu(directory_,
                                   "grid requirement --appliance refrigerator --epsilon 0.5 --policies w.jsonl "
                                   "--customer h0 --tan-phi -0.5 --from 06:00 --to 22:00 --until 2026-03-03");
  ASSERT_EQ(wished.exit_code, 0) << wished;
  EXPECT_EQ(read_file(directory_ / "w.jsonl"),
            R"({"meter": "h0", "profile": {"h0.p": [0.14, 0.14], "h0.q": [0.07, 0.07]}, "epsilon": 0.5, )"
            R"("repeat": {"days": "daily", "from": "06:00", "to": "22:00", "until": "2026-03-03"}})"
            "\n");
  EXPECT_NE(wished.out.find("The wishes ask for noise of scale 0.84 in kW and in kvar"), std::string::npos) << wished;
  const Finished published = publish(
      "--slot-length 15m --policies w.jsonl --exact-when-idle --mechanism narwhal --ledger run.ledger --out o.csv");
  ASSERT_EQ(published.exit_code, 0) << published;
  expect_audit_holds(directory_, "--ledger run.ledger --released o.csv");
  // Two slots that a use can touch, of 0.14 kW and 0.07 kvar, at ε = 0.5: 0.84 for h0 and nothing for h1.
  std::vector<double> scales;
  for (const std::string& line : lines_of(read_file(directory_ / "o.csv")))
    if (line.starts_with("2026-03-02T12:00")) scales.push_back(std::stod(fields_of(line)[3]));
  expect_near(scales, {0.84, 0.84, 0, 0});
}

TEST_F(TwoRegisters, WishesThatPublishWouldRefuseAreNotWritten) {
  for (const auto& [options, said] :
       {std::pair("--from 06:00 --to 22:00 --until 7", "found until '7'; expected a date"),
        {"--from 25:00 --to 22:00 --until 2026-03-03", "found from '25:00'; expected a time of day"},
        {"--from 06:00 --to 22:00 --since 2026-03-04 --until 2026-03-03", "expected a date after `since`"},
        {"--from 06:00 --to 07:00 --until 2026-03-03", "found an interval of 4 slots; expected at least 10"},
        {"--from 06:05 --to 22:00 --until 2026-03-03", "found a time of day between two slots"},
        {"--days sat --from 06:00 --to 22:00 --since 2026-03-02 --until 2026-03-04", "without an occurrence"},
        {"--from 06:00 --to 22:00 --until 2026-03-03 --customer h1,h0", "--customer: found 'h0' twice"}}) {
    const Finished refused = run_fugu(directory_,
                                      "grid requirement --appliance washing-machine --epsilon 1 --policies w.jsonl "
                                      "--tan-phi 0.3 --customer h0 " +
                                          std::string(options));
    EXPECT_EQ(refused.exit_code, 2) << options << refused;
    EXPECT_NE(refused.err.find(said), std::string::npos) << said << refused;
    EXPECT_EQ(refused.out, "");
    EXPECT_FALSE(std::filesystem::exists(directory_ / "w.jsonl")) << options;
  }
  const Finished by_saturday =
      run_fugu(directory_,
               "grid requirement --appliance washing-machine --epsilon 1 --policies w.jsonl "
               "--tan-phi 0.3 --customer h0 --days sat --from 20:00 --to 04:00 --until 2026-03-03");
  EXPECT_EQ(by_saturday.exit_code, 0) << by_saturday << "the stream may begin early enough";
}

TEST_F(TwoRegisters, RequirementsThatMakeNoSense) {
  for (const auto& [options, said] :
       {std::pair("", "give either --epsilon"),
        {"--epsilon 1 --scale 1", "give either --epsilon"},
        {"--epsilon 0", "--epsilon: expected a number above 0"},
        {"--scale -1", "--scale: expected a number above 0"},
        {"--epsilon 1 --part 1.1", "--part: expected"},
        {"--epsilon 1 --then dryer", "give one"},
        {"--epsilon 1 --appliance fridge", "found the appliance 'fridge'; expected its power in kW"},
        {"--epsilon 1 --appliance -3:1h", "found the appliance '-3:1h'"},
        {"--epsilon 1 --appliance 1e300:1h", "found the appliance '1e300:1h'"},
        {"--epsilon 1 --appliance dryer --with 3:never", "found the appliance '3:never'"},
        {"--epsilon 1 --slot-length soon", "--slot-length"},
        {"--epsilon 1 --customer h0", "belong to --policies"},
        {"--epsilon 1 --policies w.jsonl", "give --appliance and --epsilon"},
        {"--epsilon 1 --appliance dryer --policies w.jsonl --customer h0", "--policies needs --customer, --tan-phi"},
        {"--epsilon 1 --appliance dryer --policies w.jsonl --customer h\"0 --tan-phi 1 --from 06:00 --to 22:00 --until "
         "2026-03-03",
         "--customer"},
        {"--epsilon 1 --appliance dryer --policies w.jsonl --customer h0 --tan-phi 1 --from 06:00 --to 2\"2 --until x",
         "as days or time"},
        {"--epsilon 1 --appliance dryer --policies w.jsonl --customer h0 --tan-phi 11 --from 06:00 --to 22:00 --until "
         "x",
         "--tan-phi: expected"}}) {
    const Finished refused = run_fugu(directory_, std::string("grid requirement ") + options);
    EXPECT_EQ(refused.exit_code, 2) << options << refused;
    EXPECT_NE(refused.err.find(said), std::string::npos) << said << refused;
  }
}

}  // namespace
}  // namespace fugu::test
