#include "deviation.hpp"

#include "../core/avx2.hpp"

namespace fugu::detail {

namespace {

using Values = std::span<const std::int64_t>;

/// With S the sum of all and A that of the c values above the mean: Σ |n·value − S| = 2·(n·A − c·S). A value above the
/// mean is above its floor.
[[gnu::always_inline]] inline std::int64_t scaled_deviation(Values values) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::int64_t sum = 0;
  for (const std::int64_t value : values) sum += value;
  const std::int64_t floor = sum / count - (sum % count < 0 ? 1 : 0);
  std::int64_t sum_above = 0;
  std::int64_t above = 0;
  for (const std::int64_t value : values) {
    const std::int64_t mask = -static_cast<std::int64_t>(value > floor);
    sum_above += value & mask;
    above -= mask;
  }
  return 2 * (count * sum_above - above * sum);
}

}  // namespace

std::int64_t scaled_deviation_portable(Values values) { return scaled_deviation(values); }
FUGU_AVX2 std::int64_t scaled_deviation_avx2(Values values) { return scaled_deviation(values); }

}  // namespace fugu::detail
