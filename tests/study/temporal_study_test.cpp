// The temporal study: its numbers repeat, agree with what is exact, and reach the page.
#include "fugu/study/temporal_study.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fugu::test {
namespace {

TemporalStudy small_study() { return *TemporalStudy::make({.households = 12, .b = {1}, .seed = 3, .threads = 1}); }

TEST(TemporalStudy, AgreesWithWhatIsExactAndRepeats) {
  const TemporalStudy study = small_study();
  ASSERT_EQ(study.cells().size(), 7);
  std::vector<TemporalMeasures> all;
  for (const TemporalCell& cell : study.cells()) all.push_back(*study.run(cell));
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
  EXPECT_EQ(all[2].lag_slots, 14);

  const TemporalStudy again = small_study();
  const TemporalMeasures repeated = *again.run(again.cells()[1]);
  for (const TemporalColumn& column : temporal_columns()) EXPECT_EQ(repeated.*column.value, all[1].*column.value);

  const auto page = temporal_page(study, all);
  ASSERT_TRUE(page);
  for (int figure = 7; figure <= 21; ++figure)
    EXPECT_NE(page->find(std::string("Figure ").append(std::to_string(figure)).append(":")), std::string::npos);
  EXPECT_EQ(temporal_pictures(study, all).size(), 3);
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
