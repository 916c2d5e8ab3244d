// Units that move between series, against what they lose by the definition.
#include "fugu/accounting/membership.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "fugu/accounting/policy_accountant.hpp"
#include "fugu/stream/input.hpp"
#include "policy_ledgers.hpp"
#include "random_requests.hpp"
#include "support/builders.hpp"

namespace fugu::test {
namespace {

/// Where one unit was, slot by slot; and what answers give away of it, straight from the definition: every window,
/// every answer, every slot it touches.
class OneUnit {
 public:
  OneUnit(const Definition& definition, const Exposure& exposure)
      : exposure_(exposure),
        pure_(definition.delta().value() == 0),
        window_(definition.discount() ? 1 : static_cast<Slot>(definition.window_slots())) {}

  void is_in(std::vector<SeriesId> series) { sets_.push_back(std::move(series)); }
  void saw(const Answer& answer) { answers_.push_back(answer); }

  long double worst() const {
    long double worst = 0;
    for (Slot first = 0; first < static_cast<Slot>(sets_.size()); ++first)
      worst = std::max(worst, loss({first, std::min(first + window_, static_cast<Slot>(sets_.size())) - 1}));
    return worst;
  }

 private:
  struct Window {
    Slot first, last;
  };

  long double change(const Answer& answer, std::size_t i, Slot slot) const {
    const auto& set = sets_[static_cast<std::size_t>(slot)];
    if (!std::binary_search(set.begin(), set.end(), answer.series[i])) return 0;
    return static_cast<long double>(gain(answer.statistic) * exposure_.sensitivity_steps(answer.series[i]));
  }
  long double change(const Answer& answer, Slot slot) const {
    long double total = 0;
    for (std::size_t i = 0; i < answer.series.size(); ++i) total += change(answer, i, slot);
    return total;
  }
  long double comparison(const Answer& answer, long double change) const {
    return change / answer.parameter[0].to_double() + 2 * change / answer.parameter[1].to_double();
  }
  /// ε of a change, or ρ.
  long double perturbed(const Answer& answer, Rational parameter, long double change) const {
    const long double p = parameter.to_double();
    if (answer.noise == NoiseKind::gaussian) return change * change / (2 * p);
    return pure_ ? change / p : change * change / (2 * p * p);
  }

  long double loss(Window window) const {
    long double total = 0;
    std::map<std::uint64_t, long double> once;                     // per session: the largest change of a comparison
    std::map<std::uint64_t, std::map<Slot, long double>> by_slot;  // deviation sessions: change in each slot, once
    std::map<std::uint64_t, Answer> like;
    for (const Answer& answer : answers_) {
      if (answer.is_comparison()) like.emplace(answer.session, answer);
      if (answer.is_comparison() && answer.statistic == Statistic::deviation) {
        for (Slot slot = std::max(answer.first_slot, window.first); slot <= std::min(answer.slot, window.last); ++slot)
          by_slot[answer.session][slot] = change(answer, slot);
      } else if (answer.is_comparison()) {
        if (answer.slot < window.first || answer.slot > window.last) continue;
        once[answer.session] = std::max(once[answer.session], change(answer, answer.slot));
      } else if (answer.statistic == Statistic::value) {
        if (answer.slot < window.first || answer.slot > window.last) continue;
        for (std::size_t i = 0; i < answer.series.size(); ++i)
          total += perturbed(answer, answer.parameter_of(i), change(answer, i, answer.slot));
      } else {
        long double sum = 0;
        for (Slot slot = std::max(answer.first_slot, window.first); slot <= std::min(answer.slot, window.last); ++slot)
          sum += change(answer, slot);
        total += perturbed(answer, answer.parameter[0], sum);
      }
    }
    const auto add = [&](std::uint64_t session, long double change) {
      const long double e = comparison(like.at(session), change);
      total += pure_ ? e : e * e / 2;
    };
    for (const auto& [session, largest] : once) add(session, largest);
    for (const auto& [session, slots] : by_slot) {
      long double sum = 0;
      for (const auto& [slot, each] : slots) sum += each;
      add(session, sum);
    }
    return total;
  }

  const Exposure& exposure_;
  bool pure_;
  Slot window_;
  std::vector<std::vector<SeriesId>> sets_;
  std::vector<Answer> answers_;
};

RC_GTEST_PROP(Membership, AUnitThatMovesLosesNoMoreThanWasPromised, ()) {
  const Definition definition = random_definition();
  const Exposure exposure = random_exposure(100);
  const bool pure = definition.delta().value() == 0;
  const Reach reach{pure ? *rc::gen::inRange<std::uint64_t>(0, 5) : 0};
  auto accountant = make_accountant(definition, exposure, reach);
  const long double total = accountant->total().to_double();
  RandomRequests requests(definition, exposure, accountant->total().to_double(), reach.slots);
  Membership membership(exposure, reach);
  constexpr int kUnits = 3;
  std::vector<OneUnit> units(kUnits, OneUnit(definition, exposure));
  std::vector<std::optional<std::uint32_t>> at(kUnits);
  const Slot slots = *rc::gen::inRange<Slot>(1, 20);
  std::uint64_t latest_session = 0;
  int moves = 0;
  for (Slot slot = 0; slot < slots; ++slot) {
    for (int u = 0; u < kUnits; ++u) {
      const auto where = static_cast<std::size_t>(u);
      if (slot == 0 || *rc::gen::inRange(0, 4) == 0) {
        const auto next =
            *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(exposure.signature_count()) + 1);
        const auto before = at[where];
        at[where] = next == exposure.signature_count() ? std::nullopt : std::optional(next);
        moves += at[where] && before && *at[where] != *before ? 1 : 0;
        RC_ASSERT(
            membership.place({slot, "unit " + std::to_string(u), at[where]}, accountant, latest_session).has_value());
      }
      units[where].is_in(at[where] ? exposure.signature(*at[where]) : std::vector<SeriesId>());
    }
    accountant->advance(slot);
    const int asked = *rc::gen::inRange(0, 4);
    for (int i = 0; i < asked; ++i) {
      const Answer answer = requests.next(slot);
      if (!accountant->charge(answer)) {
        if (answer.is_comparison()) requests.end_session(answer.session);
        continue;
      }
      latest_session = std::max(latest_session, answer.session);
      for (OneUnit& unit : units) unit.saw(answer);
    }
  }
  for (const OneUnit& unit : units) RC_ASSERT(unit.worst() <= total * (1 + 1e-12L));
  RC_CLASSIFY(moves > 0, "somebody moved");
}

/// A value of one series that costs `part` of ε = 1 when the series has sensitivity 1.
Answer value_of(SeriesId series, Slot slot, std::uint64_t part) {
  Answer answer;
  answer.series = {series};
  answer.first_slot = answer.slot = slot;
  answer.parameter = {{part, 1}};
  return answer;
}

TEST(Membership, WhoMovesHasSpentWhatTheOldSeriesCost) {
  const Definition definition = define(Protects::w_event, 1, 0, 10);
  const Exposure exposure = expose({1, 1}, {{0}, {1}});
  for (const bool moves : {false, true}) {
    auto accountant = make_accountant(definition, exposure);
    Membership membership(exposure, {});
    ASSERT_TRUE(membership.place({0, "m1", 0}, accountant, 0));
    accountant->advance(3);
    ASSERT_TRUE(accountant->charge(value_of(0, 3, 1)));  // all of ε
    if (moves) {
      ASSERT_TRUE(membership.place({5, "m1", 1}, accountant, 0));
    }
    accountant->advance(10);
    EXPECT_EQ(accountant->charge(value_of(1, 10, 1)).has_value(), !moves) << "in the window of slot 3";
    accountant->advance(13);
    EXPECT_EQ(accountant->charge(value_of(1, 13, 1)).has_value(), moves) << "slot 3 has left the window";
  }
}

TEST(Membership, WhatAComparisonCostLeavesTheWindowOfWhoMoved) {
  const Exposure exposure = expose({1, 1}, {{0}, {1}});
  auto accountant = make_accountant(define(Protects::w_event, 1, 0, 10), exposure);
  Membership membership(exposure, {});
  ASSERT_TRUE(membership.place({0, "m1", 0}, accountant, 0));
  accountant->advance(3);
  Answer comparison = value_of(0, 3, 1);
  comparison.statistic = Statistic::distance;
  comparison.session = 1;
  comparison.parameter = {{6, 1}, {6, 1}};
  ASSERT_TRUE(accountant->charge(comparison));  // half of ε
  ASSERT_TRUE(membership.place({5, "m1", 1}, accountant, 1));
  accountant->advance(12);
  EXPECT_FALSE(accountant->charge(value_of(1, 12, 1))) << "in the window of slot 3";
  accountant->advance(13);
  EXPECT_TRUE(accountant->charge(value_of(1, 13, 1))) << "slot 3 has left the window";
}

TEST(Membership, MovingBetweenSeriesThatSpendAlikeRefusesNothing) {
  const Definition definition = define(Protects::w_event, 1, 0, 8);
  const Exposure exposure = expose({1, 1, 1}, Exposure::all_disjoint(3));
  auto accountant = make_accountant(definition, exposure);
  Membership membership(exposure, {});
  for (Slot slot = 0; slot < 40; ++slot) {
    ASSERT_TRUE(membership.place({slot, "m1", static_cast<std::uint32_t>(slot / 3 % 3)}, accountant, 0));
    accountant->advance(slot);
    for (const SeriesId series : {0u, 1u, 2u}) EXPECT_TRUE(accountant->charge(value_of(series, slot, 8))) << slot;
  }
}

TEST(Membership, WhoLeavesAndComesBackIsNotForgotten) {
  const Definition definition = define(Protects::w_event, 1, 0, 10);
  const Exposure exposure = expose({1, 1}, {{0}, {1}});
  auto accountant = make_accountant(definition, exposure);
  Membership membership(exposure, {});
  ASSERT_TRUE(membership.place({0, "m1", 0}, accountant, 0));
  accountant->advance(3);
  ASSERT_TRUE(accountant->charge(value_of(0, 3, 1)));
  ASSERT_TRUE(membership.place({4, "m1", std::nullopt}, accountant, 0));
  ASSERT_TRUE(membership.place({6, "m1", 1}, accountant, 0));
  accountant->advance(6);
  EXPECT_FALSE(accountant->charge(value_of(1, 6, 1)));
}

TEST(Membership, WithDeltaAMechanismThatLooksBackAllowsNoMoves) {
  const Exposure exposure = expose({1, 1}, {{0}, {1}});
  auto accountant = make_accountant(define(Protects::w_event, 1, 1e-6, 10), exposure, {4});
  Membership membership(exposure, {4});
  ASSERT_TRUE(membership.place({0, "m1", 0}, accountant, 0));
  const auto moved = membership.place({5, "m1", 1}, accountant, 0);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().cause, Cause::refused);
}

TEST(Membership, WhosePoliciesAreKeptElsewhereDoesNotJoin) {
  const Exposure exposure = expose({9, 9}, {{0}, {1}});
  for (const std::vector<std::uint32_t>& kept : {std::vector<std::uint32_t>{0}, {1}, {}}) {
    auto made = make_policy_accountant(test::define_swellfish_idle(), exposure);
    ASSERT_TRUE(made->state("m", kept, test::policy_of({2, 6}, 1, 1, 1)));
    std::unique_ptr<Accountant> accountant = std::move(made);
    Membership membership(exposure, {});
    const auto joined = membership.place({1, "m", 1}, accountant, 0);
    const bool is_kept_elsewhere = kept == std::vector<std::uint32_t>{0};
    ASSERT_EQ(joined.has_value(), !is_kept_elsewhere);
    if (is_kept_elsewhere) {
      EXPECT_EQ(joined.error().cause, Cause::refused);
      accountant->advance(7);
      EXPECT_TRUE(membership.place({7, "m", 1}, accountant, 0)) << "its interval is over";
    }
  }
}

TEST(Membership, TheAuditFollowsASessionThatGoesOnAfterAMove) {
  // Five slots of a deviation session over series 1 cost 0.15 each: 0.75 for those who stay there. Who comes from
  // series 0 in slot 2 loses 0.45 of it, and what series 0 cost before.
  for (const std::uint64_t before_per_mille : {500u, 700u}) {
    LedgerScript script(define(Protects::w_event, 1, 0, 10), expose({1, 1}, {{0}, {1}}));
    script.place("m1", 0).place("m2", 1);
    script.answer(test::value_of(0, {1000, before_per_mille}, {0}));
    for (Slot slot = 0; slot < 5; ++slot) {
      if (slot == 2) script.place("m1", 1);
      script.answer(comparison_of(Statistic::deviation, 0, slot, 1, {40, 1}, {40, 1}, {1})).close();
    }
    EXPECT_EQ(script.audit().holds(), before_per_mille == 500);
  }
}

SeriesMap map_of(std::string text, std::string households = "") {
  auto map = SeriesMap::read(Input::from_memory("map.csv", std::move(text)));
  EXPECT_TRUE(map) << reason(map);
  if (!households.empty()) {
    EXPECT_TRUE(map->read_households(Input::from_memory("households.csv", std::move(households))));
  }
  return *std::move(map);
}

TEST(Membership, ChangesAreTheDifferenceToAMap) {
  const SeriesMap first = map_of("meter,series\na,north\nb,south\nc,south\n");
  const Exposure exposure = expose({5, 5}, first.signatures());
  auto accountant = make_accountant(define(Protects::w_event, 1, 0, 10), exposure);
  Membership membership(exposure, {});
  const auto all = membership.changes_to({&first, 5}, 0);
  ASSERT_TRUE(all) << reason(all);
  EXPECT_EQ(*all, (std::vector<UnitPlaced>{{0, "a", 0}, {0, "b", 1}, {0, "c", 1}}));
  for (const UnitPlaced& placed : *all) ASSERT_TRUE(membership.place(placed, accountant, 0));
  EXPECT_TRUE(membership.changes_to({&first, 5}, 1)->empty());
  // b moves, c leaves, d is new; the order of the rows plays no part.
  const auto next =
      SeriesMap::read_again(Input::from_memory("map.csv", "meter,series\nd,south\nb,north\na,north\n"), first);
  ASSERT_TRUE(next) << reason(next);
  const auto changes = membership.changes_to({&*next, 5}, 7);
  ASSERT_TRUE(changes) << reason(changes);
  EXPECT_EQ(*changes, (std::vector<UnitPlaced>{{7, "b", 0}, {7, "d", 1}, {7, "c", std::nullopt}}));
}

TEST(Membership, WhatTheExposureDoesNotCoverIsRefused) {
  const SeriesMap first = map_of("meter,series\na,north\nb,south\n");
  const Exposure exposure = expose({5, 5}, first.signatures());
  const auto covers = [](const Exposure& all, const SeriesMap& map) {
    return Membership(all, {}).changes_to({&map, 5}, 0).has_value();
  };
  const SeriesMap both = map_of("meter,series\na,north\na,south\n");
  EXPECT_FALSE(covers(exposure, both)) << "two series at once";
  const SeriesMap home = map_of("meter,series\na,north\nb,north\nc,south\n", "meter,household\na,h\nb,h\n");
  EXPECT_FALSE(covers(exposure, home)) << "twice the change";
  EXPECT_TRUE(covers(expose({10, 10}, home.signatures()), home));
}

TEST(Membership, SeriesMayBeChangedByMoreThanOthers) {
  const SeriesMap map = map_of("meter,series\nc.p,p\nc.p2,p\nc.q,q\n", "meter,household\nc.p,c\nc.p2,c\nc.q,c\n");
  const std::vector<std::uint64_t> changes = {12, 8};
  const auto exposure = exposure_of({.map = &map, .change_by_series = changes});
  ASSERT_TRUE(exposure) << reason(exposure);
  EXPECT_EQ(exposure->sensitivity_steps(0), 24u);
  EXPECT_EQ(exposure->sensitivity_steps(1), 8u);
  const Membership membership(*exposure, {});
  EXPECT_TRUE(membership.changes_to({.map = &map, .change_by_series = changes}, 0));
  for (const std::vector<std::uint64_t>& wider : {std::vector<std::uint64_t>{13, 8}, {12, 9}})
    EXPECT_FALSE(membership.changes_to({.map = &map, .change_by_series = wider}, 0)) << wider[0];
}

/// What a household lost stays with its meters: under a new name they would begin with a clean account.
TEST(Membership, AMeterStaysInItsHousehold) {
  const char* const kMap = "meter,series\na,north\nb,south\nc,south\n";
  const SeriesMap alone = map_of(kMap);
  const SeriesMap home = map_of(kMap, "meter,household\nb,home\nc,home\n");
  const Exposure exposure = expose({10, 10}, alone.signatures());
  auto accountant = make_accountant(define(Protects::w_event, 1, 0, 10), exposure);
  const auto placed = [&](const SeriesMap& map) {
    Membership membership(exposure, {});
    const auto changes = membership.changes_to({&map, 5}, 0);
    EXPECT_TRUE(changes) << reason(changes);
    for (const UnitPlaced& each : *changes) EXPECT_TRUE(membership.place(each, accountant, 0));
    EXPECT_TRUE(membership.changes_to({&map, 5}, 1)->empty());
    return membership;
  };
  const auto refuses = [&](const Membership& membership, const std::string& map, const std::string& households) {
    const auto changes = membership.changes_to({&*std::make_unique<SeriesMap>(map_of(map, households)), 5}, 3);
    return !changes && reason(changes).find("another household") != std::string::npos;
  };
  const Membership by_meter = placed(alone);
  EXPECT_TRUE(refuses(by_meter, kMap, "meter,household\na,new\n")) << "renamed";
  EXPECT_TRUE(refuses(by_meter, kMap, "meter,household\nb,b\nc,b\n")) << "taken in by a meter that was alone";
  EXPECT_TRUE(refuses(by_meter, "meter,series\nz,north\na,south\nb,south\nc,south\n", "meter,household\na,new\n"))
      << "renamed and moved";
  EXPECT_FALSE(refuses(by_meter, "meter,series\na,north\nb,south\nc,south\nd,north\n", "meter,household\na,a\nd,a\n"))
      << "a new meter may belong to anybody";
  const Membership by_home = placed(home);
  EXPECT_TRUE(refuses(by_home, kMap, "")) << "split";
  EXPECT_TRUE(refuses(by_home, kMap, "meter,household\nb,home\nc,other\n")) << "one goes elsewhere";
  EXPECT_TRUE(refuses(by_home, kMap, "meter,household\nb,other\nc,other\n")) << "renamed";
  EXPECT_FALSE(refuses(by_home, "meter,series\na,north\nb,south\n", "meter,household\nb,home\n")) << "one has left";
}

TEST(Membership, AMeterThatWasAwayComesBackToItsHousehold) {
  const SeriesMap home = map_of("meter,series\na,north\nb,south\n", "meter,household\na,home\n");
  const Exposure exposure = expose({10, 10}, home.signatures());
  auto accountant = make_accountant(define(Protects::w_event, 1, 0, 10), exposure);
  Membership membership(exposure, {});
  const SeriesMap without = map_of("meter,series\na,\nz,north\nb,south\n", "meter,household\na,home\n");
  const SeriesMap renamed = map_of("meter,series\nz,north\na,south\nb,south\n", "meter,household\na,elsewhere\n");
  for (const SeriesMap* map : {&home, &without}) {
    const auto changes = membership.changes_to({map, 5}, 0);
    ASSERT_TRUE(changes) << reason(changes);
    for (const UnitPlaced& each : *changes) ASSERT_TRUE(membership.place(each, accountant, 0));
  }
  EXPECT_FALSE(membership.changes_to({&renamed, 5}, 5));
}

}  // namespace
}  // namespace fugu::test
