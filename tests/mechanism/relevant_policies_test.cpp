// The set of relevant policies against looking through the whole book in every slot.
#include "fugu/strategy/relevant_policies.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <tuple>

#include "fugu/strategy/tenat.hpp"
#include "support/swellfish_reference.hpp"

namespace fugu::test {
namespace {

/// Slots from here on, far enough for the agenda's distant future.
constexpr std::array<Slot, 3> kOrigins{0, 250, 1'000'000};

struct Change {
  Slot at = 0;  // before this slot is asked about
  MeterId meter = 0;
  Policy policy;
  bool withdraw = false;
};

/// Policies that become known at any time before they begin; some are taken back.
std::vector<Change> random_changes(Slot origin) {
  std::vector<Change> changes;
  const PolicyBook book = random_book();
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    for (Policy policy : book.of(meter).policies()) {
      const Slot known = any_in<Slot>(0, policy.interval.first + 1);
      policy.interval.first += origin;
      policy.interval.last += origin;
      changes.push_back({known + origin, meter, policy, false});
      if (any_in(0, 4) != 0) continue;
      const Slot gone = any_in<Slot>(known, policy.interval.first - origin + 1);
      changes.push_back({gone + origin, meter, policy, true});
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  return changes;
}

using Seen = std::tuple<MeterId, Slot, Slot, std::uint64_t, double, std::uint64_t, double>;

RC_GTEST_PROP(RelevantPolicies, AreThoseThatALookThroughTheBookFinds, ()) {
  const Slot origin = *rc::gen::elementOf(kOrigins);
  const auto changes = random_changes(origin);
  PolicyBook known = book_of({{}, {}, {}});
  RelevantPolicies relevant(RelevantPolicies::Affected::counted);
  std::vector<std::vector<double>> spent(3, std::vector<double>(31, 0));
  std::size_t next = 0;
  for (Slot slot = origin; slot <= origin + 30; ++slot) {
    for (; next < changes.size() && changes[next].at <= slot; ++next) {
      const Change& change = changes[next];
      if (change.withdraw) {
        RC_ASSERT(relevant.withdraw(change.meter, change.policy));
        known.remove(change.meter, change.policy);
      } else {
        relevant.add(change.meter, change.policy);
        known.add(change.meter, change.policy);
      }
    }
    relevant.advance(slot);
    std::vector<Seen> expected;
    for (MeterId meter = 0; meter < 3; ++meter) {
      const Collection& collection = known.of(meter);
      collection.for_overlapping({slot, slot}, [&](const Policy& phi) {
        double lost = 0;
        for (Slot t = phi.interval.first; t < slot; ++t) lost += spent[meter][static_cast<std::size_t>(t - origin)];
        expected.emplace_back(meter, phi.interval.first, phi.interval.last, phi.length_slots, phi.epsilon.to_double(),
                              affected_slots(collection, phi), lost);
      });
      if (meter < relevant.meter_count())
        RC_ASSERT(relevant.sensitivity_steps(meter) == temporal_sensitivity_steps(collection, slot));
    }
    RC_ASSERT(relevant.largest_sensitivity_steps() == temporal_sensitivity_steps(known, slot));
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < relevant.size(); ++i) {
      const Interval interval = relevant.interval(i);
      seen.emplace_back(relevant.meter(i), interval.first, interval.last, relevant.length_slots(i), relevant.epsilon(i),
                        relevant.affected_slots(i), relevant.spent(i));
    }
    std::sort(expected.begin(), expected.end());
    std::sort(seen.begin(), seen.end());
    RC_ASSERT(seen == expected);
    const double rate = *rc::gen::element(0.0, 0.25, 2.0);
    relevant.record_spent(rate);
    for (MeterId meter = 0; meter < 3; ++meter) {
      spent[meter][static_cast<std::size_t>(slot - origin)] =
          rate * static_cast<double>(temporal_sensitivity_steps(known.of(meter), slot));
    }
  }
}

TEST(RelevantPolicies, KnowsWhatItWasNotTold) {
  RelevantPolicies relevant(RelevantPolicies::Affected::counted);
  EXPECT_FALSE(relevant.withdraw(0, policy_of(0, 1, 1, 1)));
  relevant.add(0, policy_of(5, 9, 2, 3));
  EXPECT_FALSE(relevant.withdraw(0, policy_of(5, 9, 2, 4)));
  relevant.advance(5);
  EXPECT_FALSE(relevant.withdraw(0, policy_of(5, 9, 2, 3)));  // it has begun
}

TEST(RelevantPolicies, CountsAnsweredSlotsSinceTheIntervalBegan) {
  RelevantPolicies relevant(RelevantPolicies::Affected::counted);
  relevant.add(0, policy_of(0, 9, 2, 3));
  relevant.add(0, policy_of(2, 9, 2, 3));
  for (Slot slot = 0; slot < 4; ++slot) {
    relevant.advance(slot);
    relevant.record_spent(slot == 1 ? 0 : 0.5);
  }
  EXPECT_EQ(relevant.answered_slots(0), 3u);
  EXPECT_EQ(relevant.answered_slots(1), 2u);
  EXPECT_DOUBLE_EQ(relevant.spent(0), 1.5 + 3 + 3);
}

TEST(RelevantPolicies, TheChangeFollowsTheSensitivity) {
  RelevantPolicies relevant(RelevantPolicies::Affected::ignored, RelevantPolicies::Loss::squared);
  relevant.add(0, policy_of(0, 2, 1, 3));
  relevant.add(0, policy_of(1, 3, 1, 4));
  for (const auto& [slot, change] : {std::pair<Slot, double>{0, 9}, {1, 49}, {2, 49}, {3, 16}, {4, 0}}) {
    relevant.advance(slot);
    EXPECT_EQ(relevant.change(0), change) << slot;
    relevant.record_spent(0.5);
    if (slot == 2) {
      EXPECT_EQ(relevant.spent(0), 4.5 + 24.5 + 24.5);
    }
  }
}

}  // namespace
}  // namespace fugu::test
