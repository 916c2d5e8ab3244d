// Uses become policies by the rules of the papers.
#include "fugu/simulate/use_policies.hpp"

#include <gtest/gtest.h>

#include <set>

#include "fugu/policy/dominance.hpp"

namespace fugu {
namespace {

constexpr Slot kHorizon = 10 * 96;

ApplianceUse use(std::uint32_t appliance, std::int64_t start_min, std::int64_t minutes, std::int32_t power_w = 2000) {
  return {appliance, power_w, start_min, start_min + minutes};
}

UsePolicyOptions options(IntervalRule interval = IntervalRule::thesis) {
  return {.interval = interval, .horizon_slots = kHorizon};
}

std::vector<UsePolicy> policies_of(const UsePolicyOptions& options, const std::vector<ApplianceUse>& uses) {
  UsePolicies made(options, 0);
  std::vector<UsePolicy> policies;
  made.add(uses, kHorizon * 15, policies);
  made.finish(policies);
  return policies;
}

TEST(UsePolicies, IntervalOfTheThesisIsFourTimesTheUse) {
  // 12:00 to 12:40 on day 1: slots 144, 145, 146.
  const auto policies = policies_of(options(), {use(0, 1440 + 720, 40)});
  ASSERT_EQ(policies.size(), 1u);
  const Policy& policy = policies[0].policy;
  EXPECT_EQ(policy.length_slots, 3u);
  EXPECT_EQ(policy.magnitude_steps, 2000u);
  EXPECT_EQ(policy.interval, (Interval{140, 151}));
  EXPECT_EQ(policy.interval.slots(), 4u * 3);
}

TEST(UsePolicies, IntervalOfTheConferencePaperIsTwiceTheUseOnBothSides) {
  const auto policies = policies_of(options(IntervalRule::conference), {use(0, 1440 + 720, 40)});
  ASSERT_EQ(policies.size(), 1u);
  EXPECT_EQ(policies[0].policy.interval, (Interval{144 - 6, 146 + 6}));
  EXPECT_EQ(policies[0].policy.interval.slots(), 5u * 3);
}

TEST(UsePolicies, ConcatenatedUsesAreOne) {
  // Slots 100, 101 then 102; the gap before slot 104 ends it; another appliance does not join.
  const auto policies =
      policies_of(options(), {use(0, 1500, 30, 2000), use(1, 1505, 5, 90), use(0, 1530, 10, 2100), use(0, 1560, 10)});
  ASSERT_EQ(policies.size(), 3u);
  const auto length_of = [&](std::uint32_t appliance) {
    std::multiset<std::uint64_t> lengths;
    for (const UsePolicy& each : policies) {
      if (each.appliance == appliance) lengths.insert(each.policy.length_slots);
    }
    return lengths;
  };
  EXPECT_EQ(length_of(0), (std::multiset<std::uint64_t>{1, 3}));
  EXPECT_EQ(length_of(1), (std::multiset<std::uint64_t>{1}));
  EXPECT_EQ(policies[0].policy.magnitude_steps, 2100u) << "the largest of those that were joined";
}

TEST(UsePolicies, JoinAcrossMidnight) {
  UsePolicies made(options(), 0);
  std::vector<UsePolicy> policies;
  const std::vector<ApplianceUse> evening = {use(0, 600, 20), use(0, 1420, 40)};
  made.add(evening, 1440, policies);
  ASSERT_EQ(policies.size(), 1u) << "the second may go on";
  const std::vector<ApplianceUse> night = {use(0, 1465, 20)};
  made.add(night, 2880, policies);
  made.finish(policies);
  ASSERT_EQ(policies.size(), 2u);
  EXPECT_EQ(policies[1].policy.length_slots, 5u);  // slots 94 … 98
}

TEST(UsePolicies, LeaveTheHorizonByTheStatedRule) {
  const std::vector<ApplianceUse> uses = {use(0, 0, 60), use(0, 5000, 60), use(0, kHorizon * 15 - 30, 120)};
  const auto clipped = policies_of(options(), uses);
  ASSERT_EQ(clipped.size(), 3u);
  EXPECT_EQ(clipped[0].policy.interval, (Interval{0, 9}));
  EXPECT_EQ(clipped[2].policy.interval, (Interval{kHorizon - 5, kHorizon - 1}));
  EXPECT_EQ(clipped[2].policy.length_slots, 2u) << "what comes after the horizon is not part of the use";
  for (const UsePolicy& each : clipped) EXPECT_LE(each.policy.length_slots, each.policy.interval.slots());
  UsePolicyOptions drop = options();
  drop.beyond = HorizonRule::drop;
  EXPECT_EQ(policies_of(drop, uses).size(), 1u);
}

TEST(UsePolicies, EpsilonIsFixedOrDrawnEvenly) {
  EXPECT_EQ(policies_of(options(), {use(0, 3000, 10)})[0].policy.epsilon, Budget::round_down(1));
  UsePolicyOptions drawn = options();
  drawn.epsilon_min = 0.1;
  drawn.epsilon_max = 1;
  double sum = 0;
  double least = 2;
  double most = 0;
  constexpr int kDraws = 4000;
  for (std::uint64_t household = 0; household < kDraws; ++household) {
    UsePolicies made(drawn, household);
    std::vector<UsePolicy> policies;
    const std::vector<ApplianceUse> uses = {use(0, 3000, 10)};
    made.add(uses, 4000, policies);
    const double epsilon = policies.at(0).policy.epsilon.to_double();
    sum += epsilon;
    least = std::min(least, epsilon);
    most = std::max(most, epsilon);
  }
  EXPECT_GT(least, 0.0999);
  EXPECT_LT(least, 0.102);
  EXPECT_GT(most, 0.998);
  EXPECT_LE(most, 1.0);
  EXPECT_NEAR(sum / kDraws, 0.55, 5 * 0.26 / 63);  // five deviations of the mean
}

TEST(UsePolicies, AHolidayDominatesEverySimulatedPolicy) {
  const HouseholdParameters& table = HouseholdParameters::shipped();
  auto street = Neighbourhood::make({.households = 30, .days = 10, .seed = 7}, table);
  std::vector<UsePolicy> policies;
  std::vector<UsePolicies> wishes;
  for (std::uint64_t i = 0; i < 30; ++i) wishes.emplace_back(options(), i);
  while (street->next_day()) {
    for (std::size_t i = 0; i < 30; ++i) wishes[i].add(street->uses(i), (street->day() + 1) * 1440, policies);
  }
  for (UsePolicies& each : wishes) each.finish(policies);
  ASSERT_GT(policies.size(), 300u);
  const Policy holiday = holiday_secret(96, 15, 20'000, 0.1);
  EXPECT_EQ(holiday.interval, (Interval{96, 96 + 671}));
  EXPECT_EQ(holiday.length_slots, 672u);
  for (const UsePolicy& each : policies) {
    EXPECT_TRUE(dominates(holiday, each.policy));
    EXPECT_LE(each.policy.length_slots, each.policy.interval.slots());
    EXPECT_GE(each.policy.interval.first, 0);
    EXPECT_LT(each.policy.interval.last, kHorizon);
    EXPECT_NE(table.appliances[each.appliance].kind, ApplianceKind::cycling);
  }
}

TEST(UsePolicies, RulesHaveNames) {
  EXPECT_EQ(*parse_interval_rule("conference"), IntervalRule::conference);
  EXPECT_EQ(*parse_interval_rule("thesis"), IntervalRule::thesis);
  EXPECT_FALSE(parse_interval_rule("4T").has_value());
  EXPECT_EQ(*parse_horizon_rule("drop"), HorizonRule::drop);
  EXPECT_FALSE(parse_horizon_rule("").has_value());
}

}  // namespace
}  // namespace fugu
