// The vector code of deviations and distances against the portable one, and that against their definitions.
#include "../core/src/mechanism/deviation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "fugu/base/avx2.hpp"

namespace fugu::detail {
namespace {

RC_GTEST_PROP(Deviation, IsTheSumOfDistancesToTheMean, ()) {
  const auto magnitude = *rc::gen::elementOf(std::vector<std::int64_t>{1, 10, 1'000'000, (std::int64_t{1} << 40) - 1});
  auto values = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-magnitude, magnitude + 1)));
  const auto count = static_cast<std::int64_t>(values.size());
  std::int64_t sum = 0;
  for (const std::int64_t value : values) sum += value;
  std::int64_t expected = 0;
  for (const std::int64_t value : values) expected += std::abs(count * value - sum);
  const std::size_t n = values.size();
  while (values.size() % kDeviationBlock != 0) values.push_back(*rc::gen::arbitrary<std::int64_t>());
  RC_ASSERT(scaled_deviation_portable(values, n) == expected);
  if (has_avx2()) RC_ASSERT(scaled_deviation_avx2(values, n) == expected);
}

TEST(Deviation, FitsAtItsLimits) {
  const std::int64_t largest = (std::int64_t{1} << 40) - 1;
  std::vector<std::int64_t> values(1 << 11, largest);
  for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = -largest;
  const auto count = static_cast<std::int64_t>(values.size());
  EXPECT_EQ(scaled_deviation_portable(values, values.size()), count * count * largest);
  if (has_avx2()) {
    EXPECT_EQ(scaled_deviation_avx2(values, values.size()), count * count * largest);
  }
}

RC_GTEST_PROP(SmallDistance, IsTheSumOfDistancesUnlessOneIsLarge, ()) {
  const auto far = std::int64_t{1} << 52;
  const auto magnitude = *rc::gen::elementOf(std::vector<std::int64_t>{1, 1'000, far / 4, far, far * 1000});
  const auto any = rc::gen::inRange<std::int64_t>(-magnitude, magnitude + 1);
  const auto pairs = *rc::gen::container<std::vector<std::pair<std::int64_t, std::int64_t>>>(rc::gen::pair(any, any));
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> reference;
  std::uint64_t expected = 0;
  for (const auto& [value, other] : pairs) {
    values.push_back(value);
    reference.push_back(other);
    const auto distance = static_cast<std::uint64_t>(std::abs(value - other));
    expected = distance >= static_cast<std::uint64_t>(far) || expected == kTooFar ? kTooFar : expected + distance;
  }
  RC_ASSERT(small_distance_portable(values, reference) == expected);
  if (has_avx2()) RC_ASSERT(small_distance_avx2(values, reference) == expected);
}

TEST(SmallDistance, OfEndsThatAreTooFarApartForASignedNumberIsTooFar) {
  const std::vector<std::int64_t> lowest(5, std::numeric_limits<std::int64_t>::min());
  const std::vector<std::int64_t> highest(5, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(small_distance_portable(lowest, highest), kTooFar);
  EXPECT_EQ(small_distance_portable(highest, highest), 0U);
  if (!has_avx2()) return;
  EXPECT_EQ(small_distance_avx2(lowest, highest), kTooFar);
  EXPECT_EQ(small_distance_avx2(highest, highest), 0U);
}

}  // namespace
}  // namespace fugu::detail
