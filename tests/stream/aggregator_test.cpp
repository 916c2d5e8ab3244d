// What an aggregator is made with: sums stay exact, whatever meters report.
#include "fugu/stream/aggregator.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fugu/stream/decimal.hpp"
#include "fugu/stream/input.hpp"
#include "support/builders.hpp"

namespace fugu::test {
namespace {

SeriesMap map_of(const std::string& rows) {
  return *SeriesMap::read(Input::from_memory("map.csv", "meter,series\n" + rows));
}

bool is_made(const SeriesMap& map, const Aggregator::Options& options) {
  const auto made = Aggregator::make(map, options);
  if (!made) {
    EXPECT_EQ(made.error().cause, Cause::usage) << reason(made);
  }
  return made.has_value();
}

TEST(Aggregator, SumsOfEverySeriesStayExact) {
  constexpr std::int64_t kThird = kStepsMax / 3;
  for (const char* rows : {"m1,A\nm2,B\nm3,B\nm4,B\n", "m2,B\nm3,B\nm4,B\nm1,A\n"}) {
    const SeriesMap map = map_of(rows);
    EXPECT_TRUE(is_made(map, {{0, kThird}, 0}));
    EXPECT_FALSE(is_made(map, {{0, kThird + 1}, 0})) << rows;
    EXPECT_TRUE(is_made(map, {{-kThird, 0}, 0}));
    EXPECT_FALSE(is_made(map, {{-kThird - 1, 0}, 0})) << rows;
  }
}

TEST(Aggregator, BoundsOfReadingsAreChecked) {
  const SeriesMap map = map_of("m1,A\n");
  EXPECT_TRUE(is_made(map, {{-kStepsMax, kStepsMax}, 0}));
  EXPECT_FALSE(is_made(map, {{-kStepsMax - 1, 0}, 0}));
  EXPECT_FALSE(is_made(map, {{0, kStepsMax + 1}, 0}));
  EXPECT_TRUE(is_made(map, {{5, 5}, 0}));
  EXPECT_FALSE(is_made(map, {{5, 4}, 0}));
}

TEST(Aggregator, RangesOfSeriesAreCheckedEach) {
  const SeriesMap map = map_of("m1,p\nm2,q\nm3,q\n");
  const auto made = [&](std::vector<ClampRange> clamps) {
    return is_made(map, {.clamp = {}, .clamp_by_series = std::move(clamps)});
  };
  EXPECT_TRUE(made({{0, kStepsMax}, {0, kStepsMax / 2}}));
  EXPECT_FALSE(made({{0, kStepsMax}, {0, kStepsMax / 2 + 1}}));
  EXPECT_FALSE(made({{0, kStepsMax / 2}, {0, kStepsMax}}));
  EXPECT_FALSE(made({{0, 1}, {1, 0}}));
  EXPECT_EQ(largest_changes(std::vector<ClampRange>{{0, 12}, {-2, 6}, {3, 4}}), (std::vector<std::uint64_t>{12, 8, 4}));
}

TEST(Aggregator, GraceIsBounded) {
  const SeriesMap map = map_of("m1,A\n");
  EXPECT_TRUE(is_made(map, {{0, 9}, 10'000}));
  EXPECT_FALSE(is_made(map, {{0, 9}, 10'001}));
  EXPECT_FALSE(is_made(map, {{0, 9}, -1}));
}

}  // namespace
}  // namespace fugu::test
