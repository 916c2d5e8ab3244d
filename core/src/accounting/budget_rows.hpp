// Rows of budgets, one of each signature, compiled for different processors. Private to accountants and their tests.
#pragma once

#include <span>

#include "fugu/base/budget.hpp"

namespace fugu::detail {

/// The largest sum of two budgets at the same place. Rows are equally long.
/// Of each function both forms give the same; the second only where `has_avx2()`.
Budget largest_sum_portable(std::span<const Budget> a, std::span<const Budget> b);
Budget largest_sum_avx2(std::span<const Budget> a, std::span<const Budget> b);

/// Adds to each budget of a row.
void add_row_portable(std::span<const Budget> added, std::span<Budget> row);
void add_row_avx2(std::span<const Budget> added, std::span<Budget> row);

}  // namespace fugu::detail
