#include "deviation.hpp"

#include <cstring>

#include "fugu/base/avx2.hpp"

namespace fugu::detail {

namespace {

using Values = std::span<const std::int64_t>;

constexpr std::size_t kLanes = 4;
using Lanes [[gnu::vector_size(kLanes * sizeof(std::int64_t))]] = std::int64_t;

/// Four values, and which of them count.
struct Four {
  Lanes values;
  Lanes counts;  // all bits or none
};

[[gnu::always_inline]] inline void load(Values values, std::size_t at, std::size_t n, Four& four) {
  std::memcpy(&four.values, &values[at], sizeof four.values);
  const auto left = static_cast<std::int64_t>(n) - static_cast<std::int64_t>(at);
  four.counts = Lanes{0, 1, 2, 3} < left;
}

[[gnu::always_inline]] inline std::int64_t total(const Lanes& lanes) {
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/// With S the sum of all and A that of the c values above the mean: Σ |n·value − S| = 2·(n·A − c·S). A value above the
/// mean is above its floor.
[[gnu::always_inline]] inline std::int64_t scaled_deviation(Values values, std::size_t n) {
  Four four;
  Lanes sums{};
  for (std::size_t block = 0; block < n; block += kDeviationBlock) {
    for (std::size_t at = block; at < block + kDeviationBlock; at += kLanes) {
      load(values, at, n, four);
      sums += four.values & four.counts;
    }
  }
  const auto count = static_cast<std::int64_t>(n);
  const std::int64_t sum = total(sums);
  const std::int64_t floor = sum / count - (sum % count < 0 ? 1 : 0);
  Lanes sums_above{};
  Lanes above{};
  for (std::size_t block = 0; block < n; block += kDeviationBlock) {
    for (std::size_t at = block; at < block + kDeviationBlock; at += kLanes) {
      load(values, at, n, four);
      const Lanes is_above = (four.values > floor) & four.counts;
      sums_above += four.values & is_above;
      above -= is_above;
    }
  }
  return 2 * (count * total(sums_above) - total(above) * sum);
}

[[gnu::always_inline]] inline std::uint64_t small_distance(Values values, Values reference) {
  std::uint64_t sum = 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<std::uint64_t>(values[i]);
    const auto y = static_cast<std::uint64_t>(reference[i]);
    const std::uint64_t sign = 0 - static_cast<std::uint64_t>(values[i] < reference[i]);
    const std::uint64_t distance = ((x - y) ^ sign) - sign;
    sum += distance;
    bits |= distance;
  }
  return bits >> 52 == 0 ? sum : kTooFar;
}

}  // namespace

std::int64_t scaled_deviation_portable(Values values, std::size_t n) { return scaled_deviation(values, n); }
FUGU_AVX2 std::int64_t scaled_deviation_avx2(Values values, std::size_t n) { return scaled_deviation(values, n); }

std::uint64_t small_distance_portable(Values values, Values reference) { return small_distance(values, reference); }
FUGU_AVX2 std::uint64_t small_distance_avx2(Values values, Values reference) {
  return small_distance(values, reference);
}

}  // namespace fugu::detail
