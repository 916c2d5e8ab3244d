#include "budget_rows.hpp"

#include <algorithm>
#include <cstring>

#include "fugu/base/avx2.hpp"

namespace fugu::detail {

namespace {

using Row = std::span<const Budget>;

[[gnu::always_inline]] inline Budget largest_sum(Row a, Row b) {
  // Spelled out: compilers do not find the vectors in a maximum.
  constexpr std::size_t kLanes = 4;
  using Units [[gnu::vector_size(kLanes * sizeof(Budget))]] = std::uint64_t;
  Units largest{};
  std::size_t at = 0;
  for (; at + kLanes <= a.size(); at += kLanes) {
    Units x;
    Units sum;
    std::memcpy(&x, &a[at], sizeof x);
    std::memcpy(&sum, &b[at], sizeof sum);
    sum += x;
    sum |= reinterpret_cast<Units>(sum < x);  // saturates, as Budget does
    largest = sum > largest ? sum : largest;
  }
  Budget result;
  for (std::size_t lane = 0; lane < kLanes; ++lane) result = std::max(result, Budget::from_units(largest[lane]));
  for (; at < a.size(); ++at) result = std::max(result, a[at] + b[at]);
  return result;
}

[[gnu::always_inline]] inline void add_row(Row added, std::span<Budget> row) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] += added[i];
}

}  // namespace

Budget largest_sum_portable(Row a, Row b) { return largest_sum(a, b); }
FUGU_AVX2 Budget largest_sum_avx2(Row a, Row b) { return largest_sum(a, b); }

void add_row_portable(Row added, std::span<Budget> row) { add_row(added, row); }
FUGU_AVX2 void add_row_avx2(Row added, std::span<Budget> row) { add_row(added, row); }

}  // namespace fugu::detail
