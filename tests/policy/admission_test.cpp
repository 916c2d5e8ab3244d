#include "fugu/policy/admission.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "build.hpp"

namespace fugu {
namespace {

using test::any_policy;
using test::policy;

std::string refusal(const Result<void>& result) {
  if (result) return "admitted";
  EXPECT_EQ(result.error().cause, Cause::refused);
  return result.error().message;
}

TEST(Admission, WhatHasBegunIsSettled) {
  Collection collection;
  collection.add(policy(5, 9));
  EXPECT_EQ(refusal(admit({}, collection, policy(7, 9), 7)), "admitted");
  EXPECT_EQ(refusal(admit({}, collection, policy(6, 9), 7)),
            "the policy's interval begins in slot 6 and the stream is at slot 7: what has begun cannot be added to or "
            "changed");
  EXPECT_EQ(refusal(admit_withdrawal(collection, policy(5, 9), 5)), "admitted");
  EXPECT_EQ(refusal(admit_withdrawal(collection, policy(5, 9), 6)),
            "the policy's interval begins in slot 5 and the stream is at slot 6: what has begun cannot be taken back");
  EXPECT_EQ(refusal(admit_withdrawal(collection, policy(5, 8), 0)), "the meter has no such policy to take back");
}

TEST(Admission, EachLimitHasItsReason) {
  Collection collection;
  collection.add(policy(10, 20));
  collection.add(policy(15, 30));
  const Policy wish = policy(12, 40, 2, 21, 0.5);
  const auto with = [&](const AdmissionRule& rule) { return refusal(admit(rule, collection, wish, 8)); };
  EXPECT_EQ(with({}), "admitted");
  EXPECT_EQ(with({.notice_slots = 4}), "admitted");
  EXPECT_EQ(with({.notice_slots = 5}), "the policy's interval begins in 4 slots; a notice of 5 slots is asked for");
  EXPECT_EQ(with({.largest_magnitude_steps = 21}), "admitted");
  EXPECT_EQ(with({.largest_magnitude_steps = 20}), "the magnitude is 21 steps; at most 20 are admitted");
  EXPECT_EQ(with({.smallest_epsilon = Budget::round_down(0.5)}), "admitted");
  EXPECT_EQ(with({.smallest_epsilon = Budget::round_down(1)}), "epsilon is 0.5; at least 1 is admitted");
  EXPECT_EQ(with({.most_overlapping = 3}), "admitted");
  EXPECT_EQ(with({.most_overlapping = 2}),
            "with it, 3 policies of the meter would be relevant in the same slot; at most 2 are admitted");
  EXPECT_EQ(refusal(admit({}, collection, policy(15, 30), 8)), "the meter has this policy already");
}

TEST(Admission, PoliciesThatNeverMeetDoNotCountTogether) {
  Collection collection;
  collection.add(policy(0, 4));
  collection.add(policy(5, 9));
  EXPECT_EQ(busiest_slot(collection, {0, 9}).policies, 1u);
  EXPECT_TRUE(admit({.most_overlapping = 2}, collection, policy(0, 9), 0));
  EXPECT_EQ(busiest_slot(collection, {10, 12}).policies, 0u);
}

RC_GTEST_PROP(Admission, TheBusiestSlotIsExact, ()) {
  Collection collection;
  collection.assign(*rc::gen::container<std::vector<Policy>>(any_policy(20)));
  const Interval interval = (*any_policy(20)).interval;
  BusySlot expected{0, interval.first};
  for (Slot slot = interval.first; slot <= interval.last; ++slot) {
    const std::size_t policies = collection.count_overlapping({slot, slot});
    if (policies > expected.policies) expected = {policies, slot};
  }
  const BusySlot found = busiest_slot(collection, interval);
  RC_ASSERT(found.policies == expected.policies);
  RC_ASSERT(found.slot == expected.slot);
}

}  // namespace
}  // namespace fugu
