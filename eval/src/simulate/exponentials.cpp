#include "fugu/simulate/exponentials.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "exponential_paths.hpp"
#include "fugu/base/avx2.hpp"
#include "seeding.hpp"

namespace fugu {

namespace {

using Values = detail::ExponentialValues;
using State = detail::ExponentialState;

// One word or one variate of each generator. Compilers find the vectors in loops over doubles, not in the generators,
// and not in the order that keeps a processor busy.
using Words [[gnu::vector_size(sizeof(Exponentials::Lanes))]] = std::uint64_t;
using Integers [[gnu::vector_size(sizeof(Exponentials::Lanes))]] = std::int64_t;
using Doubles [[gnu::vector_size(sizeof(Exponentials::Lanes))]] = double;

/// One round of all generators. Multiplication by 5 and 9 is written out: vectors cannot multiply 64-bit integers.
[[gnu::always_inline]] inline void next_words(Words& s0, Words& s1, Words& s2, Words& s3, Words& out) {
  const Words five = s1 + (s1 << 2);
  const Words turned = five << 7 | five >> 57;
  out = turned + (turned << 3);
  const Words shifted = s1 << 17;
  s2 ^= s0;
  s3 ^= s1;
  s1 ^= s2;
  s0 ^= s3;
  s2 ^= shifted;
  s3 = s3 << 45 | s3 >> 19;
}

/// The steps of a logarithm wait for each other: several go side by side.
constexpr std::size_t kSideBySide = 4;
constexpr std::size_t kAtOnce = kSideBySide * Exponentials::kLanes;

/// −log(u) of the u in (0, 1] that 52 of these bits say. u = m·2^k with m around 1, and with s = (m − 1)/(m + 1),
/// log m = 2·(s + s³/3 + s⁵/5 + …), where s² ≤ 0.0295: nine terms leave less than 2^-50.
[[gnu::always_inline]] inline void minus_log(const std::array<Words, kSideBySide>& words, double* values) {
  constexpr std::uint64_t kOne = 0x3FF0000000000000U;
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDU;
  std::array<Doubles, kSideBySide> log_of_power;
  std::array<Doubles, kSideBySide> s;
  std::array<Doubles, kSideBySide> z;
  std::array<Doubles, kSideBySide> series;
  for (std::size_t i = 0; i < kSideBySide; ++i) {
    const Doubles u = 2.0 - reinterpret_cast<Doubles>(words[i] >> 12 | kOne);
    const Words from_root = reinterpret_cast<Words>(u) + (kOne - kRootHalf);
    const Words exponent = from_root >> 52;  // k + 1023
    const Doubles m = reinterpret_cast<Doubles>((from_root & 0x000FFFFFFFFFFFFFU) + kRootHalf);
    // k as a double without a conversion, which vectors lack: 2^52 + (k + 1023), less 2^52 + 1023.
    const Doubles k = reinterpret_cast<Doubles>(exponent | 0x4330000000000000U) - (0x1p52 + 1023);
    log_of_power[i] = k * 0x1.62e42fefa39efp-1;
    s[i] = (m - 1.0) / (m + 1.0);
    z[i] = s[i] * s[i];
    series[i] = z[i] * (2.0 / 17) + 2.0 / 15;
  }
  for (const double term : {2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0}) {
    for (std::size_t i = 0; i < kSideBySide; ++i) series[i] = series[i] * z[i] + term;
  }
  for (std::size_t i = 0; i < kSideBySide; ++i) {
    const Doubles value = -(log_of_power[i] + series[i] * s[i]);
    std::memcpy(values + i * Exponentials::kLanes, &value, sizeof value);
  }
}

[[gnu::always_inline]] inline void fill(State& state, Values& values) {
  std::array<Words, 4> s;
  std::memcpy(&s, &state, sizeof s);
  auto [s0, s1, s2, s3] = s;  // kept in registers, unlike an array
  std::array<Words, kSideBySide> words;
  for (std::size_t at = 0; at < values.size(); at += kAtOnce) {
    for (Words& word : words) next_words(s0, s1, s2, s3, word);
    minus_log(words, &values[at]);
  }
  s = {s0, s1, s2, s3};
  std::memcpy(&state, &s, sizeof s);
}

// Vectors lack the conversion of doubles to integers: one below 2^51 stands in the last bits of its sum with this.
constexpr double kShift = 0x1.8p52;

/// ⌊x⌋ for 0 ≤ x < 2^51.
[[gnu::always_inline]] inline void round_down(Doubles& x) {
  const Doubles nearest = x + kShift - kShift;
  const Doubles one = Doubles{} + 1.0;
  x = nearest - reinterpret_cast<Doubles>((nearest > x) & reinterpret_cast<Integers>(one));
}

[[gnu::always_inline]] inline void add_differences(std::span<const double> variates, double scale,
                                                   std::span<std::int64_t> values) {
  std::size_t at = 0;
  for (; at + Exponentials::kLanes <= values.size(); at += Exponentials::kLanes) {
    Doubles low;
    Doubles high;
    Integers sums;
    std::memcpy(&low, &variates[2 * at], sizeof low);
    std::memcpy(&high, &variates[2 * at + Exponentials::kLanes], sizeof high);
    std::memcpy(&sums, &values[at], sizeof sums);
    Doubles first = __builtin_shufflevector(low, high, 0, 2, 4, 6) * scale;
    Doubles second = __builtin_shufflevector(low, high, 1, 3, 5, 7) * scale;
    round_down(first);
    round_down(second);
    sums += reinterpret_cast<Integers>(first - second + kShift) - std::bit_cast<std::int64_t>(kShift);
    std::memcpy(&values[at], &sums, sizeof sums);
  }
  for (; at < values.size(); ++at)
    values[at] +=
        static_cast<std::int64_t>(variates[2 * at] * scale) - static_cast<std::int64_t>(variates[2 * at + 1] * scale);
}

}  // namespace

namespace detail {

void fill_exponentials_portable(State& state, Values& values) { fill(state, values); }
FUGU_AVX2 void fill_exponentials_avx2(State& state, Values& values) { fill(state, values); }

void add_differences_portable(std::span<const double> variates, double scale, std::span<std::int64_t> values) {
  add_differences(variates, scale, values);
}
FUGU_AVX2 void add_differences_avx2(std::span<const double> variates, double scale, std::span<std::int64_t> values) {
  add_differences(variates, scale, values);
}

}  // namespace detail

Exponentials::Exponentials(std::uint64_t seed, std::uint64_t stream) {
  std::array<std::uint64_t, 4 * kLanes> words;
  detail::fill_state(seed, stream, words);
  for (std::size_t i = 0; i < words.size(); ++i) state_[i / kLanes][i % kLanes] = words[i];
}

void Exponentials::add_differences(double scale, std::span<std::int64_t> values) {
  while (!values.empty()) {
    if (used_ == kCount) refill();
    const std::size_t count = std::min(values.size(), (kCount - used_) / 2);
    const std::span<const double> variates(&values_[used_], 2 * count);
    detail::has_avx2() ? detail::add_differences_avx2(variates, scale, values.first(count))
                       : detail::add_differences_portable(variates, scale, values.first(count));
    used_ += 2 * count;
    values = values.subspan(count);
  }
}

void Exponentials::refill() {
  detail::has_avx2() ? detail::fill_exponentials_avx2(state_, values_)
                     : detail::fill_exponentials_portable(state_, values_);
  used_ = 0;
}

}  // namespace fugu
