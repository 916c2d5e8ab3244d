// The vector code of Statistic::deviation against the portable one, and that against its definition.
#include "../src/mechanism/deviation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <vector>

#include "../src/core/avx2.hpp"

namespace fugu::detail {
namespace {

RC_GTEST_PROP(Deviation, IsTheSumOfDistancesToTheMean, ()) {
  const auto magnitude = *rc::gen::elementOf(std::vector<std::int64_t>{1, 10, 1'000'000, (std::int64_t{1} << 40) - 1});
  const auto values = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-magnitude, magnitude + 1)));
  const auto count = static_cast<std::int64_t>(values.size());
  std::int64_t sum = 0;
  for (const std::int64_t value : values) sum += value;
  std::int64_t expected = 0;
  for (const std::int64_t value : values) expected += std::abs(count * value - sum);
  RC_ASSERT(scaled_deviation_portable(values) == expected);
  if (has_avx2()) RC_ASSERT(scaled_deviation_avx2(values) == expected);
}

TEST(Deviation, FitsAtItsLimits) {
  const std::int64_t largest = (std::int64_t{1} << 40) - 1;
  std::vector<std::int64_t> values(1 << 11, largest);
  for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = -largest;
  const auto count = static_cast<std::int64_t>(values.size());
  EXPECT_EQ(scaled_deviation_portable(values), count * count * largest);
  if (has_avx2()) {
    EXPECT_EQ(scaled_deviation_avx2(values), count * count * largest);
  }
}

}  // namespace
}  // namespace fugu::detail
