// The exponential function in 64-bit integers, with a proved error. "Qn" means: an integer counting steps of 2^-n.
#pragma once

#include <array>
#include <cstdint>

#include "fugu/base/rational.hpp"

namespace fugu::detail {

constexpr std::uint64_t mul_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<uint128>(a) * b >> 64);
}

/// e^(−v) in Q63 for v in Q64, by `terms` terms of its series in Horner's form: 1 − v/1·(1 − v/2·(1 − …)).
constexpr std::uint64_t exp_series_q63(std::uint64_t v_q64, unsigned terms) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 63;
  std::uint64_t sum = kOne;
  for (unsigned n = terms; n > 0; --n) sum = kOne - mul_high(v_q64, sum) / n;
  return sum;
}

inline constexpr std::uint64_t kLn2Q64 = 0xB17217F7D1CF79ABU;
inline constexpr std::uint64_t kLog2eQ63 = 0xB8AA3B295C17F0BCU;

/// 2^(−i/64) in Q63.
inline constexpr std::array<std::uint64_t, 64> kExp2Q63 = [] {
  std::array<std::uint64_t, 64> table{};
  for (std::uint64_t i = 0; i < table.size(); ++i) table[i] = exp_series_q63(mul_high(kLn2Q64, i << 58), 24);
  return table;
}();

/// e^(−x) in Q63 for x below 128 in Q57. The error is below 2^-57 (docs/guarantees/noise.md, "Fixed point").
/// Constant time: no branch and no memory access depends on x, except which of 8 cache lines of a table is read.
constexpr std::uint64_t exp_minus_q63(std::uint64_t x_q57) {
  const uint128 log2_q120 = static_cast<uint128>(x_q57) * kLog2eQ63;
  const auto whole = static_cast<unsigned>(log2_q120 >> 120);
  const auto fraction_q64 = static_cast<std::uint64_t>(log2_q120 >> 56);
  const std::uint64_t coarse_q63 = kExp2Q63[fraction_q64 >> 58];
  const std::uint64_t fine_q64 = mul_high(fraction_q64 & ((std::uint64_t{1} << 58) - 1), kLn2Q64);
  const uint128 product_q126 = static_cast<uint128>(coarse_q63) * exp_series_q63(fine_q64, 8);
  const auto mantissa_q63 = static_cast<std::uint64_t>(product_q126 >> 63);
  return whole < 64 ? mantissa_q63 >> whole : 0;
}

/// 1 / (1 + e^x) in Q64 for x in (0, 128) in Q57. The error is below 2^-56.
constexpr std::uint64_t logistic_q64(std::uint64_t x_q57) {
  const std::uint64_t exp_q63 = exp_minus_q63(x_q57);
  return static_cast<std::uint64_t>((static_cast<uint128>(exp_q63) << 64) / ((uint128{1} << 63) + exp_q63));
}

}  // namespace fugu::detail
