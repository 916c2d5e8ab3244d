// The temporal study: its numbers repeat, agree with what is exact, and reach the page.
#include "fugu/study/temporal_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <tuple>

#include "fugu/study/result_file.hpp"
#include "support/builders.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

TemporalStudy small_study() {
  return *TemporalStudy::make({.households = 12, .b = {1}, .small_budgets = {0.2}, .seed = 3, .threads = 1});
}

std::vector<TemporalMeasures> run_all(const TemporalStudy& study) {
  std::vector<TemporalMeasures> all;
  for (const TemporalCell& cell : study.cells()) all.push_back(*study.run(cell));
  return all;
}

TEST(TemporalStudy, AgreesWithWhatIsExactAndRepeats) {
  const TemporalStudy study = small_study();
  ASSERT_EQ(study.cells().size(), 9 + 5);
  const std::vector<TemporalMeasures> all = run_all(study);
  for (std::size_t i = 0; i < 3; ++i) {
    // 12 · 1440 draws: five deviations of a share, the seed is fixed. Neighbouring pairs share a reading.
    EXPECT_NEAR(all[i].perturbed_measured, all[i].perturbed_exact, 5 * 0.5 / std::sqrt(12 * 1440));
    EXPECT_NEAR(all[i].shuffled_measured, all[i].shuffled_exact, 7 * 0.5 / std::sqrt(12 * 1440));
  }
  EXPECT_GT(all[0].shuffled_exact, all[0].shuffled_printed);
  EXPECT_TRUE(std::isnan(all[3].shuffled_exact)) << "EDA keeps its own time";
  // NDP and LDP were given the distortion of the published form, on average.
  EXPECT_NEAR(all[4].distortion_recorded_w / all[0].distortion_recorded_w, 1, 0.1);
  EXPECT_NEAR(all[5].distortion_recorded_w / all[0].distortion_recorded_w, 1, 0.1);
  EXPECT_LT(all[0].accumulation_rms_pct, all[4].accumulation_rms_pct / 5) << "sums over time stay";
  EXPECT_LT(all[0].accumulation_rmse_pct, all[4].accumulation_rmse_pct / 5);
  EXPECT_EQ(all[2].lag_slots, 14);

  const TemporalStudy again = small_study();
  const TemporalMeasures repeated = *again.run(again.cells()[1]);
  for (const TemporalColumn& column : temporal_columns())
    EXPECT_EQ(result_number(repeated.*column.value), result_number(all[1].*column.value)) << column.name;

  const auto page = temporal_page(study, all);
  ASSERT_TRUE(page);
  for (int figure = 4; figure <= 21; ++figure)
    EXPECT_NE(page->find(std::string("Figure ").append(std::to_string(figure)).append(":")), std::string::npos);
  EXPECT_EQ(temporal_pictures(study, all)->size(), 7);
}

TEST(TemporalStudy, TheExampleIsTheCellAtOneSlot) {
  const TemporalStudy study = small_study();
  const auto example = study.example();
  ASSERT_TRUE(example);
  ASSERT_EQ(example->stamps.size(), TemporalStudy::kSlots);
  double moved = 0;
  for (std::size_t slot = 0; slot < TemporalStudy::kSlots; ++slot)
    moved += example->stamps[slot] != static_cast<Slot>(slot);
  EXPECT_NEAR(moved / TemporalStudy::kSlots, std::exp(-0.5), 5 * 0.5 / std::sqrt(TemporalStudy::kSlots));
  double relative = 0, squares = 0, truth = 0;
  for (std::size_t slot = TemporalStudy::kWarmUpSlots; slot < TemporalStudy::kSlots; ++slot) {
    relative += std::pow(100 * (example->estimated_w[slot] / example->total_w[slot] - 1), 2);
    squares += std::pow(example->estimated_w[slot] - example->total_w[slot], 2);
    truth += example->total_w[slot];
  }
  const double compared = TemporalStudy::kSlots - TemporalStudy::kWarmUpSlots;
  const TemporalMeasures cell = *study.run(study.cells()[0]);
  EXPECT_NEAR(cell.aggregation_rms_pct, std::sqrt(relative / compared), 1e-9);
  EXPECT_NEAR(cell.aggregation_rmse_pct, 100 * std::sqrt(squares / compared) / (truth / compared), 1e-9);
}

// The noise of LDP is known exactly: Laplace with scale b times the sensitivity on every reading.
TEST(TemporalStudy, LaplaceNoiseHasTheSensitivityThatItsNameSays) {
  const TemporalStudy study = small_study();
  const auto of = [&](TemporalRival rival, double b) { return study.run({rival, b, true})->distortion_recorded_w; };
  for (const TemporalRival rival :
       {TemporalRival::laplace_largest, TemporalRival::laplace_reading, TemporalRival::laplace_change})
    EXPECT_NEAR(of(rival, 20) / of(rival, 2), 10, 1) << name_of(rival);
  EXPECT_GT(of(TemporalRival::laplace_largest, 5), 2 * of(TemporalRival::laplace_reading, 5));
  EXPECT_GT(of(TemporalRival::laplace_reading, 5), of(TemporalRival::laplace_change, 5));
}

/// Whether the first claim about a figure that has this text holds.
bool holds(const std::vector<TemporalClaim>& claims, const std::string& figure, const std::string& text) {
  for (const TemporalClaim& claim : claims) {
    if (claim.figure == figure && claim.says.find(text) != std::string::npos) return claim.holds;
  }
  ADD_FAILURE() << "no claim about figure " << figure << " with \"" << text << '"';
  return false;
}

// Figures 9, 10, 12 and 16 hang on how the paper is read. The readings under which its sentences hold are pinned with
// those under which they do not.
TEST(TemporalStudy, OnTheTestFeedersProfiles) {
  if (!std::filesystem::exists(std::string(FUGU_SHARED_DATA).append("/lvgrid"))) GTEST_SKIP() << "no data";
  const auto study = TemporalStudy::make(
      {.households = 100, .b = {0.25, 1, 2}, .small_budgets = {0.1, 0.2, 0.4}, .data_folder = FUGU_SHARED_DATA});
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_NEAR(study->mean_and_deviation_w()[0], 351, 0.5);
  EXPECT_NEAR(study->mean_and_deviation_w()[1], 646.7, 0.5);
  const auto claims = temporal_claims(*study, run_all(*study));
  ASSERT_TRUE(claims);
  for (const auto& [figure, text, expected] : {std::tuple{"4", "near", true},
                                               {"5", "distorted", true},
                                               {"7", "more than half", true},
                                               {"8", "about 20 %", false},
                                               {"9", "larger", true},
                                               {"9", "two parts", true},
                                               {"9", "stable", true},
                                               {"10", "increases", true},
                                               {"10", "received (eq. 4)", true},
                                               {"10", "corrected (eq. 5)", false},
                                               {"10", "EDA, if that is read in order of arrival", true},
                                               {"10", "EDA, if that is summed by slot", false},
                                               {"11", "in order of arrival", true},
                                               {"12", "true readings, 50 bins", true},
                                               {"12", "bins of 50 W", false},
                                               {"12", "more is hidden", false},
                                               {"12", "read in order of arrival", true},
                                               {"12", "summed by slot", false},
                                               {"14", "negative", true},
                                               {"15", "filter", false},
                                               {"16", "the last change", true},
                                               {"16", "the reading itself", false},
                                               {"16", "the largest reading", false},
                                               {"17", "the last change", true},
                                               {"20, 21", "a day", true}})
    EXPECT_EQ(holds(*claims, figure, text), expected) << figure << ": " << text;
}

TEST(TemporalStudy, ProfilesHaveToBeThereAndComplete) {
  const auto without = TemporalStudy::make({.households = 2, .data_folder = "nowhere"});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().cause, Cause::bad_input);
  EXPECT_NE(without.error().message.find(kTemporalProfiles), std::string::npos);
  const TempDir directory;
  std::filesystem::create_directories(directory / "lvgrid/ieee_eulv");
  const auto refused = [&](const std::string& rows) {
    write_file(directory / kTemporalProfiles, "minute,p001_kw,p002_kw\n" + rows);
    const auto study = TemporalStudy::make({.households = 2, .data_folder = directory.path()});
    return study ? std::string() : study.error().message;
  };
  EXPECT_NE(refused("0,1,2\n1,1,2\n").find("found 2 minutes; expected 1440"), std::string::npos);
  EXPECT_NE(refused("0,1,2\n1,1,\n").find("found an empty cell of p002_kw in minute 1"), std::string::npos);
  const auto all_day = [](const std::string& cells) {
    std::string rows;
    for (int minute = 0; minute < 1440; ++minute) rows.append(std::to_string(minute)).append(cells);
    return rows;
  };
  EXPECT_EQ(refused(all_day(",1,2\n")), "");
  EXPECT_NE(refused(all_day(",1,0\n")).find("found no load at all in p002_kw"), std::string::npos);
  EXPECT_NE(refused(all_day(",-1,2\n")).find("found a negative load in p001_kw"), std::string::npos);
}

TEST(TemporalStudy, TableTwoHasOneWrongDigit) {
  const auto table = temporal_weights_table();
  ASSERT_TRUE(table);
  int different = 0;
  for (const auto& row : table->rows)
    for (const auto& cell : row) different += cell.tone == report::Tone::bad;
  EXPECT_EQ(different, 1);
  EXPECT_EQ(table->rows[2][2].text, "0.1012 (printed: 0.1013)");
}

TEST(TemporalStudy, RefusesScalesThatMakeNoSense) { EXPECT_FALSE(TemporalStudy::make({.households = 2, .b = {0}})); }

}  // namespace
}  // namespace fugu::test
