#include "fugu/filter/published_steps.hpp"

#include <gtest/gtest.h>

namespace fugu {
namespace {

PublishedSteps make(const char* filters, const char* unit_step = "1") {
  const auto made = PublishedSteps::make(filters, *UnitStep::parse(unit_step));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *made : PublishedSteps();
}

TEST(PublishedSteps, WithoutFiltersAnAnswerStaysAsItIs) {
  EXPECT_EQ(PublishedSteps().of(-7), -7);
  EXPECT_EQ(make("").of(INT64_MIN), INT64_MIN);
}

TEST(PublishedSteps, TruncatesInTheStreamsUnit) {
  EXPECT_EQ(make("truncate").of(-7), 0);
  EXPECT_EQ(make("truncate").of(7), 7);
  EXPECT_EQ(make("truncate:1:5", "0.1").of(77), 50);
  EXPECT_EQ(make("truncate:1:5", "0.1").of(-77), 10);
  EXPECT_EQ(make("truncate:0:100:10").of(44), 40) << "rounded to a multiple of 10";
  EXPECT_EQ(make("truncate:0:5,truncate:2:9").of(-1), 2) << "one after the other";
}

TEST(PublishedSteps, BoundsBetweenStepsAreRounded) { EXPECT_EQ(make("truncate:0:2.4").of(9), 2); }

TEST(PublishedSteps, BoundsThatNoAnswerReachesAreCutOff) {
  EXPECT_EQ(make("truncate:1e300:inf").of(5), std::int64_t{1} << 62);
}

TEST(PublishedSteps, WhatMixesSlotsIsNoPartOfTheLoop) {
  // An answer fed back through a filter that remembers would be remembered twice.
  EXPECT_EQ(make("kalman").of(-7), -7);
  EXPECT_EQ(make("truncate,moving-average:3").of(-7), -7);
}

TEST(PublishedSteps, AFilterThatIsNoneIsAnError) { EXPECT_FALSE(PublishedSteps::make("magic", UnitStep())); }

}  // namespace
}  // namespace fugu
