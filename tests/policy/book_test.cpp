#include "fugu/policy/book.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "build.hpp"

namespace fugu {
namespace {

using test::any_policy;
using test::policy;

std::vector<Policy> overlapping(const Collection& collection, const Interval& interval, std::size_t near = 0) {
  std::vector<Policy> found;
  collection.for_overlapping(interval, [&](const Policy& each) { found.push_back(each); }, near);
  return found;
}

std::vector<Policy> overlapping_naively(const Collection& collection, const Interval& interval) {
  std::vector<Policy> found;
  for (const Policy& each : collection.policies())
    if (each.interval.overlaps(interval)) found.push_back(each);
  return found;
}

bool is_ordered(const Collection& collection) {
  return std::is_sorted(collection.policies().begin(), collection.policies().end(), [](const auto& a, const auto& b) {
    return std::pair(a.interval.first, a.interval.last) < std::pair(b.interval.first, b.interval.last);
  });
}

RC_GTEST_PROP(Collection, FindsWhatAScanFinds, (bool one_by_one)) {
  const Slot slots = *rc::gen::element<Slot>(5, 50, 2000);
  const auto count = *rc::gen::inRange<std::size_t>(0, 700);  // three levels of blocks
  auto policies = *rc::gen::container<std::vector<Policy>>(count, any_policy(slots));
  for (Policy& each : policies) {
    if (*rc::gen::inRange(0, 4) != 0) each.interval.last = std::min(each.interval.last, each.interval.first + 2);
  }
  Collection collection;
  if (one_by_one) {
    for (const Policy& each : policies) collection.add(each);
  } else {
    collection.assign(policies);
  }
  RC_ASSERT(is_ordered(collection));
  RC_ASSERT(collection.policies().size() == policies.size());
  for (int i = 0; i < 10; ++i) {
    const Interval interval = (*any_policy(slots + 3)).interval;
    RC_ASSERT(overlapping(collection, interval) == overlapping_naively(collection, interval));
    RC_ASSERT(collection.count_overlapping(interval) == overlapping_naively(collection, interval).size());
  }
}

RC_GTEST_PROP(Collection, FindsTheSameWhereverTheSearchBegins, ()) {
  const Slot slots = *rc::gen::element<Slot>(5, 50, 2000);
  const auto count = *rc::gen::inRange<std::size_t>(0, 120);
  Collection collection;
  collection.assign(*rc::gen::container<std::vector<Policy>>(count, any_policy(slots)));
  const auto policies = collection.policies();
  const Interval interval = (*any_policy(slots + 3)).interval;
  const auto begins_before = [](const Policy& each, Slot slot) { return each.interval.first < slot; };
  const auto expected = std::lower_bound(policies.begin(), policies.end(), interval.first, begins_before);
  for (std::size_t near = 0; near < count + 40; ++near) {
    RC_ASSERT(overlapping(collection, interval, near) == overlapping_naively(collection, interval));
    RC_ASSERT(policies.begin() + static_cast<std::ptrdiff_t>(collection.first_from(interval.first, near)) == expected);
  }
}

RC_GTEST_PROP(Collection, AddAndRemoveAgreeWithAPlainList, ()) {
  Collection collection;
  std::vector<Policy> expected;
  const auto steps = *rc::gen::inRange(0, 120);
  for (int i = 0; i < steps; ++i) {
    const Policy drawn = *any_policy(6);
    const auto found = std::find(expected.begin(), expected.end(), drawn);
    RC_ASSERT(collection.holds(drawn) == (found != expected.end()));
    if (*rc::gen::inRange(0, 3) == 0) {
      RC_ASSERT(collection.remove(drawn) == (found != expected.end()));
      if (found != expected.end()) expected.erase(found);
    } else {
      collection.add(drawn);
      expected.push_back(drawn);
    }
    RC_ASSERT(is_ordered(collection));
    RC_ASSERT(collection.policies().size() == expected.size());
    const Interval interval = (*any_policy(6)).interval;
    RC_ASSERT(overlapping(collection, interval) == overlapping_naively(collection, interval));
  }
}

TEST(Collection, ShapesAreComparedByWhatTheySay) {
  const auto shaped = [](std::uint64_t steps) {
    Policy made = policy(0, 9);
    set_shape(made, Shape{{Profile{{Lane{SeriesId{1}, {steps, 1}}}}}});
    return made;
  };
  Collection collection;
  collection.add(shaped(3));
  EXPECT_TRUE(collection.holds(shaped(3)));
  EXPECT_FALSE(collection.holds(shaped(4)));
  EXPECT_FALSE(collection.remove(policy(0, 9, 2, 3)));
  EXPECT_TRUE(collection.remove(shaped(3)));
  EXPECT_TRUE(collection.empty());
}

TEST(PolicyBook, CountsWhatItHolds) {
  PolicyBook book;
  EXPECT_EQ(book.find("a"), std::nullopt);
  const MeterId a = book.meter("a");
  const MeterId b = book.meter("b");
  EXPECT_EQ(book.meter("a"), a);
  EXPECT_EQ(book.name(b), "b");
  book.add(a, policy(0, 1));
  book.assign(b, {policy(5, 6), policy(0, 1)});
  EXPECT_EQ(book.size(), 3u);
  book.forget_ended(0);
  EXPECT_EQ(book.size(), 3u) << "none has ended before slot 0";
  EXPECT_EQ(book.of(b).policies()[0], policy(0, 1));
  EXPECT_FALSE(book.remove(a, policy(5, 6)));
  EXPECT_TRUE(book.remove(b, policy(5, 6)));
  book.assign(b, {});
  EXPECT_EQ(book.size(), 1u);
  EXPECT_EQ(book.meter_count(), 2u);
  book.add(b, policy(5, 6));
  book.forget_ended(2);
  EXPECT_EQ(book.size(), 1u);
  EXPECT_TRUE(book.of(a).empty());
}

TEST(SetShape, FillsTheEnvelope) {
  Policy made;
  set_shape(made, Shape{{Profile{{Lane{SeriesId{0}, {1, 0, 2}}, Lane{SeriesId{1}, {0, 7, 0}}}},
                         Profile{{Lane{SeriesId{0}, {3}}}}}});
  EXPECT_EQ(made.length_slots, 3u);
  EXPECT_EQ(made.magnitude_steps, 7u);
  ASSERT_TRUE(made.shape);
  set_shape(made, Shape{{Profile{{Lane{std::nullopt, {4, 4}}}}}});
  EXPECT_EQ(made.length_slots, 2u);
  EXPECT_EQ(made.magnitude_steps, 4u);
  EXPECT_FALSE(made.shape) << "the envelope says it all";
}

}  // namespace
}  // namespace fugu
