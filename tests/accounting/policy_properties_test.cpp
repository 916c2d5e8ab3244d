// What the promise of policies survives: mixing, post-processing, several mechanisms, and a world of one slot.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "policy_ledgers.hpp"
#include "support/publishing.hpp"

namespace fugu::test {
namespace {

constexpr double kPrecision = 1e-7;

/// The law of two noisy values, outputs −reach … reach, true values (a, b).
using Law = std::map<std::pair<int, int>, double>;

Law two_values(int a, int b, double scale, int reach = 12) {
  Law law;
  for (int x = -reach; x <= reach; ++x) {
    for (int y = -reach; y <= reach; ++y) law[{x, y}] = std::exp(log_laplace(x - a, scale) + log_laplace(y - b, scale));
  }
  return law;
}

double worst_ratio_of(const Law& one, const Law& other) {
  double worst = 0;
  for (const auto& [output, p] : one) worst = std::max(worst, std::abs(std::log(p / other.at(output))));
  return worst;
}

/// By stated rates, which needs no file. Rates are taken to be less by what printing may add: nine digits are right.
double audited_loss(const std::vector<Policy>& policies, const std::vector<Answer>& answers, Slot slots) {
  PolicyBook book;
  for (const Policy& policy : policies) book.add(book.meter("m"), policy);
  std::vector<ReleaseRecord> rows(static_cast<std::size_t>(slots));
  for (Slot slot = 0; slot < slots; ++slot) {
    rows[static_cast<std::size_t>(slot)].slot = slot;
    rows[static_cast<std::size_t>(slot)].scale.reset();
  }
  for (const Answer& answer : answers)
    rows[static_cast<std::size_t>(answer.slot)].loss_rate += 1 / answer.parameter[0].to_double();
  const auto report = audit_stated_rates(source_of(rows), define_swellfish_idle(), expose_one(100), book, 1);
  return report->worst_policy->loss;
}

TEST(PolicyProperties, AMixtureLosesNoMoreThanTheWorseMechanism) {
  const double loss = audited_loss({policy_of({0, 1}, 2, 1, 9)}, {value_of(0, {2, 1}), value_of(1, {2, 1})}, 2);
  for (const double p : {0.0, 0.3, 0.9}) {
    Law here;
    Law there;
    for (const auto& [output, probability] : two_values(0, 0, 2))
      here[output] = p * probability + (1 - p) * two_values(0, 0, 5).at(output);
    for (const auto& [output, probability] : two_values(1, 1, 2))
      there[output] = p * probability + (1 - p) * two_values(1, 1, 5).at(output);
    EXPECT_LE(worst_ratio_of(here, there), loss + kPrecision);
  }
}

TEST(PolicyProperties, WhateverIsComputedFromReleasesLosesNoMore) {
  const double loss = audited_loss({policy_of({0, 1}, 2, 1, 9)}, {value_of(0, {2, 1}), value_of(1, {3, 1})}, 2);
  // A mean of two releases, then the larger of them, by summing the law over what gives the same output.
  const auto after = [](const Law& law, const std::function<int(int, int)>& filter) {
    Law filtered;
    for (const auto& [output, p] : law) filtered[{0, filter(output.first, output.second)}] += p;
    return filtered;
  };
  const auto law = [](int a, int b) {
    Law both;
    for (int x = -12; x <= 12; ++x) {
      for (int y = -12; y <= 12; ++y) both[{x, y}] = std::exp(log_laplace(x - a, 2) + log_laplace(y - b, 3));
    }
    return both;
  };
  EXPECT_NEAR(worst_ratio_of(law(0, 0), law(1, 1)), loss, kPrecision);
  const auto sum = [](int x, int y) { return x + y; };
  const auto larger = [](int x, int y) { return std::max(x, y); };
  EXPECT_LE(worst_ratio_of(after(law(0, 0), sum), after(law(1, 1), sum)), loss + kPrecision);
  EXPECT_LE(worst_ratio_of(after(law(0, 0), larger), after(law(1, 1), larger)), loss + kPrecision);
}

std::vector<Answer> some_answers(Slot slots) {
  std::vector<Answer> answers;
  for (Slot slot = 0; slot < slots; ++slot) {
    if (*rc::gen::inRange(0, 3) > 0) answers.push_back(value_of(slot, {*rc::gen::inRange<std::uint64_t>(1, 20), 2}));
  }
  return answers;
}

std::vector<Policy> some_policies(Slot first, Slot last) {
  std::vector<Policy> policies;
  const int count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) {
    const Slot begin = *rc::gen::inRange<Slot>(first, last + 1);
    const Slot end = *rc::gen::inRange<Slot>(begin, last + 1);
    const auto length = *rc::gen::inRange<std::uint64_t>(1, static_cast<std::uint64_t>(end - begin) + 2);
    policies.push_back(policy_of({begin, end}, length, *rc::gen::inRange<std::uint64_t>(1, 9), 1));
  }
  return policies;
}

RC_GTEST_PROP(PolicyProperties, TwoRunsOverTheSameStreamAddUp, ()) {
  const auto policies = some_policies(0, 9);
  const auto one = some_answers(10);
  const auto other = some_answers(10);
  std::vector<Answer> both = one;
  both.insert(both.end(), other.begin(), other.end());
  const double sum = audited_loss(policies, one, 10) + audited_loss(policies, other, 10);
  RC_ASSERT(audited_loss(policies, both, 10) <= sum * (1 + kPrecision));
  std::vector<Answer> twice = one;
  twice.insert(twice.end(), one.begin(), one.end());
  RC_ASSERT(std::abs(audited_loss(policies, twice, 10) - 2 * audited_loss(policies, one, 10)) <= kPrecision * sum);
}

RC_GTEST_PROP(PolicyProperties, RunsOverDisjointPartsCostOnlyWhatReachesOverBoth, ()) {
  const auto early = some_policies(0, 4);
  const auto late = some_policies(5, 9);
  std::vector<Policy> policies = early;
  policies.insert(policies.end(), late.begin(), late.end());
  const auto answers = some_answers(10);
  std::vector<Answer> first;
  std::vector<Answer> second;
  for (const Answer& answer : answers) (answer.slot < 5 ? first : second).push_back(answer);
  // No policy reaches over both parts: the worse part is all that counts.
  const double worse = std::max(audited_loss(policies, first, 10), audited_loss(policies, second, 10));
  RC_ASSERT(std::abs(audited_loss(policies, answers, 10) - worse) <= kPrecision);
  // One that does pays for both, at most.
  policies.push_back(policy_of({0, 9}, 10, 1, 1));
  const double sum = audited_loss(policies, first, 10) + audited_loss(policies, second, 10);
  RC_ASSERT(audited_loss(policies, answers, 10) <= sum + kPrecision);
}

RC_GTEST_PROP(PolicyProperties, InASingleSlotAllChangesAddUpAsForOnePolicyOfAllOfThem, ()) {
  const auto policies = some_policies(0, 0);
  std::uint64_t together = 0;
  for (const Policy& policy : policies) together += policy.magnitude_steps;
  const std::vector<Answer> answers{value_of(0, {*rc::gen::inRange<std::uint64_t>(1, 20), 2})};
  RC_ASSERT(std::abs(audited_loss(policies, answers, 1) -
                     audited_loss({policy_of({0, 0}, 1, together, 1)}, answers, 1)) <= kPrecision);
}

}  // namespace
}  // namespace fugu::test
