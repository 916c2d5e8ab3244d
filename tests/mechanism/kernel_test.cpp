// The kernel: charges what it draws, keeps to the share, refuses without a trace, and cannot be got around.
#include "fugu/mechanism/kernel.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"
#include "fugu/strategy/baselines.hpp"
#include "support/builders.hpp"
#include "support/publishing.hpp"
#include "support/strategies.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

constexpr std::uint64_t kSeed = 20'261'101;

/// Runs a strategy on rows with seeded noise; the first error, if there is one.
Result<std::vector<Seen>> simulate(const Recipe& recipe, const std::vector<SlotRow>& rows, std::uint64_t seed = kSeed) {
  Simulation simulation(recipe.make(), std::make_unique<SimulationNoise>(seed));
  std::vector<Seen> releases;
  for (const SlotRow& row : rows) {
    FUGU_ASSIGN(const Release* release, simulation.step(row));
    releases.push_back(seen(*release));
  }
  return releases;
}

std::vector<SlotRow> ramp(std::size_t series, Slot slots) {
  std::vector<SlotRow> rows;
  for (Slot slot = 0; slot < slots; ++slot)
    rows.push_back(row_of(slot, std::vector<std::optional<std::int64_t>>(series, 7 * slot)));
  return rows;
}

/// Runs `step` on one slot.
template <class Step>
void in_one_slot(const Definition& definition, const Exposure& exposure, const SlotRow& row, Step step,
                 NoiseKind noise = NoiseKind::laplace) {
  const Recipe recipe{definition, exposure,
                      [step] {
                        return strategy_of([step](Kernel& kernel, Release& release) -> Result<void> {
                          step(kernel, release);
                          return {};
                        });
                      },
                      noise};
  const auto done = simulate(recipe, {row});
  ASSERT_TRUE(done) << reason(done);
}

TEST(Kernel, ChargesWhatItDraws) {
  for (const double delta : {0.0, 1e-6}) {
    for (const Protects protects : {Protects::event, Protects::w_event, Protects::user}) {
      const Definition definition =
          define(protects, 1, delta,
                 protects == Protects::event ? std::nullopt
                                             : std::optional<std::uint64_t>(protects == Protects::user ? 40 : 5));
      const Exposure exposure = expose({10, 4, 4}, {{0, 1}, {0, 2}, {1}});
      std::vector<Budget> left;
      const TempDir dir;
      const Recipe recipe{definition, exposure,
                          [&] { return std::make_unique<WatchedBudget>(std::make_unique<Busy>(), left); },
                          delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace};
      publish_all(recipe, ramp(3, 40), dir / "ledger");
      // Another accountant, shown the recorded answers, must come to the same end in every slot.
      const auto accountant = make_accountant(definition, exposure, {3});
      std::size_t answers = 0;
      for (const LedgerRecord& record : read_ledger(dir / "ledger").records) {
        if (const auto* answer = std::get_if<Answer>(&record)) {
          ++answers;
          accountant->advance(answer->slot);
          ASSERT_TRUE(accountant->admit(*answer)) << "slot " << answer->slot;
          accountant->commit();
        }
        if (const auto* end = std::get_if<SlotEnd>(&record)) {
          accountant->advance(end->slot);
          EXPECT_EQ(accountant->available(), left[static_cast<std::size_t>(end->slot)]) << "slot " << end->slot;
        }
      }
      EXPECT_EQ(left.size(), 40u);
      EXPECT_GT(answers, 10u);
    }
  }
}

RC_GTEST_PROP(Kernel, KeepsToTheShare, ()) {
  const double delta = *rc::gen::elementOf(std::vector<double>{0, 1e-6});
  const Definition definition = define(Protects::event, 2, delta);
  const auto series = *rc::gen::inRange<std::size_t>(1, 5);
  std::vector<std::uint64_t> sensitivity;
  for (std::size_t i = 0; i < series; ++i) sensitivity.push_back(*rc::gen::inRange<std::uint64_t>(1, 1000));
  auto signatures = Exposure::all_disjoint(series);
  const int more = *rc::gen::inRange(0, 4);
  for (int i = 0; i < more; ++i) {
    auto& signature = signatures.emplace_back();
    for (SeriesId id = 0; id < series; ++id) {
      if (*rc::gen::arbitrary<bool>()) signature.push_back(id);
    }
  }
  const int kind = *rc::gen::inRange(0, 4);
  const auto divisor = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
  const bool gaussian = delta > 0 && *rc::gen::arbitrary<bool>();
  Budget before;
  Budget after;
  Budget share;
  in_one_slot(
      definition, expose(sensitivity, signatures), row_of(0, std::vector<std::optional<std::int64_t>>(series, 5)),
      [&, kind, divisor](Kernel& kernel, Release&) {
        share = kernel.total() / divisor;
        before = kernel.available();
        const std::vector<std::int64_t> reference(kernel.all().size(), 0);
        bool done = false;
        if (kind == 0) done = kernel.values(kernel.all(), share).has_value();
        if (kind == 1) done = kernel.sum(kernel.all(), share).has_value();
        if (kind == 2) done = kernel.distance(kernel.all(), reference, share).has_value();
        if (kind == 3) {
          auto threshold = kernel.open_threshold(Statistic::sum, kernel.all(), 0, share);
          done = threshold && kernel.exceeds(*threshold).has_value();
        }
        EXPECT_TRUE(done);
        after = kernel.available();
      },
      gaussian ? NoiseKind::gaussian : NoiseKind::laplace);
  RC_ASSERT(before - after <= share);
  // Nothing is wasted either, but for rounding. (The meter that reaches most pays all of it.)
  RC_ASSERT((before - after).to_double() >= share.to_double() * (1 - 1e-6) - 1e-12);
}

TEST(Kernel, ADeviationCostsEverySlotItsShare) {
  const Definition definition = define(Protects::w_event, 1, 0, 4);
  std::vector<double> left;
  const Recipe recipe{definition, expose_one(10), [&] {
                        return strategy_of(
                            [&](Kernel& kernel, Release&) -> Result<void> {
                              if (kernel.slot() == 3) FUGU_TRY(kernel.deviation(kernel.all(), 0, kernel.total() / 8));
                              left.push_back(kernel.available().to_double());
                              return {};
                            },
                            {3});
                      }};
  ASSERT_TRUE(simulate(recipe, ramp(1, 8)));
  const std::vector<double> expected = {1, 1, 1, 0.5, 0.625, 0.75, 0.875, 1};
  ASSERT_EQ(left.size(), expected.size());
  for (std::size_t slot = 0; slot < left.size(); ++slot) EXPECT_NEAR(left[slot], expected[slot], 1e-9) << slot;
}

TEST(Kernel, ADeviationLeavesOutWhatIsMissing) {
  // With an ε so large that the noise is nothing: the sum of the distances to the mean, floored, also below zero.
  const auto deviation_of = [](const std::vector<std::optional<std::int64_t>>& values) {
    const auto last = static_cast<Slot>(values.size()) - 1;
    std::int64_t found = -1;
    const Recipe recipe{define(Protects::w_event, 1000, 0, 8), expose_one(1), [&] {
                          return strategy_of(
                              [&](Kernel& kernel, Release&) -> Result<void> {
                                if (kernel.slot() < last) return {};
                                FUGU_ASSIGN(const auto answer, kernel.deviation(kernel.all(), 0, kernel.total() / 8));
                                found = answer.steps;
                                return {};
                              },
                              {7});
                        }};
    std::vector<SlotRow> rows;
    for (Slot slot = 0; slot <= last; ++slot) rows.push_back(row_of(slot, {values[static_cast<std::size_t>(slot)]}));
    EXPECT_TRUE(simulate(recipe, rows));
    return found;
  };
  EXPECT_EQ(deviation_of({-2, std::nullopt, -3}), 1);      // ½ and ½ around −2½
  EXPECT_EQ(deviation_of({-7, std::nullopt, -2, -2}), 6);  // 3⅓, 1⅔, 1⅔
  EXPECT_EQ(deviation_of({7, 2, std::nullopt, 2}), 6);
  EXPECT_EQ(deviation_of({-7, -2, -2}), 6);
  EXPECT_EQ(deviation_of({std::nullopt, std::nullopt, 5}), 0);
}

TEST(Kernel, RatesAreBoundedByTheLargestScale) {
  in_one_slot(define(Protects::event, 1), expose_one(1), row_of(0, {5}), [](Kernel& kernel, Release&) {
    const auto largest = kernel.values_at(kernel.all(), 0x1p-40);
    ASSERT_TRUE(largest) << reason(largest);
    EXPECT_NEAR((*largest)[0]->parameter.to_double(), 0x1p40, 1);
    EXPECT_FALSE(kernel.values_at(kernel.all(), 0x1p-40 * 0.999));
  });
}

TEST(Kernel, RefusesBeyondWhatIsRemembered) {
  std::vector<bool> granted;
  const Recipe recipe{define(Protects::event, 1), expose_one(1), [&] {
                        return strategy_of(
                            [&](Kernel& kernel, Release&) -> Result<void> {
                              const Slot back = kernel.slot() - 2;
                              EXPECT_EQ(kernel.earliest_slot(), std::max<Slot>(0, back));
                              if (back < 1) return {};
                              const auto within = kernel.deviation(kernel.all(), back, kernel.total() / 100);
                              const auto beyond = kernel.deviation(kernel.all(), back - 1, kernel.total() / 100);
                              EXPECT_TRUE(within) << reason(within);
                              EXPECT_TRUE(!beyond && beyond.error().cause == Cause::refused);
                              granted.push_back(within.has_value());
                              return {};
                            },
                            {2});
                      }};
  ASSERT_TRUE(simulate(recipe, ramp(1, 10)));
  EXPECT_EQ(granted.size(), 7u);
}

TEST(Kernel, AShareOfNothingGetsNothing) {
  in_one_slot(define(Protects::event, 1), expose_one(1), row_of(0, {5}), [](Kernel& kernel, Release&) {
    const std::int64_t zero = 0;
    const auto ask_everything = [&](Cause expected) {
      const Budget before = kernel.available();
      EXPECT_EQ(kernel.values(kernel.all(), Budget()).error().cause, expected);
      EXPECT_EQ(kernel.sum(kernel.all(), Budget()).error().cause, expected);
      EXPECT_EQ(kernel.distance(kernel.all(), {&zero, 1}, Budget()).error().cause, expected);
      EXPECT_EQ(kernel.deviation(kernel.all(), 0, Budget()).error().cause, expected);
      EXPECT_FALSE(kernel.open_threshold(Statistic::sum, kernel.all(), 0, Budget()));
      EXPECT_EQ(kernel.available(), before);
    };
    ask_everything(Cause::usage);  // there is something to spend: the parameters are wrong
    ASSERT_TRUE(kernel.values(kernel.all(), kernel.total()));
    ASSERT_EQ(kernel.available(), Budget());
    ask_everything(Cause::refused);
  });
}

TEST(Kernel, ARefusalChangesNothingAndDrawsNothing) {
  const auto releases_with = [](bool greedy) {
    const Recipe recipe{define(Protects::w_event, 1, 0, 2), expose_one(10), [greedy] {
                          return strategy_of([greedy](Kernel& kernel, Release& release) -> Result<void> {
                            if (greedy) {
                              const Budget before = kernel.available();
                              const Budget too_much = kernel.total() + kernel.total();
                              const std::int64_t zero = 0;
                              EXPECT_FALSE(kernel.values(kernel.all(), too_much));
                              EXPECT_FALSE(kernel.sum(kernel.all(), too_much));
                              EXPECT_FALSE(kernel.distance(kernel.all(), {&zero, 1}, too_much));
                              EXPECT_FALSE(kernel.deviation(kernel.all(), kernel.slot(), too_much));
                              auto threshold = kernel.open_threshold(Statistic::sum, kernel.all(), 0, too_much);
                              EXPECT_FALSE(threshold && kernel.exceeds(*threshold));
                              EXPECT_EQ(kernel.available(), before);
                            }
                            FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), kernel.total() / 2));
                            release.set(kernel.all(), answers);
                            return {};
                          });
                        }};
    const auto releases = simulate(recipe, ramp(1, 20));
    EXPECT_TRUE(releases) << reason(releases);
    return releases ? *releases : std::vector<Seen>();
  };
  EXPECT_EQ(releases_with(true), releases_with(false));
}

TEST(Kernel, AMeterInThreeSeriesPaysNoMoreThanTheShare) {
  in_one_slot(define(Protects::event, 1), expose({10, 10, 10}, {{0, 1, 2}}), row_of(0, {1, 2, 3}),
              [](Kernel& kernel, Release&) {
                const auto answers = kernel.values(kernel.all(), kernel.total());
                ASSERT_TRUE(answers);
                for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR((*answers)[i]->parameter.to_double(), 30, 1e-6);
                EXPECT_LT(kernel.available().to_double(), 1e-9);
              });
}

TEST(Kernel, DisjointSeriesHaveBudgetsOfTheirOwn) {
  in_one_slot(define(Protects::event, 1), expose({10, 20}, Exposure::all_disjoint(2)), row_of(0, {1, 2}),
              [](Kernel& kernel, Release&) {
                const auto answers = kernel.values(kernel.all(), kernel.total());
                ASSERT_TRUE(answers);
                EXPECT_NEAR((*answers)[0]->parameter.to_double(), 10, 1e-6);
                EXPECT_NEAR((*answers)[1]->parameter.to_double(), 20, 1e-6);
              });
}

TEST(Kernel, EachSeriesIsSplitForTheMeterThatReachesMost) {
  in_one_slot(define(Protects::event, 1), expose({1, 1, 1, 1}, {{0, 1}, {1, 2, 3}, {0}}), row_of(0, {1, 2, 3, 4}),
              [](Kernel& kernel, Release&) {
                const auto answers = kernel.values(kernel.all(), kernel.total());
                ASSERT_TRUE(answers);
                const std::vector<double> expected = {2, 3, 3, 3};
                for (std::size_t i = 0; i < 4; ++i)
                  EXPECT_NEAR((*answers)[i]->parameter.to_double(), expected[i], 1e-6);
              });
}

TEST(Kernel, ARateIsSplitForTheMeterThatReachesMost) {
  in_one_slot(define(Protects::event, 1), expose({1, 1, 1, 1}, {{0, 1}, {1, 2, 3}, {0}}), row_of(0, {1, 2, 3, 4}),
              [](Kernel& kernel, Release&) {
                const auto answers = kernel.values_at(kernel.all(), 0.25);
                ASSERT_TRUE(answers);
                const std::vector<double> expected = {8, 12, 12, 12};
                for (std::size_t i = 0; i < 4; ++i)
                  EXPECT_NEAR((*answers)[i]->parameter.to_double(), expected[i], 1e-6);
              });
}

TEST(Kernel, ADistanceAtARateHidesAMeterInAllItsSeries) {
  // A change of one step in each of n series changes the distance by n: n times the scale, n² times the variance.
  const auto parameter_of = [](double delta, std::vector<std::vector<SeriesId>> signatures) {
    double found = 0;
    in_one_slot(
        define(Protects::event, 1, delta), expose({1, 1, 1}, std::move(signatures)), row_of(0, {1, 2, 3}),
        [&](Kernel& kernel, Release&) {
          const auto answer = kernel.distance_at(kernel.all(), std::vector<std::int64_t>{0, 0, 0}, 0.001);
          ASSERT_TRUE(answer) << reason(answer);
          found = answer->parameter.to_double();
        },
        delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace);
    return found;
  };
  for (const double delta : {0.0, 1e-6}) {
    const double alone = parameter_of(delta, Exposure::all_disjoint(3));
    EXPECT_NEAR(alone, delta > 0 ? 500 : 1000, 1e-6);
    EXPECT_NEAR(parameter_of(delta, {{0}, {1, 2}}) / alone, delta > 0 ? 4 : 2, 1e-9);
    EXPECT_NEAR(parameter_of(delta, {{0, 1, 2}}) / alone, delta > 0 ? 9 : 3, 1e-9);
  }
}

TEST(Kernel, WhatIsMissingCostsNothing) {
  in_one_slot(define(Protects::event, 1), expose({1, 1}, {{0, 1}}), row_of(0, {std::nullopt, std::nullopt}),
              [](Kernel& kernel, Release&) {
                EXPECT_FALSE(kernel.present(0));
                const auto answers = kernel.values(kernel.all(), kernel.total());
                ASSERT_TRUE(answers);
                EXPECT_FALSE((*answers)[0] || (*answers)[1]);
                EXPECT_EQ(kernel.available(), kernel.total());
              });
  in_one_slot(define(Protects::event, 1), expose({1, 1}, {{0}, {1}}), row_of(0, {std::nullopt, 3}),
              [](Kernel& kernel, Release& release) {
                const auto answers = kernel.values(kernel.all(), kernel.total() / 2);
                ASSERT_TRUE(answers);
                release.set(kernel.all(), *answers);
                EXPECT_FALSE(release[0].known);
                EXPECT_TRUE(release[1].known);
                const SeriesId first = 0;
                EXPECT_TRUE(kernel.values({&first, 1}, kernel.total()));  // its meters have paid nothing yet
              });
}

TEST(Kernel, StatisticsThatDoNotFitAreCutOff) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  constexpr double kCutOff = 0x1p61;
  constexpr double kNoise = 1e4;  // of scale 40: exceeded with probability e^-250
  in_one_slot(define(Protects::event, 1), expose({1, 1}, Exposure::all_disjoint(2)), row_of(0, {kLargest, -kLargest}),
              [](Kernel& kernel, Release&) {
                const std::vector<std::int64_t> other_end = {std::numeric_limits<std::int64_t>::min(), kLargest};
                const auto far = kernel.distance(kernel.all(), other_end, kernel.total() / 40);
                const std::vector<std::int64_t> same = {kLargest, -kLargest};
                const auto near = kernel.distance(kernel.all(), same, kernel.total() / 40);
                const auto sum = kernel.sum(kernel.all(), kernel.total() / 40);
                ASSERT_TRUE(far && near && sum);
                EXPECT_NEAR(static_cast<double>(far->steps), kCutOff, kNoise);
                EXPECT_NEAR(static_cast<double>(near->steps), 0, kNoise);
                EXPECT_NEAR(static_cast<double>(sum->steps), 0, kNoise);  // neither one alone
                auto out_of_reach =
                    kernel.open_threshold(Statistic::distance, kernel.all(), kLargest, kernel.total() / 40);
                ASSERT_TRUE(out_of_reach);
                EXPECT_FALSE(*kernel.exceeds(*out_of_reach, other_end));
                out_of_reach->move_to(std::numeric_limits<std::int64_t>::min());
                EXPECT_TRUE(*kernel.exceeds(*out_of_reach, same));
              });
}

/// All series at once are summed in pieces, some of them one by one: up to the noise, both must be the same.
TEST(Kernel, DistancesOfAllSeriesAreTheSumOfTheirs) {
  constexpr std::size_t kSeries = 1000;
  constexpr double kNoise = 1e4;  // of scale 40: exceeded with probability e^-250
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> reference;
  double expected = 0;
  for (std::size_t i = 0; i < kSeries; ++i) {
    values.push_back(static_cast<std::int64_t>(i * i) * (i % 2 == 0 ? 100 : -100));
    reference.push_back(static_cast<std::int64_t>(i) * 1'000'000);
    expected += std::abs(static_cast<double>(values[i] - reference[i]));
  }
  const auto exposure = expose(std::vector<std::uint64_t>(kSeries, 1), Exposure::all_disjoint(kSeries));
  in_one_slot(define(Protects::event, 1), exposure, row_of(0, {values.begin(), values.end()}),
              [&](Kernel& kernel, Release&) {
                const auto all = kernel.distance(kernel.all(), reference, kernel.total() / 40);
                ASSERT_TRUE(all);
                EXPECT_NEAR(static_cast<double>(all->steps), expected, kNoise);
                const std::vector<SeriesId> in_order(kernel.all().begin(),
                                                     kernel.all().end());  // all of them, but another list
                const auto listed = kernel.distance(in_order, reference, kernel.total() / 40);
                ASSERT_TRUE(listed);
                EXPECT_NEAR(static_cast<double>(listed->steps), expected, kNoise);
              });
}

TEST(Kernel, ACopyOfAThresholdIsASessionOfItsOwn) {
  // Ask an unused copy again and again, each time until it says yes: every session has to be paid for.
  in_one_slot(define(Protects::event, 1), expose_one(1), row_of(0, {1000}), [](Kernel& kernel, Release&) {
    const auto original = kernel.open_threshold(Statistic::sum, kernel.all(), -1'000'000, kernel.total() / 4);
    ASSERT_TRUE(original);
    int answered = 0;
    for (int i = 0; i < 10; ++i) {
      Threshold copy = *original;
      if (const auto above = kernel.exceeds(copy)) {
        EXPECT_TRUE(*above);
        EXPECT_FALSE(copy.open());
        ++answered;
      }
    }
    EXPECT_EQ(answered, 4);
    EXPECT_LT(kernel.available().to_double(), 1e-9);
  });
}

TEST(Kernel, CopiesOfOneSessionEndTogether) {
  in_one_slot(define(Protects::event, 1), expose_one(1), row_of(0, {0}), [](Kernel& kernel, Release&) {
    auto first = kernel.open_threshold(Statistic::distance, kernel.all(), 1'000'000, kernel.total() / 2);
    ASSERT_TRUE(first);
    const std::int64_t near = 0;
    const std::int64_t far = 100'000'000;
    EXPECT_FALSE(*kernel.exceeds(*first, {&near, 1}));
    Threshold second = *first;
    EXPECT_TRUE(*kernel.exceeds(*first, {&far, 1}));
    EXPECT_NEAR(kernel.available().to_double(), 0.5, 1e-9);
    EXPECT_TRUE(*kernel.exceeds(second, {&far, 1}));  // fresh noise, and paid for
    EXPECT_LT(kernel.available().to_double(), 1e-9);
  });
}

TEST(Kernel, ACopyDoesNotTakeOverTheNoiseOfTheNextSession) {
  in_one_slot(define(Protects::event, 1), expose_one(1), row_of(0, {0}), [](Kernel& kernel, Release&) {
    const auto open = [&] {
      return *kernel.open_threshold(Statistic::distance, kernel.all(), 1'000'000, kernel.total() / 4);
    };
    const std::int64_t near = 0;
    const std::int64_t far = 100'000'000;
    Threshold first = open();
    EXPECT_FALSE(*kernel.exceeds(first, {&near, 1}));
    Threshold copy = first;
    EXPECT_TRUE(*kernel.exceeds(first, {&far, 1}));
    Threshold next = open();  // its noise lies where that of the first did
    EXPECT_FALSE(*kernel.exceeds(next, {&near, 1}));
    EXPECT_NEAR(kernel.available().to_double(), 0.5, 1e-9);
    EXPECT_FALSE(*kernel.exceeds(copy, {&near, 1}));
    EXPECT_NEAR(kernel.available().to_double(), 0.25, 1e-9);  // a session of its own
    EXPECT_FALSE(*kernel.exceeds(next, {&near, 1}));
    EXPECT_NEAR(kernel.available().to_double(), 0.25, 1e-9);  // which the other outlives
  });
}

TEST(KernelDeathTest, AThresholdIsNotAskedAfterItsYes) {
  in_one_slot(define(Protects::event, 1), expose_one(1), row_of(0, {1000}), [](Kernel& kernel, Release&) {
    auto threshold = kernel.open_threshold(Statistic::sum, kernel.all(), -1'000'000, kernel.total() / 4);
    ASSERT_TRUE(threshold);
    ASSERT_TRUE(*kernel.exceeds(*threshold));
    EXPECT_DEATH(static_cast<void>(kernel.exceeds(*threshold)), "broken invariant");
    Threshold unmade;
    EXPECT_DEATH(static_cast<void>(kernel.exceeds(unmade)), "broken invariant");
  });
}

TEST(KernelDeathTest, NothingIsAskedAboutASeriesThatIsNotThere) {
  in_one_slot(define(Protects::event, 1), expose_one(1), row_of(0, {1000}), [](Kernel& kernel, Release&) {
    const std::vector<SeriesId> beyond{1};
    const std::vector<std::int64_t> reference{0};
    const Budget share = kernel.total() / 4;
    const auto dies = [](const auto& ask) { EXPECT_DEATH(static_cast<void>(ask()), "broken invariant"); };
    dies([&] { return kernel.values(beyond, share); });
    dies([&] { return kernel.values_at(beyond, 0.25); });
    dies([&] { return kernel.true_values(beyond); });
    dies([&] { return kernel.sum(beyond, share); });
    dies([&] { return kernel.distance(beyond, reference, share); });
    dies([&] { return kernel.distance_at(beyond, reference, 0.25); });
    dies([&] { return kernel.deviation(beyond, 0, share); });
    dies([&] { return kernel.open_threshold(Statistic::sum, beyond, 0, share); });
  });
}

RC_GTEST_PROP(Baselines, AreNeverRefused, ()) {
  const double delta = *rc::gen::elementOf(std::vector<double>{0, 1e-8});
  const double epsilon = *rc::gen::elementOf(std::vector<double>{0.1, 1, 1.0 / 3, 7});
  const auto window = *rc::gen::inRange<std::uint64_t>(1, 40);
  const auto protects = *rc::gen::elementOf(std::vector<Protects>{Protects::event, Protects::w_event, Protects::user});
  const Definition definition =
      define(protects, epsilon, delta, protects == Protects::event ? std::nullopt : std::optional(window));
  const auto k = *rc::gen::inRange<std::uint64_t>(1, 60);
  const bool gaussian = delta > 0 && *rc::gen::arbitrary<bool>();
  const Recipe recipe{definition, expose({3, 17, 1}, {{0, 1}, {1, 2}, {2}}),
                      [k] { return std::make_unique<EveryKth>(k); },
                      gaussian ? NoiseKind::gaussian : NoiseKind::laplace};
  const Slot slots = protects == Protects::user ? static_cast<Slot>(window) : 100;
  const auto releases = simulate(recipe, ramp(3, slots));
  RC_ASSERT(releases.has_value());
  for (const Seen& release : *releases) {
    const std::uint64_t every = std::min(k, definition.window_slots());
    RC_ASSERT(release.values[0].sampled == (static_cast<std::uint64_t>(release.slot) % every == 0));
  }
}

std::vector<Definition> definitions_without_true_values() {
  std::vector<Definition> all{
      *Definition::make({.protects = Protects::discounted_exp, .epsilon = *Epsilon::make(10), .discount = 0.5})};
  for (const double delta : {0.0, 1e-6}) {
    all.push_back(define(Protects::event, 10, delta));
    all.push_back(define(Protects::w_event, 10, delta, 3));
    all.push_back(define(Protects::user, 10, delta, 5));
    all.push_back(define_swellfish(define(Protects::event, 10, delta)));
  }
  return all;
}

template <class T>
void expect_refused(const Result<T>& asked, const std::string& what) {
  ASSERT_FALSE(asked) << what;
  EXPECT_EQ(asked.error().cause, Cause::refused) << what << ": " << reason(asked);
}

TEST(Kernel, RefusesTrueValues) {
  for (const Definition& definition : definitions_without_true_values()) {
    in_one_slot(definition, expose({1, 1}, {{0, 1}}), row_of(0, {7, 8}), [&](Kernel& kernel, Release&) {
      expect_refused(kernel.true_values(kernel.all()), definition.text());
      expect_refused(kernel.true_values(kernel.all().first(1)), definition.text());
    });
  }
}

TEST(Kernel, AnswersNothingWithoutNoise) {
  for (const Definition& definition : definitions_without_true_values()) {
    const auto ask = [&](Kernel& kernel, Release&) {
      const std::vector<std::int64_t> reference{0, 0};
      expect_refused(kernel.values(kernel.all(), kernel.available()), definition.text());
      expect_refused(kernel.values_at(kernel.all(), 0.125), definition.text());
      expect_refused(kernel.sum(kernel.all(), kernel.available()), definition.text());
      expect_refused(kernel.distance(kernel.all(), reference, kernel.available()), definition.text());
    };
    in_one_slot(definition, expose({1, 1}, {{0, 1}}), row_of(0, {7, 8}), ask, NoiseKind::none);
  }
}

TEST(Baselines, EndAtTheHorizonOfUserLevel) {
  const Recipe recipe{define(Protects::user, 1, 0, 10), expose_one(1), [] { return std::make_unique<EveryKth>(1); }};
  EXPECT_TRUE(simulate(recipe, ramp(1, 10)));
  const auto beyond = simulate(recipe, ramp(1, 11));
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().cause, Cause::refused);
}

}  // namespace
}  // namespace fugu::test
