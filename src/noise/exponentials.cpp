#include "fugu/noise/exponentials.hpp"

#include <bit>
#include <cstring>

#include "../core/avx2.hpp"
#include "exponential_paths.hpp"
#include "seeding.hpp"

namespace fugu {

namespace {

using Values = detail::ExponentialValues;
using State = detail::ExponentialState;

/// One word of each generator. Compilers find the vectors in loops over doubles, not here.
using Words [[gnu::vector_size(sizeof(Exponentials::Lanes))]] = std::uint64_t;

/// One round of all generators. Multiplication by 5 and 9 is written out: vectors cannot multiply 64-bit integers.
[[gnu::always_inline]] inline void next_words(std::array<Words, 4>& s, std::uint64_t* out) {
  const Words five = s[1] + (s[1] << 2);
  const Words turned = five << 7 | five >> 57;
  const Words words = turned + (turned << 3);
  std::memcpy(out, &words, sizeof words);
  const Words shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = s[3] << 45 | s[3] >> 19;
}

/// −log(u) of the u in (0, 1] that 52 of these bits say. u = m·2^k with m around 1, and with s = (m − 1)/(m + 1),
/// log m = 2·(s + s³/3 + s⁵/5 + …), where s² ≤ 0.0295: nine terms leave less than 2^-50.
[[gnu::always_inline]] inline double minus_log(std::uint64_t bits) {
  constexpr std::uint64_t kOne = 0x3FF0000000000000U;
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDU;
  const double u = 2.0 - std::bit_cast<double>(bits >> 12 | kOne);
  const std::uint64_t from_root = std::bit_cast<std::uint64_t>(u) + (kOne - kRootHalf);
  const std::uint64_t exponent = from_root >> 52;  // k + 1023
  const double m = std::bit_cast<double>((from_root & 0x000FFFFFFFFFFFFFU) + kRootHalf);
  // k as a double without a conversion, which vectors lack: 2^52 + (k + 1023), less 2^52 + 1023.
  const double k = std::bit_cast<double>(exponent | 0x4330000000000000U) - (0x1p52 + 1023);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double series = 2.0 / 17;
  series = series * z + 2.0 / 15;
  series = series * z + 2.0 / 13;
  series = series * z + 2.0 / 11;
  series = series * z + 2.0 / 9;
  series = series * z + 2.0 / 7;
  series = series * z + 2.0 / 5;
  series = series * z + 2.0 / 3;
  series = series * z + 2.0;
  return -(k * 0x1.62e42fefa39efp-1 + series * s);
}

[[gnu::always_inline]] inline void fill(State& state, Values& values) {
  alignas(32) std::array<std::uint64_t, Exponentials::kCount> words;
  std::array<Words, 4> registers;
  std::memcpy(&registers, &state, sizeof registers);
  for (std::size_t at = 0; at < words.size(); at += Exponentials::kLanes) next_words(registers, &words[at]);
  std::memcpy(&state, &registers, sizeof registers);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = minus_log(words[i]);
}

}  // namespace

namespace detail {

void fill_exponentials_portable(State& state, Values& values) { fill(state, values); }
FUGU_AVX2 void fill_exponentials_avx2(State& state, Values& values) { fill(state, values); }

}  // namespace detail

Exponentials::Exponentials(std::uint64_t seed, std::uint64_t stream) {
  std::array<std::uint64_t, 4 * kLanes> words;
  detail::fill_state(seed, stream, words);
  for (std::size_t i = 0; i < words.size(); ++i) state_[i / kLanes][i % kLanes] = words[i];
}

void Exponentials::refill() {
  detail::has_avx2() ? detail::fill_exponentials_avx2(state_, values_)
                     : detail::fill_exponentials_portable(state_, values_);
  used_ = 0;
}

}  // namespace fugu
