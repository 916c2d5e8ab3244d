// Algorithm 5 of the thesis: the split of a household's budget between its series, to the last bit.
#include "fugu/strategy/share_split.hpp"

#include <gtest/gtest.h>

#include "fugu/strategy/baselines.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/publishing.hpp"
#include "support/simulating.hpp"
#include "support/strategies.hpp"

namespace fugu::test {
namespace {

const std::vector<std::string> kNames = {"C1.p", "C1.q", "C2.p", "C2.q"};

/// P and Q of two customers; sensitivities are those of Equation 6.1 in W and var.
Exposure two_customers(std::uint64_t p = 4850, std::uint64_t q = 3370) {
  return expose({p, q, p, q}, {{0, 1}, {2, 3}});
}

std::vector<SharePart> parts_of(std::uint64_t p, std::uint64_t q) { return {{{0, 2}, p}, {{1, 3}, q}}; }

constexpr std::uint64_t kBillion = SharePart::kWhole;

Seen first_release(const Definition& definition, const Exposure& exposure, ShareSplit split, double* worst = nullptr) {
  Simulated run =
      simulate_stream({definition, exposure, NoiseKind::laplace, std::make_unique<EveryKth>(1, std::move(split))},
                      stream_of(3, exposure.series_count(), [](Slot, std::size_t) { return 0; }), 1);
  if (worst != nullptr) *worst = run.worst_share;
  return run.releases[0];
}

TEST(ShareSplit, ScalesAreThoseOfTable64) {
  struct Line {
    double epsilon;
    std::uint64_t w;
    Rational p;
    Rational q;
  };
  const auto half = [](const Exposure& exposure) {
    return *ShareSplit::make(parts_of(kBillion / 2, kBillion / 2), exposure, kNames);
  };
  for (const Line& line : {Line{1, 1, {9700, 1}, {6740, 1}}, Line{1, 100, {970'000, 1}, {674'000, 1}}}) {
    const Definition definition = define(Protects::w_event, line.epsilon, 0, line.w);
    const Seen seen = first_release(definition, two_customers(), half(two_customers()));
    for (const std::size_t customer : {0u, 2u}) {
      // 1/100 of ε is no multiple of the unit of budgets: rounded down, so the noise is larger by less than 2⁻⁴⁰.
      const double p = seen.values[customer].value.parameter.to_double();
      const double q = seen.values[customer + 1].value.parameter.to_double();
      EXPECT_GE(p, line.p.to_double());
      EXPECT_GE(q, line.q.to_double());
      EXPECT_LE(p, line.p.to_double() * (1 + 0x1p-40));
      EXPECT_LE(q, line.q.to_double() * (1 + 0x1p-40));
      if (line.w == 1) {
        EXPECT_EQ(seen.values[customer].value.parameter, line.p);
        EXPECT_EQ(seen.values[customer + 1].value.parameter, line.q);
      }
    }
  }
}

TEST(ShareSplit, ScalesFollowTheFormulaAndNeverUndercut) {
  for (const std::uint64_t part : {1ul, 333'333'333ul, 700'000'000ul, 999'999'999ul}) {
    for (const std::uint64_t w : {1u, 7u, 96u}) {
      const Exposure exposure = two_customers(12'000, 8'000);
      const double epsilon = 30'000;  // so that the smallest part can still be drawn
      const auto split = ShareSplit::make(parts_of(part, kBillion - part), exposure, kNames);
      ASSERT_TRUE(split) << reason(split);
      double worst = 0;
      const Seen seen = first_release(define(Protects::w_event, epsilon, 0, w), exposure, *split, &worst);
      const auto alpha = [](std::uint64_t of) { return static_cast<double>(of) / static_cast<double>(kBillion); };
      const double p = 12'000.0 * static_cast<double>(w) / (epsilon * alpha(part));
      const double q = 8'000.0 * static_cast<double>(w) / (epsilon * alpha(kBillion - part));
      EXPECT_NEAR(seen.values[0].value.parameter.to_double() / p, 1, 1e-6) << part << " " << w;
      EXPECT_NEAR(seen.values[1].value.parameter.to_double() / q, 1, 1e-6) << part << " " << w;
      EXPECT_GE(seen.values[0].value.parameter.to_double(), p * (1 - 1e-15)) << part << " " << w;
      EXPECT_GE(seen.values[1].value.parameter.to_double(), q * (1 - 1e-15)) << part << " " << w;
      EXPECT_LE(worst, 1) << part << " " << w;
    }
  }
}

TEST(ShareSplit, SpendsTheWholeBudgetAndNoMore) {
  double worst = 0;
  const auto split = ShareSplit::make(parts_of(kBillion / 2, kBillion / 2), two_customers(), kNames);
  first_release(define(Protects::event, 1), two_customers(), *split, &worst);
  EXPECT_EQ(worst, 1);
  const auto less = ShareSplit::make(parts_of(kBillion / 2, kBillion / 4), two_customers(), kNames);
  first_release(define(Protects::event, 1), two_customers(), *less, &worst);
  EXPECT_EQ(worst, 0.75);
}

TEST(ShareSplit, WithoutOneAllLoseTheSame) {
  const Seen seen = first_release(define(Protects::event, 1), two_customers(), {});
  EXPECT_EQ(seen.values[0].value.parameter, (Rational{9700, 1}));
  EXPECT_EQ(seen.values[1].value.parameter, (Rational{6740, 1}));
}

TEST(ShareSplit, SeriesOfOnePartDivideItEqually) {
  // One meter counts into feeder and city with its P, and with Q into the feeder only.
  const Exposure exposure = expose({10, 10, 10}, {{0, 1, 2}});
  const std::vector<std::string> names = {"feeder.p", "city.p", "feeder.q"};
  const auto split = ShareSplit::make({{{0, 1}, kBillion / 2}, {{2}, kBillion / 2}}, exposure, names);
  ASSERT_TRUE(split) << reason(split);
  double worst = 0;
  const Seen seen = first_release(define(Protects::event, 1), exposure, *split, &worst);
  EXPECT_EQ(seen.values[0].value.parameter, (Rational{40, 1}));
  EXPECT_EQ(seen.values[1].value.parameter, (Rational{40, 1}));
  EXPECT_EQ(seen.values[2].value.parameter, (Rational{20, 1}));
  EXPECT_EQ(worst, 1);
}

TEST(ShareSplit, PartsOfAHouseholdSumToOneAtMost) {
  EXPECT_TRUE(ShareSplit::make(parts_of(700'000'000, 300'000'000), two_customers(), kNames));
  const auto more = ShareSplit::make(parts_of(700'000'000, 300'000'001), two_customers(), kNames);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().cause, Cause::usage);
  for (const char* said : {"'C1.p', 'C1.q' sum to 1.000000001", "'C2.p', 'C2.q' sum to 1.000000001"})
    EXPECT_NE(more.error().message.find(said), std::string::npos) << more.error().message;
  // Customers that share nothing may have parts of one each.
  const Exposure apart = expose({1, 1}, {{0}, {1}});
  EXPECT_TRUE(ShareSplit::make({{{0}, kBillion}, {{1}, kBillion}}, apart, kNames));
  EXPECT_FALSE(ShareSplit::make({{{0}, 0}, {{1}, kBillion}}, apart, kNames));
  EXPECT_FALSE(ShareSplit::make({{{0}, kBillion + 1}, {{1}, kBillion}}, apart, kNames));
}

TEST(ShareSplit, KeepsDeltaPromisesToo) {
  const Definition definition = define(Protects::w_event, 1, 1e-6, 4);
  const auto split = *ShareSplit::make(parts_of(900'000'000, 100'000'000), two_customers(), kNames);
  const Simulated run =
      simulate_stream({definition, two_customers(), NoiseKind::gaussian, std::make_unique<EveryKth>(1, split)},
                      stream_of(12, 4, [](Slot, std::size_t) { return 0; }), 1);
  EXPECT_EQ(run.releases.size(), 12u);
  EXPECT_LE(run.worst_share, 1);
  EXPECT_GT(run.worst_share, 0.999);
}

TEST(ShareSplit, OthersTakeNone) {
  const auto split = *ShareSplit::make(parts_of(kBillion / 2, kBillion / 2), two_customers(), kNames);
  for (const StrategyKind& kind : strategy_kinds()) {
    if (!serves(kind, Serves::windows)) continue;
    const auto made = make_strategy(kind.name, {.window_slots = 4, .every_slots = 2, .split = split});
    EXPECT_EQ(made.has_value(), kind.splits) << kind.name;
  }
  EXPECT_FALSE(make_strategy("uniform", {.policies = true, .split = split}));
}

TEST(ShareSplit, TheLedgerHoldsAndAPartTooManyIsRefused) {
  // What a split that was not checked would ask for: 0.7 and 0.4 of one household's ε.
  const Exposure exposure = two_customers();
  const auto asks = [](Kernel& kernel, Release& release) -> Result<void> {
    const std::vector<SharePart> parts = parts_of(700'000'000, 400'000'000);
    for (const SharePart& part : parts) {
      FUGU_ASSIGN(const auto answers, kernel.values(part.series, part.of(kernel.total())));
      release.set(part.series, answers);
    }
    return {};
  };
  Simulation simulation({define(Protects::event, 1), exposure, NoiseKind::laplace, strategy_of(asks)},
                        std::make_unique<SimulationNoise>(1));
  const auto refused = simulation.step(row_of(0, {0, 0, 0, 0}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::refused);
}

}  // namespace
}  // namespace fugu::test
