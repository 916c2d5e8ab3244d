#include "fugu/policy/dominance.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "build.hpp"

namespace fugu {
namespace {

using test::any_policy;
using test::policy;

TEST(Dominance, NeedsAllThree) {
  const Policy base = policy(0, 9, 3, 5, 1);
  EXPECT_TRUE(dominates(base, base));
  EXPECT_TRUE(dominates(policy(50, 59, 4, 6, 0.5), base));
  EXPECT_FALSE(dominates_throughout(policy(50, 59, 4, 6, 0.5), base));
  EXPECT_TRUE(dominates_throughout(policy(0, 9, 4, 6, 0.5), base));
  EXPECT_FALSE(dominates(policy(0, 9, 2, 6, 0.5), base));
  EXPECT_FALSE(dominates(policy(0, 9, 4, 4, 0.5), base));
  EXPECT_FALSE(dominates(policy(0, 9, 4, 6, 2), base));
}

TEST(Dominance, ShapesAreCoveredByEnvelopesAndByLargerShapes) {
  const auto shaped = [](std::vector<std::uint64_t> steps, std::optional<SeriesId> series = SeriesId{0}) {
    Policy made = policy(0, 9);
    set_shape(made, Shape{{Profile{{Lane{series, std::move(steps)}}}}});
    return made;
  };
  EXPECT_TRUE(dominates(policy(0, 9, 2, 5), shaped({5, 1})));
  EXPECT_FALSE(dominates(shaped({5, 1}), policy(0, 9, 2, 5)));
  EXPECT_TRUE(dominates(shaped({5, 2}), shaped({5, 1})));
  EXPECT_FALSE(dominates(shaped({5, 2}), shaped({1, 5})));
  EXPECT_FALSE(dominates(shaped({5, 2}), shaped({5, 1}, SeriesId{1})));
  EXPECT_TRUE(dominates(shaped({5, 2}, std::nullopt), shaped({5, 1}, SeriesId{1})));
  EXPECT_FALSE(dominates(shaped({5, 2, 9}), shaped({5, 1}))) << "it may not fit where the interval ends";
}

RC_GTEST_PROP(Dominance, IsAPreorder, ()) {
  const auto a = *any_policy(8);
  const auto b = *any_policy(8);
  const auto c = *any_policy(8);
  RC_ASSERT(dominates(a, a) && dominates_throughout(a, a));
  if (dominates(a, b) && dominates(b, c)) RC_ASSERT(dominates(a, c));
  if (dominates_throughout(a, b) && dominates_throughout(b, c)) RC_ASSERT(dominates_throughout(a, c));
}

RC_GTEST_PROP(Dominance, TheDominantSecretIsTheLeastAboveAll, ()) {
  Collection collection;
  collection.assign(*rc::gen::container<std::vector<Policy>>(any_policy(12)));
  const Slot slot = *rc::gen::inRange<Slot>(0, 12);
  const auto most = dominant(collection, slot);
  RC_ASSERT(most.has_value() == (collection.count_overlapping({slot, slot}) > 0));
  if (!most) return;
  std::uint64_t length = 0;
  std::uint64_t magnitude = 0;
  Budget epsilon = Budget::round_down(100);
  collection.for_overlapping({slot, slot}, [&](const Policy& each) {
    RC_ASSERT(dominates_throughout(*most, each));
    length = std::max(length, each.length_slots);
    magnitude = std::max(magnitude, each.magnitude_steps);
    epsilon = std::min(epsilon, each.epsilon);
  });
  RC_ASSERT(most->length_slots == length && most->magnitude_steps == magnitude && most->epsilon == epsilon);
}

TEST(Dominance, OfCollectionsInASlot) {
  Collection strict;
  Collection lax;
  strict.add(policy(0, 5, 2, 5, 1));
  strict.add(policy(3, 9, 4, 2, 0.5));
  lax.add(policy(0, 9, 2, 3, 1));
  EXPECT_TRUE(dominates_at(strict, lax, 4));
  EXPECT_FALSE(dominates_at(lax, strict, 4));
  EXPECT_FALSE(dominates_at(strict, lax, 8)) << "the large secret is over";
  EXPECT_TRUE(dominates_at(strict, lax, 20)) << "nothing is asked for";
  EXPECT_FALSE(dominates_at(Collection(), lax, 4));
  EXPECT_TRUE(dominates_at(Collection(), Collection(), 4));
}

}  // namespace
}  // namespace fugu
