#include "fugu/policy/pattern.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace fugu {
namespace {

using Steps = std::vector<std::uint64_t>;

std::string error_of(const Result<Shape>& shape) {
  if (shape) return "no error";
  EXPECT_EQ(shape.error().cause, Cause::bad_input);
  return shape.error().message;
}

// Thesis 7.1.1: jogging in the park or being in the bar.
TEST(Pattern, Locations) {
  const ByActivity<SeriesId> places = {{"park", 0}, {"bar", 1}, {"home", 2}};
  const std::vector<Pattern> patterns = {{{{"park"}}, {{"park"}}, {{"home"}}}, {{{"bar"}}, {{"bar"}}, {{"home"}}}};
  const auto constraints = Constraints().at_most_one({"park", "bar", "home"});
  const auto shape = shape_of_histogram(patterns, places, constraints);
  ASSERT_TRUE(shape) << shape.error().message;
  const Profile expected{{Lane{SeriesId{0}, {1, 1, 0}}, Lane{SeriesId{1}, {1, 1, 0}}}};
  EXPECT_EQ(shape->alternatives, std::vector<Profile>{expected}) << "the histogram changes by 2 in each slot";
}

// Thesis 7.1.1: sitting and eating, or walking; several at a time, some of which exclude or imply each other.
TEST(Pattern, PhysicalActivities) {
  const ByActivity<SeriesId> series = {{"sit", 0}, {"eat", 1}, {"walk", 2}, {"move", 3}};
  auto constraints = Constraints().exclusive("sit", "walk").implies("walk", "move");
  const Pattern cake = {{{"sit"}, {"eat"}}};
  const Pattern walk = {{{"walk"}, {"move"}}};
  const auto shape = shape_of_histogram(std::vector{cake, walk}, series, constraints);
  ASSERT_TRUE(shape) << shape.error().message;
  ASSERT_EQ(shape->alternatives.size(), 1u);
  EXPECT_EQ(shape->alternatives[0].lanes.size(), 4u);

  EXPECT_EQ(error_of(shape_of_histogram(std::vector<Pattern>{cake, {{{"walk"}}}}, series, constraints)),
            "found 'walk' without 'move' in slot 1 of a pattern; expected both, as the first implies the second");
  EXPECT_EQ(
      error_of(shape_of_histogram(std::vector<Pattern>{cake, {{{"walk"}, {"move"}, {"sit"}}}}, series, constraints)),
      "found 'sit' and 'walk' in slot 1 of a pattern; expected only one of them, as they exclude each other");
}

// Thesis 7.1.1: cooking with stove and oven, or not.
TEST(Pattern, Appliances) {
  const ByActivity<std::uint64_t> watts = {{"stove", 1500}, {"oven", 2100}};
  const std::vector<Pattern> patterns = {{{{"stove"}, {"oven"}}, {{"oven", 900}}}, {{}, {}}, {{{"stove"}}, {}}};
  const auto shape = shape_of_sum(patterns, watts);
  ASSERT_TRUE(shape) << shape.error().message;
  std::set<Steps> found;
  for (const Profile& profile : shape->alternatives) {
    ASSERT_EQ(profile.lanes.size(), 1u);
    EXPECT_EQ(profile.lanes[0].series, std::nullopt);
    found.insert(profile.lanes[0].steps);
  }
  EXPECT_EQ(found, (std::set<Steps>{{3600, 900}, {2100, 900}, {1500, 0}}));
}

TEST(Pattern, PairsOfEachLengthAndNoRepetitions) {
  const ByActivity<std::uint64_t> watts = {{"a", 5}, {"b", 5}};
  const std::vector<Pattern> patterns = {{{{"a"}}}, {{}}, {{{"b"}}}, {{}, {{"a"}}}, {{}, {}}};
  const auto shape = shape_of_sum(patterns, watts);
  ASSERT_TRUE(shape) << shape.error().message;
  EXPECT_EQ(shape->alternatives.size(), 2u) << "a against nothing is b against nothing, a against b shows nowhere";
}

TEST(Pattern, BadInput) {
  const ByActivity<std::uint64_t> watts = {{"a", 5}, {"b", 5}, {"huge", kMagnitudeStepsMax}};
  const auto of = [&](std::vector<Pattern> patterns) { return error_of(shape_of_sum(patterns, watts)); };
  EXPECT_EQ(of({}), "found patterns that look alike; expected patterns that differ in what is published");
  EXPECT_EQ(of({{{{"a"}}}, {{{"b"}}}}),
            "found patterns that look alike; expected patterns that differ in what is published");
  EXPECT_EQ(of({{{{"a"}}}}),
            "found a pattern of 1 slots and no other of that length; expected at least two patterns of each length, to "
            "be confused with each other");
  EXPECT_EQ(of({{}, {}}), "found a pattern of no slots; expected at least one slot");
  EXPECT_EQ(of({{{{"a"}, {"a"}}}, {{}}}),
            "found 'a' twice in slot 1 of a pattern; expected each activity once in a slot");
  EXPECT_EQ(of({{{{"c"}}}, {{}}}), "found activity 'c'; expected an activity whose power is known");
  EXPECT_EQ(of({{{{"huge"}, {"a"}}}, {{}}}),
            "found too large a power in slot 1 of a pattern; expected at most 2^40 unit steps");
  EXPECT_EQ(of(std::vector<Pattern>(65, Pattern(1))), "found 65 patterns; expected at most 64");
}

// The L1 distance of a histogram between two patterns of places is 2 wherever they are at different places.
RC_GTEST_PROP(Pattern, WhoMovesLeavesOnePlaceAndEntersAnother, ()) {
  const ByActivity<SeriesId> places = {{"0", 0}, {"1", 1}, {"2", 2}};
  const auto slots = *rc::gen::inRange<std::size_t>(1, 6);
  const auto walk = rc::gen::container<std::vector<int>>(slots, rc::gen::inRange(0, 3));
  const auto a = *walk;
  const auto b = *walk;
  const auto pattern = [](const std::vector<int>& places_visited) {
    Pattern made;
    for (int place : places_visited) made.push_back({{std::to_string(place)}});
    return made;
  };
  const auto shape = shape_of_histogram(std::vector{pattern(a), pattern(b)}, places);
  RC_ASSERT(shape.has_value() == (a != b));
  if (!shape) return;
  RC_ASSERT(shape->alternatives.size() == 1u);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    std::uint64_t change = 0;
    for (const Lane& lane : shape->alternatives[0].lanes) change += lane.steps[slot];
    RC_ASSERT(change == (a[slot] == b[slot] ? 0u : 2u));
  }
}

}  // namespace
}  // namespace fugu
