// The fast part of the discrete Laplace sampler: every binary digit of the draw is one 16-bit comparison ("lane").
// Private to noise and its tests. docs/guarantees/noise.md, "Lanes".
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "fixed_point.hpp"
#include "fugu/base/avx2.hpp"
#include "fugu/base/rational.hpp"

namespace fugu::detail {

/// 1 / scale = mantissa · 2^exponent, up to a relative error of 2^-29.
struct Rate {
  std::uint32_t mantissa_q31;  ///< top bit set: 1 ≤ mantissa < 2
  int exponent;
};

inline Rate rate_of(Rational scale) {
  const int num_zeros = std::countl_zero(scale.num);
  const int den_zeros = std::countl_zero(scale.den);
  // 32 bits of the divisor keep this a single machine division, and leave a quotient in [2^30, 2^32).
  const std::uint64_t divisor = (scale.num << num_zeros) >> 32;
  const auto quotient = static_cast<std::uint32_t>(((scale.den << den_zeros) >> 1) / divisor);
  const int shift = std::countl_zero(quotient);
  return {quotient << shift, num_zeros - den_zeros - shift};
}

/// The lane of exponent k draws a digit that is 1 with probability p = 1 / (1 + exp(mantissa · 2^k)).
inline constexpr int kLowestLane = -44;
inline constexpr int kHighestLane = 3;
inline constexpr int kLaneCount = kHighestLane - kLowestLane + 1;
/// Lanes are worked on in groups of 16: -44…-29, -28…-13, -12…3.
inline constexpr int kGroupLanes = 16;
inline constexpr int kTopGroup = kHighestLane - kGroupLanes + 1;
inline constexpr int kMiddleGroup = kTopGroup - kGroupLanes;

/// Estimates of p are kept in steps of 2^-17 and this much too low, so that the errors of interpolation and rounding
/// leave them below the truth, and by less than 3 steps.
inline constexpr std::uint64_t kBiasQ64 = (std::uint64_t{7} << 47) / 5;

/// A low estimate of p, in Q17, for the lane of exponent k at mantissa `mantissa_q7`.
constexpr std::uint16_t low_estimate_q17(unsigned mantissa_q7, int exponent) {
  const std::uint64_t p_q64 = logistic_q64(std::uint64_t{mantissa_q7} << (50 + exponent));
  return static_cast<std::uint16_t>(p_q64 > kBiasQ64 ? (p_q64 - kBiasQ64) >> 47 : 0);
}

using Row = std::array<std::uint16_t, kGroupLanes>;

constexpr Row row_of(unsigned mantissa_q7, int lowest_exponent) {
  Row row{};
  for (int lane = 0; lane < kGroupLanes; ++lane)
    row[static_cast<unsigned>(lane)] = low_estimate_q17(mantissa_q7, lowest_exponent + lane);
  return row;
}

/// Low estimates at both ends of an interval of mantissas.
struct alignas(64) Ends {
  Row left;
  Row right;
};

/// In the top group p bends: 128 intervals. Below, it is a straight line within 2^-40: one interval.
struct LaneTables {
  alignas(64) std::array<Row, 129> top;
  Ends middle;
  Ends bottom;
};
extern const LaneTables kLaneTables;

/// Between the ends: a threshold T in Q16 with 0 ≤ p·2^16 − T < 2. So a 16-bit value below T makes the digit 1,
/// one above T + 1 makes it 0, and T and T + 1 are undecided.
constexpr std::uint16_t threshold_q16(std::uint16_t left_q17, std::uint16_t right_q17, std::uint16_t between_q16) {
  const auto step = static_cast<std::uint32_t>(left_q17 - right_q17);
  return static_cast<std::uint16_t>((left_q17 - (step * between_q16 >> 16)) >> 1);
}

/// The threshold of a single lane, for any exponent from kLowestLane up.
std::uint16_t lane_threshold_q16(Rate rate, int exponent);

/// Which of the 128 intervals of [1, 2) holds the mantissa, and where in it.
struct Place {
  unsigned interval;
  std::uint16_t between_q16;
};
inline Place place_in_top(Rate rate) {
  return {(rate.mantissa_q31 >> 24) & 127U, static_cast<std::uint16_t>(rate.mantissa_q31 >> 8)};
}
inline std::uint16_t place_in_whole(Rate rate) { return static_cast<std::uint16_t>(rate.mantissa_q31 >> 15); }

/// The threshold of a single lane, for any exponent from kLowestLane up.
inline std::uint16_t lane_threshold_q16(Rate rate, int exponent) {
  if (exponent > kHighestLane) return 0;
  const auto lane = static_cast<unsigned>(exponent - kLowestLane) % kGroupLanes;
  if (exponent >= kTopGroup) {
    const Place place = place_in_top(rate);
    const Row* row = &kLaneTables.top[place.interval];
    return threshold_q16(row[0][lane], row[1][lane], place.between_q16);
  }
  const Ends& ends = exponent >= kMiddleGroup ? kLaneTables.middle : kLaneTables.bottom;
  return threshold_q16(ends.left[lane], ends.right[lane], place_in_whole(rate));
}

/// Draws the 16 lanes of a group from 32 bytes: the ones in bits 0…15, the undecided in bits 16…31.
struct PortableGroup {
  static std::uint32_t draw(const unsigned char* bytes, const Row& left, const Row& right, std::uint16_t between) {
    std::uint32_t ones = 0;
    std::uint32_t undecided = 0;
    for (unsigned lane = 0; lane < kGroupLanes; ++lane) {
      const auto word = static_cast<std::uint16_t>(bytes[2 * lane] | bytes[2 * lane + 1] << 8);
      const std::uint16_t threshold = threshold_q16(left[lane], right[lane], between);
      ones |= std::uint32_t{word <= threshold} << lane;
      undecided |= std::uint32_t{static_cast<std::uint16_t>(word - threshold) <= 1} << lane;
    }
    return ones | undecided << 16;
  }
};

#if defined(__x86_64__)
/// The same from the same bytes, on processors with AVX2.
struct Avx2Group {
  FUGU_AVX2 static std::uint32_t draw(const unsigned char* bytes, const Row& left, const Row& right,
                                      std::uint16_t between) {
    const __m256i left_q17 = load(left.data());
    const __m256i step = _mm256_sub_epi16(left_q17, load(right.data()));
    const __m256i walked = _mm256_mulhi_epu16(step, _mm256_set1_epi16(static_cast<short>(between)));
    const __m256i threshold = _mm256_srli_epi16(_mm256_sub_epi16(left_q17, walked), 1);
    const __m256i word = load(bytes);
    const __m256i above = _mm256_sub_epi16(word, threshold);
    const __m256i ones = _mm256_cmpeq_epi16(_mm256_min_epu16(word, threshold), word);
    const __m256i undecided = _mm256_cmpeq_epi16(_mm256_min_epu16(above, _mm256_set1_epi16(1)), above);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(ones, undecided), 0b11'01'10'00);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(packed));
  }

 private:
  FUGU_AVX2 static __m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
};
#endif

/// Bit j belongs to digit j of the draw.
struct Digits {
  std::uint64_t ones;
  std::uint64_t undecided;  ///< digits whose 16 bits did not settle them; their bits in `ones` mean nothing
};

/// Draws all digits of a rate whose exponent is at least kLowestLane and below 20. The digit of the lane of exponent k
/// is decided by the 16 bits that end 2·(kHighestLane − k) bytes before `end`.
template <class Group>
[[gnu::always_inline]] inline Digits draw_digits(const unsigned char* end, Rate rate) {
  const Place place = place_in_top(rate);
  const Row* row = &kLaneTables.top[place.interval];
  const std::uint64_t top = Group::draw(end - 32, row[0], row[1], place.between_q16);
  Digits lanes{(top & 0xFFFF) << 32, (top >> 16) << 32};
  // These branches depend on the scale alone, which is public.
  if (rate.exponent < kTopGroup) {
    const Ends& ends = kLaneTables.middle;
    const std::uint64_t middle = Group::draw(end - 64, ends.left, ends.right, place_in_whole(rate));
    lanes.ones |= (middle & 0xFFFF) << 16;
    lanes.undecided |= (middle >> 16) << 16;
  }
  if (rate.exponent < kMiddleGroup) {
    const Ends& ends = kLaneTables.bottom;
    const std::uint64_t bottom = Group::draw(end - 96, ends.left, ends.right, place_in_whole(rate));
    lanes.ones |= bottom & 0xFFFF;
    lanes.undecided |= bottom >> 16;
  }
  const int unused_lanes = rate.exponent - kLowestLane;
  return {lanes.ones >> unused_lanes, lanes.undecided >> unused_lanes};
}

}  // namespace fugu::detail
