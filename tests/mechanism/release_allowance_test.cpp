// BD's and BA's budgets of releases: by hand, and against the sum over every window.
#include "fugu/strategy/release_allowance.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace fugu::test {
namespace {

Budget units(std::uint64_t count) { return Budget::from_units(count); }

TEST(SpentInWindow, SumsSlideWithTheStream) {
  SpentInWindow spent(2);
  for (Slot slot = 0; slot < 100; ++slot) {  // more than its first ring holds
    spent.forget_before(slot - 29);
    spent.spend(slot, 0, units(1));
    spent.spend(slot, 1, units(static_cast<std::uint64_t>(slot)));
    const auto held = static_cast<std::uint64_t>(std::min<Slot>(slot + 1, 30));
    EXPECT_EQ(spent.sum(0), units(held));
    EXPECT_EQ(spent.count(), 2 * held);
  }
  EXPECT_EQ(spent.sum(1), units((70 + 99) * 30 / 2));
  spent.forget_before(1000);
  EXPECT_EQ(spent.sum(0), Budget());
  EXPECT_EQ(spent.count(), 0u);
}

TEST(ReleaseAllowance, DistributionHalvesWhatTheWindowHasLeft) {
  ReleaseAllowance allowance(Allocation::distribution, units(800), 3, 1);
  const std::vector<std::uint64_t> expected{400, 200, 100, 250, 225};  // from the fourth on the first ones have left
  for (std::size_t slot = 0; slot < expected.size(); ++slot) {
    allowance.advance(static_cast<Slot>(slot));
    EXPECT_EQ(allowance.candidate(0), units(expected[slot])) << slot;
    allowance.spend(0, allowance.candidate(0));
  }
}

TEST(ReleaseAllowance, AbsorptionTakesTheSharesBeforeAndSilencesAsManyAfter) {
  ReleaseAllowance allowance(Allocation::absorption, units(400), 4, 1);  // one share is 100
  const auto candidate = [&](Slot slot) {
    allowance.advance(slot);
    return allowance.candidate(0).units();
  };
  EXPECT_EQ(candidate(0), 100u);
  allowance.spend(0, units(100));
  EXPECT_EQ(candidate(1), 100u);
  EXPECT_EQ(candidate(2), 200u);
  EXPECT_EQ(candidate(3), 300u);
  allowance.spend(0, units(300));  // slots 1, 2, 3; 4 and 5 are silent
  EXPECT_EQ(candidate(4), 0u);
  EXPECT_EQ(candidate(5), 0u);
  EXPECT_EQ(candidate(6), 100u);
  EXPECT_EQ(candidate(20), 400u);  // never more than a window has
}

TEST(ReleaseAllowance, AccountsAreSeparate) {
  for (const Allocation allocation : {Allocation::distribution, Allocation::absorption}) {
    ReleaseAllowance allowance(allocation, units(400), 4, 2);
    allowance.advance(3);
    const Budget before = allowance.candidate(1);
    allowance.spend(0, allowance.candidate(0));
    EXPECT_LT(allowance.candidate(0), before);
    EXPECT_EQ(allowance.candidate(1), before);
  }
}

/// Spending on a random third of the slots, each time as much as is allowed or part of it.
RC_GTEST_PROP(ReleaseAllowance, NoWindowSpendsMoreThanItHas, ()) {
  const auto allocation = *rc::gen::element(Allocation::distribution, Allocation::absorption);
  const auto window = *rc::gen::inRange<std::uint64_t>(1, 12);
  const Budget per_window = units(*rc::gen::inRange<std::uint64_t>(1, 5000));
  ReleaseAllowance allowance(allocation, per_window, window, 1);
  std::vector<Budget> spent;
  const auto choices = *rc::gen::container<std::vector<std::uint64_t>>(60, rc::gen::inRange<std::uint64_t>(0, 6));
  for (const std::uint64_t choice : choices) {
    allowance.advance(static_cast<Slot>(spent.size()));
    Budget share;
    if (choice < 3) share = allowance.candidate(0) / (choice + 1);
    if (share.units() > 0) allowance.spend(0, share);
    spent.push_back(share);
    Budget sum;
    for (std::size_t i = 0; i < std::min<std::size_t>(window, spent.size()); ++i) sum += spent[spent.size() - 1 - i];
    RC_ASSERT(sum <= per_window);
  }
}

/// A window and an ε that tighten on the way keep every interval that begins afterwards.
RC_GTEST_PROP(ReleaseAllowance, TightenedItKeepsWhatBeginsLater, ()) {
  const auto allocation = *rc::gen::element(Allocation::distribution, Allocation::absorption);
  std::uint64_t window = *rc::gen::inRange<std::uint64_t>(1, 6);
  std::uint64_t per_window = *rc::gen::inRange<std::uint64_t>(500, 5000);
  ReleaseAllowance allowance(allocation, units(per_window), window, 1);
  struct Interval {
    Slot first;
    std::uint64_t slots;
    std::uint64_t limit;
  };
  std::vector<Interval> intervals{{0, window, per_window}};
  std::vector<std::uint64_t> spent;
  for (Slot slot = 0; slot < 60; ++slot) {
    if (*rc::gen::inRange(0, 8) == 0) {
      window += *rc::gen::inRange<std::uint64_t>(0, 5);
      per_window -= per_window / *rc::gen::inRange<std::uint64_t>(3, 20);
      allowance.tighten(units(per_window), window);
    }
    intervals.push_back({slot, window, per_window});
    allowance.advance(slot);
    const Budget share = *rc::gen::inRange(0, 3) == 0 ? allowance.candidate(0) : Budget();
    if (share.units() > 0) allowance.spend(0, share);
    spent.push_back(share.units());
  }
  for (const Interval& interval : intervals) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < interval.slots; ++i) {
      const auto slot = static_cast<std::size_t>(interval.first) + i;
      if (slot < spent.size()) sum += spent[slot];
    }
    RC_ASSERT(sum <= interval.limit);
  }
}

}  // namespace
}  // namespace fugu::test
