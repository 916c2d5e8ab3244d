// What meters learn from past readings, circumstance by circumstance.
#include "fugu/distributional/learning.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fugu/distributional/transform.hpp"
#include "fugu/simulate/seeded_bits.hpp"

namespace fugu::test {
namespace {

constexpr ClampRange kClamp{0, 100};

DistributionalPlan plan_by(std::string_view by, bool one_level = false) {
  return {.form = DistributionalForm::capped,
          .clamp = kClamp,
          .epsilon = 1,
          .spread_steps = 10,
          .half_width_steps = 40,
          .circumstances = *Circumstances::parse(by),
          .one_level = one_level};
}

/// Two meters, `days` days of hours: a reads 10 in the first half of a day and 50 in the second, give or take 2.
std::string days_of(int days, int hours = 24) {
  std::string text = "time,meter,value\n";
  for (int day = 0; day < days; ++day) {
    for (int hour = 0; hour < hours; ++hour) {
      char row[80];
      std::snprintf(row, sizeof row, "2026-01-%02dT%02d:00:00Z,", day + 1, hour);
      text.append(row).append("a,").append(std::to_string((hour < 12 ? 10 : 50) + day % 5 - 2)).append("\n");
      text.append(row).append("b,7\n");
    }
  }
  return text;
}

NameTable meters() {
  NameTable names;
  names.intern("a");
  names.intern("b");
  return names;
}

Result<Learned> learn(const std::string& text, const DistributionalPlan& plan,
                      const std::vector<NameTable::Id>& wanted = {0, 1}) {
  const NameTable names = meters();
  auto readings = MeterReadings::open(Input::from_memory("past.csv", text), names, {.slot_s = 3600});
  EXPECT_TRUE(readings);
  return learn_profiles(*readings, names, wanted, plan);
}

TEST(LearnProfiles, LearnsALawForEachCircumstance) {
  const auto learned = learn(days_of(5), plan_by("hour"));
  ASSERT_TRUE(learned) << learned.error().message;
  ASSERT_EQ(learned->profiles.size(), 48U);
  EXPECT_EQ(learned->profiles[3].mean_steps(), 10);
  EXPECT_EQ(learned->profiles[15].mean_steps(), 50);
  EXPECT_EQ(learned->profiles[3].probability(50), 0);
  EXPECT_GT(learned->profiles[15].probability(50), 0);
  EXPECT_EQ(learned->profiles[24].mean_steps(), 7);
  EXPECT_EQ(learned->meters_with_few, 2U) << "five readings an hour";
  EXPECT_EQ(learned->meters_with_unlearned, 0U);
  const auto whole = learn(days_of(5), plan_by("none"));
  ASSERT_TRUE(whole);
  ASSERT_EQ(whole->profiles.size(), 2U);
  EXPECT_EQ(whole->profiles[0].mean_steps(), 30);
  EXPECT_EQ(whole->meters_with_few, 0U) << "120 readings";
}

TEST(LearnProfiles, OneLevelHasTheSameMeanAndSpreadInAllCircumstances) {
  const auto learned = learn(days_of(5), plan_by("hour", true));
  ASSERT_TRUE(learned);
  for (std::size_t hour = 0; hour < 24; ++hour) {
    EXPECT_EQ(learned->profiles[hour].mean_steps(), 30);
    EXPECT_DOUBLE_EQ(learned->profiles[hour].variance_steps(), 2) << "around each hour's mean, not around 30";
  }
  EXPECT_EQ(learned->profiles[3].probability(50), 0) << "but ranks are those of the hour";
}

// An hour of which nothing is known: the rank of a reading would not be uniform, so none is looked at.
TEST(LearnProfiles, WhereNothingWasLearnedReadingsAreNotLookedAt) {
  const auto learned = learn(days_of(5, 20), plan_by("hour"));
  ASSERT_TRUE(learned);
  EXPECT_EQ(learned->meters_with_unlearned, 2U);
  const MeterProfile& unlearned = learned->profiles[22];
  EXPECT_FALSE(unlearned.learned());
  EXPECT_EQ(unlearned.mean_steps(), 26) << "12 hours at 10, 8 at 50";
  EXPECT_EQ(MeterProfile::parse(unlearned.text(), kClamp)->text(), unlearned.text());
  for (const DistributionalForm form : {DistributionalForm::capped, DistributionalForm::hidden}) {
    DistributionalPlan plan = plan_by("hour");
    plan.form = form;
    plan.half_width_steps = 80;
    if (form == DistributionalForm::hidden) plan.delta = 1e-6;
    const auto transform = DistributionalTransform::make(plan, learned->profiles);
    ASSERT_TRUE(transform);
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
      SeededBits low(seed);
      SeededBits high(seed);
      EXPECT_EQ(transform->of_reading(22, 0, low), transform->of_reading(22, 100, high));
    }
  }
}

TEST(LearnProfiles, OnlyOfThoseAskedFor) {
  const auto learned = learn(days_of(5), plan_by("hour"), {1});
  ASSERT_TRUE(learned);
  ASSERT_EQ(learned->profiles.size(), 24U);
  EXPECT_EQ(learned->profiles[0].mean_steps(), 7);
}

TEST(LearnProfiles, SaysWhatIsMissing) {
  const auto none = learn("time,meter,value\n2026-01-01T00:00:00Z,a,5\n2026-01-01T00:00:00Z,b,\n", plan_by("hour"));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("no past reading of meter"), std::string::npos) << none.error().message;
  const auto numbers = learn("time,meter,value\n0,a,5\n0,b,6\n", plan_by("hour"));
  ASSERT_FALSE(numbers);
  EXPECT_EQ(numbers.error().cause, Cause::usage);
  EXPECT_NE(numbers.error().message.find("which hour"), std::string::npos) << numbers.error().message;
  EXPECT_TRUE(learn("time,meter,value\n0,a,5\n0,b,6\n", plan_by("none")));
}

TEST(LearnProfiles, OfSlotsOfAnotherLengthIsRefused) {
  DistributionalPlan plan = plan_by("hour");
  plan.slot_s = 3600;
  EXPECT_TRUE(learn(days_of(5), plan));
  plan.slot_s = 900;
  const auto refused = learn(days_of(5), plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::refused);
  EXPECT_NE(refused.error().message.find("slots of 1h; expected slots of 15m"), std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace fugu::test
