// Accountants against a reference that looks at every window: never too much, and everything that fits.
#include "fugu/accounting/accountant.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "random_requests.hpp"
#include "support/builders.hpp"
#include "support/reference_loss.hpp"

namespace fugu::test {
namespace {

/// Rounding of a request is far below this part of the total; a margin of this size is a clear one.
constexpr long double kMargin = 1e-9L;

RC_GTEST_PROP(Accountant, AdmitsNothingThatBreaksThePromiseAndRefusesNothingThatFits, ()) {
  const Definition definition = random_definition();
  const Exposure exposure = random_exposure();
  const auto reach = *rc::gen::inRange<std::uint64_t>(0, 5);
  const auto accountant = make_accountant(definition, exposure, {reach});
  const auto at_once = make_accountant(definition, exposure, {reach});  // charged instead of asked first
  const long double total = accountant->total().to_double();
  ReferenceLoss committed(definition, exposure);
  RandomRequests requests(definition, exposure, accountant->total().to_double(), reach);
  const Slot slots = *rc::gen::inRange<Slot>(1, 25);
  int admitted = 0;
  int refused = 0;
  for (Slot slot = 0; slot < slots; ++slot) {
    accountant->advance(slot);
    at_once->advance(slot);
    const int asked = *rc::gen::inRange(0, 4);
    for (int i = 0; i < asked; ++i) {
      const Answer answer = requests.next(slot);
      const Budget before = accountant->available();
      ReferenceLoss with = committed;
      with.add(answer);
      const auto worst = with.worst(answer.first_slot, answer.slot);
      const auto verdict = accountant->admit(answer);
      RC_ASSERT(accountant->available() == before);  // asking changes nothing
      Budget least = accountant->total();
      for (SeriesId series = 0; series < exposure.series_count(); ++series)
        least = std::min(least, accountant->available({&series, 1}));
      RC_ASSERT(least == before);
      const bool beyond_horizon =
          definition.protects() == Protects::user && static_cast<std::uint64_t>(slot) >= definition.window_slots();
      if (verdict) {
        RC_ASSERT(!beyond_horizon);
        RC_ASSERT(worst.exact <= total);
        accountant->commit();
        committed = with;
        ++admitted;
        RC_ASSERT(accountant->available() <= before);
      } else {
        RC_ASSERT(verdict.error().cause == Cause::refused);
        RC_ASSERT(beyond_horizon || worst.charged > total * (1 - kMargin));
        if (answer.is_comparison()) requests.end_session(answer.session);
        ++refused;
      }
      RC_ASSERT(at_once->charge(answer).has_value() == verdict.has_value());
      RC_ASSERT(at_once->available() == accountant->available());
      RC_ASSERT(at_once->worst() == accountant->worst());
    }
  }
  RC_CLASSIFY(admitted > 0 && refused > 0, "both admitted and refused");
}

/// A request of all series, of which each has sensitivity 1, that costs exactly `cost`.
Answer request_costing(const Definition& definition, std::size_t series, Slot slot, Budget cost) {
  Answer answer;
  answer.slot = answer.first_slot = slot;
  for (std::size_t i = 0; i < series; ++i) answer.series.push_back(static_cast<SeriesId>(i));
  const bool pure = definition.delta().value() == 0;
  answer.noise = pure ? NoiseKind::laplace : NoiseKind::gaussian;
  answer.parameter = {{std::uint64_t{1} << (Budget::kFractionBits - (pure ? 0 : 1)), cost.units()}};
  return answer;
}

RC_GTEST_PROP(Accountant, AvailableIsExactlyWhatOneMoreRequestMayCost, ()) {
  const Definition definition = random_definition();
  const auto series = *rc::gen::inRange<std::size_t>(1, 4);
  const Exposure exposure = expose(std::vector<std::uint64_t>(series, 1), Exposure::all_disjoint(series));
  const auto accountant = make_accountant(definition, exposure);
  const Slot slots = *rc::gen::inRange<Slot>(1, 20);
  for (Slot slot = 0; slot < slots; ++slot) {
    accountant->advance(slot);
    const Budget available = accountant->available();
    RC_ASSERT(available <= accountant->total());
    const Budget too_much = available + Budget::from_units(1);
    RC_ASSERT(!accountant->admit(request_costing(definition, series, slot, too_much)));
    if (available.units() == 0) continue;
    RC_ASSERT(accountant->admit(request_costing(definition, series, slot, available)).has_value());
    const Budget spent = *rc::gen::inRange(0, 4) == 0
                             ? available
                             : Budget::from_units(*rc::gen::inRange<std::uint64_t>(0, available.units()) + 1);
    RC_ASSERT(accountant->admit(request_costing(definition, series, slot, spent)).has_value());
    accountant->commit();
    RC_ASSERT(accountant->available() == available - spent);
  }
}

// The kernel brings the accountant to a slot only when something is asked for.
RC_GTEST_PROP(Accountant, SlotsInWhichNothingIsAskedCanBePassedOver, ()) {
  const auto window = *rc::gen::inRange<std::uint64_t>(1, 7);
  const double delta = *rc::gen::element(0.0, 1e-6);
  const std::uint64_t reach = *rc::gen::inRange<std::uint64_t>(0, 4);
  const Definition definition = define(Protects::w_event, 1, delta, window);
  const Exposure exposure = expose({1, 2}, {{0}, {0, 1}});
  const auto leaping = make_accountant(definition, exposure, {reach});
  const auto stepping = make_accountant(definition, exposure, {reach});
  RandomRequests requests(definition, exposure, leaping->total().to_double(), reach);
  Slot slot = 0;
  for (int visit = 0; visit < 12; ++visit) {
    const Slot before = slot;
    slot += *rc::gen::inRange<Slot>(1, 15);
    leaping->advance(slot);
    for (Slot each = before; each <= slot; ++each) stepping->advance(each);
    RC_ASSERT(leaping->available() == stepping->available());
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
      const Answer answer = requests.next(slot);
      const bool granted = leaping->charge(answer).has_value();
      RC_ASSERT(granted == stepping->charge(answer).has_value());
      if (!granted && answer.is_comparison()) requests.end_session(answer.session);
      RC_ASSERT(leaping->available() == stepping->available());
      RC_ASSERT(leaping->worst() == stepping->worst());
    }
  }
}

TEST(Accountant, GivesBackWhatLeavesTheWindow) {
  const Definition definition = define(Protects::w_event, 1, 0, 3);
  const auto accountant = make_accountant(definition, expose_one(1));
  for (Slot slot = 0; slot < 9; ++slot) {
    accountant->advance(slot);
    const bool whole = slot % 3 == 0;
    EXPECT_EQ(accountant->available(), whole ? accountant->total() : Budget()) << "slot " << slot;
    if (!whole) continue;
    ASSERT_TRUE(accountant->admit(request_costing(definition, 1, slot, accountant->total())));
    accountant->commit();
  }
}

TEST(Accountant, RefusesGaussianNoiseUnderAPurePromise) {
  const auto accountant = make_accountant(define(Protects::event, 30), expose_one(1));
  accountant->advance(0);
  Answer answer;
  answer.noise = NoiseKind::gaussian;
  answer.series = {0};
  answer.parameter = {{std::uint64_t{1} << 60, 1}};
  EXPECT_FALSE(accountant->admit(answer));
}

TEST(Accountant, ChargesEverySlotOfAnAnswerThatReachesBack) {
  const Definition definition = define(Protects::w_event, 1, 0, 2);
  const auto accountant = make_accountant(definition, expose_one(1), {3});
  for (Slot slot = 0; slot <= 3; ++slot) accountant->advance(slot);
  Answer deviation;
  deviation.statistic = Statistic::deviation;
  deviation.first_slot = 0;
  deviation.slot = 3;
  deviation.series = {0};
  deviation.parameter = {{4, 1}};  // gain 2: each slot loses 1/2, every window of two slots everything
  ASSERT_TRUE(accountant->admit(deviation));
  accountant->commit();
  EXPECT_EQ(accountant->available(), Budget());
  EXPECT_FALSE(accountant->admit(deviation));
  accountant->advance(4);
  EXPECT_EQ(accountant->available().to_double(), 0.5);
}

TEST(Accountant, ASessionOfSingleSlotsCostsAWindowOnce) {
  const auto accountant = make_accountant(define(Protects::w_event, 1, 0, 3), expose_one(1));
  Answer comparison;
  comparison.statistic = Statistic::distance;
  comparison.session = 1;
  comparison.series = {0};
  comparison.parameter = {{4, 1}, {8, 1}};  // 1/4 + 2/8
  for (Slot slot = 0; slot < 10; ++slot) {
    accountant->advance(slot);
    comparison.slot = comparison.first_slot = slot;
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(accountant->admit(comparison));
      accountant->commit();
      EXPECT_EQ(accountant->available().to_double(), 0.5);
    }
  }
  comparison.session = 2;  // another session pays for itself
  ASSERT_TRUE(accountant->admit(comparison));
  accountant->commit();
  EXPECT_EQ(accountant->available(), Budget());
  accountant->advance(11);
  EXPECT_EQ(accountant->available(), Budget());
  accountant->advance(12);
  EXPECT_EQ(accountant->available(), accountant->total());
}

TEST(Accountant, ASessionThatReachesBackCostsTheSquareOfItsSlotsInRho) {
  const Definition definition = define(Protects::w_event, 1, 1e-6, 8);
  const auto asked_first = make_accountant(definition, expose_one(1), {7});
  const auto at_once = make_accountant(definition, expose_one(1), {7});
  Answer comparison;
  comparison.statistic = Statistic::deviation;
  comparison.session = 1;
  comparison.form = 1;
  comparison.series = {0};
  comparison.parameter = {{1024, 1}, {2048, 1}};  // gain 2: 2/1024 + 4/2048 for each slot
  const double loss = 1.0 / 256;
  for (Slot slot = 0; slot < 8; ++slot) {
    comparison.slot = slot;
    asked_first->advance(slot);
    ASSERT_TRUE(asked_first->admit(comparison));
    asked_first->commit();
    at_once->advance(slot);
    ASSERT_TRUE(at_once->charge(comparison));
    const auto slots = static_cast<double>(slot + 1);
    EXPECT_NEAR((at_once->total() - at_once->available()).to_double(), slots * slots * loss * loss / 2, 1e-12);
    EXPECT_EQ(at_once->available(), asked_first->available());
  }
}

TEST(Accountant, UserLevelEndsAtTheHorizon) {
  const Definition definition = define(Protects::user, 1, 0, 5);
  const auto accountant = make_accountant(definition, expose_one(1));
  accountant->advance(4);
  EXPECT_TRUE(accountant->admit(request_costing(definition, 1, 4, accountant->total())));
  accountant->advance(5);
  EXPECT_EQ(accountant->available(), Budget());
  EXPECT_FALSE(accountant->admit(request_costing(definition, 1, 5, Budget::from_units(1))));
}

TEST(AccountantDeathTest, TimeDoesNotGoBack) {
  const auto accountant = make_accountant(define(Protects::event, 1), expose_one(1));
  accountant->advance(3);
  EXPECT_DEATH(accountant->advance(2), "broken invariant");
}

TEST(Definitions, RefuseWhatMakesNoSense) {
  for (const double epsilon :
       {0.0, -1.0, 1e6, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(Epsilon::make(epsilon)) << epsilon;
  for (const double delta : {-1e-9, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN(), 1e-301})
    EXPECT_FALSE(Delta::make(delta)) << delta;
  const Epsilon one = *Epsilon::make(1);
  EXPECT_FALSE(Definition::make({.protects = Protects::w_event, .epsilon = one, .window_slots = 0}));
  EXPECT_FALSE(Definition::make({.protects = Protects::w_event, .epsilon = one, .window_slots = std::nullopt}));
  EXPECT_FALSE(Definition::make({.protects = Protects::user, .epsilon = one, .window_slots = std::nullopt}));
  EXPECT_FALSE(Definition::make({.protects = Protects::event, .epsilon = one, .window_slots = 2}));
  EXPECT_EQ(define(Protects::event, 1).window_slots(), 1u);
}

TEST(Exposures, RefuseWhatMakesNoSense) {
  EXPECT_FALSE(Exposure::make({.sensitivity_steps = {}, .signatures = {}}));
  EXPECT_FALSE(Exposure::make({.sensitivity_steps = {0}, .signatures = {{0}}}));
  EXPECT_FALSE(Exposure::make({.sensitivity_steps = {(std::uint64_t{1} << 40) + 1}, .signatures = {{0}}}));
  EXPECT_FALSE(Exposure::make({.sensitivity_steps = {1}, .signatures = {{1}}}));
  EXPECT_FALSE(Exposure::make({.sensitivity_steps = {1, 1}, .signatures = {{0}}}));
  const Exposure doubled = expose({1, 1}, {{1, 0, 1}});
  EXPECT_EQ(doubled.signature(0), (std::vector<SeriesId>{0, 1}));
}

TEST(Budgets, RoundAgainstUs) {
  EXPECT_EQ(Budget::round_down(1).units(), std::uint64_t{1} << 48);
  EXPECT_EQ(Budget::round_down(-1), Budget());
  EXPECT_EQ(Budget::round_down(std::numeric_limits<double>::quiet_NaN()), Budget());
  EXPECT_EQ(Budget::round_down(1e30).units(), ~std::uint64_t{0});
  EXPECT_LE(Budget::round_down(0.1).to_double(), 0.1);
  const Budget most = Budget::from_units(~std::uint64_t{0});
  EXPECT_EQ(most + Budget::from_units(1), most);
  EXPECT_EQ((Budget::from_units(10) / 3).units(), 3u);
}

}  // namespace
}  // namespace fugu::test
