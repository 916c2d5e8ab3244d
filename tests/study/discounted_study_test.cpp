// The discounted study: rows that say what the paper and the proofs say, and resume.
#include "fugu/study/discounted_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "support/builders.hpp"
#include "support/exchange_rows.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

DiscountedStudyOptions small() { return {.households = 20, .days = 40, .runs = 3, .threads = 1}; }

const DiscountedCell* find(const DiscountedStudy& study, Protects protects, double factor,
                           DiscountedSchedule schedule) {
  for (const DiscountedCell& cell : study.cells()) {
    if (cell.population == 1 && cell.protects == protects && cell.factor == factor && cell.schedule == schedule &&
        !cell.count_protected)
      return &cell;
  }
  return nullptr;
}

TEST(DiscountedStudy, SchedulesCompareAsProved) {
  const auto study = DiscountedStudy::make(small());
  ASSERT_TRUE(study) << reason(study);
  for (const auto& [protects, factor] : {std::pair{Protects::discounted_exp, 0.9},
                                         {Protects::discounted_exp, 0.5},
                                         {Protects::discounted_hyp, 0.1},
                                         {Protects::discounted_hyp, 1.0}}) {
    const auto course = [&](DiscountedSchedule schedule) {
      return *study->course(*find(*study, protects, factor, schedule));
    };
    const DiscountedCourse published = course(DiscountedSchedule::published);
    const DiscountedCourse equal = course(DiscountedSchedule::equal);
    const DiscountedCourse planned = course(DiscountedSchedule::planned);
    EXPECT_LT(equal.mean_error(), published.mean_error());
    EXPECT_LT(equal.relative_error.front(), published.relative_error.front());
    EXPECT_LE(planned.gap, 1e-6);
    for (const DiscountedCourse& one : {published, equal, planned}) EXPECT_LE(one.worst_share, 1);
    EXPECT_GE(equal.worst_share, 1 - 1e-8);
  }
  const auto broken = study->course(*find(*study, Protects::discounted_hyp, 4, DiscountedSchedule::published));
  ASSERT_TRUE(broken);
  EXPECT_NEAR(broken->worst_share, 1.0637, 1e-3);
}

TEST(DiscountedStudy, HouseholdsComeAndGo) {
  DiscountedStudyOptions options = small();
  options.households = 200;
  options.days = 365;
  const auto study = DiscountedStudy::make(options);
  ASSERT_TRUE(study) << reason(study);
  const Population& all = study->populations()[0];
  const Population& moving = study->populations()[1];
  EXPECT_EQ(all.households.front(), 200);
  EXPECT_EQ(all.households.back(), 200);
  EXPECT_NE(moving.households.front(), moving.households.back());
  for (std::size_t day = 0; day < all.days(); ++day) {
    EXPECT_LE(moving.sum_steps[day], all.sum_steps[day]);
    EXPECT_GE(moving.households[day], 100);
  }
}

// Figure 1, left, has every day of every household once, as it was before the clamp.
TEST(DiscountedStudy, TheHistogramHasAllDays) {
  DiscountedStudyOptions options = small();
  options.clamp_kwh = 5;
  const auto study = DiscountedStudy::make(options);
  ASSERT_TRUE(study) << reason(study);
  for (const Population& population : study->populations()) {
    std::int64_t present = 0, counted = 0, above = 0;
    double clamped_kwh = 0;
    for (const std::int64_t count : population.households) present += count;
    for (const std::int64_t steps : population.sum_steps) clamped_kwh += static_cast<double>(steps) / 100;
    for (std::size_t kwh = 0; kwh < population.days_by_kwh.size(); ++kwh) {
      counted += population.days_by_kwh[kwh];
      if (kwh >= 5) above += population.days_by_kwh[kwh];
    }
    EXPECT_EQ(counted, present);
    EXPECT_EQ(above, population.days_above_clamp);
    EXPECT_GT(above, 0);
    EXPECT_EQ(static_cast<std::size_t>(population.largest_kwh) + 1, population.days_by_kwh.size());
    // Sums are rounded to 0.01 kWh for each of them.
    EXPECT_NEAR(population.all_kwh - population.cut_kwh, clamped_kwh, 0.005 * static_cast<double>(present));
  }
}

TEST(DiscountedStudy, GoesOnAfterAKillWithTheSameRows) {
  const auto study = DiscountedStudy::make(small());
  ASSERT_TRUE(study) << reason(study);
  const TempDir directory;
  {
    auto file = study->open(directory / "a", false);
    ASSERT_TRUE(file) << reason(file);
    ASSERT_TRUE(study->run(*file, {}));
    EXPECT_EQ(file->rows().size(), study->cells().size());
  }
  const std::string whole = read_file(directory / "a/results.csv");
  std::filesystem::copy(directory / "a", directory / "b", std::filesystem::copy_options::recursive);
  std::filesystem::resize_file(directory / "b/results.csv", whole.size() / 2);
  auto file = study->open(directory / "b", false);
  ASSERT_TRUE(file) << reason(file);
  EXPECT_LT(file->rows().size(), study->cells().size());
  ASSERT_TRUE(study->run(*file, {}));
  EXPECT_EQ(read_file(directory / "b/results.csv"), whole);
  DiscountedStudyOptions other = small();
  other.epsilon = 2;
  EXPECT_FALSE(DiscountedStudy::make(other)->open(directory / "a", false));
  write_file(directory / "a/results.csv", with_rows_exchanged(whole));
  EXPECT_FALSE(study->open(directory / "a", false));
}

TEST(DiscountedStudy, ThePageHasTheFiguresAndTheVerdicts) {
  const auto study = DiscountedStudy::make(small());
  ASSERT_TRUE(study) << reason(study);
  const auto page = study->page();
  ASSERT_TRUE(page) << reason(page);
  for (const char* text : {"figure 1, left", "figure 1, right", "figure 2, left", "figure 2, middle", "figure 2, right",
                           "figure 3, left", "figure 3, right", "BREAKS: 1.064 of 1", "simulated-moving", "protected"})
    EXPECT_NE(page->find(text), std::string::npos) << text;
}

// At ε = 1e-8 a share of a half still has a scale that can be drawn, and a hundredth has not; at 1e-12 nothing has.
TEST(DiscountedStudy, ACellThatNeedsTooMuchNoiseHasNoDataAndTheRestGoesOn) {
  for (const double epsilon : {1e-8, 1e-12}) {
    DiscountedStudyOptions options = small();
    options.epsilon = epsilon;
    const auto study = DiscountedStudy::make(options);
    ASSERT_TRUE(study) << reason(study);
    const auto has_data = [&](Protects protects, double factor, DiscountedSchedule schedule) {
      const auto course = study->course(*find(*study, protects, factor, schedule));
      return course && course->has_data();
    };
    const bool some = epsilon == 1e-8;
    EXPECT_EQ(has_data(Protects::event, 0, DiscountedSchedule::uniform), some);
    EXPECT_EQ(has_data(Protects::discounted_exp, 0.1, DiscountedSchedule::published), some);
    EXPECT_FALSE(has_data(Protects::discounted_exp, 0.99, DiscountedSchedule::published));
    EXPECT_FALSE(has_data(Protects::user, 0, DiscountedSchedule::published)) << "from the second day on";

    const TempDir directory;
    auto file = study->open(directory / "out", false);
    ASSERT_TRUE(file) << reason(file);
    const auto done = study->run(*file, {});
    ASSERT_TRUE(done) << reason(done);
    EXPECT_EQ(file->rows().size(), study->cells().size());
    const auto empty = std::ranges::count_if(file->rows(), [](const auto& row) { return row.ends_with(",,,,,,"); });
    EXPECT_GT(empty, 0);
    EXPECT_EQ(static_cast<std::size_t>(empty) < file->rows().size(), some);

    const auto page = study->page();
    ASSERT_TRUE(page) << reason(page);
    for (const std::string& text : {"No data for " + std::to_string(empty) + " of ", std::string(">no data<"),
                                    std::string("published, no end (Corollary 8): no data")})
      EXPECT_NE(page->find(text), std::string::npos) << text;
    EXPECT_EQ(page->find("nan"), std::string::npos);
  }
}

// Less than 2^-48 is nothing: a release that repeats for ever has no error of its own.
TEST(DiscountedStudy, AShareThatCannotBeCountedIsNoData) {
  DiscountedStudyOptions options = small();
  options.epsilon = 1e-12;
  const auto study = DiscountedStudy::make(options);
  ASSERT_TRUE(study) << reason(study);
  DiscountedCell cell = *find(*study, Protects::discounted_exp, 0.99, DiscountedSchedule::published);
  cell.factor = 0.9999;
  const auto course = study->course(cell);
  ASSERT_TRUE(course) << reason(course);
  EXPECT_FALSE(course->has_data());
}

TEST(DiscountedStudy, OtherErrorsStillStop) {
  const auto study = DiscountedStudy::make(small());
  ASSERT_TRUE(study) << reason(study);
  DiscountedCell wrong = *find(*study, Protects::discounted_exp, 0.9, DiscountedSchedule::equal);
  wrong.factor = 2;
  EXPECT_FALSE(study->course(wrong));
}

TEST(DiscountedStudy, OptionsAreChecked) {
  for (const DiscountedStudyOptions& wrong : {DiscountedStudyOptions{.days = 0},
                                              {.epsilon = 0},
                                              {.clamp_kwh = 0},
                                              {.households = 0},
                                              {.data_folder = "/nowhere"}}) {
    const auto study = DiscountedStudy::make(wrong);
    ASSERT_FALSE(study);
  }
}

TEST(DiscountedStudy, RealHouseholds) {
  const std::filesystem::path data(FUGU_SHARED_DATA);
  if (!std::filesystem::exists(data / "sgsc_newcastle")) GTEST_SKIP() << "no data";
  DiscountedStudyOptions options = small();
  options.data_folder = data.string();
  options.days = 365;
  const auto study = DiscountedStudy::make(options);
  ASSERT_TRUE(study) << reason(study);
  ASSERT_EQ(study->populations().size(), 2u);
  const Population& newcastle = study->populations()[0];
  const auto [least, most] = std::ranges::minmax_element(newcastle.households);
  EXPECT_LT(*least, *most);  // they join and leave
  EXPECT_LE(*most, 10);
  for (const std::int64_t count : study->populations()[1].households) EXPECT_EQ(count, 17);
  EXPECT_NEAR(newcastle.largest_kwh, 90.6, 0.05);
  EXPECT_NEAR(study->populations()[1].largest_kwh, 96.5, 0.05);
}

}  // namespace
}  // namespace fugu::test
