#include "deviation.hpp"

#include "../core/avx2.hpp"

namespace fugu::detail {

namespace {

using Part = std::span<const std::int64_t>;

[[gnu::always_inline]] inline std::int64_t sum_of(Part values) {
  std::int64_t sum = 0;
  for (const std::int64_t value : values) sum += value;
  return sum;
}

struct Above {
  std::int64_t sum = 0;
  std::int64_t count = 0;
};

[[gnu::always_inline]] inline void add_above(std::int64_t limit, Part values, Above& above) {
  for (const std::int64_t value : values) {
    const std::int64_t mask = -static_cast<std::int64_t>(value > limit);
    above.sum += value & mask;
    above.count -= mask;
  }
}

/// With S the sum of all and A that of the c values above the mean: Σ |n·value − S| = 2·(n·A − c·S). A value above the
/// mean is above its floor.
[[gnu::always_inline]] inline std::int64_t scaled_deviation(Part part, Part rest) {
  const auto count = static_cast<std::int64_t>(part.size() + rest.size());
  const std::int64_t sum = sum_of(part) + sum_of(rest);
  const std::int64_t floor = sum / count - (sum % count < 0 ? 1 : 0);
  Above above;
  add_above(floor, part, above);
  add_above(floor, rest, above);
  return 2 * (count * above.sum - above.count * sum);
}

}  // namespace

std::int64_t scaled_deviation_portable(Part part, Part rest) { return scaled_deviation(part, rest); }
FUGU_AVX2 std::int64_t scaled_deviation_avx2(Part part, Part rest) { return scaled_deviation(part, rest); }

}  // namespace fugu::detail
