#include "fugu/strategy/narwhal.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "fugu/accounting/zcdp.hpp"
#include "fugu/stream/line_reader.hpp"
#include "narwhal_reference.hpp"

namespace fugu {
namespace {

using test::PlainUnicornPs;
using test::policy;
using test::Rates;
using MeteredPolicy = std::pair<MeterId, Policy>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;

PlannerFactory unicorn() {
  return [] { return std::make_unique<PlainUnicornPs>(); };
}

PlanConstraints constraints_of(const std::vector<Collection>& meters, Interval slots) {
  PlanConstraints constraints;
  constraints.reset(slots);
  for (const Collection& meter : meters)
    for (const Policy& phi : meter.policies()) constraints.add(meter, phi, Currency::epsilon, phi.epsilon.to_double());
  return constraints;
}

PlanConstraints constraints_of(const std::vector<Policy>& policies, Interval slots) {
  Collection meter;
  meter.assign(policies);
  return constraints_of(std::vector<Collection>{meter}, slots);
}

std::vector<Collection> collections_of(const std::vector<MeteredPolicy>& book) {
  std::vector<Collection> meters(3);
  for (const auto& [meter, phi] : book) meters[meter].add(phi);
  return meters;
}

/// Runs a planner over slots 0 … slots−1 with all policies known, spending what it asks for; free slots count as 0.
Rates run(Planner& planner, const std::vector<MeteredPolicy>& book, Slot slots) {
  for (const auto& [meter, phi] : book) planner.add(meter, phi);
  Rates rates;
  for (Slot slot = 0; slot < slots; ++slot) {
    const double rate = planner.rate(slot);
    planner.spent(rate);
    rates.push_back(rate == kInfinity ? 0 : rate);
  }
  return rates;
}

// --- Problems whose best plan is known ---

TEST(NarwhalPlan, OneSecretThatFitsEvenlyGetsTheSameRateEverywhere) {
  // 12 slots, 3 at a time: disjoint windows alone force Σ ≤ 4·ε/d, which equal rates meet.
  const auto constraints = constraints_of({policy(5, 16, 3, 100, 0.5)}, {5, 16});
  const Plan plan = PlanSolver().solve(constraints, {.tolerance = 1e-3});
  for (const double rate : plan.rate) EXPECT_NEAR(rate, 0.5 / 300, 2e-5);
  EXPECT_NEAR(plan.objective, 12 * 600.0, 10);
  EXPECT_LE(plan.bound, 12 * 600.0 * (1 + kRounding));
  EXPECT_LE(plan.gap, 1e-3);
}

TEST(NarwhalPlan, MiddleSlotThatEveryWindowHoldsGetsLess) {
  // x1 + x2 ≤ 1 and x2 + x3 ≤ 1: 2/(1−x2) + 1/x2 is least at x2 = 1/(1+√2).
  const auto constraints = constraints_of({policy(0, 2, 2, 1)}, {0, 2});
  const Plan plan = PlanSolver().solve(constraints, {.tolerance = 1e-4});
  EXPECT_NEAR(plan.rate[1], 1 / (1 + std::sqrt(2)), 1e-2);
  EXPECT_NEAR(plan.objective, std::pow(1 + std::sqrt(2), 2), 1e-3);
}

TEST(NarwhalPlan, LongSecretOverShortOnesOfTheSameMeter) {
  // Three secrets of one slot, J = [0,3], [0,1], [2,3]: three times the largest rate is lost over [0,3].
  const auto constraints = constraints_of({policy(0, 3, 1, 1), policy(0, 1, 1, 1), policy(2, 3, 1, 1)}, {0, 3});
  const Plan plan = PlanSolver().solve(constraints, {.tolerance = 1e-3});
  for (const double rate : plan.rate) EXPECT_NEAR(rate, 1.0 / 3, 5e-3);
  EXPECT_NEAR(plan.objective, 12, 0.012);
  EXPECT_LE(plan.bound, 12 + 1e-9);
}

TEST(NarwhalPlan, EachObjectiveHasItsOwnOptimum) {
  // One window over everything: Σ x ≤ 1 with weights 1 and 8. x ∝ weight^(1/(p+1)).
  const auto constraints = constraints_of({policy(0, 1, 2, 1)}, {0, 1});
  const std::vector<double> weight = {1, 8};
  for (const auto& [objective, p] : {std::pair{PlanObjective::absolute_error, 1.0},
                                     {PlanObjective::variance, 2.0},
                                     {PlanObjective::deviation, 0.5}}) {
    const Plan plan = PlanSolver().solve(constraints, {.objective = objective, .weight = weight, .tolerance = 1e-6});
    const double ratio = std::pow(8, 1 / (p + 1));
    EXPECT_NEAR(plan.rate[1] / plan.rate[0], ratio, 1e-2 * ratio);
    EXPECT_NEAR(plan.rate[0] + plan.rate[1], 1, 1e-6);
    EXPECT_LE(plan.gap, 1e-4);
  }
}

TEST(NarwhalPlan, PriceIsWhatMoreBudgetIsWorth) {
  // Objective |J|·d·T/ε, so −d/dε = |J|·d·T/ε².
  const auto constraints = constraints_of({policy(0, 7, 2, 10, 0.5)}, {0, 7});
  const Plan plan = PlanSolver().solve(constraints, {.tolerance = 1e-4});
  ASSERT_EQ(plan.prices.size(), 1U);
  EXPECT_NEAR(plan.prices[0].price, 8 * 10 * 2 / 0.25, 1);
}

TEST(NarwhalPlan, WhatCapsASingleSlotHasAPrice) {
  // 10 slots at rate ε/d each: the objective is 10·d/ε.
  const auto constraints = constraints_of({policy(0, 9, 1, 4, 0.5)}, {0, 9});
  const Plan plan = PlanSolver().solve(constraints, {});
  ASSERT_EQ(plan.prices.size(), 1U);
  EXPECT_NEAR(plan.prices[0].price, 10 * 4 / 0.25, 1e-6);
  // What something else permits no more of is worth nothing.
  const std::vector<double> at_most(10, 0.1);
  EXPECT_TRUE(PlanSolver().solve(constraints, {.at_most = at_most}).prices.empty());
}

TEST(NarwhalPlan, SlotsWithoutABoundAreFree) {
  const auto constraints = constraints_of({policy(0, 1, 1, 1), policy(4, 5, 1, 1)}, {0, 5});
  const Plan plan = PlanSolver().solve(constraints, {});
  EXPECT_EQ(plan.rate[2], kInfinity);
  EXPECT_NEAR(plan.rate[0], 1, 1e-2);
}

TEST(NarwhalPlan, KeepsCapsAndThePast) {
  const auto constraints = constraints_of({policy(0, 5, 3, 1)}, {0, 5});
  const std::vector<double> spent = {0.5, 0.25};
  const std::vector<double> at_most(6, 0.3);
  const Plan plan = PlanSolver().solve(constraints, {.at_most = at_most, .spent = spent, .tolerance = 1e-3});
  EXPECT_EQ(plan.rate[0], 0.5);
  EXPECT_EQ(plan.rate[1], 0.25);
  EXPECT_LE(plan.rate[2], 0.25);
  for (std::size_t t = 2; t < 6; ++t) EXPECT_LE(plan.rate[t], 0.3);
  EXPECT_LE(plan_loss(constraints, 0, plan.rate), 1);
}

TEST(NarwhalPlan, NothingLeftMeansZeroNotATinyRate) {
  // The first policy has spent everything before the second one overlaps it.
  const auto constraints = constraints_of({policy(0, 3, 1, 1), policy(2, 5, 1, 1)}, {0, 5});
  const std::vector<double> spent = {1, 0};
  const Plan plan = PlanSolver().solve(constraints, {.spent = spent});
  EXPECT_EQ(plan.rate[2], 0);
  EXPECT_EQ(plan.rate[3], 0);
  EXPECT_NEAR(plan.rate[4], 1, 1e-2);
  EXPECT_LE(plan.gap, 0.01);
}

TEST(NarwhalPlan, WhatThePastHasPaidForComesForNothing) {
  // The first policy has spent everything, and the second takes from it in slots 6 and 7. Until then a rate of which no
  // window is larger than one of the past adds to no loss.
  const auto constraints = constraints_of({policy(0, 7, 1, 1), policy(6, 7, 1, 1)}, {0, 7});
  const Plan plan = PlanSolver().solve(constraints, {.spent = std::vector<double>{1, 1}});
  for (std::size_t t = 2; t < 6; ++t) EXPECT_NEAR(plan.rate[t], 1, 1e-9) << t;
  EXPECT_EQ(plan.rate[6], 0);
  EXPECT_EQ(plan.rate[7], 0);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LE(plan_loss(constraints, i, plan.rate), 1);
  // Windows of two slots that begin in the past have 0.1 left, those that begin later the 1 of slots 0 and 1.
  const auto longer = constraints_of({policy(0, 7, 2, 1), policy(6, 7, 1, 1)}, {0, 7});
  const Plan slower = PlanSolver().solve(longer, {.spent = std::vector<double>{0.1, 0.9}});
  EXPECT_NEAR(slower.rate[2], 0.1, 1e-9);
  EXPECT_LE(plan_loss(longer, 0, slower.rate), 1);
}

// --- Properties on random books ---

TEST(NarwhalPlan, NoFeasibleRatesBeatTheCertificate) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto book = test::random_book(random, 12, 1 + random() % 5);
    const auto constraints = constraints_of(collections_of(book), {0, 39});
    const Plan plan = PlanSolver().solve(constraints, {.tolerance = 1e-3});
    EXPECT_LE(plan.bound, plan.objective);
    EXPECT_LE(plan.gap, 0.02);
    for (int attempt = 0; attempt < 50; ++attempt) {
      // Near the plan, where it is hardest to keep below, and scaled to fit by the reference loss.
      Rates rates(40, 0);
      const double spread = uniform(random);
      for (std::size_t t = 0; t < rates.size(); ++t)
        if (plan.rate[t] < kInfinity) rates[t] = plan.rate[t] * std::exp(spread * (uniform(random) - 0.5));
      const double share = test::worst_share(book, rates);
      double objective = 0;
      for (const double rate : rates)
        if (rate > 0) objective += share / rate;
      EXPECT_LE(plan.bound, objective * (1 + kRounding));
    }
  }
}

TEST(NarwhalPlan, SameInputSamePlan) {
  std::mt19937_64 random(2);
  PlanSolver used;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto constraints = constraints_of(collections_of(test::random_book(random, 40, 12)), {0, 59});
    EXPECT_EQ(used.solve(constraints, {}).rate, PlanSolver().solve(constraints, {}).rate);
  }
}

TEST(NarwhalPlan, FeasibleHoweverEarlyItStops) {
  std::mt19937_64 random(3);
  for (int repeat = 0; repeat < 500; ++repeat) {
    const auto book = test::random_book(random, 40, 1 + random() % 12);
    const auto constraints = constraints_of(collections_of(book), {0, 59});
    PlainUnicornPs reference;
    const Rates at_least = run(reference, book, 60);
    const bool referenced = repeat % 2 == 0;
    const Plan plan = PlanSolver().solve(
        constraints,
        {.at_least = referenced ? std::span<const double>(at_least) : std::span<const double>(), .sweeps_max = 1});
    Rates rates = plan.rate;
    for (double& rate : rates)
      if (rate == kInfinity) rate = 0;
    // A tight reference has whatever rounding it has.
    EXPECT_LE(test::worst_share(book, rates), referenced ? 1 + 1e-14 : 1.0);
    for (std::size_t t = 0; referenced && t < rates.size(); ++t) EXPECT_GE(rates[t], at_least[t]);
  }
}

/// Of a large book only bounds near their budget are looked at. Here one that is far from it comes to bind: once the
/// bound on slots 0 to 4 is known, slots 5 to 9 get what those give up, 67 % more, and the last bound permits 60 %.
TEST(NarwhalPlan, BoundsThatComeToBindAreLookedAtAgain) {
  std::vector<Collection> meters;
  const auto add = [&](int copies, const Policy& phi) {
    for (int i = 0; i < copies; ++i) meters.emplace_back().assign({phi});
  };
  add(5, policy(0, 9, 10, 100));  // more of them, and further over at first, than are taken up at once
  add(1, policy(0, 4, 3, 1000));  // so that this one comes later
  add(5, policy(5, 14, 10, 50));  // and so would the next one
  add(1, policy(5, 9, 5, 125));
  add(12'000, policy(20, 95, 1, 1));  // what makes the book large
  const Interval day = {0, 95};
  const Plan plan = PlanSolver().solve(
      PlanBook{.collections = meters,
               .slots = day,
               .budget = [](const Collection&, const Policy& phi) { return phi.epsilon.to_double(); }},
      {});
  EXPECT_LE(plan.gap, 0.02);
  EXPECT_GT(plan.rate[5], 0.0015) << "the bound binds";
  const auto constraints = constraints_of(meters, day);
  for (std::size_t i = 0; i < constraints.size(); ++i)
    ASSERT_LE(plan_loss(constraints, i, plan.rate), constraints.budget(i)) << i;
}

TEST(NarwhalPlan, LargeBooksComeOutAsSmallOnesDo) {
  std::mt19937_64 random(4);
  std::vector<Collection> meters(3000);
  for (Collection& meter : meters) {
    std::vector<Policy> policies;
    for (int i = 0; i < 5; ++i) {
      // One after the other: compilers evaluate arguments in different orders, and would draw different books.
      const Slot first = static_cast<Slot>(random() % 70);
      const std::uint64_t magnitude = 1 + random() % 2000;
      const std::uint64_t length = 1 + random() % 8;
      const Slot last = first + 9 + static_cast<Slot>(random() % 16);
      policies.push_back(policy(first, last, length, magnitude));
    }
    meter.assign(std::move(policies));
  }
  const Interval day = {0, 95};
  const Plan streamed = PlanSolver().solve(
      PlanBook{.collections = meters,
               .slots = day,
               .budget = [](const Collection&, const Policy& phi) { return phi.epsilon.to_double(); }},
      {});
  const auto constraints = constraints_of(meters, day);
  ASSERT_GT(constraints.size(), 10'000U);
  const Plan stored = PlanSolver().solve(constraints, {});
  EXPECT_NEAR(streamed.objective / stored.objective, 1, 0.015);
  EXPECT_LE(streamed.gap, 0.02);
  for (const Plan& plan : {streamed, stored}) {  // every budget is 1, and the objective of degree −1 in them
    double paid = 0;
    for (const PlanPrice& price : plan.prices) paid += price.price;
    EXPECT_NEAR(paid / plan.objective, 1, 0.03);
  }
  for (std::size_t i = 0; i < constraints.size(); ++i)
    ASSERT_LE(plan_loss(constraints, i, streamed.rate), constraints.budget(i));
}

// --- The planner ---

TEST(Narwhal, KnownInAdvanceFeasibleAndNeverBelowTheReference) {
  std::mt19937_64 random(5);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const auto book = test::random_book(random, 40, 1 + random() % 12);
    PlainUnicornPs reference;
    const Rates at_least = run(reference, book, 60);
    Narwhal narwhal({}, unicorn());
    const Rates rates = run(narwhal, book, 60);
    EXPECT_LE(test::worst_share(book, rates), 1 + 1e-14);
    for (std::size_t t = 0; t < rates.size(); ++t) ASSERT_GE(rates[t], at_least[t]) << "slot " << t;
  }
}

/// Policies become known `notice` slots ahead, some are withdrawn, some answers cost less than was asked for.
void grow(std::mt19937_64& random, NarwhalOptions options, const std::function<double(const Policy&)>& rho = nullptr) {
  constexpr Slot kSlots = 60;
  std::vector<MeteredPolicy> to_come = test::random_book(random, 40, 1 + random() % 14);
  std::vector<MeteredPolicy> known;
  Narwhal narwhal(options, random() % 2 == 0 ? unicorn() : nullptr);
  const auto notice = static_cast<Slot>(random() % 12);
  Rates rates;
  for (Slot slot = 0; slot < kSlots; ++slot) {
    for (const auto& [meter, phi] : to_come) {
      if (std::max<Slot>(0, phi.interval.first - notice) != slot) continue;
      narwhal.add(meter, phi);
      known.emplace_back(meter, phi);
    }
    if (random() % 8 == 0) {
      const auto future = std::find_if(known.begin(), known.end(),
                                       [&](const auto& entry) { return entry.second.interval.first >= slot; });
      if (future != known.end()) {
        narwhal.withdraw(future->first, future->second);
        known.erase(future);
      }
    }
    double rate = narwhal.rate(slot);
    const bool free = std::none_of(known.begin(), known.end(),
                                   [&](const auto& entry) { return entry.second.interval.contains(slot); });
    ASSERT_EQ(free, rate == kInfinity) << "slot " << slot;
    if (random() % 6 == 0) rate *= static_cast<double>(random() % 4) / 4;
    if (std::isnan(rate)) rate = 0;
    narwhal.spent(rate);
    rates.push_back(rate == kInfinity ? 0 : rate);
    ASSERT_LE(test::worst_share(known, rates, rho), 1 + 1e-14) << "slot " << slot;
  }
}

TEST(Narwhal, FeasibleWhateverBecomesKnownWhen) {
  std::mt19937_64 random(6);
  for (int repeat = 0; repeat < 1500; ++repeat) {
    NarwhalOptions options;
    if (repeat % 3 == 0) options.horizon_slots = 1 + random() % 20;
    grow(random, options);
  }
}

TEST(Narwhal, FeasibleInRhoToo) {
  std::mt19937_64 random(7);
  const Delta delta = *Delta::make(1e-6);
  std::map<Budget, double> converted;
  const auto rho = [&](const Policy& phi) {
    const auto [entry, fresh] = converted.try_emplace(phi.epsilon, 0.0);
    if (fresh) entry->second = zcdp_rho(*Epsilon::make(phi.epsilon.to_double()), delta).to_double();
    return entry->second;
  };
  for (int repeat = 0; repeat < 1000; ++repeat) grow(random, {.delta = delta}, rho);
}

TEST(Narwhal, GaussianRateOfOneSecret) {
  const Delta delta = *Delta::make(1e-6);
  Narwhal narwhal({.delta = delta, .tolerance = 1e-3});
  const Rates rates = run(narwhal, {{0, policy(0, 5, 3, 10)}}, 6);
  for (const double rate : rates) EXPECT_NEAR(rate / (zcdp_rho(*Epsilon::make(1.0), delta).to_double() / 300), 1, 2e-2);
}

TEST(Narwhal, SaysWhoBinds) {
  Narwhal narwhal({});
  narwhal.add(0, policy(0, 7, 2, 10));
  narwhal.add(1, policy(0, 7, 2, 1000));
  narwhal.rate(0);
  const auto binding = narwhal.binding();
  ASSERT_EQ(binding.size(), 1U);
  EXPECT_EQ(binding[0].meter, 1U);
  EXPECT_EQ(binding[0].policy, policy(0, 7, 2, 1000));
}

TEST(Narwhal, PlansOncePerBusyPeriodAndForgetsThePast) {
  Narwhal narwhal({});
  std::vector<MeteredPolicy> book;
  for (Slot day = 0; day < 3000; ++day) book.emplace_back(0, policy(day * 10, day * 10 + 7, 2, 5));
  run(narwhal, book, 30'000);
  EXPECT_EQ(narwhal.plans_made(), 3000U);
}

TEST(Narwhal, LearnsToHoldBackWhenPoliciesComeLate) {
  // Every ten slots a long secret, and five slots into it a short one that nobody knew of.
  const auto starved = [](Slot notice) {
    Narwhal narwhal({});
    int slots = 0;
    for (Slot slot = 0; slot < 1000; ++slot) {
      if ((slot + notice) % 10 == 0) narwhal.add(0, policy(slot + notice, slot + notice + 8, 1, 100));
      if ((slot + notice) % 10 == 5) narwhal.add(0, policy(slot + notice, slot + notice + 2, 1, 100));
      const double rate = narwhal.rate(slot);
      narwhal.spent(rate);
      if (rate < 1e-4) ++slots;
    }
    return slots;
  };
  EXPECT_LE(starved(0), 30);
  EXPECT_EQ(starved(10), 0);
}

TEST(Narwhal, KeepsBelowItsLargestRate) {
  Narwhal narwhal({.rate_max = 1e-3}, unicorn());
  for (const double rate : run(narwhal, {{0, policy(0, 9, 3, 10)}}, 10)) EXPECT_LE(rate, 1e-3);
}

// --- Ten households of the data folder ---

std::string data_folder() { return std::string(FUGU_SHARED_DATA) + "/policies/"; }

std::vector<Policy> read_household(const std::string& path) {
  auto input = Input::open(path);
  EXPECT_TRUE(input);
  LineReader lines(*std::move(input));
  std::vector<Policy> policies;
  static_cast<void>(lines.next());  // header
  for (;;) {
    const auto line = lines.next();
    if (!line || !*line) return policies;
    long first = 0;
    long last = 0;
    unsigned long length = 0;
    double kilowatts = 0;
    double epsilon = 0;
    if (std::sscanf(std::string(**line).c_str(), "%*[^,],%ld,%ld,%lu,%lf,%lf", &first, &last, &length, &kilowatts,
                    &epsilon) == 5)
      policies.push_back(
          policy(first, last, length, static_cast<std::uint64_t>(std::ceil(kilowatts * 1000 - 1e-6)), epsilon));
  }
}

struct Answered {
  double mean_scale = 0;  // 1/rate, over the slots that are answered
  int slots = 0;
  int repeated = 0;  // busy slots that get nothing
};

/// What a planner does with each policy known `notice` slots ahead.
Answered answer(Planner& planner, std::vector<Policy> policies, Slot notice) {
  std::stable_sort(policies.begin(), policies.end(),
                   [](const Policy& a, const Policy& b) { return a.interval.first < b.interval.first; });
  Slot last = 0;
  for (const Policy& phi : policies) last = std::max(last, phi.interval.last);
  Answered answered;
  auto next = policies.begin();
  for (Slot slot = 0; slot <= last; ++slot) {
    for (; next != policies.end() && next->interval.first - notice <= slot; ++next) planner.add(0, *next);
    const double rate = planner.rate(slot);
    planner.spent(rate);
    if (rate == 0) ++answered.repeated;
    if (rate == kInfinity || rate == 0) continue;
    answered.mean_scale += 1 / rate;
    ++answered.slots;
  }
  answered.mean_scale /= answered.slots;
  return answered;
}

TEST(Narwhal, TenHouseholdsNeedAThirdOfTheNoise) {
  if (!std::filesystem::exists(data_folder() + "household_1.csv.gz")) GTEST_SKIP() << "no recorded policies";
  constexpr Slot kAll = Slot{1} << 40;
  for (int household = 1; household <= 10; ++household) {
    const auto policies = read_household(data_folder() + "household_" + std::to_string(household) + ".csv.gz");
    PlainUnicornPs published;
    Narwhal known({}, unicorn());
    Narwhal day_ahead({});
    const double reference = answer(published, policies, kAll).mean_scale;
    const double in_advance = answer(known, policies, kAll).mean_scale / reference;
    const double online = answer(day_ahead, policies, 96).mean_scale / reference;
    Narwhal hours_ahead({});
    const Answered late = answer(hours_ahead, policies, 32);
    const double short_notice = late.mean_scale / reference;
    std::printf("household %d: known in advance %.3f, a day ahead %.3f, eight hours ahead %.3f (%d of %d repeated)\n",
                household, in_advance, online, short_notice, late.repeated, late.repeated + late.slots);
    EXPECT_LE(in_advance, 0.33);
    EXPECT_LE(online, 0.33);
    EXPECT_LE(short_notice, 0.36);
  }
}

}  // namespace
}  // namespace fugu
