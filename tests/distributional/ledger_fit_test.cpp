// Whether a state is the one that a ledger was written with, by the versions that the ledger has.
#include "fugu/distributional/ledger_fit.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace fugu::test {
namespace {

constexpr ClampRange kClamp{0, 100};

SeriesMap map_of(std::string text) { return *SeriesMap::read(Input::from_memory("map.csv", std::move(text))); }

/// A state of which meters left and joined; its versions are the states in this order.
std::vector<DistributionalState> line_of_states() {
  const SeriesMap both = map_of("meter,series\na,north\nb,north\n");
  const SeriesMap one = map_of("meter,series\na,north\n");
  const DistributionalPlan plan{
      .form = DistributionalForm::capped, .clamp = kClamp, .epsilon = 1, .spread_steps = 10, .half_width_steps = 40};
  const std::vector<MeterProfile> profiles(2, MeterProfile::learn({40, 60}, kClamp));
  std::vector<DistributionalState> states = {*DistributionalState::prepare(plan, both, profiles)};
  for (const SeriesMap* map : {&one, &both, &one}) states.push_back(*states.back().changed(*map, {}));
  return states;
}

LedgerHeader run_of(const DistributionalState& state) {
  LedgerHeader run{define(Protects::event, 1), expose({80}, {{0}}), state.series(), {{"unit-step", "1"}}, "test"};
  return run;
}

AuditReport audited(const DistributionalState& state, std::vector<VersionUsed> used) {
  AuditReport report;
  report.slots = 100;
  report.versions = std::move(used);
  audit_state(run_of(state), {}, state, report);
  return report;
}

TEST(LedgerFit, AStateThatDescendsFromAllThatWasUsedFits) {
  const auto states = line_of_states();
  const auto version = [&](std::size_t i) { return states[i].versions().back(); };
  for (const std::size_t given : {2U, 3U}) {
    const AuditReport report = audited(states[given], {{0, version(0)}, {10, version(2)}});
    EXPECT_TRUE(report.holds()) << report.findings.front();
    EXPECT_TRUE(report.not_checked.empty());
  }
}

TEST(LedgerFit, AnEarlierStateOrOneThatWasChangedAnotherWayIsAFinding) {
  const auto states = line_of_states();
  const auto version = [&](std::size_t i) { return states[i].versions().back(); };
  const auto again = states[0].changed(map_of("meter,series\na,north\n"), {});
  ASSERT_TRUE(again);
  for (const DistributionalState& given : {states[0], states[1], *again}) {
    const AuditReport report = audited(given, {{0, version(0)}, {10, version(2)}});
    ASSERT_FALSE(report.holds());
    EXPECT_EQ(report.findings.front().find("from slot 10 on another state"), 0U) << report.findings.front();
  }
  // Each alone is one of the state's versions; together they were used in a way that no line of states is.
  EXPECT_FALSE(audited(states[3], {{0, version(0)}, {10, version(2)}, {20, version(1)}}).holds());
}

TEST(LedgerFit, SaysWhenTheLedgerDoesNotSayWhichVersionWasUsed) {
  const auto states = line_of_states();
  const AuditReport never = audited(states[3], {});
  EXPECT_TRUE(never.holds());
  ASSERT_EQ(never.not_checked.size(), 1U);
  EXPECT_NE(never.not_checked.front().find("before slot 100"), std::string::npos);
  const AuditReport later = audited(states[3], {{10, states[1].versions().back()}});
  ASSERT_EQ(later.not_checked.size(), 1U);
  EXPECT_NE(later.not_checked.front().find("before slot 10:"), std::string::npos);
}

TEST(LedgerFit, AHouseholdPaysForAllItsMeters) {
  const auto states = line_of_states();  // b left, came back and left: 4 draws; a stayed: 1
  const auto most = [&](const Households& households) {
    const HouseholdDraws draws = most_drawn_for(households, states[3]);
    return std::pair(draws.meters, draws.draws);
  };
  EXPECT_EQ(most({}), std::pair(std::size_t{1}, std::uint64_t{1}));
  EXPECT_EQ(most({{"a", {"a"}}, {"b", {"b"}}}), std::pair(std::size_t{1}, std::uint64_t{4}));
  EXPECT_EQ(most({{"home", {"home", "a", "b"}}, {"c", {"c"}}}), std::pair(std::size_t{2}, std::uint64_t{5}));
  SeriesMap map = map_of("meter,series\na,north\nb,north\n");
  ASSERT_TRUE(map.read_households(Input::from_memory("h.csv", "meter,household\na,home\nb,home\n")));
  EXPECT_EQ(households_of(map), (Households{{"home", {"a", "b"}}}));
}

TEST(LedgerFit, OnlyTheLatestStateMayBeChangedAndOnlyForReadingsBeforeTheStreamGoesOn) {
  const auto states = line_of_states();
  StateOnRecord record{.id = states[0].id(),
                       .version = states[2].versions().back(),
                       .clock = {Clock(1'000'000'800, 900), 0},
                       .next_slot = 4};
  const std::int64_t goes_on_s = 1'000'000'800 + 4 * 900;
  for (const std::size_t given : {2U, 3U}) {
    EXPECT_TRUE(check_change(record, states[given], std::nullopt));
    EXPECT_TRUE(check_change(record, states[given], goes_on_s));
    const auto refused = check_change(record, states[given], goes_on_s + 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::refused);
    EXPECT_NE(refused.error().message.find("2001-09-09T03:00:00Z"), std::string::npos) << refused.error().message;
  }
  for (const std::size_t given : {0U, 1U}) EXPECT_FALSE(check_change(record, states[given], std::nullopt));
  record.version.reset();
  EXPECT_TRUE(check_change(record, states[0], std::nullopt)) << "a ledger of before versions were recorded";
  EXPECT_FALSE(check_change(record, line_of_states()[0], std::nullopt)) << "another state";
}

}  // namespace
}  // namespace fugu::test
