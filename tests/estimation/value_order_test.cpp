#include "../strategies/src/estimation/value_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "fugu/base/avx2.hpp"
#include "support/builders.hpp"

namespace fugu::test {
namespace {

using namespace fugu::detail;

void stays_in_order(void (*replace)(OrderedValues&, std::uint8_t, double, ValueOrder&)) {
  std::mt19937_64 random(seed_or(7));
  OrderedValues values;
  values.fill(std::numeric_limits<double>::infinity());
  ValueOrder order{};
  std::iota(order.begin() + 1, order.end() - 1, std::uint8_t{0});
  for (int i = 0; i < 3000; ++i) {
    const auto place = static_cast<std::uint8_t>(random() % kOrdered);
    const double value =
        static_cast<double>(random() % (i < 1000 ? 5 : 100'000)) - 2;  // with many that are equal, and few
    replace(values, place, value, order);
    ASSERT_EQ(values[place], value);
    std::array<std::uint8_t, kOrdered> all;
    std::copy(order.begin() + 1, order.end() - 1, all.begin());
    ASSERT_TRUE(std::is_sorted(all.begin(), all.end(), [&](auto a, auto b) { return values[a] < values[b]; }));
    std::sort(all.begin(), all.end());
    for (std::size_t j = 0; j < kOrdered; ++j) ASSERT_EQ(all[j], j) << "each of them once";
  }
}

TEST(ValueOrder, StaysInOrder) { stays_in_order(replace_portable); }

TEST(ValueOrder, StaysInOrderWithAvx2) {
  if (!has_avx2()) GTEST_SKIP() << "no AVX2 here";
  stays_in_order(replace_avx2);
}

}  // namespace
}  // namespace fugu::test
