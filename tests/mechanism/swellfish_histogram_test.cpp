// Policies that name series, of histograms: who moves between places is in two of them, whatever their number.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/strategy/planned.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/builders.hpp"
#include "support/policies.hpp"
#include "support/policy_feed.hpp"
#include "support/publishing.hpp"

namespace fugu::test {
namespace {

/// Two slots in the park, or two slots in the bar: the first two places.
Policy park_or_bar(Interval interval) {
  return shaped(interval, {{{{{SeriesId{0}, {1, 1}}, {SeriesId{1}, {1, 1}}}}}}, 1);
}

Exposure places(std::size_t count) { return expose(std::vector<std::uint64_t>(count, 1), Exposure::all_shared(count)); }

struct Audited {
  std::vector<std::vector<double>> rates;  // by slot, then by series
  AuditReport report;
};

/// Released with enforcement and audited, as fugu publish would.
Audited publish(std::string_view strategy, const Definition& definition, const Exposure& exposure,
                const std::vector<Policy>& policies, Slot slots) {
  std::vector<KnownEvent> events;
  for (const Policy& policy : policies) events.push_back({0, {.meter = "p", .policy = policy}});
  auto made = make_strategy(strategy, {.policies = true, .delta = definition.delta()});
  EXPECT_TRUE(made) << reason(made);
  const bool rho = definition.delta().value() > 0;
  Simulation simulation({definition, exposure, rho ? NoiseKind::gaussian : NoiseKind::laplace, *std::move(made),
                         std::make_unique<ListFeed>(events)},
                        std::make_unique<SimulationNoise>(1), true);
  Audited run;
  std::vector<Seen> releases;
  for (Slot slot = 0; slot < slots; ++slot) {
    const auto release =
        simulation.step(row_of(slot, std::vector<std::optional<std::int64_t>>(exposure.series_count(), 100)));
    EXPECT_TRUE(release) << strategy << ": " << reason(release);
    const auto rates = (*release)->loss_rates();
    run.rates.emplace_back(rates.begin(), rates.end());
    releases.push_back(seen(**release));
  }
  auto report = audit_stated_rates(source_of(as_rows(releases, rho ? Currency::rho : Currency::epsilon)), definition,
                                   exposure, book_of(events), 1);
  EXPECT_TRUE(report) << reason(report);
  run.report = *std::move(report);
  return run;
}

TEST(SwellfishHistogram, ParkOrBarNeedsScaleFourHoweverManyPlaces) {
  for (const std::size_t count : {3u, 10u, 20u, 100u}) {
    for (const std::string_view strategy : {"narwhal", "unicorn-ps", "tes-uniform", "conference-repaired"}) {
      const Audited released = publish(strategy, define_swellfish_idle(), places(count), {park_or_bar({0, 1})}, 2);
      for (const std::vector<double>& slot : released.rates)
        for (const double rate : slot) ASSERT_NEAR(1 / rate, 4, 1e-4) << strategy << ", " << count << " places";
      ASSERT_TRUE(released.report.holds()) << strategy << ": " << released.report.findings[0];
      // All of the promise is used: what was rounded up before left 0.98 of it unused with 100 places.
      EXPECT_NEAR(released.report.worst_policy->ratio, 1, 1e-4) << strategy << ", " << count << " places";
    }
  }
}

// With δ > 0 a shape is charged as its envelope, as if all places changed: safe, and n/2 times what who moves can lose.
// Rates are ρ per squared step, so the noise is √(n/2) times as large as it needs to be.
TEST(SwellfishHistogram, WithDeltaWhoMovesIsChargedForAllPlaces) {
  const Definition definition = define_swellfish_idle(1e-6);
  const double allowed = zcdp_rho(*Epsilon::make(1), definition.delta()).to_double();
  for (const std::size_t count : {2u, 10u, 100u}) {
    const Audited released = publish("narwhal", definition, places(count), {park_or_bar({0, 1})}, 2);
    ASSERT_TRUE(released.report.holds()) << released.report.findings[0];
    double charged = 0, lost_by_who_moves = 0;
    for (const std::vector<double>& slot : released.rates) {
      charged += std::accumulate(slot.begin(), slot.end(), 0.0);
      lost_by_who_moves += slot[0] + slot[1];
    }
    EXPECT_NEAR(charged / allowed, 1, 1e-4) << count << " places";
    EXPECT_NEAR(charged / lost_by_who_moves, static_cast<double>(count) / 2, 1e-4) << count << " places";
    EXPECT_NEAR(released.report.worst_policy->ratio, 1, 1e-3) << "the audit counts the same";
  }
}

// A meter that counts into all places by as much is in all of them: it still needs noise for each.
TEST(SwellfishHistogram, WhoCountsIntoAllPlacesStillPaysForAll) {
  Policy plain;
  plain.interval = {0, 1};
  plain.length_slots = 2;
  plain.magnitude_steps = 1;
  plain.epsilon = Budget::round_down(1);
  const Audited released = publish("narwhal", define_swellfish_idle(), places(10), {plain}, 2);
  for (const double rate : released.rates[0]) EXPECT_NEAR(1 / rate, 20, 1e-4);
  // Both at once: 2 slots · (2 places + 10 places) · rate.
  const Audited both = publish("narwhal", define_swellfish_idle(), places(10), {plain, park_or_bar({0, 1})}, 2);
  for (const double rate : both.rates[0]) EXPECT_NEAR(1 / rate, 24, 1e-4);
  EXPECT_TRUE(both.report.holds());
}

TEST(SwellfishHistogram, AFloorStillHolds) {
  const Definition definition = define_swellfish(define(Protects::event, 0.5));
  const Audited released = publish("narwhal", definition, places(10), {park_or_bar({0, 1})}, 3);
  for (const std::vector<double>& slot : released.rates)
    for (const double rate : slot) EXPECT_NEAR(1 / rate, 20, 1e-4);  // somebody may be in all ten
  EXPECT_TRUE(released.report.holds());
}

TEST(SwellfishHistogram, PartsMakeEveryShareWhole) {
  EXPECT_EQ(planned_parts(places(1), Currency::epsilon), 1u);
  EXPECT_EQ(planned_parts(places(7), Currency::epsilon), 7u);
  EXPECT_EQ(planned_parts(places(7), Currency::rho), 1u);
  const Exposure mixed = expose({1, 1, 1, 1, 1}, {{0, 1}, {2, 3, 4}});
  ASSERT_EQ(planned_parts(mixed, Currency::epsilon), 6u);
  // Half of a step in series 0, a third of one in series 4.
  const Policy policy = shaped({0, 0}, {{{{{SeriesId{0}, {1}}, {SeriesId{4}, {1}}}}}}, 1);
  EXPECT_EQ(as_planned(mixed, Currency::epsilon, 6, policy).magnitude_steps, 5u);
  EXPECT_EQ(as_planned(mixed, Currency::rho, 1, policy).magnitude_steps, 1u) << "its envelope";
  // Where parts are not fine enough, magnitudes are rounded up: a plan never asks for too much.
  EXPECT_EQ(as_planned(mixed, Currency::epsilon, 4, policy).magnitude_steps, 4u);
}

// The exact loss of a plan is what the audit finds, with shapes whose slots differ, too.
TEST(SwellfishHistogram, PlansLoseWhatTheAuditSays) {
  Random random(seed_or(23));
  for (int i = 0; i < 200; ++i) {
    const std::size_t count = pick(random, 1, 6);
    std::vector<Policy> policies;
    for (std::uint64_t p = pick(random, 1, 4); p > 0; --p) {
      const auto first = static_cast<Slot>(pick(random, 0, 8));
      const std::uint64_t length = pick(random, 1, 3);
      Shape shape;
      for (std::uint64_t a = pick(random, 1, 2); a > 0; --a) {
        Profile profile;
        for (std::uint64_t lane = pick(random, 1, 3); lane > 0; --lane) {
          std::optional<SeriesId> series = static_cast<SeriesId>(pick(random, 0, count - 1));
          if (pick(random, 0, 4) == 0) series.reset();
          std::vector<std::uint64_t> steps;
          for (std::uint64_t k = 0; k < length; ++k) steps.push_back(pick(random, k == 0 ? 1 : 0, 9));
          profile.lanes.push_back({series, steps});
        }
        shape.alternatives.push_back(profile);
      }
      policies.push_back(shaped({first, first + static_cast<Slot>(pick(random, length - 1, 6))}, shape, 1));
    }
    const Exposure exposure = expose(std::vector<std::uint64_t>(count, 9), Exposure::all_shared(count));
    const Audited released = publish("narwhal", define_swellfish_idle(), exposure, policies, 16);
    ASSERT_TRUE(released.report.holds()) << "book " << i << ": " << released.report.findings[0];
    std::vector<double> rates;
    for (const std::vector<double>& slot : released.rates) rates.push_back(slot[0] * static_cast<double>(count));
    PolicyBook book;
    for (const Policy& policy : policies) book.add(book.meter("p"), policy);
    const BookUse use = check_rates(book, {0, 15}, rates, Delta::zero(), &exposure);
    ASSERT_NEAR(use.worst->use, released.report.worst_policy->ratio, 1e-6) << "book " << i;
  }
}

}  // namespace
}  // namespace fugu::test
