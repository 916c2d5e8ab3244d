// The conference paper's study, small: rows that depend on nothing but their cell, verdicts that are those of the
// audit.
#include "fugu/study/swellfish_2020.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fugu/strategy/outlook.hpp"
#include "support/exchange_rows.hpp"
#include "support/process.hpp"
#include "support/swellfish_reference.hpp"
#include "zone_files.hpp"

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

// Theorem 11 prints Δ and argues with Δ_t: with Δ_t it asks for less noise, never for more.
TEST_F(ConferenceRows, Theorem11IsShownInBothReadings) {
  for (const int experiment : {1, 2}) {
    const ConferenceRow& argued = row(experiment, "Swellfish (δ) with Δ_t");
    EXPECT_LT(argued.mean_scale_kw, row(experiment, "Swellfish (δ)").mean_scale_kw);
  }
}

TEST(ConferenceStudy, OnesOwnPoliciesTakeThePlaceOfHouseholds) {
  const TempDir folder;
  std::filesystem::create_directory(folder / "mine");
  write_file(folder / "mine/a.csv",
             "meter,start,end,length,magnitude,epsilon\nx,10,40,4,2.5,0.5\ny,100,200,8,1,0.25\n");
  ConferenceOptions options = small();
  options.policies_folder = folder / "mine";
  const auto study = ConferenceStudy::make(options);
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->options().households, 2u);
  EXPECT_EQ(study->book(1).size(), 2u);
  EXPECT_EQ(study->parameters(1).epsilon, 0.25) << "with their own ε";
  EXPECT_EQ(study->parameters(1).sensitivity_w, 2500u);
  const std::size_t rows = rows_of(options, folder / "out").size();
  EXPECT_EQ(rows, study->row_count());
  // Rows of other policies are not mixed with these, even when there are as many.
  write_file(folder / "mine/a.csv", "meter,start,end,length,magnitude,epsilon\nx,10,40,4,2.5,0.5\ny,100,200,8,1,0.5\n");
  EXPECT_FALSE(ConferenceStudy::make(options)->open(folder / "out", false));
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
  // Rows in another order are none of this study.
  write_file(folder / "threads/results.csv", with_rows_exchanged(read_file(folder / "threads/results.csv")));
  const auto same = ConferenceStudy::make(small());
  ASSERT_TRUE(same);
  EXPECT_FALSE(same->open(folder / "threads", false));
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

// The largest ρ may belong to a policy that keeps its promise: one Laplace answer loses at most what its rate says,
// however large its ρ. Many small ones lose nearly what their ρ says.
TEST(SecretsKept, WithDeltaEveryPolicyThatRhoDoesNotProveIsLookedAt) {
  const Delta delta = *Delta::make(kConferenceDelta);
  const Policy one_answer = policy_of(0, 0, 1, 1000, 10);
  const Policy many_answers = policy_of(1, 50, 50, 1000);
  std::vector<double> rates(51, 0.08 / 1000);
  rates[0] = 9.0 / 1000;  // nine tenths of that policy's ε
  const PolicyBook both = book_of({{one_answer}, {many_answers}});
  std::vector<double> rho;
  for (const double rate : rates) rho.push_back(rate * rate / 2);
  const BookUse use = check_rates(both, {0, 50}, rho, delta);
  ASSERT_EQ(use.over, 2u);
  ASSERT_EQ(use.worst->policy, one_answer);

  const auto kept = [&](const PolicyBook& book) { return secrets_kept(book, rates, NoiseKind::laplace, delta); };
  const SecretsKept holding = kept(book_of({{one_answer}}));
  EXPECT_EQ(holding.verdict.kind, Verdict::Kind::holds);
  EXPECT_NEAR(holding.verdict.worst_share, 0.9, 1e-6);
  const SecretsKept breaking = kept(book_of({{many_answers}}));
  EXPECT_EQ(breaking.verdict.kind, Verdict::Kind::breaks);
  EXPECT_GT(breaking.verdict.worst_share, 1);
  EXPECT_EQ(kept(both).verdict.kind, Verdict::Kind::breaks);
  EXPECT_EQ(kept(both).verdict.worst_share, breaking.verdict.worst_share);
  EXPECT_EQ(kept(both).together_permitted, breaking.together_permitted);
}

TEST(ConferenceStudy, SlotsThatAreZeroHaveNoRelativeError) {
  const TempDir folder;
  std::filesystem::create_directories(folder / "data/gefcom2012");
  const auto constant_but_for_two_hours = [](std::size_t hour, std::size_t) {
    return std::string(hour == 50 || hour == 51 ? "0" : "100000");
  };
  write_file(folder / "data/gefcom2012/load_kw.csv.gz",
             zone_header(kZones).append(zone_hours(7 * 24, kZones, constant_but_for_two_hours)));
  ConferenceOptions options = small();
  options.data_folder = folder / "data";
  options.zones = options.runs = options.households = 1;
  for (const std::string& text : rows_of(options, folder / "out")) {
    const ConferenceRow row = ConferenceStudy::parse_row(text).value();
    // Nearly all slots are the same. If the five that are zero counted as 1 kW, each would weigh as much as 100,000.
    EXPECT_LT(row.mre, 2 * row.mae_kw / 100'000) << text;
    EXPECT_GT(row.mre, 0.5 * row.mae_kw / 100'000) << text;
  }
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
