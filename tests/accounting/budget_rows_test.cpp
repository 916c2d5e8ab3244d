// The vector code of rows of budgets against one budget at a time.
#include "../core/src/accounting/budget_rows.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "fugu/base/avx2.hpp"

namespace fugu::detail {
namespace {

/// Small ones, large ones, and ones that no longer add up.
std::vector<Budget> any_row(std::size_t length) {
  const auto units = rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 100), rc::gen::arbitrary<std::uint64_t>(),
                                    rc::gen::just(std::uint64_t{1} << 63), rc::gen::just(~std::uint64_t{0}));
  std::vector<Budget> row;
  for (const std::uint64_t each : *rc::gen::container<std::vector<std::uint64_t>>(length, units))
    row.push_back(Budget::from_units(each));
  return row;
}

RC_GTEST_PROP(BudgetRows, AreBudgetsAddedOneByOne, ()) {
  const auto length = *rc::gen::inRange<std::size_t>(0, 40);
  const std::vector<Budget> row = any_row(length);
  const std::vector<Budget> added = any_row(length);
  std::vector<Budget> expected = row;
  Budget largest;
  for (std::size_t i = 0; i < length; ++i) {
    expected[i] += added[i];
    largest = std::max(largest, expected[i]);
  }
  RC_ASSERT(largest_sum_portable(row, added) == largest);
  std::vector<Budget> sums = row;
  add_row_portable(added, sums);
  RC_ASSERT(sums == expected);
  if (!has_avx2()) return;
  RC_ASSERT(largest_sum_avx2(row, added) == largest);
  sums = row;
  add_row_avx2(added, sums);
  RC_ASSERT(sums == expected);
}

}  // namespace
}  // namespace fugu::detail
