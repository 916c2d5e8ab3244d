// The audit of policies against the definition itself: all neighbouring streams, all placements, whole transcripts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../core/src/accounting/audit_policies.hpp"
#include "../core/src/accounting/audit_rates.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "policy_ledgers.hpp"
#include "support/publishing.hpp"

namespace fugu::test {
namespace {

void expect_finding(const AuditReport& report, const std::string& words) {
  EXPECT_FALSE(report.holds());
  EXPECT_NE(all_findings_of(report).find(words), std::string::npos) << words << " is not in\n"
                                                                    << all_findings_of(report);
}

// --- Who may be who -----------------------------------------------------------------------------------------------

TEST(PoliciesHeld, AMeterMayBeAllThatWasSaidOfItAndNoMore) {
  const Exposure exposure = expose({1, 1, 1}, {{0}, {1}, {2}});
  audit::PoliciesHeld held(exposure);
  const Policy policy = policy_of({0, 3}, 1, 1, 1);
  held.state("twice", {0}, policy);
  held.state("twice", {1}, policy);
  held.state("same", {2}, policy);
  held.state("same", {2}, policy);
  held.state("any first", {}, policy);
  held.state("any first", {1}, policy);
  held.state("any later", {1}, policy);
  held.state("any later", {}, policy);
  held.close();
  const auto signatures = [&](MeterId meter) { return held.signatures(held.group(meter)); };
  EXPECT_EQ(signatures(0), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(signatures(1), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(signatures(2), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(signatures(3), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(held.group(2), held.group(3)) << "one group for all who may be any: the audit goes through each once";
}

// --- Against all neighbours ---------------------------------------------------------------------------------------

Interval some_interval(Slot slots) {
  const Slot first = *rc::gen::inRange<Slot>(0, slots);
  return {first, *rc::gen::inRange<Slot>(first, slots)};
}

Policy some_small_policy(Slot slots, std::uint64_t magnitude_max) {
  const Interval interval = some_interval(slots);
  const auto length = *rc::gen::inRange<std::uint64_t>(1, std::min<std::uint64_t>(3, interval.slots()) + 1);
  const auto magnitude = *rc::gen::inRange<std::uint64_t>(1, magnitude_max + 1);
  return policy_of(interval, length, magnitude, 0.25 * *rc::gen::inRange(1, 20));
}

Shape some_small_shape(std::uint64_t length_max, int series) {
  Shape shape;
  shape.alternatives.resize(*rc::gen::inRange<std::size_t>(1, 3));
  for (Profile& profile : shape.alternatives) {
    const auto length = *rc::gen::inRange<std::size_t>(1, static_cast<std::size_t>(length_max) + 1);
    profile.lanes.resize(*rc::gen::inRange<std::size_t>(1, 3));
    for (Lane& lane : profile.lanes) {
      if (*rc::gen::arbitrary<bool>()) lane.series = static_cast<SeriesId>(*rc::gen::inRange(0, series));
      for (std::size_t i = 0; i < length; ++i) lane.steps.push_back(*rc::gen::inRange<std::uint64_t>(0, 2));
    }
    profile.lanes[0].steps[0] = 1;  // not nothing at all
  }
  return shape;
}

/// What the definition says of one policy: the worst neighbour's loss, where `loss` is that of a difference.
double worst_neighbour(const std::vector<Policy>& policies, const Policy& phi, int series, Slot slots,
                       const std::function<double(const Neighbours::Difference&)>& loss) {
  Neighbours neighbours(series, slots, phi.interval);
  for (const Policy& policy : policies) {
    if (policy.interval.overlaps(phi.interval)) neighbours.add(policy);
  }
  double worst = 0;
  for (const auto& difference : neighbours.all()) worst = std::max(worst, loss(difference));
  return worst;
}

/// The worst ratio over all policies of all meters.
double worst_ratio(const std::vector<std::vector<Policy>>& meters, int series, Slot slots,
                   const std::function<double(const Neighbours::Difference&)>& loss) {
  double worst = 0;
  for (const auto& policies : meters) {
    for (const Policy& phi : policies)
      worst = std::max(worst, worst_neighbour(policies, phi, series, slots, loss) / phi.epsilon.to_double());
  }
  return worst;
}

/// Releases slots 0, k, 2k, …, repeats in between: the transcript of a repeat adds nothing to what was known.
std::vector<Answer> every_kth(Slot k, Slot slots, const std::vector<Rational>& scales, int series) {
  std::vector<Answer> answers;
  std::vector<SeriesId> all;
  for (int i = 0; i < series; ++i) all.push_back(static_cast<SeriesId>(i));
  for (Slot slot = 0; slot < slots; slot += k)
    answers.push_back(value_of(slot, scales[static_cast<std::size_t>(slot)], all));
  return answers;
}

/// The loss of whole transcripts of independent released values: their ratios multiply, and each can be at its worst.
double transcript_loss(const std::vector<Answer>& answers, Slot slots, const Neighbours::Difference& difference) {
  double loss = 0;
  for (const Answer& answer : answers) {
    for (std::size_t i = 0; i < answer.series.size(); ++i) {
      const std::size_t cell =
          answer.series[i] * static_cast<std::size_t>(slots) + static_cast<std::size_t>(answer.slot);
      loss += worst_log_ratio(difference[cell], answer.parameter_of(i).to_double());
    }
  }
  return loss;
}

std::vector<Rational> some_scales(Slot slots) {
  std::vector<Rational> scales;
  for (Slot slot = 0; slot < slots; ++slot) scales.push_back({*rc::gen::inRange<std::uint64_t>(1, 9), 2});
  return scales;
}

void expect_same_verdict(const AuditReport& report, double worst) {
  RC_LOG() << all_findings_of(report);
  RC_ASSERT(report.worst_policy.has_value());
  RC_LOG() << "audit: " << report.worst_policy->ratio << ", by the definition: " << worst << "\n";
  RC_ASSERT(std::abs(report.worst_policy->ratio - worst) <= 1e-9 * std::max(1.0, worst));
  if (std::abs(worst - 1) > 1e-9) RC_ASSERT(report.holds() == (worst < 1));
}

/// The occurrences that the report names must lose what it says they lose.
void expect_placement_attains(const WorstPolicy& worst, const std::vector<Answer>& answers) {
  double sum = 0;
  for (const PolicyPlacement& placed : worst.placement) {
    RC_ASSERT(placed.start >= placed.policy.interval.first);
    RC_ASSERT(placed.start + static_cast<Slot>(placed.policy.length_slots) - 1 <= placed.policy.interval.last);
    for (const Answer& answer : answers) {
      const bool hit = answer.slot >= placed.start &&
                       answer.slot < placed.start + static_cast<Slot>(placed.policy.length_slots) &&
                       worst.policy.interval.contains(answer.slot);
      if (hit)
        sum +=
            static_cast<double>(placed.policy.magnitude_steps * answer.series.size()) / answer.parameter[0].to_double();
    }
  }
  RC_ASSERT(std::abs(sum - worst.loss) <= 1e-9 * std::max(1.0, sum));
}

RC_GTEST_PROP(PolicyAudit, IsWhatAllNeighboursSay, ()) {
  const Slot slots = *rc::gen::inRange<Slot>(1, 6);
  std::vector<std::vector<Policy>> meters(*rc::gen::inRange<std::size_t>(1, 3));
  for (auto& policies : meters) {
    const int count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) policies.push_back(some_small_policy(slots, i == 0 ? 2 : 1));
  }
  const auto answers = every_kth(*rc::gen::inRange<Slot>(1, 4), slots, some_scales(slots), 1);
  LedgerScript script(define_swellfish_idle(), expose_one(100));
  for (std::size_t m = 0; m < meters.size(); ++m) {
    for (const Policy& policy : meters[m]) script.state(policy, std::string(1, static_cast<char>('a' + m)));
  }
  const AuditReport report = script.run(answers, slots).audit();
  expect_same_verdict(report, worst_ratio(meters, 1, slots, [&](const auto& difference) {
                        return transcript_loss(answers, slots, difference);
                      }));
  RC_ASSERT(report.policies == [&] {
    std::size_t count = 0;
    for (const auto& policies : meters) count += policies.size();
    return count;
  }());
  expect_placement_attains(*report.worst_policy, answers);
}

RC_GTEST_PROP(PolicyAudit, IsWhatAllNeighboursSayWithShapesAndLanes, ()) {
  const Slot slots = *rc::gen::inRange<Slot>(1, 4);
  std::vector<Policy> policies;
  const int count = *rc::gen::inRange(1, 3);
  for (int i = 0; i < count; ++i) {
    const Interval interval = some_interval(slots);
    const std::uint64_t length_max = std::min<std::uint64_t>(2, interval.slots());
    policies.push_back(shaped(interval, some_small_shape(length_max, 2), 0.5 * *rc::gen::inRange(1, 9)));
  }
  const auto answers = every_kth(1, slots, some_scales(slots), 2);
  LedgerScript script(define_swellfish_idle(), expose({9, 9}, {{0, 1}}));
  for (const Policy& policy : policies) script.state(policy);
  const AuditReport report = script.run(answers, slots).audit();
  expect_same_verdict(report, worst_ratio({policies}, 2, slots, [&](const auto& difference) {
                        return transcript_loss(answers, slots, difference);
                      }));
}

/// Σ over slots of |value − mean|, floored.
long long deviation_of(const std::vector<int>& values) {
  const auto n = static_cast<long long>(values.size());
  long long total = 0;
  for (const int value : values) total += value;
  long long sum = 0;
  for (const int value : values) sum += std::abs(n * value - total);
  return sum / n;
}

RC_GTEST_PROP(PolicyAudit, BoundsAnswersThatTouchSeveralSlots, ()) {
  const Slot slots = 3;
  std::vector<Policy> policies;
  const int count = *rc::gen::inRange(1, 3);
  for (int i = 0; i < count; ++i) policies.push_back(some_small_policy(slots, 2));
  const Rational scale{*rc::gen::inRange<std::uint64_t>(1, 9), 2};
  const auto values = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(-4, 5));
  LedgerScript script(define_swellfish_idle(), expose_one(100));
  for (const Policy& policy : policies) script.state(policy);
  const AuditReport report = script.run({statistic_of(Statistic::deviation, 0, 2, scale)}, slots).audit();
  const double worst = worst_ratio({policies}, 1, slots, [&](const auto& difference) {
    std::vector<int> changed = values;
    for (std::size_t i = 0; i < changed.size(); ++i) changed[i] += difference[i];
    return worst_log_ratio(static_cast<int>(deviation_of(changed) - deviation_of(values)), scale.to_double());
  });
  RC_ASSERT(report.worst_policy->ratio >= worst - 1e-12);
}

// --- Losses in ρ --------------------------------------------------------------------------------------------------

/// The quadratic form, term by term, from the definition of each.
double rho_by_formula(const std::vector<Policy>& policies, const Policy& phi, const std::vector<double>& rates) {
  const auto largest = [&](Interval interval, std::uint64_t length) {
    double best = 0;
    const auto width = static_cast<Slot>(std::min<std::uint64_t>(length, interval.slots()));
    for (Slot start = interval.first; start + width - 1 <= interval.last; ++start) {
      double sum = 0;
      for (Slot slot = start; slot < start + width && slot < static_cast<Slot>(rates.size()); ++slot)
        sum += rates[static_cast<std::size_t>(slot)];
      best = std::max(best, sum);
    }
    return best;
  };
  double rho = 0;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const Policy& psi = policies[i];
    if (!psi.interval.overlaps(phi.interval)) continue;
    const auto d = static_cast<double>(psi.magnitude_steps);
    const Interval within = common(psi.interval, phi.interval);
    rho += d * d * largest(within, psi.length_slots);
    for (std::size_t j = i + 1; j < policies.size(); ++j) {
      const Policy& chi = policies[j];
      if (!chi.interval.overlaps(within)) continue;
      rho += 2 * d * static_cast<double>(chi.magnitude_steps) *
             largest(common(within, chi.interval), std::min(psi.length_slots, chi.length_slots));
    }
  }
  return rho;
}

RC_GTEST_PROP(PolicyAudit, CountsRhoByTheQuadraticForm, ()) {
  const Slot slots = *rc::gen::inRange<Slot>(1, 6);
  std::vector<Policy> policies;
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) policies.push_back(some_small_policy(slots, i == 0 ? 2 : 1));
  const bool gaussian = *rc::gen::arbitrary<bool>();
  std::vector<Answer> answers = every_kth(1, slots, some_scales(slots), 1);
  std::vector<double> rates;
  for (Answer& answer : answers) {
    answer.noise = gaussian ? NoiseKind::gaussian : NoiseKind::laplace;
    answer.parameter[0].num *= 40;
    const double p = answer.parameter[0].to_double();
    rates.push_back(gaussian ? 1 / (2 * p) : 1 / (2 * p * p));
  }
  const double delta = 1e-4;
  LedgerScript script(define_swellfish_idle(delta), expose_one(100));
  for (const Policy& policy : policies) script.state(policy);
  const AuditReport report = script.run(answers, slots).audit();
  RC_ASSERT(report.worst_policy.has_value());
  const WorstPolicy& worst = *report.worst_policy;
  RC_ASSERT(worst.measure == "δ");

  double expected = 0;
  for (const Policy& phi : policies) {
    const double rho = rho_by_formula(policies, phi, rates);
    // An upper bound of Σ change² · rate for every neighbour.
    RC_ASSERT(worst_neighbour(policies, phi, 1, slots, [&](const auto& difference) {
                double sum = 0;
                for (std::size_t t = 0; t < difference.size(); ++t) sum += difference[t] * difference[t] * rates[t];
                return sum;
              }) <= rho * (1 + 1e-12));
    const double allowed = zcdp_rho(*Epsilon::make(phi.epsilon.to_double()), *Delta::make(delta)).to_double();
    expected = std::max(expected, rho / allowed);
  }
  RC_ASSERT(std::abs(worst.ratio - expected) <= 1e-6 * expected);
  const double rho = rho_by_formula(policies, worst.policy, rates);
  const double expected_delta = zcdp_delta(rho, worst.policy.epsilon.to_double());
  if (expected_delta > 1e-290) RC_ASSERT(std::abs(std::log(worst.loss / expected_delta)) <= 1e-6);
  if (std::abs(expected - 1) > 1e-6) RC_ASSERT(report.holds() == (expected < 1));
}

TEST(PolicyAudit, AShapeCountsAsItsEnvelopeInRho) {
  const double delta = 1e-4;
  const Policy shape = shaped({0, 3}, {{{{{std::nullopt, {1, 3}}}}}}, 1);
  const Policy box = policy_of({0, 3}, 2, 3, 1);
  std::vector<Answer> answers;
  for (Slot slot = 0; slot < 4; ++slot) answers.push_back(value_of(slot, {50, 1}));
  const auto with = [&](const Policy& policy) {
    return LedgerScript(define_swellfish_idle(delta), expose_one(9)).state(policy).run(answers, 4).audit();
  };
  EXPECT_EQ(with(shape).worst_policy->ratio, with(box).worst_policy->ratio);
}

TEST(PolicyAudit, SquaresOfPoliciesThatCannotMeetAddUp) {
  // Three policies over ten slots each, none of which meet within the long one: 1² each, and pairs with the long one.
  LedgerScript script(define_swellfish_idle(1e-6), expose_one(9));
  script.state(policy_of({0, 9}, 1, 1, 1)).state(policy_of({0, 4}, 1, 1, 1)).state(policy_of({5, 9}, 1, 1, 1));
  std::vector<Answer> answers;
  for (Slot slot = 0; slot < 10; ++slot) answers.push_back(value_of(slot, {100, 1}));
  const AuditReport report = script.run(answers, 10).audit();
  const double rho = (3 + 2 * 2) / (2 * 100.0 * 100.0);
  EXPECT_NEAR(std::log(report.worst_policy->loss / zcdp_delta(rho, 1)), 0, 1e-6);
}

TEST(PolicyAudit, FindsTheWorstMeterWhereverItStands) {
  // A meter that is far within its ε comes first, or last; what is known of it must not excuse the other.
  for (const double delta : {0.0, 1e-6}) {
    for (const bool harmless_first : {true, false}) {
      LedgerScript script(define_swellfish_idle(delta), expose_one(9));
      const auto state = [&](const char* meter, std::uint64_t magnitude_steps) {
        for (int i = 0; i < 2; ++i) script.state(policy_of({0, 1}, 1, magnitude_steps, 1), meter);
      };
      if (harmless_first) state("small", 1);
      state("large", 9);
      if (!harmless_first) state("small", 1);
      const AuditReport report = script.run({value_of(0, {10, 1})}, 2).audit();
      EXPECT_FALSE(report.holds()) << delta << harmless_first;
      EXPECT_EQ(report.worst_policy->meter, "large") << delta << harmless_first;
    }
  }
}

// --- Witnesses ----------------------------------------------------------------------------------------------------

TEST(PolicyAudit, TheScaleOfThePrintedTheoremsLosesHalfTooMuch) {
  // Three secrets of one unit and one slot, ε = 1 each: the printed scale is 2 everywhere.
  LedgerScript script(define_swellfish_idle(), expose_one(9));
  for (const Interval interval : {Interval{1, 4}, Interval{1, 2}, Interval{3, 4}})
    script.state(policy_of(interval, 1, 1, 1));
  std::vector<Answer> answers;
  for (Slot slot = 0; slot < 5; ++slot) answers.push_back(value_of(slot, {2, 1}));
  const AuditReport report = script.run(answers, 5).audit();
  ASSERT_TRUE(report.worst_policy);
  EXPECT_EQ(report.worst_policy->loss, 1.5);
  EXPECT_EQ(report.worst_policy->policy.interval, (Interval{1, 4}));
  EXPECT_EQ(report.worst_policy->placement.size(), 3u);
  EXPECT_EQ(report.findings_total, 1u) << all_findings_of(report);
  expect_finding(report, "the policy of meter m for slots 1 to 4 (up to 1 slots, 1 steps, ε = 1) loses ε = 1.5");
}

TEST(PolicyAudit, JudgesWholeTranscriptsAndNotOutputsWithinAnInterval) {
  // J = {1} and J = {2}, one unit each, ε = 1, scale 1. Read as in the papers, a neighbour may differ by both
  // occurrences, and what is compared is the output *within* J. Released as they are, slot 2 alone then loses 1. But
  // the average of the last two releases, which is only post-processing, carries the change of slot 1 into slot 2:
  // what is seen in slot 2 loses 2. So a promise about restricted outputs is none. In our reading a neighbour for
  // J = {2} is equal outside of it, all outputs count, and the audit does not care what was computed from them.
  LedgerScript script(define_swellfish_idle(), expose_one(9));
  script.state(policy_of({1, 1}, 1, 1, 1)).state(policy_of({2, 2}, 1, 1, 1));
  const std::vector<Answer> answers{value_of(1, {1, 1}), value_of(2, {1, 1})};
  const AuditReport report = script.run(answers, 3).audit();
  EXPECT_TRUE(report.holds()) << all_findings_of(report);
  EXPECT_EQ(report.worst_policy->loss, 1);

  // The law of the sum of two noisy values (twice the average), and the ratio when the truth changes by 1 or by 2.
  const auto log_sum = [](int total) {
    double p = 0;
    for (int first = -80; first <= 80; ++first) p += std::exp(log_laplace(first, 1) + log_laplace(total - first, 1));
    return std::log(p);
  };
  double within_two = 0;
  double within_one = 0;
  for (int total = -30; total <= 30; ++total) {
    within_two = std::max(within_two, log_sum(total) - log_sum(total + 2));
    within_one = std::max(within_one, log_sum(total) - log_sum(total + 1));
  }
  EXPECT_GT(within_two, 1.9) << "the restricted reading: the average loses almost 2 in slot 2";
  EXPECT_LE(within_one, 1) << "our reading: slot 2 alone changes";
}

TEST(PolicyAudit, OneUnitTooMuchIsTooMuch) {
  Policy exact = policy_of({0, 0}, 1, 3, 1);
  exact.epsilon = Budget::from_units(std::uint64_t{3} << Budget::kFractionBits);
  Policy short_of_it = exact;
  short_of_it.epsilon = Budget::from_units(exact.epsilon.units() - 1);
  const auto with = [](const Policy& policy) {
    return LedgerScript(define_swellfish_idle(), expose_one(9)).state(policy).run({value_of(0, {1, 1})}, 1).audit();
  };
  EXPECT_TRUE(with(exact).holds());
  EXPECT_EQ(with(exact).worst_policy->ratio, 1);
  expect_finding(with(short_of_it), "the promise is broken");
  // A scale that is not a whole number is rounded against us.
  const auto report = LedgerScript(define_swellfish_idle(), expose_one(9))
                          .state(exact)
                          .run({value_of(0, {999'999'999, 1'000'000'000})}, 1);
  expect_finding(report.audit(), "the promise is broken");
}

TEST(PolicyAudit, LargeMagnitudesLoseNoPrecision) {
  constexpr std::uint64_t kLarge = kMagnitudeStepsMax;
  for (const double delta : {0.0, 1e-6}) {
    LedgerScript script(define_swellfish_idle(delta), expose_one(kLarge));
    const std::uint64_t magnitude = delta > 0 ? kLarge >> 20 : kLarge;
    Answer answer = value_of(0, {delta > 0 ? 3 * magnitude * magnitude : 3 * magnitude, 1});
    answer.noise = delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace;
    const AuditReport report = script.state(policy_of({0, 0}, 1, magnitude, 1)).run({answer}, 1).audit();
    const double expected =
        delta > 0 ? 1 / 6.0 / zcdp_rho(*Epsilon::make(1), *Delta::make(delta)).to_double() : 1 / 3.0;
    EXPECT_NEAR(report.worst_policy->ratio, expected, 1e-8 * expected) << delta;
  }
}

TEST(PolicyAudit, APolicyIsKeptForTheSeriesThatItsMeterCountsInto) {
  const Policy policy = policy_of({2, 6}, 1, 1, 1);
  const auto with = [&](std::vector<std::uint32_t> signatures, Slot joins) {
    LedgerScript script(define_swellfish_idle(), expose({9, 9}, {{0}, {1}}));
    script.state(policy, "m", std::move(signatures));
    script.run({}, joins);
    return script.place("m", 1).close().audit();
  };
  expect_finding(with({0}, 0), "counts into series for which its policies were not kept");
  expect_finding(with({0}, 6), "counts into series for which its policies were not kept");
  EXPECT_TRUE(with({0}, 7).holds()) << "its interval is over";
  EXPECT_TRUE(with({1}, 0).holds());
  EXPECT_TRUE(with({}, 0).holds()) << "kept wherever it counts";
}

// --- Stated and withdrawn -----------------------------------------------------------------------------------------

const Policy kLunch = policy_of({2, 3}, 1, 1, 1);

LedgerScript quiet() { return LedgerScript(define_swellfish_idle(), expose_one(9)); }

TEST(PolicyAudit, PoliciesMayComeWhileTheStreamRuns) {
  auto script = quiet();
  const AuditReport report =
      script.run({value_of(0, {1, 1})}, 2).state(kLunch).run({value_of(2, {4, 1}), value_of(3, {2, 1})}, 4).audit();
  EXPECT_TRUE(report.holds()) << all_findings_of(report);
  EXPECT_EQ(report.worst_policy->loss, 0.5);
}

TEST(PolicyAudit, ALaterPolicyCountsInTheIntervalOfAnEarlierOne) {
  auto script = quiet();
  script.state(policy_of({0, 3}, 1, 1, 1)).run({value_of(0, {1, 1})}, 2);
  const AuditReport report = script.state(kLunch).run({value_of(3, {1, 1})}, 4).audit();
  EXPECT_EQ(report.worst_policy->loss, 2);
  EXPECT_EQ(report.worst_policy->placement.size(), 2u);
  EXPECT_EQ(report.findings_total, 2u) << "both may happen in slot 3";
}

TEST(PolicyAudit, TooLateIsTooLate) {
  auto script = quiet();
  const std::vector<Answer> small{value_of(2, {100, 1}), value_of(3, {100, 1})};
  expect_finding(script.run(small, 3).state(kLunch).run(small, 4).audit(), "was stated after its interval began");
  auto dated_back = quiet();
  expect_finding(dated_back.run(small, 3).state_at(2, kLunch).run(small, 4).audit(),
                 "was stated after its interval began");
  auto within = quiet();
  expect_finding(within.run({}, 2).answer(small[0]).state(kLunch).close().run(small, 4).audit(),
                 "was stated after its interval began");
}

TEST(PolicyAudit, WhatWasStatedTooLateIsHeldToItsPromise) {
  auto script = quiet();
  expect_finding(script.run({value_of(2, {1, 2})}, 3).state(kLunch).run({}, 4).audit(), "the promise is broken");
}

TEST(PolicyAudit, RecordsOfPoliciesHaveTheirPlace) {
  auto ahead = quiet();
  expect_finding(ahead.state_at(1, kLunch).run({}, 4).audit(), "slot 1: a policy is stated out of place");
  auto within = quiet();
  expect_finding(within.answer(value_of(0, {9, 1})).state(kLunch).close().run({}, 4).audit(),
                 "slot 0: a policy is stated out of place");
}

TEST(PolicyAudit, AWithdrawnPolicyPromisesNothing) {
  auto script = quiet();
  const AuditReport report = script.state(kLunch).run({}, 2).withdraw(kLunch).run({value_of(2, {1, 8})}, 4).audit();
  EXPECT_TRUE(report.holds()) << all_findings_of(report);
  EXPECT_EQ(report.policies, 0u);
  EXPECT_FALSE(report.worst_policy);
}

TEST(PolicyAudit, OneOfTwoEqualPoliciesIsWithdrawn) {
  auto script = quiet();
  const AuditReport report = script.state(kLunch).state(kLunch).withdraw(kLunch).run({value_of(2, {1, 1})}, 4).audit();
  EXPECT_TRUE(report.holds()) << all_findings_of(report);
  EXPECT_EQ(report.policies, 1u);
  EXPECT_EQ(report.worst_policy->loss, 1);
}

TEST(PolicyAudit, NothingIsWithdrawnOnceItHasBegun) {
  auto script = quiet();
  const AuditReport report = script.state(kLunch).run({}, 3).withdraw(kLunch).run({value_of(3, {1, 2})}, 4).audit();
  expect_finding(report, "was withdrawn after its interval began");
  expect_finding(report, "the promise is broken");
  auto within = quiet();
  expect_finding(
      within.state(kLunch).run({}, 2).answer(value_of(2, {1, 2})).withdraw(kLunch).close().run({}, 4).audit(),
      "was withdrawn after its interval began");
}

TEST(PolicyAudit, OnlyWhatWasStatedCanBeWithdrawn) {
  auto script = quiet();
  expect_finding(script.state(kLunch).withdraw(kLunch, "other").run({}, 4).audit(), "withdrawn, but never stated");
  auto twice = quiet();
  expect_finding(twice.state(kLunch).withdraw(kLunch).withdraw(kLunch).run({}, 4).audit(), "never stated");
}

TEST(PolicyAudit, OtherDefinitionsKnowNoPolicies) {
  LedgerScript script(define(Protects::event, 1), expose_one(1));
  expect_finding(script.state(kLunch).run({}, 4).audit(), "the definition knows none");
}

TEST(PolicyAudit, NamesThatDoNotExist) {
  auto signature = quiet();
  expect_finding(signature.state(kLunch, "m", {1}).run({}, 4).audit(), "a signature that does not exist");
  auto series = quiet();
  expect_finding(series.state(shaped({2, 3}, {{{{{SeriesId{5}, {1}}}}}}, 1)).run({}, 4).audit(),
                 "names a series that does not exist");
}

// --- True values and floors ---------------------------------------------------------------------------------------

TEST(PolicyAudit, TrueValuesWhereNoPolicyIsRelevant) {
  auto script = quiet();
  const std::vector<Answer> answers{true_value_of(0), true_value_of(1), value_of(2, {2, 1}), value_of(3, {2, 1}),
                                    true_value_of(4)};
  const AuditReport report = script.state(kLunch).run(answers, 5).audit();
  EXPECT_TRUE(report.holds()) << all_findings_of(report);
  EXPECT_EQ(report.worst_policy->loss, 0.5);
}

TEST(PolicyAudit, ATrueValueWhereAPolicyIsRelevant) {
  auto script = quiet();
  const AuditReport report = script.state(kLunch).run({true_value_of(2)}, 4).audit();
  expect_finding(report, "slot 2: a true value of series a is recorded, where a policy is relevant");
  expect_finding(report, "the promise is broken");
  EXPECT_EQ(report.worst_policy->ratio, std::numeric_limits<double>::infinity());
}

TEST(PolicyAudit, ATrueStatisticTouchesAllItsSlots) {
  Answer deviation = statistic_of(Statistic::deviation, 3, 5, {0, 1});
  deviation.noise = NoiseKind::none;
  auto touching = quiet();
  expect_finding(touching.state(kLunch).run({deviation}, 6).audit(), "slot 5: a true value");
  deviation.first_slot = 4;
  auto beside = quiet();
  EXPECT_TRUE(beside.state(kLunch).run({deviation}, 6).audit().holds());
}

TEST(PolicyAudit, TrueValuesDependOnWhoMayCountWhere) {
  const Exposure exposure = expose({9, 9}, {{0}, {1}});
  const auto with = [&](std::vector<std::uint32_t> signatures, SeriesId series) {
    LedgerScript script(define_swellfish_idle(), exposure);
    return script.state(kLunch, "m", std::move(signatures)).run({true_value_of(2, {series})}, 4).audit();
  };
  EXPECT_FALSE(with({0}, 0).holds());
  EXPECT_TRUE(with({0}, 1).holds());
  EXPECT_FALSE(with({0, 1}, 1).holds());
  EXPECT_FALSE(with({}, 1).holds());
}

TEST(PolicyAudit, AFloorPermitsNoTrueValues) {
  LedgerScript script(define_swellfish(define(Protects::event, 100)), expose_one(1));
  const AuditReport report = script.run({true_value_of(0)}, 1).audit();
  expect_finding(report, "which the definition does not permit");
  expect_finding(report, "slots 0 to 0 lose more than was promised");
}

TEST(PolicyAudit, FloorAndPoliciesAreJudgedBoth) {
  const auto with = [](double floor, double epsilon) {
    LedgerScript script(define_swellfish(define(Protects::w_event, floor, 0, 2)), expose_one(4));
    const std::vector<Answer> answers{value_of(0, {8, 1}), value_of(1, {8, 1}), value_of(2, {8, 1})};
    return script.state(policy_of({0, 2}, 3, 2, epsilon)).run(answers, 3).audit();
  };
  const AuditReport both = with(1, 0.75);
  EXPECT_TRUE(both.holds()) << all_findings_of(both);
  EXPECT_EQ(both.worst_loss, 1);
  EXPECT_EQ(both.measure, "ε");
  EXPECT_EQ(both.worst_policy->loss, 0.75);
  EXPECT_EQ(with(0.9, 0.75).findings_total, 1u);
  EXPECT_EQ(with(1, 0.7).findings_total, 1u);
  EXPECT_EQ(with(0.9, 0.7).findings_total, 2u);
}

// --- Rates --------------------------------------------------------------------------------------------------------

TEST(PolicyAudit, AMeterPaysInAllSeriesItCountsInto) {
  const Exposure exposure = expose({9, 9, 9}, {{0, 1}, {2}});
  const auto loss = [&](const std::vector<Answer>& answers, std::vector<std::uint32_t> signatures) {
    LedgerScript script(define_swellfish_idle(), exposure);
    return script.state(policy_of({0, 0}, 1, 2, 100), "m", std::move(signatures))
        .run(answers, 1)
        .audit()
        .worst_policy->loss;
  };
  const Answer values = value_of(0, {4, 1}, {0, 1, 2});
  EXPECT_EQ(loss({values}, {0}), 1);
  EXPECT_EQ(loss({values}, {1}), 0.5);
  EXPECT_EQ(loss({values}, {}), 1);
  EXPECT_EQ(loss({statistic_of(Statistic::sum, 0, 0, {4, 1}, {0, 1, 2})}, {0}), 1);
  EXPECT_EQ(loss({statistic_of(Statistic::distance, 0, 0, {4, 1}, {1, 2})}, {0}), 0.5);
  EXPECT_EQ(loss({statistic_of(Statistic::deviation, 0, 0, {4, 1}, {0, 1})}, {0}), 2);
}

TEST(PolicyAudit, ALaneIsAboutItsOwnSeries) {
  const Exposure exposure = expose({9, 9}, {{0, 1}, {1}});
  const auto loss = [&](Profile profile, std::vector<std::uint32_t> signatures) {
    LedgerScript script(define_swellfish_idle(), exposure);
    Answer answer = value_of(0, {4, 1}, {0, 1});
    answer.parameter = {{4, 1}, {2, 1}};
    return script.state(shaped({0, 0}, {{std::move(profile)}}, 100), "m", std::move(signatures))
        .run({answer}, 1)
        .audit()
        .worst_policy->loss;
  };
  EXPECT_EQ(loss({{{SeriesId{0}, {3}}}}, {0}), 0.75);
  EXPECT_EQ(loss({{{SeriesId{1}, {3}}}}, {0}), 1.5);
  EXPECT_EQ(loss({{{SeriesId{0}, {3}}}}, {1}), 0) << "a meter that does not count there";
  EXPECT_EQ(loss({{{std::nullopt, {3}}}}, {0}), 2.25);
  EXPECT_EQ(loss({{{SeriesId{0}, {1}}, {SeriesId{1}, {2}}}}, {0}), 1.25);
  EXPECT_EQ(loss({{{std::nullopt, {1}}, {SeriesId{1}, {2}}}}, {0}), 1.75);
}

TEST(PolicyAudit, ASumOverManySeriesReactsToAllOfThemAtOnceInRho) {
  const Exposure exposure = expose({9, 9}, {{0, 1}});
  Answer sum = statistic_of(Statistic::sum, 0, 0, {50, 1}, {0, 1});
  sum.noise = NoiseKind::gaussian;
  LedgerScript script(define_swellfish_idle(1e-4), exposure);
  const AuditReport report = script.state(policy_of({0, 0}, 1, 3, 1)).run({sum}, 1).audit();
  EXPECT_NEAR(std::log(report.worst_policy->loss / zcdp_delta(36 / 100.0, 1)), 0, 1e-6);
}

TEST(PolicyAudit, ASessionIsPaidInEachSlotItTouchesOnce) {
  const auto loss = [](const std::vector<Answer>& answers, Interval interval, std::uint64_t length) {
    return quiet().state(policy_of(interval, length, 1, 100)).run(answers, 5).audit().worst_policy->loss;
  };
  // 1/16 + 2/32 = 1/8 a step.
  std::vector<Answer> distances;
  for (const Slot slot : {1, 1, 2, 3})
    distances.push_back(comparison_of(Statistic::distance, slot, slot, 1, {16, 1}, {32, 1}));
  EXPECT_EQ(loss(distances, {0, 4}, 1), 0.125);
  EXPECT_EQ(loss(distances, {0, 4}, 5), 0.375);
  std::vector<Answer> deviations;
  for (const Slot slot : {1, 2, 3})
    deviations.push_back(comparison_of(Statistic::deviation, 1, slot, 1, {16, 1}, {32, 1}));
  EXPECT_EQ(loss(deviations, {0, 4}, 1), 0.25);
  EXPECT_EQ(loss(deviations, {0, 4}, 5), 0.75);
}

TEST(PolicyAudit, ADeviationSessionInRhoCountsUnequalChanges) {
  // Changes of up to 11 in slot 1 and 1 in slot 2: the session's two comparisons may see 12 together.
  LedgerScript script(define_swellfish_idle(1e-6), expose_one(99));
  script.state(policy_of({1, 1}, 1, 10, 1)).state(policy_of({2, 2}, 1, 1, 1)).state(policy_of({1, 2}, 1, 1, 1));
  std::vector<Answer> answers;
  for (const Slot slot : {1, 2})
    answers.push_back(comparison_of(Statistic::deviation, 1, slot, 1, {1600, 1}, {3200, 1}));
  const AuditReport report = script.run(answers, 3).audit();
  const double e = 2 * (1 / 1600.0 + 2 / 3200.0);
  const double allowed = zcdp_rho(*Epsilon::make(1), *Delta::make(1e-6)).to_double();
  EXPECT_GE(report.worst_policy->ratio * allowed, 144 * e * e / 2);
}

TEST(LossRates, OfAPartOfTheSignaturesAreThoseOfAll) {
  // Ledgers of many signatures are audited in passes, a range of them at a time.
  const Exposure exposure = expose({1, 1, 1}, {{0}, {1}, {1, 2}});
  const std::vector<Answer> answers = {value_of(0, {4, 1}, {0, 1, 2}),
                                       statistic_of(Statistic::sum, 1, 1, {8, 1}, {1, 2}),
                                       comparison_of(Statistic::distance, 2, 2, 1, {6, 1}, {6, 1}, {0, 1, 2})};
  const auto rates_of = [&](audit::SignatureRange range) {
    auto rates = std::make_unique<audit::LossRates>(exposure, true, 3, range, std::vector<SeriesId>());
    for (const Answer& answer : answers) rates->add(answer);
    rates->seal();
    return rates;
  };
  const auto all = rates_of({0, 3});
  EXPECT_GT(all->of_signature(2).at(1), all->of_signature(1).at(1)) << "in two of the series";
  for (std::size_t first = 0; first < 3; ++first) {
    for (std::size_t count = 1; first + count <= 3; ++count) {
      const auto part = rates_of({first, count});
      for (std::size_t g = first; g < first + count; ++g)
        for (Slot slot = 0; slot < 3; ++slot) EXPECT_EQ(part->of_signature(g).at(slot), all->of_signature(g).at(slot));
    }
  }
}

RC_GTEST_PROP(RateColumn, FindsTheLargestWindow, ()) {
  const auto slots = *rc::gen::inRange<std::size_t>(1, 700);
  audit::RateColumn column(slots);
  std::vector<std::uint64_t> rates;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    rates.push_back(*rc::gen::inRange<std::uint64_t>(0, 1000));
    column.add(static_cast<Slot>(slot), static_cast<Slot>(slot), rates.back());
  }
  column.seal();
  for (int i = 0; i < 20; ++i) {
    const Slot first = *rc::gen::inRange<Slot>(0, static_cast<Slot>(slots) + 5);
    const Slot last = *rc::gen::inRange<Slot>(first, static_cast<Slot>(slots) + 10);
    const auto length = *rc::gen::inRange<std::uint64_t>(1, 60);
    std::uint64_t best = 0;
    const auto width = static_cast<Slot>(std::min<std::uint64_t>(length, static_cast<std::uint64_t>(last - first) + 1));
    for (Slot start = first; start + width - 1 <= last; ++start) {
      std::uint64_t sum = 0;
      for (Slot slot = start; slot < start + width && slot < static_cast<Slot>(slots); ++slot)
        sum += rates[static_cast<std::size_t>(slot)];
      best = std::max(best, sum);
    }
    RC_ASSERT(column.largest({first, last}, length) == audit::Units{best});
  }
}

TEST(PolicyAudit, ManyMetersManyFindings) {
  auto script = quiet();
  for (int i = 0; i < 100; ++i) script.state(policy_of({0, 1}, 1, 1, 0.1), "m" + std::to_string(i));
  const AuditReport report = script.run({value_of(0, {2, 1})}, 2).audit();
  EXPECT_EQ(report.findings_total, 100u);
  EXPECT_EQ(report.findings.size(), AuditReport::kFindingsMax);
}

// --- Stated rates -------------------------------------------------------------------------------------------------

std::vector<ReleaseRecord> rows_with_rates(const std::vector<double>& rates) {
  std::vector<ReleaseRecord> rows;
  for (std::size_t slot = 0; slot < rates.size(); ++slot) {
    ReleaseRecord& row = rows.emplace_back();
    row.slot = static_cast<Slot>(slot);
    row.loss_rate = rates[slot];
    row.scale = 1 / rates[slot];
  }
  return rows;
}

AuditReport audit_stated(const std::vector<double>& rates, const Definition& definition,
                         const std::vector<Policy>& policies, double unit_step = 1) {
  PolicyBook book;
  for (const Policy& policy : policies) book.add(book.meter("m"), policy);
  const auto report = audit_stated_rates(source_of(rows_with_rates(rates)), definition, expose_one(1), book, unit_step);
  EXPECT_TRUE(report) << reason(report);
  return report ? *report : AuditReport{};
}

TEST(StatedRates, OfPolicies) {
  const std::vector<Policy> policies{policy_of({1, 4}, 1, 1, 1), policy_of({1, 2}, 1, 1, 1),
                                     policy_of({3, 4}, 1, 1, 1)};
  const std::vector<double> rates(5, 0.5);
  const AuditReport report = audit_stated(rates, define_swellfish_idle(), policies);
  EXPECT_NEAR(report.worst_policy->loss, 1.5, 1e-8);
  expect_finding(report, "the promise is broken");
  EXPECT_TRUE(audit_stated(std::vector<double>(5, 1 / 3.0), define_swellfish_idle(), policies).holds());
  // Per unit of 1/2: a step is half a unit.
  EXPECT_NEAR(audit_stated(rates, define_swellfish_idle(), policies, 0.5).worst_policy->loss, 0.75, 1e-8);
}

TEST(StatedRates, OfPoliciesAndAFloor) {
  const Definition definition = define_swellfish(define(Protects::event, 0.4));
  const AuditReport report = audit_stated({0.5, 0.5}, definition, {policy_of({0, 1}, 2, 1, 1)});
  EXPECT_EQ(report.findings_total, 1u) << all_findings_of(report);
  expect_finding(report, "slots 0 to 0 lose more");
  EXPECT_NEAR(report.worst_policy->ratio, 1, 1e-8);
}

TEST(StatedRates, OfTrueValues) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Policy> policies{policy_of({1, 2}, 1, 1, 1)};
  EXPECT_TRUE(audit_stated({inf, 0.5, 0.5, inf}, define_swellfish_idle(), policies).holds());
  expect_finding(audit_stated({inf, 0.5, inf, 0}, define_swellfish_idle(), policies), "slot 2: a true value is stated");
  expect_finding(audit_stated({inf}, define_swellfish(define(Protects::event, 1)), {}),
                 "which the definition does not permit");
}

TEST(StatedRates, NeedPoliciesForSwellfishAndForNothingElse) {
  EXPECT_FALSE(audit_stated_rates(source_of({}), define_swellfish_idle(), expose_one(1), 1));
  EXPECT_FALSE(audit_stated_rates(source_of({}), define(Protects::event, 1), expose_one(1), PolicyBook{}, 1));
}

}  // namespace
}  // namespace fugu::test
