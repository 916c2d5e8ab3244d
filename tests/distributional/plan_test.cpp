// Constants: what the printed rule gives away, and that the repaired one keeps ε and δ, summed over all outcomes.
#include "fugu/distributional/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fugu/simulate/simulation_noise.hpp"

namespace fugu::test {
namespace {

DistributionalPlan hidden_plan() {
  return {.form = DistributionalForm::hidden,
          .clamp = {0, 100},
          .epsilon = 2,
          .delta = 1e-3,
          .spread_steps = 3,
          .half_width_steps = 24};
}

/// The law of ζ_σ² as a table.
using Law = std::map<std::int64_t, double>;

Law law_of(double scale, std::int64_t shift, bool truncated = true) {
  const double q = std::exp(-1 / scale);
  const auto reach = static_cast<std::int64_t>(45 * scale);
  Law law;
  for (std::int64_t k = -reach; k <= reach; ++k) {
    const double p = (1 - q) / (1 + q) * std::pow(q, static_cast<double>(std::abs(k)));
    law[truncated ? std::max<std::int64_t>(0, k + shift) : k + shift] += p;
  }
  return law;
}

/// The smallest δ with which sums of variances that differ by up to `change`, plus this noise, are (ε, δ)-alike.
double delta_of(const Law& law, std::int64_t change, double epsilon) {
  double worst = 0;
  for (std::int64_t d = -change; d <= change; ++d) {
    double delta = 0;
    for (const auto& [k, p] : law) {
      const auto other = law.find(k + d);
      delta += std::max(0.0, p - std::exp(epsilon) * (other == law.end() ? 0 : other->second));
    }
    worst = std::max(worst, delta);
  }
  return worst;
}

TEST(ParameterNoise, VarianceKeepsEpsilonAndDelta) {
  for (const double delta : {0.2, 1e-2, 1e-3, 1e-6}) {
    for (const double mean_share : {0.5, 0.9}) {
      DistributionalPlan plan = hidden_plan();
      plan.delta = delta;
      plan.mean_share = mean_share;
      const auto laws = ParameterNoise::make(plan, 1);
      ASSERT_TRUE(laws);
      const double epsilon = plan.epsilon * (1 - mean_share);
      const Law law = law_of(laws->variance_scale()->to_double(), laws->variance_shift_steps());
      const double exact = delta_of(law, 9, epsilon + 1e-12);
      EXPECT_LE(exact, delta * (1 + 1e-9));
      EXPECT_GT(exact, delta * 0.5) << "far more noise than needed";
      EXPECT_NEAR(laws->certain_loss(), exact, 1e-9);
    }
  }
}

TEST(ParameterNoise, BrokenTwinsAreCaught) {
  const auto laws = ParameterNoise::make(hidden_plan(), 1);
  ASSERT_TRUE(laws);
  const double scale = laws->variance_scale()->to_double();
  // As printed: not shifted. Cut off at 0, as every variance is, half of the mass is on certain evidence.
  EXPECT_GT(delta_of(law_of(scale, 0), 9, 1), 0.5);
  // Shifted by scale · ln(1/2δ) alone: the variance itself, which has to fit below the shift, is forgotten.
  const auto shift = static_cast<std::int64_t>(std::ceil(scale * std::log(1 / (2 * 1e-3))));
  EXPECT_GT(delta_of(law_of(scale, shift), 9, 1), 2e-3);
  // And the other way round: not cut off, the printed noise is pure, but negative half of the time.
  EXPECT_LT(delta_of(law_of(scale, 0, false), 9, 1 + 1e-9), 1e-9);
}

TEST(ParameterNoise, MeanAndVarianceShareTheBudgetAndSeriesShareIt) {
  const auto one = ParameterNoise::make(hidden_plan(), 1);
  ASSERT_TRUE(one);
  EXPECT_NEAR(100 / one->mean_scale()->to_double() + 9 / one->variance_scale()->to_double(), 2, 1e-9);
  DistributionalPlan capped = hidden_plan();
  capped.form = DistributionalForm::capped;
  capped.delta = 0;
  const auto all = ParameterNoise::make(capped, 1);
  const auto three = ParameterNoise::make(capped, 3);
  ASSERT_TRUE(all && three);
  EXPECT_NEAR(three->mean_scale()->to_double(), 3 * all->mean_scale()->to_double(), 1e-6);
  EXPECT_NEAR(100 / all->mean_scale()->to_double(), 2, 1e-9) << "nothing is paid for a variance that is no secret";
  EXPECT_FALSE(all->variance_scale());
}

TEST(ParameterNoise, CircumstancesShareEpsilonAndDelta) {
  DistributionalPlan plan = hidden_plan();
  plan.circumstances = *Circumstances::parse("hour,weekend");
  ASSERT_EQ(plan.levels(), 48U);
  const auto laws = ParameterNoise::make(plan, 1);
  ASSERT_TRUE(laws);
  const double mean_scale = laws->mean_scale()->to_double();
  const double variance_scale = laws->variance_scale()->to_double();
  EXPECT_NEAR(48 * (100 / mean_scale + 9 / variance_scale), 2, 1e-9) << "a household may differ in all of them";
  const double exact = delta_of(law_of(variance_scale, laws->variance_shift_steps()), 9, 9 / variance_scale + 1e-12);
  EXPECT_LE(48 * exact, plan.delta * (1 + 1e-9));
  EXPECT_NEAR(laws->certain_loss(), 48 * exact, 1e-9);
  plan.one_level = true;
  const auto one = ParameterNoise::make(plan, 1);
  ASSERT_TRUE(one);
  EXPECT_NEAR(100 / one->mean_scale()->to_double() + 9 / one->variance_scale()->to_double(), 2, 1e-9);
}

TEST(ParameterNoise, AnEpsilonThatIsFarTooSmallIsAnError) {
  DistributionalPlan plan = hidden_plan();
  plan.form = DistributionalForm::capped;
  plan.delta = 0;
  plan.clamp = {0, 1'000'000'000'000};
  plan.epsilon = 1e-12;
  const auto laws = ParameterNoise::make(plan, 1);
  ASSERT_FALSE(laws);
  EXPECT_EQ(laws.error().cause, Cause::usage);
}

TEST(ParameterNoise, VarianceIsNeverNegative) {
  DistributionalPlan plan = hidden_plan();
  plan.delta = 0.4;
  const auto laws = ParameterNoise::make(plan, 1);
  ASSERT_TRUE(laws);
  SimulationNoise noise(3);
  bool reached_zero = false;
  for (int i = 0; i < 20'000; ++i) {
    const SeriesConstants drawn = laws->draw(noise);
    ASSERT_GE(drawn.variance_steps, 0);
    reached_zero = reached_zero || drawn.variance_steps == 0;
  }
  EXPECT_TRUE(reached_zero);
}

TEST(DistributionalPlan, IsItsText) {
  DistributionalPlan by_hour = hidden_plan();
  by_hour.circumstances = *Circumstances::parse("hour,season", -12'600);
  DistributionalPlan one_level = by_hour;
  one_level.one_level = true;
  for (const DistributionalPlan& plan : {hidden_plan(), by_hour, one_level,
                                         DistributionalPlan{.form = DistributionalForm::bernoulli, .clamp = {-5, 9}}}) {
    const auto back = DistributionalPlan::parse(plan.text());
    ASSERT_TRUE(back) << plan.text();
    EXPECT_EQ(back->text(), plan.text());
    std::string earlier = plan.text();
    earlier.resize(earlier.find(" by="));
    EXPECT_EQ(DistributionalPlan::parse(earlier)->levels(), 1U) << "before there were circumstances";
  }
  EXPECT_FALSE(DistributionalPlan::parse("form=capped"));
  EXPECT_FALSE(DistributionalPlan::parse(""));
}

void expect_wrong(const DistributionalPlan& plan, const char* word) {
  const auto checked = plan.check();
  ASSERT_FALSE(checked) << word;
  EXPECT_EQ(checked.error().cause, Cause::usage);
  EXPECT_NE(checked.error().message.find(word), std::string::npos) << checked.error().message;
}

TEST(DistributionalPlan, SaysWhatIsWrong) {
  const auto with = [](auto change) {
    DistributionalPlan plan = hidden_plan();
    change(plan);
    return plan;
  };
  EXPECT_TRUE(hidden_plan().check());
  expect_wrong(with([](auto& p) { p.epsilon = 0; }), "ε is missing");
  expect_wrong(with([](auto& p) { p.epsilon = NAN; }), "ε is missing");
  for (const double delta : {0.0, 1.0, -1.0, 2.0})
    expect_wrong(with([&](auto& p) { p.delta = delta; }), "δ between 0 and 1");
  for (const std::int64_t spread : {0, -3}) expect_wrong(with([&](auto& p) { p.spread_steps = spread; }), "above 0");
  expect_wrong(with([](auto& p) { p.spread_steps = 52; }), "beyond half of the clamp");
  expect_wrong(with([](auto& p) { p.mean_share = 1; }), "share");
  expect_wrong(with([](auto& p) { p.alpha = 1.5; }), "Gaussian");
  expect_wrong(with([](auto& p) { p.half_width_steps = 20; }), "eight");
  expect_wrong(with([](auto& p) { p.sample = 0; }), "sampled share");
  expect_wrong(with([](auto& p) { p.clamp = {5, 5}; }), "clamp");
  expect_wrong(with([](auto& p) { p.form = DistributionalForm::capped; }), "δ belongs to the hidden form");
  expect_wrong({.form = DistributionalForm::bernoulli, .clamp = {0, 9}, .sample = 0.5}, "sampling");
  expect_wrong({.form = DistributionalForm::bernoulli, .clamp = {0, 9}, .circumstances = *Circumstances::parse("hour")},
               "circumstances");
  DistributionalPlan faint = hidden_plan();
  faint.epsilon = 1e-13;
  EXPECT_FALSE(ParameterNoise::make(faint, 1));
}

}  // namespace
}  // namespace fugu::test
