// The conference paper's study, small: rows that depend on nothing but their cell, verdicts that are those of the
// audit.
#include "fugu/study/swellfish_2020.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/process.hpp"

namespace fugu::test {
namespace {

ConferenceOptions small() { return {.days = 7, .zones = 2, .households = 3, .runs = 2, .seed = 5, .threads = 1}; }

std::vector<std::string> rows_of(const ConferenceOptions& options, const std::string& folder) {
  const auto study = ConferenceStudy::make(options);
  EXPECT_TRUE(study) << study.error().message;
  auto file = study->open(folder, false);
  EXPECT_TRUE(file) << file.error().message;
  const auto ran = study->run(*file, [](std::size_t, std::size_t) {});
  EXPECT_TRUE(ran);
  return file->rows();
}

class ConferenceRows : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TempDir folder;
    for (const std::string& text : rows_of(small(), folder / "out")) {
      texts_.push_back(text);
      rows_.push_back(ConferenceStudy::parse_row(text).value());
    }
  }
  static void TearDownTestSuite() {
    texts_.clear();
    rows_.clear();
  }
  static const ConferenceRow& row(int experiment, std::string_view mechanism, std::size_t zone = 0) {
    for (const ConferenceRow& one : rows_)
      if (one.experiment == experiment && one.zone == zone && conference_mechanisms()[one.mechanism].name == mechanism)
        return one;
    ADD_FAILURE() << mechanism;
    return rows_.front();
  }

  static inline std::vector<std::string> texts_;
  static inline std::vector<ConferenceRow> rows_;
};

TEST_F(ConferenceRows, EveryMechanismInEveryZoneOfBothExperiments) {
  EXPECT_EQ(rows_.size(), 2 * conference_mechanisms().size() * 2);
  for (const ConferenceRow& one : rows_) {
    EXPECT_GT(one.mre, 0);
    EXPECT_TRUE(std::isfinite(one.mre));
    EXPECT_GT(one.weeks[0], 0);
    EXPECT_TRUE(std::isnan(one.weeks[1]));  // there is one week
  }
}

TEST_F(ConferenceRows, SoundRulesHoldAndNoiseIsWhatWasPlanned) {
  for (const int experiment : {1, 2}) {
    for (const char* name : {"Uniform w-event (sound w)", "RescueDP (sound w)", "Swellfish (repaired)", "UnicornPS",
                             "Narwhal", "Narwhal (δ)", "user level"}) {
      const SecretsKept& kept = row(experiment, name).kept;
      EXPECT_EQ(kept.verdict.kind, Verdict::Kind::holds) << name;
      EXPECT_LE(kept.verdict.worst_share, 1 + 1e-9) << name;
      EXPECT_LE(kept.together_belief, kept.together_permitted + 1e-9) << name;
      EXPECT_LE(kept.auc, 1) << name;
    }
    // The printed rule asks for less noise than its repair and more of its promises than there is.
    const ConferenceRow& printed = row(experiment, "Swellfish");
    const bool broken = printed.kept.verdict.kind == Verdict::Kind::breaks;
    EXPECT_EQ(broken, printed.kept.together_belief > printed.kept.together_permitted);
    EXPECT_TRUE(broken || experiment == 2);  // a household's holiday may be in the way of its broken promises
    EXPECT_LT(row(experiment, "Swellfish of one household").mean_scale_kw, printed.mean_scale_kw);
    EXPECT_LE(row(experiment, "Narwhal").mean_scale_kw, row(experiment, "UnicornPS").mean_scale_kw);
    EXPECT_EQ(row(experiment, "Swellfish of one household").kept.verdict.kind, Verdict::Kind::no_data);
  }
  // Without the filter, in the largest zone, the error is the noise: E|Laplace| = scale (five standard deviations).
  const ConferenceRow& large = row(1, "Swellfish of one household", 1);
  ASSERT_FALSE(large.filtered);
  EXPECT_NEAR(large.mae_kw / large.mean_scale_kw, 1, 0.3);
}

TEST_F(ConferenceRows, TheDominantSecretWidensTheWindow) {
  EXPECT_LT(row(1, "Uniform w-event").w_slots, 672u);
  EXPECT_EQ(row(2, "Uniform w-event").w_slots, 672u);
  EXPECT_GT(row(2, "Uniform w-event").mean_scale_kw, row(1, "Uniform w-event").mean_scale_kw);
}

TEST_F(ConferenceRows, ThreadsDoNotMatterAndAKilledRunGoesOn) {
  const TempDir folder;
  ConferenceOptions other = small();
  other.threads = 3;
  EXPECT_EQ(rows_of(other, folder / "threads"), texts_);
  // Half of the file, the last row cut short.
  std::filesystem::copy(folder / "threads", folder / "killed");
  std::string text = read_file(folder / "killed/results.csv");
  text.resize(text.size() / 2);
  write_file(folder / "killed/results.csv", text);
  EXPECT_EQ(rows_of(small(), folder / "killed"), texts_);
  // Another seed is another study.
  other.seed = 6;
  const auto study = ConferenceStudy::make(other);
  ASSERT_TRUE(study);
  EXPECT_FALSE(study->open(folder / "killed", false));
}

TEST_F(ConferenceRows, ThePageHasItAll) {
  const auto study = ConferenceStudy::make(small());
  ASSERT_TRUE(study);
  const std::string page = conference_page(*study, rows_, "1,Narwhal,zone1,1000,0.00002,20\n");
  for (const char* part : {"Figure 3", "Figure 4", "Table III", "BREAKS", "0.0064–2.95", "1.35–73.75", "above 100",
                           "ns per mechanism-slot", "Narwhal (δ)"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(ConferenceStudy, BadOptionsAreNamed) {
  const auto message = [](const ConferenceOptions& options) {
    const auto study = ConferenceStudy::make(options);
    return study ? std::string() : study.error().message;
  };
  ConferenceOptions options = small();
  options.zones = 21;
  EXPECT_NE(message(options).find("--zones"), std::string::npos);
  options = small();
  options.runs = 0;
  EXPECT_NE(message(options).find("--runs"), std::string::npos);
  options = small();
  options.days = 3;
  EXPECT_NE(message(options).find("--days"), std::string::npos);
  options = small();
  options.households = 0;
  EXPECT_NE(message(options).find("households"), std::string::npos);
  options = small();
  options.data_folder = "nowhere";
  EXPECT_NE(message(options).find("nowhere/gefcom2012/load_kw.csv.gz"), std::string::npos);
  EXPECT_FALSE(ConferenceStudy::parse_row("1,Narwhal,zone1"));
  EXPECT_FALSE(ConferenceStudy::parse_row(""));
}

}  // namespace
}  // namespace fugu::test
