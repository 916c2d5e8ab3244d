// The thesis study on a small scale: closed forms against Simulation, runs against Simulation, theorems, threads.
#include "fugu/study/swellfish_thesis.hpp"

#include <cmath>
#include <filesystem>
#include <map>

#include "fugu/attack/attack.hpp"
#include "support/exchange_rows.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

const ThesisOptions kSmall = {
    .days = 7, .zones = 3, .households = 2, .runs = 3, .epsilon_runs = 1, .check_runs = 3, .seed = 3, .threads = 2};

const ThesisStudy& study() {
  static const Result<ThesisStudy> made = ThesisStudy::make(kSmall);
  FUGU_CHECK(made.has_value());
  return *made;
}

std::vector<ThesisRow> parsed(const ResultFile& file) {
  std::vector<ThesisRow> rows;
  for (const std::string& text : file.rows()) {
    const auto row = ThesisStudy::parse_row(text);
    EXPECT_TRUE(row) << text;
    if (row) rows.push_back(*row);
  }
  return rows;
}

class SwellfishThesis : public ::testing::Test {
 protected:
  std::string folder(const char* name) const { return directory_ / name; }
  std::vector<ThesisRow> run(const ThesisStudy& of, const char* name) {
    auto file = of.open(folder(name), false);
    EXPECT_TRUE(file) << file.error().message;
    EXPECT_TRUE(of.run(*file, {}));
    return parsed(*file);
  }
  std::string bytes(const char* name) const { return read_file(directory_ / std::string(name).append("/results.csv")); }
  TempDir directory_;
};

std::string_view name_of_row(const ThesisRow& row) { return thesis_mechanisms()[row.mechanism].name; }

TEST_F(SwellfishThesis, EveryCellHasARow) {
  const std::vector<ThesisRow> rows = run(study(), "out");
  EXPECT_EQ(rows.size(), study().row_count());
  std::map<std::string_view, std::size_t> count;
  for (const ThesisRow& row : rows) {
    ++count[name_of_row(row)];
    EXPECT_GE(row.mae_kw, 0);
    EXPECT_GT(row.mre, 0);
    EXPECT_TRUE(row.verdict.kind == Verdict::Kind::holds ||
                (row.verdict.kind == Verdict::Kind::leaks && name_of_row(row) == "Unicorn*"))
        << name_of_row(row) << " " << row.verdict.worst_share;
    EXPECT_LE(row.verdict.worst_share, 1 + 1e-9);
    const bool attacked = row.epsilon == kThesisEpsilon && row.zone == row.household % kSmall.zones;
    EXPECT_EQ(std::isnan(row.attack.together_auc), !attacked) << name_of_row(row);
    if (attacked) {  // what ε = 1 permits bounds both
      EXPECT_GE(row.attack.alone_auc, 0.5);
      EXPECT_LE(row.attack.alone_auc, row.attack.together_auc + 0.01) << name_of_row(row);
      EXPECT_LE(row.attack.together_auc, surest_belief(row.epsilon)) << name_of_row(row);
    }
  }
  EXPECT_EQ(count["Uniform"], 2U * (4 * 3 + 1)) << "four ε in three zones, and a check";
  EXPECT_EQ(count["TeSBD"], 2U * (4 * 3 + 1));
  EXPECT_EQ(count["Unicorn*"], 2U * (3 + 1));
  EXPECT_EQ(count["RescueDP"], 2U * 3);
  const std::string page = thesis_page(study(), rows, read_speeds(read_file(directory_ / "out/timings.csv")));
  for (const char* part : {"Figure 7.3 again", "Figure 7.4 again", "Table 7.5 again", "Figure 7.5 again", "Theorems 13",
                           "ns per mechanism-slot", "181", "</html>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(lines_of(collections_csv(study(), facts_of_collections(study()))).size(), 3U);
}

/// Noise makes the mean of n slots and r runs differ from the expectation by its standard deviation over √(n·r), about:
/// 672 slots and 3 runs, each |Laplace| with deviation equal to its mean: 2.2 %. Six of these: false alarms below 1e-8
/// even where few slots carry most of the error.
TEST_F(SwellfishThesis, ClosedFormsAreWhatSimulationMeasures) {
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, double> expected;
  std::size_t checked = 0;
  for (const ThesisRow& row : run(study(), "out")) {
    if (row.epsilon != kThesisEpsilon) continue;
    if (row.method == ThesisMethod::closed_form) expected[{row.mechanism, row.household, row.zone}] = row.mae_kw;
    const auto found = expected.find({row.mechanism, row.household, row.zone});
    if (row.method != ThesisMethod::simulation || found == expected.end()) continue;
    EXPECT_NEAR(row.mae_kw / found->second, 1, 0.14) << name_of_row(row);
    ++checked;
  }
  EXPECT_EQ(checked, 2U * 10);
}

TEST_F(SwellfishThesis, RunsAreWhatSimulationReleases) {
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, ThesisRow> fast;
  std::size_t checked = 0;
  for (const ThesisRow& row : run(study(), "out")) {
    if (row.epsilon != kThesisEpsilon) continue;
    if (row.method == ThesisMethod::fast_run) fast[{row.mechanism, row.household, row.zone}] = row;
    const auto found = fast.find({row.mechanism, row.household, row.zone});
    if (row.method != ThesisMethod::simulation || found == fast.end()) continue;
    EXPECT_EQ(row.mae_kw, found->second.mae_kw) << name_of_row(row) << ": the same seeds, the same runs";
    EXPECT_EQ(row.mre, found->second.mre);
    EXPECT_EQ(row.sampled_share, found->second.sampled_share);
    ++checked;
  }
  EXPECT_EQ(checked, 2U * 8);
}

TEST_F(SwellfishThesis, TheoremsThirteenAndFourteen) {
  const std::vector<CollectionFacts> facts = facts_of_collections(study());
  std::map<std::tuple<std::string_view, std::size_t, std::size_t>, double> mae;
  for (const ThesisRow& row : run(study(), "out")) {
    if (row.epsilon == kThesisEpsilon && row.method == ThesisMethod::closed_form)
      mae[{name_of_row(row), row.household, row.zone}] = row.mae_kw;
  }
  // The last three quarter hours are missing, so that the average is over 669 of 672 slots.
  for (std::size_t household = 0; household < 2; ++household) {
    for (std::size_t zone = 0; zone < 3; ++zone) {
      const double uniform = mae.at({"Uniform", household, zone});
      EXPECT_NEAR(mae.at({"TeSUniform", household, zone}) / uniform, facts[household].tes_effect,
                  0.01 * facts[household].tes_effect);
      EXPECT_NEAR(mae.at({"TeNATUniform", household, zone}) / uniform, facts[household].tenat_effect,
                  0.01 * facts[household].tenat_effect);
    }
  }
}

// The thesis changes the perturbation only, so Sample stays as old as it is: where no policy is relevant it releases no
// more often than elsewhere.
TEST_F(SwellfishThesis, TesDoesNothingForSample) {
  std::map<std::tuple<std::string_view, std::size_t, std::size_t>, ThesisRow> of;
  for (const ThesisRow& row : run(study(), "out"))
    if (row.epsilon == kThesisEpsilon && row.method != ThesisMethod::simulation)
      of[{name_of_row(row), row.household, row.zone}] = row;
  for (std::size_t household = 0; household < 2; ++household) {
    for (std::size_t zone = 0; zone < 3; ++zone) {
      const auto row = [&](std::string_view name) { return of.at({name, household, zone}); };
      EXPECT_NEAR(row("TeSSample").mre / row("Sample").mre, 1, 0.05);
      EXPECT_EQ(row("TeSSample").sampled_share, row("Sample").sampled_share);
      EXPECT_GT(row("TeSSample-idle").sampled_share, row("TeSSample").sampled_share);
      // Shares that idle slots save lead to long silence: the thesis's TeSBA releases more often.
      EXPECT_LT(row("TeSBA").mre, row("TeSBA-idle").mre);
    }
  }
}

// Households 1 and 2 of the shared policies, sixty days of zone 18. The published code gives 0.0011 for TeSBA of both
// and leaves Sample as it is.
TEST_F(SwellfishThesis, TheFormsOfTheThesisAreThoseOfItsCode) {
  const std::string data = FUGU_SHARED_DATA;
  if (!std::filesystem::exists(data + "/gefcom2012/load_kw.csv.gz") ||
      !std::filesystem::exists(data + "/policies/household_2.csv.gz"))
    GTEST_SKIP() << "no zones and policies in " << data;
  std::filesystem::create_directory(directory_ / "two");
  for (const char* name : {"/household_1.csv.gz", "/household_2.csv.gz"})
    std::filesystem::copy(data + "/policies" + name, folder("two") + name);
  ThesisOptions options = kSmall;
  options.data_folder = data;
  options.days = 60;
  options.zones = 18;
  options.policies_folder = folder("two");
  const auto made = ThesisStudy::make(options);
  ASSERT_TRUE(made) << made.error().message;
  std::map<std::pair<std::string_view, std::size_t>, double> mre;
  for (const ThesisRow& row : run(*made, "out"))
    if (row.zone == 17 && row.epsilon == kThesisEpsilon && row.method != ThesisMethod::simulation)
      mre[{name_of_row(row), row.household}] = row.mre;
  EXPECT_NEAR(mre.at({"TeSBA", 0}), 0.0011, 0.0001);
  EXPECT_NEAR(mre.at({"TeSBA", 1}), 0.0011, 0.0001);
  EXPECT_NEAR(mre.at({"TeSBA-idle", 0}), 0.0100, 0.0010);
  EXPECT_NEAR(mre.at({"TeSBA-idle", 1}), 0.0146, 0.0015);
  for (const std::size_t household : {0u, 1u})
    EXPECT_NEAR(mre.at({"TeSSample", household}) / mre.at({"Sample", household}), 1, 0.005);
}

TEST_F(SwellfishThesis, OnesOwnPoliciesTakeThePlaceOfHouseholds) {
  std::filesystem::create_directory(directory_ / "mine");
  write_file(directory_ / "mine/a.csv",
             "meter,start,end,length,magnitude,epsilon\nx,10,40,4,2.5,0.5\ny,100,200,8,1,1\ny,600,700,90,3,1\n");
  write_file(directory_ / "mine/b.jsonl",
             "{\"meter\": \"x\", \"start\": 5, \"end\": 9, \"profile\": [1, 2], \"epsilon\": 1}\n");
  ThesisOptions options = kSmall;
  options.households = 55;
  options.policies_folder = folder("mine");
  const auto own = ThesisStudy::make(options);
  ASSERT_TRUE(own) << own.error().message;
  ASSERT_EQ(own->collections().policies.size(), 3u) << "each meter of each file";
  EXPECT_EQ(own->collections().sensitivity_w, 3000u);
  // What leaves the 672 slots is clipped; the shape of a profile counts as its envelope.
  EXPECT_EQ(own->collections().policies[1][1].interval, (Interval{600, 671}));
  EXPECT_EQ(own->collections().policies[1][1].length_slots, 72u);
  EXPECT_EQ(own->collections().policies[2][0].magnitude_steps, 2000u);
  EXPECT_FALSE(own->collections().policies[2][0].shape);
  const std::vector<ThesisRow> rows = run(*own, "own");
  EXPECT_EQ(rows.size(), own->row_count());
  for (const ThesisRow& row : rows) EXPECT_LE(row.verdict.worst_share, 1 + 1e-9) << name_of_row(row);
  options.households = 2;
  EXPECT_EQ(ThesisStudy::make(options)->collections().policies.size(), 2u);
  options.policies_folder = folder("nowhere");
  EXPECT_FALSE(ThesisStudy::make(options));
  std::filesystem::create_directory(directory_ / "empty");
  options.policies_folder = folder("empty");
  EXPECT_FALSE(ThesisStudy::make(options));
}

TEST_F(SwellfishThesis, SameBytesWhateverTheThreadsAndAfterAnyCut) {
  run(study(), "two");
  const std::string whole = bytes("two");
  ThesisOptions one = kSmall;
  one.threads = 1;
  const auto alone = ThesisStudy::make(one);
  ASSERT_TRUE(alone);
  run(*alone, "one");
  EXPECT_EQ(bytes("one"), whole);
  // Cut in the header, at a row, within a row, within the rows of one task.
  for (const std::size_t at : {std::size_t{5}, whole.size() / 3, whole.find("\nh0,zone2,BD,") + 1, whole.size() - 1}) {
    write_file(directory_ / "two/results.csv", whole.substr(0, at));
    run(study(), "two");
    EXPECT_EQ(bytes("two"), whole) << "cut at " << at;
  }
}

TEST_F(SwellfishThesis, ResultsOfAnotherStudyAreRefused) {
  run(study(), "out");
  ThesisOptions other = kSmall;
  other.seed = 4;
  const auto made = ThesisStudy::make(other);
  ASSERT_TRUE(made);
  const auto refused = made->open(folder("out"), false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("(seed = 3 there and 4 here)"), std::string::npos) << refused.error().message;
  other = kSmall;
  other.zones = 2;  // each of these two is there with the same values, but rows of a third lie between
  const auto fewer = ThesisStudy::make(other);
  ASSERT_TRUE(fewer);
  EXPECT_FALSE(fewer->open(folder("out"), false));
  write_file(directory_ / "out/results.csv", with_rows_exchanged(bytes("out")));
  EXPECT_FALSE(study().open(folder("out"), false));
  EXPECT_FALSE(ThesisStudy::parse_row("h0,zone1,Nothing,1,run,3,1,1,1,1,holds,1,1,1,,"));
  EXPECT_FALSE(ThesisStudy::parse_row("h0,zone1,BD,1,run,3,1,x,1,1,holds,1,1,1,,"));
  EXPECT_FALSE(ThesisStudy::parse_row("h0,zone1,BD,1,run,3,1,1,1,1,maybe,1,1,1,,"));
}

TEST_F(SwellfishThesis, OptionsOutOfRange) {
  const auto message = [](ThesisOptions options) {
    const auto made = ThesisStudy::make(options);
    return made ? std::string() : made.error().message;
  };
  ThesisOptions options = kSmall;
  options.zones = 21;
  EXPECT_NE(message(options).find("--zones: expected 1 to 20"), std::string::npos);
  options = kSmall;
  options.households = 0;
  EXPECT_NE(message(options).find("households"), std::string::npos);
  options = kSmall;
  options.days = -3;
  EXPECT_NE(message(options).find("days"), std::string::npos);
}

}  // namespace
}  // namespace fugu::test
