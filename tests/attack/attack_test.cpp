// Attacks on policies: placed where the promise is about, played, and caught when a mechanism spends too much.
#include "fugu/attack/attack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "fugu/accounting/zcdp.hpp"
#include "fugu/comparison/conference_planners.hpp"
#include "fugu/strategy/outlook.hpp"

namespace fugu::test {
namespace {

Policy policy(Slot first, Slot last, std::uint64_t length, std::uint64_t magnitude, double epsilon) {
  return {.interval = {first, last},
          .length_slots = length,
          .magnitude_steps = magnitude,
          .epsilon = Budget::round_down(epsilon)};
}

/// Two meters whose policies overlap.
PolicyBook some_book(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  PolicyBook book;
  for (const char* name : {"a", "b"}) {
    const MeterId meter = book.meter(name);
    for (int i = 0; i < 6; ++i) {
      const auto first = static_cast<Slot>(random() % 30);
      const std::uint64_t length = 1 + random() % 4;
      const Slot last = first + static_cast<Slot>(length + random() % 8) - 1;
      book.add(meter, policy(first, last, length, 100 + random() % 900, 0.2 + 0.1 * static_cast<double>(random() % 8)));
    }
  }
  return book;
}

std::vector<double> rates_of(const char* strategy, const PolicyBook& book, const Interval& slots, double delta = 0) {
  PlannerOptions options{.sensitivity_steps = 1000, .delta = *Delta::make(delta)};
  auto made = make_compared_outlook(strategy, options);
  return planned_rates(*made->planner, book, {.slots = slots, .delta = options.delta});
}

TEST(Attack, TogetherIsThePromisesLoss) {
  const Interval slots{0, 44};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const PolicyBook book = some_book(seed);
    for (const char* strategy : {"narwhal", "conference-9"}) {
      const std::vector<double> rates = rates_of(strategy, book, slots);
      const BookUse use = check_rates(book, slots, rates, Delta::zero());
      double worst = 0;
      std::size_t over = 0;
      for (const PolicyAttack& attack : attack_book_at_rates(book, slots, rates, NoiseKind::laplace)) {
        worst = std::max(worst, attack.together.largest_loss / attack.policy.epsilon.to_double());
        over += attack.together.exceeds ? 1 : 0;
        EXPECT_LE(attack.alone.largest_loss, attack.together.largest_loss * (1 + 1e-12));
        EXPECT_LE(attack.alone.auc, attack.together.auc + 0.01);
      }
      EXPECT_NEAR(worst, use.worst->use, 1e-9) << strategy;
      EXPECT_EQ(over, use.over) << strategy << " " << seed;
    }
  }
}

TEST(Attack, GaussianPromisesHold) {
  const Interval slots{0, 44};
  const double delta = 1e-4;
  const PolicyBook book = some_book(3);
  const std::vector<double> rates = rates_of("narwhal", book, slots, delta);
  std::vector<double> twin = rates;
  for (double& rate : twin) rate *= 6;  // well beyond what the conversion from ρ leaves unused
  std::size_t caught = 0;
  const auto attacks = attack_book_at_rates(book, slots, rates, NoiseKind::gaussian, delta);
  for (const PolicyAttack& attack : attacks) {
    const double epsilon = attack.policy.epsilon.to_double();
    EXPECT_FALSE(attack.together.exceeds);
    EXPECT_LE(attack.together.auc, attack_bound(epsilon, delta).auc);
    EXPECT_LE(attack.together.largest_loss, epsilon);
  }
  for (const PolicyAttack& attack : attack_book_at_rates(book, slots, twin, NoiseKind::gaussian, delta))
    caught += attack.together.exceeds ? 1 : 0;
  EXPECT_GT(caught, 0u);
}

TEST(Attack, CatchesAMechanismThatSpendsTwice) {
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
    Collection collection;
    const Policy secret = policy(0, 9, 1, 2000, epsilon);
    collection.add(secret);
    const double rate = epsilon / 2000;
    const auto attack = [&](double factor) {
      const std::vector<double> rates(10, rate * factor);
      return attack_policy(collection, secret, SlotNoise::from_rates({0, 9}, NoiseKind::laplace, rates)).together;
    };
    const AttackBound bound = attack_bound(epsilon);
    const AttackMeasures honest = attack(1);
    EXPECT_FALSE(honest.exceeds);
    EXPECT_NEAR(honest.belief, bound.belief, 1e-12);  // tight: the surest outcome has a positive probability
    EXPECT_LT(honest.auc, bound.auc);
    EXPECT_LT(honest.accuracy(), bound.accuracy);
    const AttackMeasures twin = attack(2);  // the scale is half of what it should be
    EXPECT_TRUE(twin.exceeds);
    EXPECT_GT(twin.belief, bound.belief);
    EXPECT_GT(twin.auc - twin.auc_error, bound.auc);
    EXPECT_GT(twin.accuracy() - twin.advantage_error, bound.accuracy);
    EXPECT_GT(twin.excess - twin.excess_error, 0);
  }
}

/// False-alarm rate: each simulated figure is allowed five standard deviations, so below 10⁻⁵ for all of them.
TEST(Attack, PlayingItAgreesWithComputingIt) {
  const Policy secret = policy(2, 12, 3, 700, 1);
  for (const NoiseKind kind : {NoiseKind::laplace, NoiseKind::gaussian}) {
    const std::vector<double> scales = {900, 1200, 2000, 1500, 800, 700, 900, 3000, 1000, 1000, 1000, 600, 5000, 900};
    SlotNoise noise{{0, 13}, kind, {scales}};
    noise.scales_steps[0][5] = std::numeric_limits<double>::infinity();  // a repeated release
    const PlacedSecret placed = place_alone(secret, noise);
    const LossDistribution loss = LossDistribution::of(exposed_answers(placed, noise));
    const SimulatedAttack played = simulate_known_placement(placed, noise, 20'000, 11);
    const auto spread = [](double low, double high) { return (high - low) / 2 / 1.96 * 5; };
    EXPECT_NEAR(played.auc, loss.auc(), spread(played.auc_low, played.auc_high) + loss.auc_error());
    EXPECT_NEAR(played.accuracy, (1 + loss.advantage()) / 2,
                spread(played.accuracy_low, played.accuracy_high) + loss.advantage_error());
    EXPECT_LT(played.auc_high - played.auc_low, 0.02);
    // Who does not know when learns less.
    const SimulatedAttack unknown = simulate_unknown_placement(secret, noise, 5000, 12);
    EXPECT_LT(unknown.auc, played.auc);
    EXPECT_GT(unknown.auc, 0.5);
  }
}

TEST(Attack, WithOneStartUnknownIsKnown) {
  const Policy secret = policy(2, 4, 3, 700, 1);
  const SlotNoise noise{{0, 9}, NoiseKind::laplace, {std::vector<double>(10, 900.0), std::vector<double>(10, 1500.0)}};
  const PlacedSecret placed = place_alone(secret, noise);
  const SimulatedAttack known = simulate_known_placement(placed, noise, 2000, 5);
  const SimulatedAttack unknown = simulate_unknown_placement(secret, noise, 2000, 5);
  EXPECT_NEAR(known.auc, unknown.auc, 1e-3);  // ties aside, which rounding breaks
  EXPECT_NEAR(known.accuracy, unknown.accuracy, 1e-3);
}

TEST(Attack, WhoDoesNotKnowWhenStillReadsTrueValues) {
  const SlotNoise exact{{0, 9}, NoiseKind::laplace, {std::vector<double>(10, 0.0)}};
  for (const std::uint64_t length : {1u, 2u, 4u}) {
    const SimulatedAttack played = simulate_unknown_placement(policy(2, 5, length, 700, 1), exact, 500, 5);
    EXPECT_EQ(played.auc, 1) << length;
    EXPECT_EQ(played.accuracy, 1) << length;
  }
}

TEST(Attack, OneTrueValueTellsWhenEveryOccurrenceCoversIt) {
  SlotNoise noise{{0, 9}, NoiseKind::laplace, {std::vector<double>(10, 1e6)}};
  noise.scales_steps[0][3] = 0;
  const SimulatedAttack covered = simulate_unknown_placement(policy(2, 5, 3, 700, 1), noise, 500, 5);
  EXPECT_EQ(covered.auc, 1);
  // Of the three starts 2, 3 and 4 two cover slot 3. The third is a guess: 2/3 + 1/3 · 1/2.
  const SimulatedAttack in_part = simulate_unknown_placement(policy(2, 5, 2, 700, 1), noise, 3000, 5);
  EXPECT_NEAR(in_part.auc, 5.0 / 6, 0.03);
}

TEST(Attack, OutsideTheReleaseThereIsNothingToSee) {
  const std::vector<double> rates(4, 0.01);
  Collection collection;
  const Policy secret = policy(10, 19, 3, 700, 1);
  collection.add(secret);
  const PolicyAttack attack =
      attack_policy(collection, secret, SlotNoise::from_rates({0, 3}, NoiseKind::laplace, rates));
  EXPECT_EQ(attack.together.advantage, 0);
  EXPECT_EQ(attack.together.belief, 0.5);
}

TEST(Attack, OddsAsPeopleSayThem) {
  EXPECT_NEAR(surest_belief(1), 0.7311, 1e-4);
  EXPECT_EQ(surest_belief(0), 0.5);
  EXPECT_EQ(odds_text(surest_belief(0.5)), "62:38");
  EXPECT_EQ(odds_text(surest_belief(1)), "73:27");
  EXPECT_EQ(odds_text(0.9987), "99.9:0.1");
  EXPECT_EQ(odds_text(1), "100:0");
}

}  // namespace
}  // namespace fugu::test
