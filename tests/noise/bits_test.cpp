#include "fugu/noise/bits.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <type_traits>
#include <vector>

#include "../core/src/noise/laplace_paths.hpp"
#include "../eval/src/simulate/exponential_paths.hpp"
#include "fugu/noise/noise.hpp"
#include "fugu/simulate/exponentials.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/simulate/simulation_noise.hpp"
#include "support/stat_check.hpp"

namespace fugu {
namespace {

static_assert(!std::is_convertible_v<SeededBits&, SecureBits&> && !std::is_convertible_v<SecureBits&, SeededBits&>);
static_assert(!std::is_constructible_v<SecureNoise, SimulationNoise> && !std::is_constructible_v<SecureNoise, int>);
static_assert(!std::is_convertible_v<SimulationNoise*, SecureNoise*>);
static_assert(!std::is_convertible_v<int, SimulationNoise> && !std::is_default_constructible_v<SimulationNoise>);

TEST(SecureBits, BytesAreUniform) {
  constexpr double kAlpha = 1e-6;
  SecureBits bits;
  std::vector<std::uint64_t> counts(256);
  const std::vector<double> probability(256, 1.0 / 256);
  for (int i = 0; i < 200'000; ++i)
    for (std::uint64_t word = bits.take64(), byte = 0; byte < 8; ++byte, word >>= 8) ++counts[word & 255];
  EXPECT_TRUE(test::fits_law(counts, probability, {kAlpha, "none"}));
}

/// Counts how often it is asked for new bits.
class CountingBits final : public BitSource {
 public:
  using BitSource::empty;
  int fills = 0;

 private:
  void fill(std::span<unsigned char> block) override {
    ++fills;
    std::fill(block.begin(), block.end(), static_cast<unsigned char>(fills));
  }
};

TEST(BitSource, WhatWasDroppedIsNotHandedOut) {
  CountingBits bits;
  EXPECT_EQ(bits.take64(), 0x0101010101010101u);
  EXPECT_EQ(bits.take64(), 0x0101010101010101u) << "from the buffer";
  bits.empty();
  EXPECT_EQ(bits.fills, 1) << "new bits are made when they are needed: a copy made meanwhile has none";
  EXPECT_EQ(bits.take64(), 0x0202020202020202u);
}

TEST(SecureBits, GoesOnAfterRenewing) {
  SecureBits bits;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(bits.take64());
    bits.renew();
  }
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(SecureBits, NothingIsHandedOutTwice) {
  SecureBits bits;
  std::set<std::uint64_t> seen;
  // Over several refills; two equal words among 20,000 have a probability of 1e-11.
  for (int i = 0; i < 20'000; ++i) EXPECT_TRUE(seen.insert(bits.take64()).second);
}

TEST(SecureBits, UsedBytesAreWiped) {
  SecureBits bits;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{33}, std::size_t{100}, BitSource::kWindowBytes}) {
    const unsigned char* const end = bits.window(bytes);
    bits.discard(bytes);
    EXPECT_TRUE(std::all_of(end - bytes, end, [](unsigned char byte) { return byte == 0; }));
    EXPECT_FALSE(std::all_of(end - bytes - 32, end - bytes, [](unsigned char byte) { return byte == 0; }));
  }
}

using Words = std::array<std::uint64_t, 64>;

Words take_words(BitSource& bits) {
  Words words;
  for (std::uint64_t& word : words) word = bits.take64();
  return words;
}

/// What a forked child draws from its copy of the source.
Words words_of_child(BitSource& bits) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Words words = take_words(bits);
    _exit(write(ends[1], words.data(), sizeof words) == sizeof words ? 0 : 1);
  }
  Words words{};
  EXPECT_EQ(read(ends[0], words.data(), sizeof words), static_cast<ssize_t>(sizeof words));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  return words;
}

TEST(SecureBits, AForkedChildSharesNothingWithItsParent) {
  SecureBits bits;
  bits.take64();
  const Words first_child = words_of_child(bits);
  const Words second_child = words_of_child(bits);
  const Words parent = take_words(bits);
  std::set<std::uint64_t> all(parent.begin(), parent.end());
  all.insert(first_child.begin(), first_child.end());
  all.insert(second_child.begin(), second_child.end());
  EXPECT_EQ(all.size(), 3 * parent.size());
}

TEST(SeededBits, RepeatsItselfForASeedAndAStream) {
  SeededBits one(7, 3);
  SeededBits same(7, 3);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(one.take64(), same.take64());
}

TEST(SeededBits, SeedsAndStreamsDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 32; ++seed)
    for (std::uint64_t stream = 0; stream < 32; ++stream) first.insert(SeededBits(seed, stream).take64());
  EXPECT_EQ(first.size(), 32U * 32U);
}

TEST(SeededBits, BytesAreUniform) {
  SeededBits bits(1);
  std::vector<std::uint64_t> counts(256);
  const std::vector<double> probability(256, 1.0 / 256);
  for (int i = 0; i < 200'000; ++i)
    for (std::uint64_t word = bits.take64(), byte = 0; byte < 8; ++byte, word >>= 8) ++counts[word & 255];
  EXPECT_TRUE(test::fits_law(counts, probability, {1e-6, "1"}));
}

/// Published studies quote seeds: these draws must not change from version to version.
TEST(Exponentials, VectorAndPortableCodeAgreeToTheLastBit) {
  if (!detail::has_avx2()) GTEST_SKIP() << "no AVX2 here";
  detail::ExponentialState one{{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {~0ull, 14, 15, 1ull << 63}}};
  detail::ExponentialState same = one;
  detail::ExponentialValues portable{};
  detail::ExponentialValues vectors{};
  for (int round = 0; round < 2000; ++round) {
    detail::fill_exponentials_portable(one, portable);
    detail::fill_exponentials_avx2(same, vectors);
    ASSERT_EQ(portable, vectors);
  }
  EXPECT_EQ(one, same);
}

/// Whether values are perturbed together or one by one, their noise is the same.
TEST(Exponentials, DifferencesAreThoseOfPairs) {
  for (const double scale : {0.03, 1.0, 119.7, 0x1p32, 0x1p44}) {
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{127}, std::size_t{1001}}) {
      Exponentials one_by_one(11);
      Exponentials together(11);
      one_by_one.next_pair();  // so that not all begin where a block of variates does
      together.next_pair();
      std::vector<std::int64_t> expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto [first, second] = one_by_one.next_pair();
        expected[i] = static_cast<std::int64_t>(i) + static_cast<std::int64_t>(first * scale) -
                      static_cast<std::int64_t>(second * scale);
      }
      std::vector<std::int64_t> values(count);
      std::iota(values.begin(), values.end(), std::int64_t{0});
      together.add_differences(scale, values);
      ASSERT_EQ(values, expected) << "scale " << scale << ", " << count << " values";
    }
  }
}

TEST(Exponentials, DifferencesOfVectorAndPortableCodeAgree) {
  if (!detail::has_avx2()) GTEST_SKIP() << "no AVX2 here";
  // Whole numbers and their neighbours, where rounding down is easily wrong.
  std::vector<double> variates;
  for (const double whole : {0.0, 1.0, 2.0, 35.0, 1023.0, 0x1p45, 0x1p49})
    for (const double variate : {std::nextafter(whole, 0), whole, std::nextafter(whole, 0x1p50), whole + 0.5})
      variates.push_back(variate);
  const std::size_t count = variates.size() / 2;
  std::vector<std::int64_t> portable(count, -5);
  std::vector<std::int64_t> vectors(count, -5);
  detail::add_differences_portable(variates, 1.0, portable);
  detail::add_differences_avx2(variates, 1.0, vectors);
  EXPECT_EQ(portable, vectors);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(portable[i],
              -5 + static_cast<std::int64_t>(variates[2 * i]) - static_cast<std::int64_t>(variates[2 * i + 1]));
}

TEST(Exponentials, AreLogarithms) {
  Exponentials exponentials(3);
  double sum = 0;
  double largest = 0;
  constexpr int kPairs = 500'000;
  for (int i = 0; i < kPairs; ++i) {
    const auto [first, second] = exponentials.next_pair();
    ASSERT_GE(std::min(first, second), 0.0);
    sum += first + second;
    largest = std::max({largest, first, second});
  }
  EXPECT_NEAR(sum / (2 * kPairs), 1.0, 5.0 / std::sqrt(2.0 * kPairs));  // five standard errors: 6e-7 by chance
  EXPECT_GT(largest, 9.0);  // smaller with probability exp(−10^6 · e^-9) < 1e-53
  EXPECT_LE(largest, 36.05);
}

TEST(SimulationNoise, DrawsOfASeedStayWhatTheyWere) {
  SimulationNoise noise(42, 1);
  std::vector<std::int64_t> draws;
  for (int i = 0; i < 6; ++i) draws.push_back(noise.laplace({1000, 1}));
  for (int i = 0; i < 4; ++i) draws.push_back(noise.gaussian({1'000'000, 1}));
  EXPECT_EQ(draws, (std::vector<std::int64_t>{194, -47, 1791, -2057, 158, -3547, -2031, 1358, 804, -520}));
}

}  // namespace
}  // namespace fugu
