// Every strategy for policies, through the kernel, on random books: the exact audit has the last word.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fugu/accounting/audit.hpp"
#include "fugu/comparison/catalogue.hpp"
#include "fugu/filter/published_steps.hpp"
#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/builders.hpp"
#include "support/policies.hpp"
#include "support/policy_feed.hpp"
#include "support/publishing.hpp"
#include "support/simulating.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

constexpr Slot kSlots = 36;
#ifdef __SANITIZE_ADDRESS__
constexpr int kBooks = 300;  // sanitized code is an order of magnitude slower
#else
constexpr int kBooks = 10'000;
#endif

Definition swellfish(double delta, bool with_floor) {
  Definition::Options options{
      .protects = Protects::swellfish, .epsilon = PromisedEpsilon::of_each_policy(), .delta = *Delta::make(delta)};
  if (with_floor) {
    options.floor = std::make_shared<const Definition>(define(Protects::event, 2, delta));
  } else {
    options.exact_when_idle = true;
  }
  return *Definition::make(options);
}

Mechanism mechanism_of(const CatalogueEntry& kind, const Definition& definition, std::vector<KnownEvent> events,
                       const Exposure& exposure = expose_one(400)) {
  auto strategy = make_from_catalogue(kind.name, {.policies = true, .delta = definition.delta()});
  EXPECT_TRUE(strategy) << reason(strategy);
  const bool rho = definition.delta().value() > 0;
  return {definition, exposure, rho ? NoiseKind::gaussian : NoiseKind::laplace, *std::move(strategy),
          std::make_unique<ListFeed>(std::move(events))};
}

AuditReport simulate_and_audit(const CatalogueEntry& kind, const Definition& definition,
                               const std::vector<KnownEvent>& events, std::uint64_t seed) {
  Simulation simulation(mechanism_of(kind, definition, events), std::make_unique<SimulationNoise>(seed),
                        !kind.comparison_only);
  std::vector<Seen> releases;
  for (Slot slot = 0; slot < kSlots; ++slot) {
    const auto release = simulation.step(row_of(slot, {1000 + 37 * (slot % 5)}));
    EXPECT_TRUE(release) << kind.name << ": " << reason(release);
    if (!release) break;
    releases.push_back(seen(**release));
  }
  const Currency currency = definition.delta().value() > 0 ? Currency::rho : Currency::epsilon;
  auto report =
      audit_stated_rates(source_of(as_rows(releases, currency)), definition, expose_one(400), book_of(events), 1);
  EXPECT_TRUE(report) << reason(report);
  return *std::move(report);
}

class EveryStrategy : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryStrategy, KeepsEveryPolicyOfTenThousandBooks) {
  const CatalogueEntry& kind = *find_in_catalogue(GetParam());
  Random random(seed_or(7));
  for (int i = 0; i < kBooks; ++i) {
    const bool growing = i % 2 == 1;
    const auto events = random_events(random, kSlots, growing);
    const AuditReport report = simulate_and_audit(kind, swellfish(0, i % 4 < 2), events, static_cast<std::uint64_t>(i));
    ASSERT_TRUE(report.holds()) << kind.name << ", book " << i << (growing ? " (growing)" : "") << ": "
                                << report.findings[0];
  }
}

TEST_P(EveryStrategy, KeepsEveryPolicyWithDeltaIfItHasSuchAForm) {
  const CatalogueEntry& kind = *find_in_catalogue(GetParam());
  if (!kind.make({.policies = true, .delta = *Delta::make(1e-6)})) GTEST_SKIP() << "for δ = 0 only";
  Random random(seed_or(std::hash<std::string_view>{}(GetParam())));  // other books for each, as each sees only a few
  for (int i = 0; i < kBooks / 250; ++i) {                            // turning ρ into δ takes the audit 20 ms a book
    const auto events = random_events(random, kSlots, i % 2 == 1);
    const AuditReport report =
        simulate_and_audit(kind, swellfish(1e-6, i % 4 < 2), events, static_cast<std::uint64_t>(i));
    ASSERT_TRUE(report.holds()) << kind.name << ", book " << i << ": " << report.findings[0];
  }
}

std::vector<std::string_view> sound_strategies() {
  std::vector<std::string_view> names;
  for (const StrategyKind& kind : strategy_kinds()) {
    if (serves(kind, Serves::policies)) names.push_back(kind.name);
  }
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Swellfish, EveryStrategy, testing::ValuesIn(sound_strategies()), test_name);

TEST(SwellfishStrategies, TheConferenceRulesBreakPolicies) {
  for (const std::string_view name : {"conference-7", "conference-9"}) {
    Random random(seed_or(13));
    int broken = 0;
    double worst = 0;
    for (int i = 0; i < 300; ++i) {
      const auto events = random_events(random, kSlots, false);
      const AuditReport report =
          simulate_and_audit(*find_in_catalogue(name), swellfish(0, false), events, static_cast<std::uint64_t>(i));
      if (!report.holds()) ++broken;
      if (report.worst_policy) worst = std::max(worst, report.worst_policy->ratio);
    }
    EXPECT_GT(broken, 0) << name;
    EXPECT_GT(worst, 1.05) << name;
    RecordProperty(std::string(name), std::to_string(broken) + " of 300 books, up to " + std::to_string(worst));
  }
}

// What one series spent must not be taken from another: rates are refused for rounding now and then, and what is left
// is asked for after the first series had all of its own.
TEST(SwellfishStrategies, SeriesThatShareNoMeterAreReleasedAlike) {
  for (const std::string_view name : {"narwhal", "unicorn-ps", "unicorn-is", "tes-uniform", "tes-sample"}) {
    Random random(seed_or(19));
    for (int i = 0; i < 400; ++i) {
      const Definition definition = swellfish(i % 2 == 0 ? 0 : 1e-6, i % 4 < 2);
      Simulation simulation(mechanism_of(*find_in_catalogue(name), definition, random_events(random, kSlots, i % 8 < 4),
                                         expose({400, 400, 400}, {{0}, {1}, {2}})),
                            std::make_unique<SimulationNoise>(1));
      for (Slot slot = 0; slot < kSlots; ++slot) {
        const auto release = simulation.step(row_of(slot, {1000, 2000, 3000}));
        ASSERT_TRUE(release) << name << ": " << reason(release);
        const std::span<const double> rates = (*release)->loss_rates();
        ASSERT_TRUE(rates[0] == rates[1] && rates[0] == rates[2]) << name << ", book " << i << ", slot " << slot;
        for (const ReleasedValue& value : (*release)->values())
          ASSERT_EQ(value.sampled, (*release)->values()[0].sampled) << name << ", book " << i << ", slot " << slot;
      }
    }
  }
}

TEST(SwellfishStrategies, ALedgerWithPoliciesIsAuditedAndResumed) {
  for (const std::string_view name : sound_strategies()) {
    Random random(seed_or(17));
    const TempDir dir;
    const std::string path = dir / "ledger";
    const auto events = random_events(random, kSlots, true);
    const Definition definition = swellfish(0, false);
    const CatalogueEntry& kind = *find_in_catalogue(name);
    const auto row = [](Slot slot) { return row_of(slot, {1000 + 37 * (slot % 5)}); };
    Collector first;
    {
      auto writer = LedgerWriter::create(path, header_of(definition, expose_one(400)));
      ASSERT_TRUE(writer) << reason(writer);
      Publisher publisher(mechanism_of(kind, definition, events), std::make_unique<SecureNoise>(), first,
                          *std::move(writer));
      for (Slot slot = 0; slot < kSlots / 2; ++slot) ASSERT_TRUE(publisher.publish(row(slot)));
      ASSERT_TRUE(publisher.flush());
    }
    Collector second;
    auto writer = LedgerWriter::reopen(path);
    auto reader = LedgerReader::open(path);
    ASSERT_TRUE(writer && reader);
    auto resumed = Publisher::resume(mechanism_of(kind, definition, events), std::make_unique<SecureNoise>(), second,
                                     *std::move(writer), *std::move(reader));
    ASSERT_TRUE(resumed) << name << ": " << reason(resumed);
    ASSERT_EQ(second.emitted, first.emitted) << name;
    for (Slot slot = kSlots / 2; slot < kSlots; ++slot) ASSERT_TRUE(resumed->publish(row(slot)));
    ASSERT_TRUE(resumed->finish());
    auto report = audit_ledger(path);
    ASSERT_TRUE(report) << reason(report);
    EXPECT_TRUE(report->holds()) << name << ": " << (report->findings.empty() ? "" : report->findings[0]);
    ASSERT_TRUE(compare_with_ledger(as_rows(second.emitted), path, *report));
    EXPECT_TRUE(report->holds()) << name << ": " << (report->findings.empty() ? "" : report->findings[0]);
  }
}

// --- Truncation inside the loop -----------------------------------------------------------------------------------

/// Where no policy is relevant, true values are released; readers see no more than 1000 of them if `truncated`.
Simulated run_tes(std::string_view name, const Policy& policy, const TrueStream& truth, bool truncated,
                  std::uint64_t seed) {
  Mechanism mechanism =
      mechanism_of(*find_in_catalogue(name), swellfish(0, false), {{0, {.meter = "m", .policy = policy}}});
  if (truncated) mechanism.published = *PublishedSteps::make("truncate:0:1000", UnitStep());
  return simulate_stream(std::move(mechanism), truth, seed);
}

// Readers see 1000 in six idle slots. After the first nothing has moved for them, so BA saves the shares of the other
// five and has four of them, a whole window, for slot 6. Compared with the true values it would have used each.
TEST(SwellfishStrategies, AnIdleSlotHasMovedWhenReadersSeeSomethingElse) {
  const TrueStream truth = stream_of(7, 1, [](Slot slot, std::size_t) { return slot < 6 ? 2000 + slot : 0; });
  const Policy policy = policy_of({6, 9}, 4, 1, 1);
  const auto scale_in_slot_6 = [&](bool truncated) {
    const Simulated run = run_tes("tes-ba", policy, truth, truncated, 1);
    EXPECT_TRUE(run.releases[6].values[0].sampled);
    return run.releases[6].values[0].value.parameter.to_double();
  };
  EXPECT_NEAR(scale_in_slot_6(true), 2, 1e-3);   // ½ε
  EXPECT_NEAR(scale_in_slot_6(false), 8, 1e-3);  // ½ε/4
}

// The stream falls from what is shown as 1000 to 1000: readers need no new release, and get one for noise alone.
TEST(SwellfishStrategies, ComparesWithWhatReadersSee) {
  const TrueStream truth = stream_of(2, 1, [](Slot slot, std::size_t) { return slot == 0 ? 1'000'000 : 1000; });
  const Policy policy = policy_of({1, 4}, 4, 1, 1);
  for (const std::string_view name : {"tes-bd", "tes-bd-idle", "tes-ba", "tes-ba-idle", "unicorn"}) {
    int anew = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      anew += run_tes(name, policy, truth, true, seed).releases[1].values[0].sampled ? 1 : 0;
      ASSERT_TRUE(run_tes(name, policy, truth, false, seed).releases[1].values[0].sampled) << name;
    }
    EXPECT_LT(anew, 100) << name;
  }
}

}  // namespace
}  // namespace fugu::test
