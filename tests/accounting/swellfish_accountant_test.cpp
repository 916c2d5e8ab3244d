// The accountant of policies against a reference that tries every placement of every policy.
#include "../core/src/accounting/swellfish_accountant.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "fugu/accounting/policy_accountant.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "random_requests.hpp"
#include "support/builders.hpp"
#include "support/policies.hpp"

namespace fugu::test {
namespace {

constexpr long double kMargin = 1e-6L;
constexpr double kEpsilon = 1;

Definition swellfish(double delta, std::shared_ptr<const Definition> floor = nullptr) {
  return *Definition::make({.protects = Protects::swellfish,
                            .epsilon = PromisedEpsilon::of_each_policy(),
                            .delta = *Delta::make(delta),
                            .floor = floor,
                            .exact_when_idle = floor == nullptr});
}

Policy box(Slot first, Slot last, std::uint64_t length, std::uint64_t magnitude, double epsilon = kEpsilon) {
  return {{first, last}, length, magnitude, Budget::round_down(epsilon)};
}

/// Rates by slot of each set of series, added up answer by answer, and losses by trying all placements.
class Reference {
 public:
  Reference(const Exposure& exposure, bool pure) : exposure_(exposure), pure_(pure) {}

  void add(const Answer& answer) {
    Slot first = answer.first_slot;
    std::uint64_t factor = 1;
    if (answer.is_comparison()) {
      const auto [found, is_new] = sessions_.try_emplace(answer.session, answer.first_slot, answer.slot);
      if (!is_new) first = std::max(first, found->second.second + 1);
      found->second.second = answer.slot;
      const auto reached = static_cast<std::uint64_t>(answer.slot - found->second.first) + 1;
      if (answer.statistic == Statistic::deviation) factor = reached * (reached + 1);
    } else {
      factor = static_cast<std::uint64_t>(answer.slot - answer.first_slot) + 1;
    }
    for (Slot slot = first; slot <= answer.slot; ++slot) parts_[slot].push_back({answer, static_cast<double>(factor)});
  }

  /// Σ over answers of what a change of one step in all of `series` loses in this slot.
  long double rate(const std::vector<SeriesId>& series, Slot slot) const {
    long double total = 0;
    const auto found = parts_.find(slot);
    if (found == parts_.end()) return 0;
    for (const auto& [answer, factor] : found->second) {
      long double count = 0;
      for (std::size_t i = 0; i < answer.series.size(); ++i) {
        if (std::find(series.begin(), series.end(), answer.series[i]) == series.end()) continue;
        if (answer.statistic == Statistic::value) {
          total += loss(answer, 1, answer.parameter_of(i), factor);
        } else {
          ++count;
        }
      }
      if (count > 0)
        total += loss(answer, count * static_cast<long double>(gain(answer.statistic)), answer.parameter[0], factor);
    }
    return total;
  }

  /// The most that policy `phi` of these loses, its meter counting into `series`.
  long double worst(const std::vector<Policy>& collection, const Policy& phi,
                    const std::vector<SeriesId>& series) const {
    long double total = 0;
    for (const Policy& psi : collection) {
      if (!psi.interval.overlaps(phi.interval)) continue;
      if (pure_) {
        total += psi.shape ? worst_shape(psi, phi.interval, series)
                           : worst_box(psi.interval, psi.length_slots, phi.interval, series) *
                                 static_cast<long double>(psi.magnitude_steps);
        continue;
      }
      for (const Policy& chi : collection) {  // ordered pairs, with itself
        const Interval both = common(psi.interval, chi.interval);
        if (both.first > both.last || !both.overlaps(phi.interval)) continue;
        total +=
            worst_box(common(both, phi.interval), std::min(psi.length_slots, chi.length_slots), phi.interval, series) *
            static_cast<long double>(psi.magnitude_steps) * static_cast<long double>(chi.magnitude_steps);
      }
    }
    return total;
  }

 private:
  long double loss(const Answer& answer, long double change, Rational p, double factor) const {
    const long double parameter = p.to_double();
    if (answer.noise == NoiseKind::gaussian && !answer.is_comparison())
      return pure_ ? 1e30L : change * change * factor / (2 * parameter);
    long double e = change / parameter;
    if (answer.is_comparison()) e += 2 * change / static_cast<long double>(answer.parameter[1].to_double());
    return pure_ ? e : e * e * factor / 2;
  }
  long double worst_box(const Interval& interval, std::uint64_t length, const Interval& within,
                        const std::vector<SeriesId>& series) const {
    long double worst = 0;
    const Slot longest = static_cast<Slot>(std::min(length, interval.slots()));
    for (Slot start = interval.first; start + longest - 1 <= interval.last; ++start) {
      long double sum = 0;
      for (Slot slot = start; slot < start + longest; ++slot) {
        if (within.contains(slot)) sum += rate(series, slot);
      }
      worst = std::max(worst, sum);
    }
    return worst;
  }
  long double worst_shape(const Policy& psi, const Interval& within, const std::vector<SeriesId>& series) const {
    long double worst = 0;
    for (const Profile& profile : psi.shape->alternatives) {
      const auto length = static_cast<Slot>(profile.lanes[0].steps.size());
      for (Slot start = psi.interval.first; start + length - 1 <= psi.interval.last; ++start) {
        long double sum = 0;
        for (const Lane& lane : profile.lanes) {
          for (Slot k = 0; k < length; ++k) {
            if (!within.contains(start + k)) continue;
            const std::vector<SeriesId> touched = lane.series ? std::vector<SeriesId>{*lane.series} : series;
            sum += static_cast<long double>(lane.steps[static_cast<std::size_t>(k)]) * rate(touched, start + k);
          }
        }
        worst = std::max(worst, sum);
      }
    }
    return worst;
  }

  Exposure exposure_;
  bool pure_;
  std::map<Slot, std::vector<std::pair<Answer, double>>> parts_;
  std::map<std::uint64_t, std::pair<Slot, Slot>> sessions_;
};

Policy random_policy(Slot now, const std::vector<SeriesId>& series, bool shapes) {
  const Slot first = now + 1 + *rc::gen::inRange<Slot>(0, 10);
  const Slot last = first + *rc::gen::inRange<Slot>(0, 9);
  const auto length = *rc::gen::inRange<std::uint64_t>(1, static_cast<std::uint64_t>(last - first) + 2);
  Policy policy = box(first, last, length, *rc::gen::inRange<std::uint64_t>(1, 12),
                      *rc::gen::elementOf(std::vector<double>{0.3, 1, 2.5}));
  if (!shapes || *rc::gen::inRange(0, 3) != 0) return policy;
  auto shape = std::make_shared<Shape>();
  const int alternatives = *rc::gen::inRange(1, 3);
  policy.magnitude_steps = 1;
  for (int a = 0; a < alternatives; ++a) {
    Profile& profile = shape->alternatives.emplace_back();
    const int lanes = *rc::gen::inRange(1, 3);
    for (int i = 0; i < lanes; ++i) {
      Lane& lane = profile.lanes.emplace_back();
      if (!series.empty() && *rc::gen::arbitrary<bool>()) lane.series = *rc::gen::elementOf(series);
      for (std::uint64_t k = 0; k < length; ++k) {
        lane.steps.push_back(*rc::gen::inRange<std::uint64_t>(0, 9));
        policy.magnitude_steps = std::max(policy.magnitude_steps, lane.steps.back());
      }
    }
  }
  policy.shape = shape;
  return policy;
}

struct Meter {
  std::string name;
  std::vector<std::uint32_t> signatures;  // empty: any
  std::vector<Policy> policies;
};

/// The series that the meter counts into whichever signature it has.
std::vector<SeriesId> certain_series(const Meter& meter, const Exposure& exposure) {
  if (!meter.signatures.empty()) return exposure.signature(meter.signatures[0]);
  return exposure.signature_count() == 1 ? exposure.signature(0) : std::vector<SeriesId>();
}

long double allowed(const Policy& policy, double delta) {
  if (delta == 0) return policy.epsilon.to_double();
  return zcdp_rho(*Epsilon::make(policy.epsilon.to_double()), *Delta::make(delta)).to_double();
}

/// The largest loss over its limit, of all policies of all meters.
long double worst_ratio(const Reference& reference, const std::vector<Meter>& meters, const Exposure& exposure,
                        double delta) {
  long double worst = 0;
  for (const Meter& meter : meters) {
    for (std::uint32_t g = 0; g < exposure.signature_count(); ++g) {
      if (!meter.signatures.empty() &&
          std::find(meter.signatures.begin(), meter.signatures.end(), g) == meter.signatures.end())
        continue;
      for (const Policy& phi : meter.policies)
        worst = std::max(worst, reference.worst(meter.policies, phi, exposure.signature(g)) / allowed(phi, delta));
    }
  }
  return worst;
}

RC_GTEST_PROP(SwellfishAccountant, AdmitsNothingThatBreaksAPolicyAndRefusesNothingThatFits, ()) {
  const double delta = *rc::gen::elementOf(std::vector<double>{0, 0, 1e-6});
  const Exposure exposure = random_exposure(25);
  const auto reach = *rc::gen::inRange<std::uint64_t>(0, 4);
  const Definition definition = swellfish(delta);
  const auto accountant = make_policy_accountant(definition, exposure, {reach});
  RandomRequests requests(definition, exposure, delta == 0 ? 1.0 : 0.05, reach);
  Reference committed(exposure, delta == 0);
  std::vector<Meter> meters(*rc::gen::inRange<std::size_t>(1, 4));
  for (std::size_t i = 0; i < meters.size(); ++i) {
    meters[i].name = "m" + std::to_string(i);
    if (*rc::gen::arbitrary<bool>())
      meters[i].signatures = {
          *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(exposure.signature_count()))};
  }
  int admitted = 0;
  int refused = 0;
  for (Slot slot = 0; slot < 16; ++slot) {
    // Policies come and go before the slot begins.
    const int stated = *rc::gen::inRange(0, slot == 0 ? 6 : 2);
    for (int i = 0; i < stated; ++i) {
      Meter& meter = meters[*rc::gen::inRange<std::size_t>(0, meters.size())];
      const Policy policy = random_policy(slot - 1, certain_series(meter, exposure), delta == 0);
      RC_ASSERT(accountant->state(meter.name, meter.signatures, policy).has_value());
      meter.policies.push_back(policy);
    }
    if (*rc::gen::inRange(0, 6) == 0 && !meters[0].policies.empty()) {
      const Policy policy = *rc::gen::elementOf(meters[0].policies);
      const bool begun = policy.interval.first < slot;
      RC_ASSERT(accountant->withdraw(meters[0].name, policy).has_value() == !begun);
      if (!begun) meters[0].policies.erase(std::find(meters[0].policies.begin(), meters[0].policies.end(), policy));
    }
    accountant->advance(slot);
    const int asked = *rc::gen::inRange(0, 3);
    for (int i = 0; i < asked; ++i) {
      const Answer answer = requests.next(slot);
      const Budget before = accountant->available();
      Reference with = committed;
      with.add(answer);
      const long double worst = worst_ratio(with, meters, exposure, delta);
      const auto verdict = accountant->admit(answer);
      RC_ASSERT(accountant->available() == before);
      if (verdict) {
        RC_ASSERT(worst <= 1 + 1e-12L);
        accountant->commit();
        committed = with;
        ++admitted;
      } else {
        RC_ASSERT(worst > 1 - kMargin);
        if (answer.is_comparison()) requests.end_session(answer.session);
        ++refused;
      }
    }
  }
  // Of fewer series no less. Last: looking at series one by one looks more closely at shapes, whose room is estimated.
  std::vector<Budget> of_series;
  for (SeriesId series = 0; series < exposure.series_count(); ++series)
    of_series.push_back(accountant->available({&series, 1}));
  RC_ASSERT(accountant->available() <= *std::min_element(of_series.begin(), of_series.end()));
  RC_CLASSIFY(admitted > 0 && refused > 0, "both admitted and refused");
}

// Long enough that policies fall asleep, wake by sum or by rate, settle, and end.
RC_GTEST_PROP(SwellfishAccountant, TheIndexDecidesAsTheExactLossDoes, ()) {
  const double delta = *rc::gen::elementOf(std::vector<double>{0, 0, 1e-6});
  const Exposure exposure = random_exposure(25);
  const auto reach = *rc::gen::elementOf(std::vector<std::uint64_t>{0, 0, 3});
  const bool shapes = delta == 0 && *rc::gen::inRange(0, 3) == 0;
  const Definition definition = swellfish(delta);
  SwellfishAccountant indexed(definition, exposure, {reach});
  SwellfishAccountant exact(definition, exposure, {reach}, SwellfishAccountant::Decides::exact_loss);
  RandomRequests requests(definition, exposure, *rc::gen::elementOf(std::vector<double>{0.001, 0.05, 1}), reach);
  std::vector<Policy> stated;
  const auto both = [&](auto&& call) {
    const bool first = call(indexed).has_value();
    RC_ASSERT(call(exact).has_value() == first);
    return first;
  };
  int admitted = 0;
  int refused = 0;
  for (Slot slot = 0; slot < 40; ++slot) {
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
      stated.push_back(random_policy(
          slot - 1, exposure.signature_count() == 1 ? exposure.signature(0) : std::vector<SeriesId>(), shapes));
      RC_ASSERT(both([&](SwellfishAccountant& each) { return each.state("m", {}, stated.back()); }));
    }
    if (!stated.empty() && *rc::gen::inRange(0, 4) == 0) {
      const Policy policy = *rc::gen::elementOf(stated);
      both([&](SwellfishAccountant& each) { return each.withdraw("m", policy); });
    }
    indexed.advance(slot);
    exact.advance(slot);
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const Answer answer = requests.next(slot);
      const bool fits = both([&](SwellfishAccountant& each) { return each.charge(answer); });
      if (!fits && answer.is_comparison()) requests.end_session(answer.session);
      ++(fits ? admitted : refused);
    }
  }
  RC_CLASSIFY(admitted > 0 && refused > 0, "both admitted and refused");
}

/// A request of the only series at a rate of `share` per step.
Answer request_at(double share, Slot slot) {
  Answer answer;
  answer.slot = answer.first_slot = slot;
  answer.series = {0};
  answer.parameter = {{std::uint64_t{1} << 58, static_cast<std::uint64_t>(share * 0x1p58)}};
  answer.values = {0};
  return answer;
}

TEST(SwellfishAccountant, ThreeSecretsOfWhichTwoLieInTheThird) {
  // p = 1, T = 1, ε = 1 in [1,4], [1,2], [3,4]: the printed rule gives scale 2; the loss over [1,4] is then 3 · ½.
  const auto accountant = make_policy_accountant(swellfish(0), expose_one(1));
  for (const Policy& policy : {box(1, 4, 1, 1), box(1, 2, 1, 1), box(3, 4, 1, 1)})
    ASSERT_TRUE(accountant->state("m", {}, policy));
  for (Slot slot = 0; slot <= 2; ++slot) {
    accountant->advance(slot);
    ASSERT_TRUE(accountant->admit(request_at(slot == 0 ? 7 : 0.5, slot)));
    accountant->commit();
  }
  accountant->advance(3);
  EXPECT_EQ(accountant->available().units(), 0u);  // 2 · ½ of the first two, and nothing is left for the third
  EXPECT_FALSE(accountant->admit(request_at(0.001, 3)));
}

TEST(SwellfishAccountant, APolicyWithAShapeSaysWhatIsLeft) {
  const auto accountant = make_policy_accountant(swellfish(0), expose_one(1));
  ASSERT_TRUE(accountant->state("m", {}, shaped({0, 1}, {{{{{std::nullopt, {2}}}}}}, 1)));
  accountant->advance(0);
  EXPECT_NEAR(accountant->available().to_double(), 0.5, 1e-9);  // two steps of it are the whole ε
  ASSERT_TRUE(accountant->admit(request_at(0.5, 0)));
  accountant->commit();
  EXPECT_EQ(accountant->available().units(), 0u);
}

TEST(SwellfishAccountant, UnderDeltaItSaysWhatIsLeftToo) {
  // The rest is all that fits at full sensitivity, whatever that is; a policy of three steps allows more.
  for (const std::uint64_t sensitivity : {3u, 30u}) {
    const auto accountant = make_policy_accountant(swellfish(1e-6), expose_one(sensitivity));
    ASSERT_TRUE(accountant->state("m", {}, box(0, 1, 1, 3)));
    accountant->advance(0);
    const double rho = accountant->available().to_double();
    const double largest = static_cast<double>(sensitivity) / 3;
    EXPECT_NEAR(rho / (zcdp_rho(*Epsilon::make(kEpsilon), *Delta::make(1e-6)).to_double() * largest * largest), 1,
                1e-6);
    const auto with_variance = [&](double variance) {
      Answer answer = request_at(1, 0);
      answer.noise = NoiseKind::gaussian;
      answer.parameter = {{static_cast<std::uint64_t>(variance * 1e9), 1'000'000'000}};
      return answer;
    };
    const double least_variance = static_cast<double>(sensitivity * sensitivity) / (2 * rho);
    EXPECT_FALSE(accountant->admit(with_variance(least_variance * 0.999)));
    ASSERT_TRUE(accountant->admit(with_variance(least_variance * 1.001)));
    accountant->commit();
    EXPECT_LT(accountant->available().to_double(), 0.01 * rho);
  }
}

TEST(SwellfishAccountant, UnderDeltaAProfileChangesEachSeriesInOneWay) {
  const Exposure exposure = expose({1, 1}, {{0, 1}});
  const auto is_accountable = [&](double delta, std::vector<Lane> lanes) {
    const Policy policy = shaped({0, 1}, Shape{{Profile{std::move(lanes)}}}, 1);
    return check_accountable(swellfish(delta), exposure, {}, policy).has_value();
  };
  const Lane all{std::nullopt, {1, 0}};
  const Lane first{SeriesId{0}, {1, 0}};
  const Lane second{SeriesId{1}, {1, 0}};
  for (const double delta : {0.0, 1e-6}) {
    EXPECT_TRUE(is_accountable(delta, {all}));
    EXPECT_TRUE(is_accountable(delta, {first}));
    EXPECT_TRUE(is_accountable(delta, {first, second}));
    EXPECT_EQ(is_accountable(delta, {first, first}), delta == 0);
    EXPECT_EQ(is_accountable(delta, {all, second}), delta == 0);
  }
}

TEST(SwellfishAccountant, MagnitudesHaveALargest) {
  const auto is_accountable = [](double delta, std::uint64_t magnitude_steps) {
    return check_accountable(swellfish(delta), expose_one(1), {}, box(0, 1, 1, magnitude_steps)).has_value();
  };
  EXPECT_TRUE(is_accountable(0, kMagnitudeStepsMax));
  EXPECT_FALSE(is_accountable(0, kMagnitudeStepsMax + 1));
  EXPECT_TRUE(is_accountable(1e-6, std::uint64_t{1} << 31));
  EXPECT_FALSE(is_accountable(1e-6, (std::uint64_t{1} << 31) + 1));
}

TEST(SwellfishAccountant, TrueValuesOnlyWhereNothingIsRelevant) {
  const auto accountant = make_policy_accountant(swellfish(0), expose({1, 1}, {{0}, {1}}));
  const std::vector<std::uint32_t> first{0};
  ASSERT_TRUE(accountant->state("m", first, box(1, 1, 1, 1)));
  Answer answer;
  answer.noise = NoiseKind::none;
  answer.parameter = {{0, 1}};
  answer.values = {0};
  for (const auto& [slot, series, permitted] :
       {std::tuple<Slot, SeriesId, bool>{0, 0, true}, {1, 0, false}, {1, 1, true}, {2, 0, true}}) {
    accountant->advance(slot);
    answer.slot = answer.first_slot = slot;
    answer.series = {series};
    EXPECT_EQ(accountant->idle(series), permitted);
    EXPECT_EQ(accountant->admit(answer).has_value(), permitted) << slot << " " << series;
  }
}

TEST(SwellfishAccountant, TheFloorHoldsBesidesThePolicies) {
  const auto floor = std::make_shared<const Definition>(define(Protects::event, 2));
  const auto accountant = make_policy_accountant(swellfish(0, floor), expose_one(10));
  ASSERT_TRUE(accountant->state("m", {}, box(1, 2, 1, 1)));
  accountant->advance(0);
  EXPECT_DOUBLE_EQ(accountant->available().to_double(), 2);
  EXPECT_FALSE(accountant->admit(request_at(0.3, 0)));  // 10 · 0.3 > 2
  EXPECT_TRUE(accountant->admit(request_at(0.1875, 0)));
  accountant->commit();
  EXPECT_DOUBLE_EQ(accountant->available().to_double(), 0.125);
  accountant->advance(1);
  EXPECT_DOUBLE_EQ(accountant->available().to_double(), 2);  // the policy alone would allow 10
}

TEST(SwellfishAccountant, RatesTooLargeToCountAreRefused) {
  // With a magnitude of one step and a large ε, window sums come near what 64 bits hold.
  struct Case {
    double delta;
    double epsilon;
    Rational parameter;  // of the answers
  };
  for (const Case& each :
       {Case{0, 100, {1, 32}}, Case{0, 60, {1, 32}}, Case{1e-6, 10, {1, 1}}, Case{1e-6, 10, {4, 1}}}) {
    const auto accountant = make_policy_accountant(swellfish(each.delta), expose_one(1));
    ASSERT_TRUE(accountant->state("m", {}, box(0, 999, 1000, 1, each.epsilon)));
    long double spent = 0;
    for (Slot slot = 0; slot < 1000; ++slot) {
      accountant->advance(slot);
      Answer answer = request_at(1, slot);
      answer.noise = each.delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace;
      answer.parameter = {each.parameter};
      if (!accountant->admit(answer)) break;
      accountant->commit();
      const long double p = each.parameter.to_double();
      spent += each.delta > 0 ? 1 / (2 * p) : 1 / p;
    }
    EXPECT_LE(spent, allowed(box(0, 999, 1000, 1, each.epsilon), each.delta)) << each.epsilon;
  }
}

TEST(SwellfishAccountant, WindowsAreExactWhereAllTogetherExceed64Bits) {
  // One step, ε = 20: each slot may lose 20, and 20 slots together lose more than 64 bits hold.
  const auto accountant = make_policy_accountant(swellfish(0), expose_one(1));
  ASSERT_TRUE(accountant->state("m", {}, box(0, 40, 1, 1, 20)));
  for (Slot slot = 0; slot < 20; ++slot) {
    accountant->advance(slot);
    ASSERT_TRUE(accountant->charge(request_at(19, slot)));
  }
  ASSERT_TRUE(accountant->state("m", {}, box(30, 40, 1, 1, 100)));  // what it overlaps is computed afresh
  accountant->advance(20);
  EXPECT_FALSE(accountant->charge(request_at(20.5, 20)));
  EXPECT_TRUE(accountant->charge(request_at(20, 20)));
  accountant->advance(30);
  EXPECT_FALSE(accountant->charge(request_at(0.5, 30)));  // 20 of the past, and this for the other
}

TEST(SwellfishAccountant, AWindowThatExceeds64BitsIsNotTakenForASmallOne) {
  // 16 slots at 60 are 960 of ε = 1000: more than 64 bits hold, and 0 when cut to them.
  const auto accountant = make_policy_accountant(swellfish(0), expose_one(1));
  ASSERT_TRUE(accountant->state("m", {}, box(0, 99, 30, 1, 1000)));
  const auto answer_at = [](std::uint64_t rate, Slot slot) {
    Answer answer = request_at(1, slot);
    answer.parameter = {{1, rate}};
    return answer;
  };
  for (Slot slot = 0; slot < 16; ++slot) {
    accountant->advance(slot);
    ASSERT_TRUE(accountant->charge(answer_at(60, slot)));
  }
  accountant->advance(50);
  ASSERT_TRUE(accountant->state("m", {}, box(55, 99, 30, 1, 1000)));
  accountant->advance(60);
  EXPECT_FALSE(accountant->charge(answer_at(45, 60)));  // 960 of the first, and 45 of the second
}

TEST(SwellfishAccountant, APolicyThatSleepsUntilARateIsLargeWakesForIt) {
  const auto accountant = make_policy_accountant(swellfish(0), expose_one(1));
  ASSERT_TRUE(accountant->state("m", {}, box(0, 99, 1, 1)));
  for (Slot slot = 0; slot < 10; ++slot) {  // more than ε together, and never in one slot
    accountant->advance(slot);
    ASSERT_TRUE(accountant->charge(request_at(0.5, slot)));
  }
  accountant->advance(10);
  EXPECT_FALSE(accountant->charge(request_at(1.5, 10)));
  EXPECT_TRUE(accountant->charge(request_at(0.75, 10)));
  EXPECT_FALSE(accountant->charge(request_at(0.5, 10)));  // besides what the slot has lost already
}

TEST(SwellfishAccountant, ANeighbourThatEndedCountsOnceAlsoAfterARefusal) {
  const auto accountant = make_policy_accountant(swellfish(0), expose_one(1));
  ASSERT_TRUE(accountant->state("m", {}, box(0, 9, 1, 1)));
  ASSERT_TRUE(accountant->state("m", {}, box(1, 3, 1, 1, 10)));
  accountant->advance(3);
  ASSERT_TRUE(accountant->charge(request_at(0.25, 3)));
  ASSERT_FALSE(accountant->charge(request_at(0.5, 3)));  // 2 · 0.75: the first is awake now
  accountant->advance(4);
  EXPECT_FALSE(accountant->charge(request_at(0.9, 4)));  // and 0.25 of the neighbour
  EXPECT_TRUE(accountant->charge(request_at(0.7, 4)));
  accountant->advance(5);
  EXPECT_FALSE(accountant->charge(request_at(0.8, 5)));
}

RC_GTEST_PROP(SwellfishAccountant, APolicyBeginsInItsSlotWhateverElseIsStatedOrTakenBack, ()) {
  // Near ones and far ones, in any order; one that is taken back may be the one that its meter waits for.
  const auto accountant = make_policy_accountant(swellfish(0), expose_one(1));
  std::vector<std::pair<std::string, Policy>> kept;
  for (Slot slot = 0; slot < 1500; ++slot) {
    const int stated = slot == 0 ? 8 : slot % 50 == 0 ? 2 : 0;
    for (int i = 0; i < stated; ++i) {
      const Slot first = slot + *rc::gen::element<Slot>(0, 1, 3, 20, 255, 256, 257, 700);
      kept.emplace_back(*rc::gen::element<std::string>("a", "b"),
                        box(first, first + *rc::gen::inRange<Slot>(0, 4), 1, 1));
      RC_ASSERT(accountant->state(kept.back().first, {}, kept.back().second).has_value());
    }
    if (stated > 0 && !kept.empty()) {
      const auto gone = kept.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(kept));
      if (accountant->withdraw(gone->first, gone->second)) kept.erase(gone);
    }
    accountant->advance(slot);
    const bool relevant =
        std::any_of(kept.begin(), kept.end(), [&](const auto& each) { return each.second.interval.contains(slot); });
    RC_ASSERT(accountant->idle(0) == !relevant);
  }
}

TEST(SwellfishAccountant, AMeterCannotMoveToOtherSeries) {
  const auto accountant = make_policy_accountant(swellfish(0), expose({1, 1}, {{0}, {1}}));
  const std::vector<std::uint32_t> first{0};
  const std::vector<std::uint32_t> second{1};
  const std::vector<std::uint32_t> unknown{7};
  ASSERT_TRUE(accountant->state("m", first, box(1, 1, 1, 1)));
  for (const auto& signatures : {second, unknown}) {
    const auto moved = accountant->state("m", signatures, box(2, 2, 1, 1));
    ASSERT_FALSE(moved);
    EXPECT_EQ(moved.error().cause, Cause::bad_input);
  }
}

TEST(SwellfishAccountant, AnIntervalThatHasBegunCannotBeChanged) {
  const auto accountant = make_policy_accountant(swellfish(0), expose_one(1));
  accountant->advance(4);
  const auto late = accountant->state("m", {}, box(4, 6, 1, 1));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().cause, Cause::refused);
  ASSERT_TRUE(accountant->state("m", {}, box(5, 6, 1, 1)));
  accountant->advance(5);
  EXPECT_FALSE(accountant->withdraw("m", box(5, 6, 1, 1)));
}

}  // namespace
}  // namespace fugu::test
