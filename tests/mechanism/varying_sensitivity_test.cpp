// Sensitivities that vary over time: noise and charges follow the slot's, the ledger says how, the audit finds lies.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "fugu/strategy/baselines.hpp"
#include "fugu/strategy/discounted.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/builders.hpp"
#include "support/publishing.hpp"
#include "support/simulating.hpp"
#include "support/strategies.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

using Sensitivities = SlotSchedule<std::vector<std::uint64_t>>;

/// 100 steps, then 1000 in slots 3 to 5 of every 8.
const Sensitivities kDay{.rows = {{0, {100}}, {3, {1000}}, {6, {100}}}, .period_slots = 8};

std::uint64_t sensitivity_in_day(Slot slot) { return slot % 8 >= 3 && slot % 8 < 6 ? 1000 : 100; }

Exposure expose_day() { return *expose_one(1000).varying(kDay); }

Definition fading() {
  return *Definition::make({.protects = Protects::discounted_hyp, .epsilon = *Epsilon::make(1), .discount = 1});
}

/// What the audit makes of a real run.
AuditReport audit_of_run(const Recipe& recipe, Slot slots, std::size_t series = 1) {
  const TempDir directory;
  std::vector<SlotRow> rows;
  for (Slot slot = 0; slot < slots; ++slot)
    rows.push_back(row_of(slot, std::vector<std::optional<std::int64_t>>(series, 500)));
  publish_all(recipe, rows, directory / "run.ledger");
  return *audit_ledger(directory / "run.ledger");
}

// --- What may vary -------------------------------------------------------------------------------------------------

TEST(VaryingExposure, SaysWhatHoldsInASlotAndInAny) {
  const Exposure exposure = expose_day();
  EXPECT_TRUE(exposure.varies());
  EXPECT_EQ(exposure.sensitivity_steps(0), 1000u);
  for (Slot slot = 0; slot < 30; ++slot)
    EXPECT_EQ(exposure.sensitivity_steps(0, slot), sensitivity_in_day(slot)) << slot;
  const Exposure constant = expose_one(1000);
  EXPECT_FALSE(constant.varies());
  EXPECT_EQ(constant.sensitivity_steps(0, 7), 1000u);
  // Whoever moves takes it along.
  EXPECT_EQ(exposure.of_one_unit({0}).sensitivity_steps(0, 0), 100u);
}

TEST(VaryingExposure, RefusesWhatIsNoBound) {
  const Exposure largest = expose({10, 20}, {{0, 1}});
  EXPECT_TRUE(largest.varying({.rows = {{0, {10, 1}}, {5, {1, 20}}}}));
  EXPECT_FALSE(largest.varying({.rows = {{1, {10, 20}}}}));
  EXPECT_FALSE(largest.varying({.rows = {{0, {10}}}}));
  EXPECT_FALSE(largest.varying({.rows = {{0, {10, 0}}}}));
  EXPECT_FALSE(largest.varying({.rows = {{0, {10, 20}}, {5, {11, 20}}}}));
  EXPECT_FALSE(largest.varying({.rows = {{0, {10, 20}}, {5, {1, 2}}}, .period_slots = 5}));
}

// --- Noise and charges ---------------------------------------------------------------------------------------------

TEST(VaryingSensitivity, NoiseFollowsTheSlotAndChargesTheSame) {
  const TrueStream truth = stream_of(40, 1, [](Slot, std::size_t) { return 500; });
  const auto run = simulate_stream(
      {define(Protects::event, 1), expose_day(), NoiseKind::laplace, std::make_unique<EveryKth>(1)}, truth, 1);
  for (const Seen& seen : run.releases)
    EXPECT_EQ(seen.values[0].value.parameter.to_double(), static_cast<double>(sensitivity_in_day(seen.slot)));
  // The discounted schedule spends what it would with one sensitivity.
  const auto shares = [&](const Exposure& exposure) {
    std::vector<double> spent;
    for (const Seen& seen :
         simulate_stream({fading(), exposure, NoiseKind::laplace, std::make_unique<SpendAll>()}, truth, 1).releases)
      spent.push_back(static_cast<double>(exposure.sensitivity_steps(0, seen.slot)) /
                      seen.values[0].value.parameter.to_double());
    return spent;
  };
  const std::vector<double> varying = shares(expose_day());
  const std::vector<double> constant = shares(expose_one(1000));
  for (std::size_t i = 0; i < varying.size(); ++i) EXPECT_NEAR(varying[i], constant[i], 1e-9) << i;
}

TEST(VaryingSensitivity, TheSameRateCostsMoreWhereAMeterCanChangeMore) {
  // Asked at one rate over and over: what an answer cost before the sensitivity rose does not hold after.
  const auto spent = [](double rate) {
    return simulate_stream({define(Protects::event, 1), expose_day(), NoiseKind::laplace,
                            strategy_of([rate](Kernel& kernel, Release&) {
                              return or_repeat([&]() -> Result<void> {
                                FUGU_TRY(kernel.values_at(kernel.all(), rate));
                                return {};
                              }());
                            })},
                           stream_of(24, 1, [](Slot, std::size_t) { return 500; }), 1)
        .releases;
  };
  for (const Seen& seen : spent(0.001)) EXPECT_NEAR(seen.loss_rates[0], 0.001, 1e-12) << seen.slot;
  for (const Seen& seen : spent(0.002))
    EXPECT_NEAR(seen.loss_rates[0], sensitivity_in_day(seen.slot) == 100 ? 0.002 : 0, 1e-12) << seen.slot;
}

TEST(VaryingSensitivity, HoldsUnderEveryDefinitionAndIsTight) {
  const auto every_slot = [] { return std::make_unique<EveryKth>(1); };
  for (const Recipe& recipe :
       {Recipe{define(Protects::event, 1), expose_day(), every_slot},
        Recipe{define(Protects::w_event, 1, 0, 10), expose_day(), every_slot},
        Recipe{define(Protects::w_event, 1, 1e-6, 10), expose_day(), every_slot, NoiseKind::gaussian},
        Recipe{define(Protects::user, 1, 0, 64), expose_day(), every_slot},
        Recipe{fading(), expose_day(), [] { return std::make_unique<SpendAll>(); }}}) {
    const AuditReport report = audit_of_run(recipe, 64);
    EXPECT_TRUE(report.holds()) << recipe.definition.text();
    EXPECT_NEAR(report.worst_loss / report.promised, 1, 1e-3) << recipe.definition.text();
  }
}

TEST(VaryingSensitivity, HoldsForAStrategyThatAsksEverything) {
  const Sensitivities two{.rows = {{0, {3, 40}}, {2, {20, 7}}, {5, {1, 1}}}, .period_slots = 7};
  for (const auto& signatures : {Exposure::all_shared(2), Exposure::all_disjoint(2)}) {
    const Exposure exposure = *expose({20, 40}, signatures).varying(two);
    for (const Definition& definition :
         {define(Protects::event, 1), define(Protects::w_event, 1, 0, 6), define(Protects::w_event, 1, 1e-6, 6),
          define(Protects::user, 1, 0, 100), fading()}) {
      const AuditReport report = audit_of_run({definition, exposure, [] { return std::make_unique<Busy>(); }}, 100, 2);
      EXPECT_TRUE(report.holds()) << definition.text() << ": "
                                  << (report.findings.empty() ? "" : report.findings.front());
      EXPECT_GT(report.worst_loss / report.promised, 0.1) << definition.text();
    }
  }
}

// --- Which strategies ---------------------------------------------------------------------------------------------

// An embedder comes by here, whatever front end it has.
TEST(VaryingSensitivity, GoesWithStrategiesThatAskForValuesOnly) {
  const Definition windows = define(Protects::w_event, 1, 0, 6);
  for (const StrategyKind& kind : strategy_kinds()) {
    const bool discounted = serves(kind, Serves::discounted);
    if (!discounted && !serves(kind, Serves::windows)) continue;
    StrategyParameters parameters{.window_slots = 6};
    if (discounted) parameters = {.discount = fading().discount()};
    if (kind.takes == "every_slots") parameters.every_slots = 2;
    if (kind.takes == "horizon_slots") parameters.horizon_slots = 9;
    const TempDir directory;
    const auto begin = [&](const Exposure& exposure) {
      auto strategy = make_strategy(kind.name, parameters);
      EXPECT_TRUE(strategy) << reason(strategy);
      const Definition definition = discounted ? fading() : windows;
      Collector sink;
      Publisher publisher({definition, exposure, NoiseKind::laplace, *std::move(strategy)},
                          std::make_unique<SecureNoise>(), sink);
      return publisher.publish(row_of(0, {500}));
    };
    const auto constant = begin(expose_one(1000));
    EXPECT_TRUE(constant) << kind.name << ": " << reason(constant);
    const auto varying = begin(expose_day());
    EXPECT_EQ(varying.has_value(), kind.values_only) << kind.name;
    if (varying) continue;
    EXPECT_EQ(varying.error().cause, Cause::usage) << kind.name;
    EXPECT_NE(reason(varying).find("varies over time"), std::string::npos) << kind.name << reason(varying);
  }
}

TEST(VaryingSensitivity, DoesNotGoWithPolicies) {
  Collector sink;
  Publisher publisher({define_swellfish(define(Protects::event, 1)), expose_day(), NoiseKind::laplace,
                       *make_strategy("uniform", {.policies = true})},
                      std::make_unique<SecureNoise>(), sink);
  const auto published = publisher.publish(row_of(0, {500}));
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().cause, Cause::usage);
  EXPECT_TRUE(sink.emitted.empty());
}

// --- On record -----------------------------------------------------------------------------------------------------

TEST(VaryingSensitivity, TheHeaderOfALedgerSaysIt) {
  const Sensitivities two{.rows = {{0, {3, 40}}, {2, {20, 7}}}, .period_slots = 7};
  const LedgerHeader header = header_of(fading(), *expose({20, 40}, {{0, 1}}).varying(two));
  const auto read = LedgerHeader::from_text(header.to_text());
  ASSERT_TRUE(read) << reason(read);
  EXPECT_EQ(read->to_text(), header.to_text());
  EXPECT_EQ(read->exposure.over_time(), two);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"sensitivities 0 3 40", "sensitivities 1 3 40"},  // nothing holds in slot 0
           {"sensitivities 0 3 40", "sensitivities 0 3 41"},  // more than the largest
           {"sensitivities 0 3 40", "sensitivities 0 3"},
           {"sensitivities 2 20 7", "sensitivities 0 20 7"},
           {"sensitivities 2 20 7", "sensitivities 2 20 x"},
           {"period 7", "period 2"},
           {"period 7", "period -7"}}) {
    std::string damaged = header.to_text();
    damaged.replace(damaged.find(from), from.size(), to);
    EXPECT_FALSE(LedgerHeader::from_text(damaged)) << to;
  }
  // A ledger of one sensitivity has no line about it: as before.
  EXPECT_EQ(header_of(fading(), expose_one(1)).to_text().find("sensitivities"), std::string::npos);
}

TEST(VaryingSensitivity, TheAuditFindsALedgerThatSaysTooLittle) {
  // Noise for 100 steps in every slot, as if kDay said so all day long; the header says what really holds.
  const TempDir directory;
  const std::string ledger = directory / "run.ledger";
  const auto charge_as = [&](const Exposure& charged, const Exposure& stated) {
    std::filesystem::remove(ledger);
    Collector sink;
    auto writer = LedgerWriter::create(ledger, header_of(fading(), stated));
    EXPECT_TRUE(writer);
    Publisher publisher({fading(), charged, NoiseKind::laplace, std::make_unique<SpendAll>()},
                        std::make_unique<SecureNoise>(), sink, *std::move(writer));
    for (Slot slot = 0; slot < 20; ++slot) EXPECT_TRUE(publisher.publish(row_of(slot, {500})));
    EXPECT_TRUE(publisher.finish());
    return audit_ledger(ledger)->holds();
  };
  EXPECT_TRUE(charge_as(expose_day(), expose_day()));
  EXPECT_TRUE(charge_as(expose_one(1000), expose_day()));
  EXPECT_FALSE(charge_as(expose_one(100), expose_day()));
  Sensitivities shifted = kDay;
  for (std::size_t i = 1; i < shifted.rows.size(); ++i) ++shifted.rows[i].from;
  EXPECT_FALSE(charge_as(*expose_one(1000).varying(shifted), expose_day()));
}

TEST(VaryingSensitivity, ResumingSpendsOn) {
  const TempDir directory;
  const std::string ledger = directory / "run.ledger";
  const Recipe recipe{fading(), expose_day(), [] { return std::make_unique<SpendAll>(); }};
  {
    Collector sink;
    auto writer = LedgerWriter::create(ledger, header_of(recipe.definition, recipe.exposure));
    ASSERT_TRUE(writer);
    Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
    for (Slot slot = 0; slot < 12; ++slot) ASSERT_TRUE(publisher.publish(row_of(slot, {500})));
    ASSERT_TRUE(publisher.flush());
  }  // gone without an end
  Collector sink;
  auto writer = LedgerWriter::reopen(ledger);
  auto reader = LedgerReader::open(ledger);
  ASSERT_TRUE(writer && reader);
  auto publisher =
      Publisher::resume(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer), *std::move(reader));
  ASSERT_TRUE(publisher) << reason(publisher);
  for (Slot slot = 12; slot < 24; ++slot) ASSERT_TRUE(publisher->publish(row_of(slot, {500})));
  ASSERT_TRUE(publisher->finish());
  const auto report = audit_ledger(ledger);
  ASSERT_TRUE(report && report->holds());
  EXPECT_NEAR(report->worst_loss, 1, 1e-8);
}

}  // namespace
}  // namespace fugu::test
