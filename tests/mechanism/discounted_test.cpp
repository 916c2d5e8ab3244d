// Strategies for discounted definitions: what they spend, that it is audited, and that plans are as good as they say.
#include "fugu/strategy/discounted.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "fugu/comparison/catalogue.hpp"
#include "fugu/comparison/printed_shares.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/builders.hpp"
#include "support/publishing.hpp"
#include "support/simulating.hpp"
#include "support/strategies.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

constexpr Discount kHalf{Discount::Kind::exponential, 0.5};

Discount hyperbolic(double beta) { return {Discount::Kind::hyperbolic, beta}; }
Discount exponential(double alpha) { return {Discount::Kind::exponential, alpha}; }

Definition discounted(const Discount& discount, double epsilon = 1) {
  return *Definition::make(
      {.protects = discount.kind == Discount::Kind::exponential ? Protects::discounted_exp : Protects::discounted_hyp,
       .epsilon = *Epsilon::make(epsilon),
       .discount = discount.factor});
}

/// The largest Σ over k ≤ t of a(t − k) · shares[k].
double worst_sum(const Discount& discount, const std::vector<double>& shares) {
  double worst = 0;
  for (std::size_t t = 0; t < shares.size(); ++t) {
    double sum = 0;
    for (std::size_t k = 0; k <= t; ++k) sum += discount.weight(t - k) * shares[k];
    worst = std::max(worst, sum);
  }
  return worst;
}

/// Sensitivity over scale, slot by slot: what was spent.
std::vector<double> shares_of(const std::vector<Seen>& releases, double sensitivity_steps) {
  std::vector<double> shares;
  for (const Seen& seen : releases)
    shares.push_back(seen.values[0].sampled ? sensitivity_steps / seen.values[0].value.parameter.to_double() : 0);
  return shares;
}

Simulated simulate(std::unique_ptr<Strategy> strategy, const Definition& definition, Slot slots, bool enforced = true) {
  return simulate_stream({definition, expose_one(1000), NoiseKind::laplace, std::move(strategy)},
                         stream_of(slots, 1, [](Slot slot, std::size_t) { return 1000 + slot; }), 7, enforced);
}

// --- Schedules
// --------------------------------------------------------------------------------------------------------

TEST(SpendAll, MeetsTheBoundWithEqualityInEverySlot) {
  for (const Discount& discount : {exponential(0.9), hyperbolic(0.1), hyperbolic(1), hyperbolic(4)}) {
    const auto run = simulate(std::make_unique<SpendAll>(), discounted(discount), 200);
    const std::vector<double> shares = shares_of(run.releases, 1000);
    for (std::size_t t = 0; t < shares.size(); ++t) {
      double sum = 0;
      for (std::size_t k = 0; k <= t; ++k) sum += discount.weight(t - k) * shares[k];
      ASSERT_NEAR(sum, 1, 1e-8) << t;
      ASSERT_GT(shares[t], 0);
    }
  }
}

TEST(SpendAll, EveryKthSlotSavesForTheNext) {
  const auto run = simulate(std::make_unique<SpendAll>(4), discounted(kHalf), 9);
  EXPECT_EQ(run.sampled(), (std::vector<Slot>{0, 4, 8}));
  const std::vector<double> shares = shares_of(run.releases, 1000);
  EXPECT_NEAR(shares[4], 1 - 1.0 / 16, 1e-9);
  EXPECT_NEAR(shares[8], 1 - 1.0 / 16, 1e-9);  // what was left of both slots together: 15/16 · 1/16 + 1/256
}

TEST(SpendAll, SpendsMoreInTotalThanAnyOtherScheduleCould) {
  // What w slots together can lose at most under the definition, and so the ε at which a window of w is protected.
  const double alpha = 0.8;
  const auto exponentially =
      shares_of(simulate(std::make_unique<SpendAll>(), discounted(exponential(alpha)), 30).releases, 1000);
  EXPECT_NEAR(std::accumulate(exponentially.begin(), exponentially.end(), 0.0), 1 + 29 * (1 - alpha), 1e-7);
  for (const Discount& discount : {exponential(alpha), hyperbolic(0.5)}) {
    const auto equal = shares_of(simulate(std::make_unique<SpendAll>(), discounted(discount), 30).releases, 1000);
    for (const PlanLeast least : {PlanLeast::mean_error, PlanLeast::largest_error}) {
      const auto plan = plan_discounted(discount, std::vector<double>(30, 1.0), least);
      EXPECT_LE(std::accumulate(plan.shares.begin(), plan.shares.end(), 0.0),
                std::accumulate(equal.begin(), equal.end(), 0.0) + 1e-7);
    }
  }
}

TEST(PublishedShares, AreThePrintedOnes) {
  EXPECT_NEAR(PublishedShares::share(std::nullopt, 10), 6 / (9.8696044 * 100), 1e-9);
  EXPECT_NEAR(PublishedShares::share(exponential(0.9), 10), 0.1, 1e-12);
  // β = 1, day 365: 41.6 · Δ/ε, where equality has 6.8.
  EXPECT_NEAR(1 / PublishedShares::share(hyperbolic(1), 365), 41.6, 0.05);
}

TEST(PublishedShares, CorollarySixteenIsRefusedWhereItBreaksItsDefinition) {
  EXPECT_TRUE(PublishedShares::make(hyperbolic(3.65)));
  for (const double beta : {3.66, 4.0, 10.0}) {
    const auto refused = PublishedShares::make(hyperbolic(beta));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::refused);
  }
  EXPECT_NE(PublishedShares::make(hyperbolic(4)).error().message.find("1.064"), std::string::npos);
  // The witness, counted by the accountant.
  for (const auto& [beta, ratio] : {std::pair{4.0, 1.0637}, {10.0, 2.0752}}) {
    const auto run =
        simulate(std::make_unique<PrintedShares>(hyperbolic(beta)), discounted(hyperbolic(beta)), 50, false);
    EXPECT_NEAR(run.worst_share, ratio, 1e-3);
  }
  Simulation enforced(
      {discounted(hyperbolic(4)), expose_one(1000), NoiseKind::laplace, std::make_unique<PrintedShares>(hyperbolic(4))},
      std::make_unique<SimulationNoise>(1));
  const auto first = enforced.step(row_of(0, {0}));
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().cause, Cause::refused);
}

TEST(PublishedShares, AreKeptElsewhere) {
  for (const Discount& discount :
       {exponential(0.1), exponential(0.99), hyperbolic(0.001), hyperbolic(1), hyperbolic(3.65)}) {
    auto strategy = make_strategy("published", {.discount = discount});
    ASSERT_TRUE(strategy) << reason(strategy);
    EXPECT_LE(simulate(*std::move(strategy), discounted(discount), 2000).worst_share, 1);
  }
  auto plain = make_strategy("published", {.user_level = true, .window_slots = 500});
  ASSERT_TRUE(plain) << reason(plain);
  const auto run = simulate(*std::move(plain), define(Protects::user, 1, 0, 500), 500);
  EXPECT_LE(run.worst_share, 1);
  EXPECT_GE(run.worst_share, 0.99);
}

// --- Plans
// --------------------------------------------------------------------------------------------------------------

TEST(DiscountedPlan, KeepsTheBoundAndItsCertificate) {
  for (const Discount& discount :
       {exponential(0.3), exponential(0.9), exponential(0.99), hyperbolic(0.01), hyperbolic(1), hyperbolic(30)}) {
    const std::vector<double> weights(200, 1.0);
    const DiscountedPlan plan = plan_discounted(discount, weights, PlanLeast::mean_error);
    EXPECT_LE(worst_sum(discount, plan.shares), 1 + 1e-9);
    EXPECT_LE(plan.gap, 1e-6) << discount.factor;
    double objective = 0;
    for (const double share : plan.shares) objective += 1 / share;
    EXPECT_NEAR(objective, plan.objective, 1e-9 * objective);
    // No worse than what it competes with.
    double equal = 0;
    for (const double share :
         shares_of(simulate(std::make_unique<SpendAll>(), discounted(discount), 200).releases, 1000))
      equal += 1 / share;
    EXPECT_LE(objective, equal * (1 + 1e-6));
    const DiscountedPlan flat = plan_discounted(discount, weights, PlanLeast::largest_error);
    EXPECT_LE(objective, flat.objective * 200 * (1 + 1e-6));
    EXPECT_LE(flat.objective, 1 / *std::min_element(plan.shares.begin(), plan.shares.end()) * (1 + 1e-9));
  }
}

TEST(DiscountedPlan, ByHand) {
  // Two slots, α = 1/2: x₁ free, x₂ = 1 − x₁/2, so 1/x₁ + 1/(1 − x₁/2) is least where x₂ = x₁/√2.
  const DiscountedPlan plan = plan_discounted(kHalf, std::vector<double>(2, 1.0), PlanLeast::mean_error);
  const double first = 1 / (0.5 + std::sqrt(0.5));
  EXPECT_NEAR(plan.shares[0], first, 1e-4);
  EXPECT_NEAR(plan.shares[1], 1 - first / 2, 1e-4);
  // One slot: everything.
  EXPECT_NEAR(plan_discounted(kHalf, std::vector<double>(1, 1.0), PlanLeast::mean_error).shares[0], 1, 1e-12);
  // All errors equal: 1/(1 + 1/2 + 1/3).
  const DiscountedPlan flat = plan_discounted(hyperbolic(1), std::vector<double>(3, 1.0), PlanLeast::largest_error);
  for (const double share : flat.shares) EXPECT_NEAR(share, 6.0 / 11, 1e-8);
}

/// The least Σ weight/share over a grid of what counts in each slot.
double by_brute_force(const Discount& discount, const std::vector<double>& weights, int steps) {
  double best = HUGE_VAL;
  std::vector<double> shares(weights.size());
  const std::function<void(std::size_t, double)> search = [&](std::size_t t, double so_far) {
    if (so_far >= best) return;
    if (t == weights.size()) {
      best = so_far;
      return;
    }
    double earlier = 0;
    for (std::size_t k = 0; k < t; ++k) earlier += discount.weight(t - k) * shares[k];
    for (int i = 1; i <= steps; ++i) {
      shares[t] = static_cast<double>(i) / steps - earlier;
      if (shares[t] > 0) search(t + 1, so_far + weights[t] / shares[t]);
    }
  };
  search(0, 0);
  return best;
}

TEST(DiscountedPlan, IsAsGoodAsBruteForceOnTinyHorizons) {
  for (const Discount& discount : {exponential(0.9), hyperbolic(0.2), hyperbolic(5)}) {
    for (const std::vector<double>& weights : {std::vector<double>{1, 1, 1}, {1, 5, 1}, {0.2, 1, 3}, {1, 1, 1, 1}}) {
      const DiscountedPlan plan = plan_discounted(discount, weights, PlanLeast::mean_error);
      const double brute = by_brute_force(discount, weights, 80);
      EXPECT_LE(plan.objective, brute * (1 + 1e-6));
      EXPECT_GE(plan.objective, brute * (1 - 0.05));
      EXPECT_LE(worst_sum(discount, plan.shares), 1 + 1e-9);
    }
  }
}

TEST(DiscountedPlan, ACertificateOfAWorseScheduleIsNotSmall) {
  // The broken twin: were the gap not computed from the prices, the flat schedule would pass for the best as well.
  const std::vector<double> weights(100, 1.0);
  const DiscountedPlan best = plan_discounted(hyperbolic(1), weights, PlanLeast::mean_error);
  const DiscountedPlan flat = plan_discounted(hyperbolic(1), weights, PlanLeast::largest_error);
  EXPECT_GT(flat.objective * 100, best.objective * 1.05);
  EXPECT_LE(best.objective * (1 - best.gap), flat.objective * 100);
}

TEST(PlannedShares, GoesOnAfterItsHorizon) {
  auto strategy = make_strategy("planned", {.discount = hyperbolic(0.1), .horizon_slots = 50});
  ASSERT_TRUE(strategy) << reason(strategy);
  const auto run = simulate(*std::move(strategy), discounted(hyperbolic(0.1)), 80);
  EXPECT_EQ(run.sampled().size(), 80u);
  EXPECT_LE(run.worst_share, 1);
  EXPECT_GE(run.worst_share, 1 - 1e-8);
}

// --- Fit
// ----------------------------------------------------------------------------------------------------------------

TEST(Registry, StrategiesAndDiscountedDefinitionsFitOrSaySo) {
  for (const StrategyKind& kind : strategy_kinds()) {
    if (serves(kind, Serves::discounted)) continue;
    const auto made = make_strategy(kind.name, {.discount = kHalf, .every_slots = 2});
    ASSERT_FALSE(made) << kind.name;
    EXPECT_EQ(made.error().cause, Cause::usage);
    EXPECT_NE(made.error().message.find("equal"), std::string::npos) << made.error().message;
  }
  for (const char* name : {"equal", "planned", "published"}) {
    EXPECT_FALSE(make_strategy(name, {.window_slots = 10, .horizon_slots = 10})) << name;
    EXPECT_FALSE(make_strategy(name, {.policies = true, .horizon_slots = 10})) << name;
    EXPECT_TRUE(make_strategy(name, {.discount = kHalf, .horizon_slots = 10})) << name;
  }
  EXPECT_FALSE(make_strategy("planned", {.discount = kHalf}));
  EXPECT_FALSE(make_strategy("planned", {.discount = kHalf, .horizon_slots = 100'001}));
}

/// The library does not know the command line.
TEST(Registry, ErrorsNameNoOptions) {
  const PublishedParameters published;
  const StrategyParameters about[] = {{},
                                      {.policies = true},
                                      {.policies = true, .delta = *Delta::make(1e-6)},
                                      {.user_level = true},
                                      {.discount = kHalf, .every_slots = 0}};
  int errors = 0;
  for (const CatalogueEntry& kind : catalogue()) {
    for (const StrategyParameters& parameters : about) {
      const auto made = make_from_catalogue(kind.name, parameters, published);
      if (made) continue;
      ++errors;
      EXPECT_EQ(made.error().message.find("--"), std::string::npos) << made.error().message;
    }
  }
  EXPECT_GT(errors, 50);
}

/// Publishes with secure noise into a ledger and audits it.
AuditReport audited(const Recipe& recipe, Slot slots) {
  const TempDir directory;
  const std::string ledger = directory / "run.ledger";
  std::vector<SlotRow> rows;
  for (Slot slot = 0; slot < slots; ++slot) {
    std::vector<std::optional<std::int64_t>> values(recipe.exposure.series_count(), 100 + slot);
    if (slot % 7 == 3) values.back().reset();  // a missing total costs nothing
    rows.push_back(row_of(slot, values));
  }
  const auto releases = publish_all(recipe, rows, ledger);
  auto report = audit_ledger(ledger);
  EXPECT_TRUE(report) << reason(report);
  EXPECT_TRUE(compare_with_ledger(as_rows(releases), ledger, *report));
  const auto stated = audit_stated_rates(source_of(as_rows(releases)), recipe.definition, recipe.exposure, 1);
  EXPECT_TRUE(stated && stated->holds()) << reason(stated);
  EXPECT_NEAR(stated->worst_loss, report->worst_loss, 1e-8);
  return *report;
}

TEST(DiscountedAudit, HoldsForEveryStrategyAndIsTight) {
  const Exposure exposure = expose({3, 50, 7}, {{0, 1}, {2}, {1, 2}});
  for (const Discount& discount : {exponential(0.97), hyperbolic(0.05), hyperbolic(2)}) {
    for (const char* name : {"equal", "planned", "published"}) {
      const Recipe recipe{discounted(discount, 0.7), exposure,
                          [&] { return *make_strategy(name, {.discount = discount, .horizon_slots = 60}); }};
      const AuditReport report = audited(recipe, 60);
      EXPECT_TRUE(report.holds()) << report.findings[0];
      EXPECT_EQ(report.measure, "ε");
      EXPECT_LE(report.worst_loss, 0.7);
      EXPECT_GE(report.worst_loss, std::string_view(name) == "published" ? 0.1 : 0.7 * (1 - 1e-7)) << name;
    }
  }
}

TEST(DiscountedAudit, HoldsForAStrategyThatAsksEverything) {
  for (const Discount& discount : {exponential(0.5), hyperbolic(1)}) {
    const Recipe recipe{discounted(discount), expose({3, 5}, {{0, 1}}), [] { return std::make_unique<Busy>(); }};
    const TempDir directory;
    std::vector<SlotRow> rows;
    for (Slot slot = 0; slot < 80; ++slot) rows.push_back(row_of(slot, {10 * slot % 70, slot}));
    publish_all(recipe, rows, directory / "busy.ledger");
    const auto report = audit_ledger(directory / "busy.ledger");
    ASSERT_TRUE(report) << reason(report);
    EXPECT_TRUE(report->holds()) << report->findings[0];
    EXPECT_GT(report->worst_loss, 0.5);
  }
}

/// A ledger whose slot k was answered with sensitivity over `shares[k]`.
AuditReport audit_of(const Definition& definition, const std::vector<double>& shares) {
  const TempDir directory;
  std::vector<LedgerRecord> records;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    Answer answer;
    answer.slot = answer.first_slot = static_cast<Slot>(k);
    answer.series = {0};
    answer.parameter = {{std::uint64_t{1} << 40, static_cast<std::uint64_t>(std::ldexp(shares[k], 40))}};
    answer.values = {5};
    records.emplace_back(answer);
    records.emplace_back(SlotEnd{static_cast<Slot>(k), 0, 1 / answer.parameter[0].to_double()});
  }
  records.emplace_back(StreamEnd{});
  write_ledger(directory / "made.ledger", header_of(definition, expose_one(1)), {records});
  const auto report = audit_ledger(directory / "made.ledger");
  EXPECT_TRUE(report) << reason(report);
  return *report;
}

TEST(DiscountedAudit, FindsCorollarySixteenBroken) {
  std::vector<double> shares;
  for (std::uint64_t k = 1; k <= 20; ++k) shares.push_back(PublishedShares::share(hyperbolic(4), k));
  const AuditReport report = audit_of(discounted(hyperbolic(4)), shares);
  EXPECT_FALSE(report.holds());
  EXPECT_NEAR(report.worst_loss, 1.0637, 1e-3);
  EXPECT_EQ(report.worst_last_slot, 0);
}

TEST(DiscountedAudit, AgreesWithSumsOverAllPairs) {
  for (const Discount& discount : {exponential(0.9), exponential(1e-3), hyperbolic(0.3), hyperbolic(100)}) {
    std::vector<double> shares;
    for (int k = 0; k < 97; ++k) shares.push_back(0.02 + 0.01 * (k * k % 13));
    const AuditReport report = audit_of(discounted(discount, 10), shares);
    EXPECT_TRUE(report.holds());
    EXPECT_NEAR(report.worst_loss, worst_sum(discount, shares), 1e-9);
  }
}

TEST(DiscountedAudit, NoticesOneStepTooMuch) {
  // All of ε in the first slot, then a little more than the bound leaves.
  const double little = 0x1p-30;
  EXPECT_TRUE(audit_of(discounted(kHalf), {1, 0.5, 0.5, 0.5}).holds());
  EXPECT_FALSE(audit_of(discounted(kHalf), {1, 0.5, 0.5, 0.5 + little}).holds());
  EXPECT_TRUE(audit_of(discounted(hyperbolic(1)), {1, 0.5, 5.0 / 12 - little}).holds());
  EXPECT_FALSE(audit_of(discounted(hyperbolic(1)), {1, 0.5, 5.0 / 12 + little}).holds());
}

TEST(Discounted, TheHeaderOfALedgerSaysIt) {
  for (const Discount& discount : {exponential(0.1), hyperbolic(3.3)}) {
    const LedgerHeader header = header_of(discounted(discount, 0.3), expose_one(1));
    const auto read = LedgerHeader::from_text(header.to_text());
    ASSERT_TRUE(read) << reason(read);
    EXPECT_EQ(read->to_text(), header.to_text());
    EXPECT_EQ(read->definition.discount()->factor, discount.factor);
    std::string damaged = header.to_text();
    damaged.replace(damaged.find("discount "), 9, "window ");
    EXPECT_FALSE(LedgerHeader::from_text(damaged));
  }
}

TEST(Discounted, ResumingDrawsNothingTwiceAndSpendsOn) {
  const TempDir directory;
  const std::string ledger = directory / "run.ledger";
  const Recipe recipe{discounted(hyperbolic(1)), expose_one(10), [] { return std::make_unique<SpendAll>(); }};
  std::vector<Seen> before;
  {
    Collector sink;
    auto writer = LedgerWriter::create(ledger, header_of(recipe.definition, recipe.exposure));
    ASSERT_TRUE(writer);
    Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
    for (Slot slot = 0; slot < 30; ++slot) ASSERT_TRUE(publisher.publish(row_of(slot, {100})));
    ASSERT_TRUE(publisher.flush());
    before = sink.emitted;
  }  // gone without an end
  Collector sink;
  auto writer = LedgerWriter::reopen(ledger);
  auto reader = LedgerReader::open(ledger);
  ASSERT_TRUE(writer && reader);
  auto publisher =
      Publisher::resume(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer), *std::move(reader));
  ASSERT_TRUE(publisher) << reason(publisher);
  ASSERT_EQ(publisher->next_slot(), 30);
  for (Slot slot = 30; slot < 60; ++slot) ASSERT_TRUE(publisher->publish(row_of(slot, {100})));
  ASSERT_TRUE(publisher->finish());
  ASSERT_EQ(sink.emitted.size(), 60u);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), sink.emitted.begin()));
  const auto report = audit_ledger(ledger);
  ASSERT_TRUE(report && report->holds());
  EXPECT_GE(report->worst_loss, 1 - 1e-8);
}

}  // namespace
}  // namespace fugu::test
