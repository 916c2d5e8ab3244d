// The law of the loss against brute force, closed forms, and bounds that hold for every mechanism.
#include "fugu/attack/loss_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "fugu/attack/attack.hpp"

namespace fugu::test {
namespace {

struct Outcome {
  double loss;
  double with;     ///< its probability when it happened
  double without;  ///< and when it did not
};

/// One answer, integer by integer.
std::vector<Outcome> outcomes_of(const ExposedAnswer& answer) {
  const bool laplace = answer.kind == NoiseKind::laplace;
  const double scale = answer.scale_steps;
  const auto change = static_cast<double>(answer.change_steps);
  const double reach = std::floor((laplace ? 40 : 12) * scale) + 2;
  const auto log_weight = [&](double k) { return laplace ? -std::fabs(k) / scale : -k * k / (2 * scale * scale); };
  double total = 0;
  for (double k = -reach; k <= reach; ++k) total += std::exp(log_weight(k));
  std::vector<Outcome> outcomes;
  for (double k = -reach; k <= reach + change; ++k)
    outcomes.push_back({log_weight(k - change) - log_weight(k), std::exp(log_weight(k - change)) / total,
                        std::exp(log_weight(k)) / total});
  return outcomes;
}

struct Exact {
  double advantage = 0;
  double auc = 0;
};

/// All outcomes of all answers.
Exact brute_force(const std::vector<ExposedAnswer>& answers) {
  std::vector<Outcome> joint = {{0, 1, 1}};
  for (const ExposedAnswer& answer : answers) {
    std::vector<Outcome> next;
    for (const Outcome& one : joint)
      for (const Outcome& other : outcomes_of(answer))
        next.push_back({one.loss + other.loss, one.with * other.with, one.without * other.without});
    joint = std::move(next);
  }
  std::map<std::int64_t, Outcome> equal;  // losses that differ by rounding only are ties
  for (const Outcome& outcome : joint) {
    Outcome& sum = equal[std::llround(outcome.loss * 1e9)];
    sum.with += outcome.with;
    sum.without += outcome.without;
  }
  Exact exact;
  double below = 0;
  for (const auto& [loss, outcome] : equal) {
    exact.advantage += std::max(0.0, outcome.with - outcome.without);
    exact.auc += outcome.with * (below + outcome.without / 2);
    below += outcome.without;
  }
  return exact;
}

void expect_close(const std::vector<ExposedAnswer>& answers, double tolerance) {
  const Exact exact = brute_force(answers);
  const LossDistribution loss = LossDistribution::of(answers);
  EXPECT_GE(loss.advantage(), exact.advantage - 1e-9);
  EXPECT_LE(loss.advantage(), exact.advantage + loss.advantage_error() + 1e-9);
  EXPECT_NEAR(loss.advantage(), exact.advantage, tolerance * exact.advantage);
  EXPECT_GE(loss.auc(), exact.auc - 1e-9);
  EXPECT_LE(loss.auc(), exact.auc + loss.auc_error() + 1e-9);
  EXPECT_NEAR(loss.auc(), exact.auc, tolerance * (exact.auc - 0.5));
  EXPECT_LT(loss.advantage_error(), 0.05 * exact.advantage);
  EXPECT_LT(loss.auc_error(), 0.1 * (exact.auc - 0.5));
}

TEST(LossDistribution, AgreesWithBruteForce) {
  for (const double scale : {0.7, 3.0, 9.5}) {
    for (const std::uint64_t change : {1u, 2u, 7u}) {
      SCOPED_TRACE(std::to_string(scale) + " " + std::to_string(change));
      expect_close({{NoiseKind::laplace, scale, change}}, 0.005);
      expect_close({{NoiseKind::laplace, scale, change}, {NoiseKind::laplace, 2.3, 2}}, 0.005);
      expect_close({{NoiseKind::gaussian, scale, change}}, 0.005);
      expect_close({{NoiseKind::gaussian, scale, change}, {NoiseKind::gaussian, 2.3, 1}}, 0.005);
    }
  }
}

double normal(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(LossDistribution, ManyAnswersAgreeWithClosedForms) {
  // One Laplace answer of many steps: advantage 1 − e^(−c/2λ).
  const LossDistribution one = LossDistribution::of(std::vector<ExposedAnswer>{{NoiseKind::laplace, 4000, 3000}});
  EXPECT_NEAR(one.advantage(), 1 - std::exp(-3.0 / 8), 1e-4);
  EXPECT_EQ(one.largest(), 0.75);
  // Gaussian answers: as one with all the squares. Laplace answers of small loss come near it.
  const std::vector<ExposedAnswer> gaussian(50, {NoiseKind::gaussian, 5000, 400});
  const double mu = std::sqrt(50.0) * 400 / 5000;
  EXPECT_NEAR(LossDistribution::of(gaussian).advantage(), 2 * normal(mu / 2) - 1, 1e-3);
  EXPECT_NEAR(LossDistribution::of(gaussian).auc(), normal(mu / std::sqrt(2.0)), 1e-3);
  const std::vector<ExposedAnswer> laplace(672, {NoiseKind::laplace, 67200, 1});
  EXPECT_NEAR(LossDistribution::of(laplace).advantage() / (2 * normal(std::sqrt(672.0) / 67200 / 2) - 1), 1, 0.02);
}

TEST(LossDistribution, WhatSaysNothingAddsNothingAndATrueValueTellsAll) {
  const double silent = std::numeric_limits<double>::infinity();
  const std::vector<ExposedAnswer> once = {{NoiseKind::laplace, 5, 3}};
  const std::vector<ExposedAnswer> repeated = {{NoiseKind::laplace, 5, 3}, {NoiseKind::laplace, silent, 3}};
  EXPECT_EQ(LossDistribution::of(once).advantage(), LossDistribution::of(repeated).advantage());
  EXPECT_EQ(LossDistribution::of({}).advantage(), 0);
  EXPECT_EQ(LossDistribution::of({}).auc(), 0.5);
  const LossDistribution known = LossDistribution::of(std::vector<ExposedAnswer>{{NoiseKind::laplace, 0, 3}});
  EXPECT_EQ(known.advantage(), 1);
  EXPECT_EQ(known.auc(), 1);
  EXPECT_TRUE(std::isinf(known.largest()));
}

TEST(LossDistribution, NoHonestMechanismIsAboveTheBounds) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> scales(1, 400);
  std::uniform_int_distribution<std::uint64_t> changes(1, 300);
  for (int i = 0; i < 200; ++i) {
    std::vector<ExposedAnswer> answers(1 + static_cast<std::size_t>(i) % 12);
    double epsilon = 0;
    for (ExposedAnswer& answer : answers) {
      answer = {NoiseKind::laplace, scales(random), changes(random)};
      epsilon += static_cast<double>(answer.change_steps) / answer.scale_steps;
    }
    const LossDistribution loss = LossDistribution::of(answers);
    const AttackBound bound = attack_bound(epsilon);
    const AttackMeasures measures = measure_attack(loss, epsilon);
    EXPECT_FALSE(measures.exceeds);
    EXPECT_LE(measures.auc, bound.auc + measures.auc_error);
    EXPECT_LE(measures.accuracy(), bound.accuracy + measures.advantage_error);
    EXPECT_LE(measures.belief, bound.belief + 1e-12);
    for (const RocPoint& point : loss.roc()) {
      EXPECT_LE(point.detection, detection_bound(point.false_alarm, epsilon) + measures.excess_error + 1e-9);
      EXPECT_GE(point.detection, point.false_alarm - 1e-9);
    }
  }
}

TEST(LossDistribution, TheCurveRisesFromCornerToCorner) {
  for (std::uint64_t change = 1; change < 200; change += 7) {  // sums of doubles end a little above 1 for some
    const std::vector<ExposedAnswer> answers(3, {NoiseKind::laplace, 40, change});
    const std::vector<RocPoint> curve = LossDistribution::of(answers).roc();
    EXPECT_TRUE(std::ranges::is_sorted(curve, {}, &RocPoint::false_alarm)) << change;
    EXPECT_TRUE(std::ranges::is_sorted(curve, {}, &RocPoint::detection)) << change;
    EXPECT_EQ(curve.front().false_alarm, 0);
    EXPECT_EQ(curve.back().detection, 1);
  }
}

TEST(LossDistribution, BoundsWithDeltaAreThoseOfThePolygon) {
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    for (const double delta : {0.0, 1e-6, 0.1}) {
      double area = 0;
      double best = 0;
      constexpr int kParts = 200'000;
      for (int i = 0; i < kParts; ++i) {
        const double false_alarm = (i + 0.5) / kParts;
        area += detection_bound(false_alarm, epsilon, delta) / kParts;
        best = std::max(best, (1 + detection_bound(false_alarm, epsilon, delta) - false_alarm) / 2);
      }
      const AttackBound bound = attack_bound(epsilon, delta);
      EXPECT_NEAR(bound.auc, area, 1e-5);
      EXPECT_NEAR(bound.accuracy, best, 1e-4);
      if (delta == 0) {
        EXPECT_NEAR(bound.auc, bound.belief, 1e-12);
        EXPECT_NEAR(bound.accuracy, bound.belief, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace fugu::test
