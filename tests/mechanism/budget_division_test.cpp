// BD and BA: shares by hand, never refused, decisions that decide, groups that group and ungroup.
#include "fugu/strategy/budget_division.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fugu/accounting/audit.hpp"
#include "fugu/filter/published_steps.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/simulate/sparse.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/builders.hpp"
#include "support/publishing.hpp"
#include "support/simulating.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

const std::uint64_t kSeed = seed_or(20'261'117);

double scale_of(const Seen& release, std::size_t series = 0) {
  return release.values[series].value.parameter.to_double();
}

/// Moves by a million noises in every slot, so that every decision is yes.
TrueStream restless(Slot slots, std::size_t series, std::int64_t by) {
  return stream_of(slots, series, [by](Slot slot, std::size_t) { return slot % 2 == 0 ? 0 : by; });
}

/// Stands still for `hold` slots, then jumps.
TrueStream stairs(Slot slots, std::size_t series, Slot hold, std::int64_t by) {
  return stream_of(slots, series, [=](Slot slot, std::size_t) { return by * ((slot / hold) % 3); });
}

TEST(BudgetDivision, SharesOfBdByHand) {
  constexpr std::uint64_t kSensitivity = 1 << 20;
  const Definition definition = define(Protects::w_event, 6, 0, 3);  // 3 for decisions, 3 for releases
  const auto run = simulate_strategy("bd", definition, expose_one(kSensitivity), restless(5, 1, 1LL << 45), kSeed);
  const std::vector<double> shares{1.5, 0.75, 0.375, 0.9375, 0.84375};
  for (std::size_t slot = 0; slot < shares.size(); ++slot) {
    EXPECT_TRUE(run.releases[slot].values[0].sampled) << slot;
    EXPECT_NEAR(scale_of(run.releases[slot]), static_cast<double>(kSensitivity) / shares[slot], 1e-3) << slot;
  }
}

TEST(BudgetDivision, SharesOfBaByHand) {
  constexpr std::uint64_t kSensitivity = 1 << 20;
  const Definition definition = define(Protects::w_event, 6, 0, 3);
  const auto run = simulate_strategy("ba", definition, expose_one(kSensitivity), restless(6, 1, 1LL << 45), kSeed);
  for (const Seen& release : run.releases) {
    EXPECT_TRUE(release.values[0].sampled) << release.slot;
    EXPECT_NEAR(scale_of(release), static_cast<double>(kSensitivity), 1e-3) << release.slot;  // one share of 1
  }
}

/// With many series a mean is cheap to decide by: ε/d per decision instead of ε/(2w).
TEST(BudgetDivision, ManySeriesLeaveMoreForReleases) {
  const Definition definition = define(Protects::w_event, 1, 0, 4);
  const std::uint64_t sensitivity = 1 << 20;
  const auto disjoint =
      simulate_strategy("bd", definition, expose_disjoint(40, sensitivity), restless(1, 40, 0), kSeed);
  EXPECT_NEAR(scale_of(disjoint.releases[0]), static_cast<double>(sensitivity) / 0.45, 1);  // (1 − 4/40)/2
  const auto shared =
      simulate_strategy("bd", definition, expose(std::vector<std::uint64_t>(40, sensitivity), Exposure::all_shared(40)),
                        restless(1, 40, 0), kSeed);
  EXPECT_NEAR(scale_of(shared.releases[0]), static_cast<double>(sensitivity) * 40 / 0.45, 100);
}

// --- Truncation inside the loop -----------------------------------------------------------------------------------

/// Mean error of what readers see: negative counts are cut off, whatever the strategy knows of it.
double truncated_error(const char* name, const TrueStream& truth, bool in_the_loop) {
  const Definition definition = define(Protects::w_event, 1, 0, 120);
  Mechanism mechanism{definition, expose_disjoint(truth[0].size(), 1), NoiseKind::laplace,
                      *make_strategy(name, {.window_slots = definition.window_slots()})};
  if (in_the_loop) mechanism.published = *PublishedSteps::make("truncate", UnitStep());
  Simulated run = simulate_stream(std::move(mechanism), truth, kSeed);
  for (Seen& seen : run.releases) {
    for (ReleasedValue& value : seen.values) value.value.steps = std::max<std::int64_t>(0, value.value.steps);
  }
  return run.mean_error(truth);
}

/// Most of many counts are 0. After a release most noise above 0 is seen and all noise below 0 is not: compared with
/// the answers the stream seems twice as far away as it is from what readers see, and is released again for nothing.
TEST(BudgetDivision, ComparesWithWhatWasPublished) {
  constexpr std::size_t kSeries = 400;
  const auto counts = generate_sparse({.series = kSeries, .length_slots = 400, .amplitude = 290, .skew = 1});
  ASSERT_TRUE(counts);
  const TrueStream truth = stream_of(400, kSeries, [&](Slot slot, std::size_t series) {
    return std::llround((*counts)[static_cast<std::size_t>(slot) * kSeries + series]);
  });
  for (const char* name : {"bd", "ba", "ba-grouped"})
    EXPECT_LT(truncated_error(name, truth, true), 0.9 * truncated_error(name, truth, false)) << name;
}

// --- Never refused ------------------------------------------------------------------------------------------------

Exposure random_exposure(std::size_t series) {
  std::vector<std::uint64_t> sensitivity;
  for (std::size_t i = 0; i < series; ++i) sensitivity.push_back(*rc::gen::element<std::uint64_t>(1, 1, 3, 50));
  std::vector<std::vector<SeriesId>> signatures;
  for (SeriesId id = 0; id < series; ++id) {
    std::vector<SeriesId> members{id};
    for (SeriesId other = id + 1; other < series; ++other) {
      if (*rc::gen::inRange(0, 4) == 0) members.push_back(other);
    }
    signatures.push_back(members);
  }
  return expose(sensitivity, signatures);
}

Definition random_definition(Slot slots, double delta) {
  const double epsilon = *rc::gen::element(0.05, 0.7, 1.0, 3.0, 40.0);
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return define(Protects::event, epsilon, delta);
    case 1: return define(Protects::user, epsilon, delta, static_cast<std::uint64_t>(slots));
    default: return define(Protects::w_event, epsilon, delta, *rc::gen::inRange<std::uint64_t>(1, 25));
  }
}

std::vector<SlotRow> random_rows(Slot slots, std::size_t series) {
  const std::int64_t jump = *rc::gen::element<std::int64_t>(1, 100, 1 << 20, std::int64_t{1} << 44);
  std::vector<std::int64_t> value(series, 0);
  std::vector<SlotRow> rows;
  for (Slot slot = 0; slot < slots; ++slot) {
    std::vector<std::optional<std::int64_t>> row;
    for (std::size_t i = 0; i < series; ++i) {
      if (*rc::gen::inRange(0, 3) == 0) value[i] = jump * *rc::gen::inRange(-3, 4);
      row.push_back(*rc::gen::inRange(0, 8) == 0 ? std::nullopt : std::optional(value[i]));
    }
    rows.push_back(row_of(slot, row));
  }
  return rows;
}

/// Through a real ledger; publish_all() fails the test when a slot does.
void publish_and_audit(std::string_view name) {
  const double delta = *rc::gen::element(0.0, 0.0, 1e-6);
  const NoiseKind noise = delta > 0 && *rc::gen::arbitrary<bool>() ? NoiseKind::gaussian : NoiseKind::laplace;
  constexpr Slot kSlots = 34;
  const std::size_t series = *rc::gen::element<std::size_t>(1, 2, 5, 9);
  const Definition definition = random_definition(kSlots, delta);
  const Recipe recipe{definition, random_exposure(series),
                      [&] { return *make_strategy(name, {.window_slots = definition.window_slots()}); }, noise};
  const TempDir dir;
  const std::string path = dir / "ledger";
  const auto releases = publish_all(recipe, random_rows(kSlots, series), path);
  RC_ASSERT(releases.size() == static_cast<std::size_t>(kSlots));
  auto report = audit_ledger(path);
  RC_ASSERT(report.has_value());
  RC_ASSERT(compare_with_ledger(as_rows(releases), path, *report).has_value());
  if (!report->holds()) RC_FAIL(report->findings[0]);
}

RC_GTEST_PROP(BudgetDivision, BdIsNeverRefusedAndPassesTheAudit, ()) { publish_and_audit("bd"); }
RC_GTEST_PROP(BudgetDivision, BaIsNeverRefusedAndPassesTheAudit, ()) { publish_and_audit("ba"); }
RC_GTEST_PROP(BudgetDivision, GroupedBdIsNeverRefusedAndPassesTheAudit, ()) { publish_and_audit("bd-grouped"); }
RC_GTEST_PROP(BudgetDivision, GroupedBaIsNeverRefusedAndPassesTheAudit, ()) { publish_and_audit("ba-grouped"); }
RC_GTEST_PROP(Dsat, IsNeverRefusedAndPassesTheAudit, ()) { publish_and_audit("dsat-w"); }

TEST(BudgetDivision, ResumesWhereItWasStopped) {
  for (const std::string_view name : {"bd", "ba", "bd-grouped", "ba-grouped", "dsat-w"}) {
    const Recipe recipe{define(Protects::w_event, 1, 0, 12), expose({3, 3, 5, 3}, {{0, 1}, {2}, {3}}),
                        [&] { return *make_strategy(name, {.window_slots = 12}); }};
    const TrueStream truth = stairs(80, 4, 9, 200);
    const auto row = [&](std::size_t slot) {
      return row_of(static_cast<Slot>(slot), {truth[slot].begin(), truth[slot].end()});
    };
    const TempDir dir;
    const std::string path = dir / "ledger";
    Collector first;
    {
      auto writer = LedgerWriter::create(path, header_of(recipe.definition, recipe.exposure));
      ASSERT_TRUE(writer) << reason(writer);
      Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), first, *std::move(writer));
      for (std::size_t slot = 0; slot < 41; ++slot) ASSERT_TRUE(publisher.publish(row(slot)));
      ASSERT_TRUE(publisher.flush());
    }
    Collector second;
    auto writer = LedgerWriter::reopen(path);
    auto reader = LedgerReader::open(path);
    ASSERT_TRUE(writer && reader);
    auto resumed = Publisher::resume(recipe.make(), std::make_unique<SecureNoise>(), second, *std::move(writer),
                                     *std::move(reader));
    ASSERT_TRUE(resumed) << name << ": " << reason(resumed);
    ASSERT_EQ(second.emitted, first.emitted) << name;
    for (std::size_t slot = 41; slot < truth.size(); ++slot) {
      const auto done = resumed->publish(row(slot));
      ASSERT_TRUE(done) << name << ": " << reason(done);
    }
    ASSERT_TRUE(resumed->finish());
    auto report = audit_ledger(path);
    ASSERT_TRUE(report) << reason(report);
    EXPECT_TRUE(report->holds()) << name << ": " << (report->findings.empty() ? "" : report->findings[0]);
  }
}

// --- Decisions ----------------------------------------------------------------------------------------------------

/// Seeded, so it passes or fails for good; measured: 20 of the 300 quiet slots, for both.
TEST(BudgetDivision, StandsStillWithTheStreamAndFollowsAJump) {
  constexpr Slot kJump = 300;
  const Definition definition = define(Protects::w_event, 1, 0, 20);
  const TrueStream truth = stream_of(
      400, 200, [](Slot slot, std::size_t i) { return static_cast<std::int64_t>(i) + (slot < kJump ? 0 : 500); });
  for (const std::string_view name : {"bd", "ba"}) {
    const auto run = simulate_strategy(name, definition, expose_disjoint(200, 1), truth, kSeed);
    const std::vector<Slot> sampled = run.sampled();
    ASSERT_FALSE(sampled.empty());
    EXPECT_EQ(sampled[0], 0);
    const auto quiet = std::count_if(sampled.begin(), sampled.end(), [](Slot slot) { return slot < kJump; });
    EXPECT_LE(quiet, 30) << name;
    EXPECT_TRUE(std::find(sampled.begin(), sampled.end(), kJump) != sampled.end()) << name;
  }
}

/// Without decisions BA is Uniform with half of the budget. Uniform with all of it is worse where little moves.
TEST(BudgetDivision, DecidingIsWorthItWhereLittleMoves) {
  const Definition definition = define(Protects::w_event, 1, 0, 20);
  const TrueStream truth = stairs(600, 50, 60, 40);
  const Exposure exposure = expose_disjoint(50, 1);
  const double uniform = simulate_strategy("uniform", definition, exposure, truth, kSeed).mean_error(truth);
  for (const std::string_view name : {"bd", "ba"}) {
    const double error = simulate_strategy(name, definition, exposure, truth, kSeed).mean_error(truth);
    EXPECT_LT(error, 0.6 * uniform) << name;
  }
}

/// The published rule takes the noisy distance at its word: in one dimension every second decision is a false alarm.
TEST(BudgetDivision, DecisionsAllowForTheirOwnNoise) {
  const Definition definition = define(Protects::w_event, 1, 0, 40);
  const TrueStream truth = stream_of(2000, 1, [](Slot, std::size_t) { return 1000; });
  for (const std::string_view name : {"bd", "ba"}) {
    const auto right = simulate_strategy(name, definition, expose_one(1), truth, kSeed);
    const auto published =
        simulate_strategy(std::string(name).append("-as-published"), definition, expose_one(1), truth, kSeed);
    EXPECT_LT(right.mean_error(truth), 0.8 * published.mean_error(truth)) << name;
    EXPECT_LT(right.sampled().size(), published.sampled().size()) << name;
  }
}

TEST(BudgetDivision, DecisionNoiseFollowsTheSensitivity) {
  const Definition definition = define(Protects::w_event, 1, 0, 10);
  const TrueStream truth = stairs(100, 1, 7, 5000);
  for (const std::string_view name : {"bd", "ba"}) {
    const std::string published = std::string(name).append("-as-published");
    EXPECT_LE(simulate_strategy(name, definition, expose_one(10), truth, kSeed).worst_share, 1) << name;
    EXPECT_LE(simulate_strategy(published, definition, expose_one(1), truth, kSeed).worst_share, 1) << name;
    // Up to ten times the half that decisions have.
    EXPECT_GT(simulate_strategy(published, definition, expose_one(10), truth, kSeed).worst_share, 4) << name;
  }
}

// --- Groups -------------------------------------------------------------------------------------------------------

TEST(BudgetDivision, GroupingPaysForManySmallSimilarSeries) {
  const Definition definition = define(Protects::w_event, 1, 0, 20);
  const Exposure exposure = expose_disjoint(60, 1);
  const TrueStream similar = stairs(600, 60, 50, 4);
  for (const std::string_view name : {"bd", "ba"}) {
    const std::string grouped = std::string(name).append("-grouped");
    const double plain = simulate_strategy(name, definition, exposure, similar, kSeed).mean_error(similar, 20);
    const double summed = simulate_strategy(grouped, definition, exposure, similar, kSeed).mean_error(similar, 20);
    EXPECT_LT(summed, 0.7 * plain) << name;
  }
}

TEST(BudgetDivision, GroupsFormWhereSeriesAreAlikeAndDissolveWhereTheyAreNot) {
  constexpr Slot kApart = 200;
  const Definition definition = define(Protects::w_event, 1, 0, 10);
  const TrueStream truth = stream_of(
      400, 30, [](Slot slot, std::size_t i) { return slot < kApart ? 20 : static_cast<std::int64_t>(20 + 1000 * i); });
  for (const Allocation allocation : {Allocation::distribution, Allocation::absorption}) {
    auto made = std::make_unique<BudgetDivision>(BudgetDivisionOptions{.allocation = allocation, .grouped = true});
    const BudgetDivision& strategy = *made;
    Simulation simulation({definition, expose_disjoint(30, 1), NoiseKind::laplace, std::move(made)},
                          std::make_unique<SimulationNoise>(kSeed));
    double error_apart = 0;
    for (std::size_t slot = 0; slot < truth.size(); ++slot) {
      const auto release = simulation.step(row_of(static_cast<Slot>(slot), {truth[slot].begin(), truth[slot].end()}));
      ASSERT_TRUE(release) << reason(release);
      if (slot == kApart - 1) {
        EXPECT_GE(strategy.summed_series(), 20u);
      }
      if (slot >= 300) {
        for (std::size_t i = 0; i < 30; ++i)
          error_apart +=
              std::abs(static_cast<double>((**release)[static_cast<SeriesId>(i)].value.steps - truth[slot][i]));
      }
    }
    EXPECT_EQ(strategy.summed_series(), 0u);
    EXPECT_LT(error_apart / (100 * 30), 100);
  }
}

TEST(BudgetDivision, GroupedAsPublishedHasNoBudget) {
  const Definition definition = define(Protects::w_event, 1, 0, 20);
  const TrueStream truth = stairs(100, 5, 50, 4);
  const auto published = simulate_strategy("bd-grouped-as-published", definition, expose_disjoint(5, 1), truth, kSeed);
  EXPECT_GT(published.mean_error(truth), 1e8);
  EXPECT_EQ(published.sampled(), std::vector<Slot>{0});
  EXPECT_LT(simulate_strategy("bd-grouped", definition, expose_disjoint(5, 1), truth, kSeed).mean_error(truth), 100);
}

}  // namespace
}  // namespace fugu::test
