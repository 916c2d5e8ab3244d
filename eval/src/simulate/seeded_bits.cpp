#include "fugu/simulate/seeded_bits.hpp"

#include <bit>
#include <cstring>

#include "seeding.hpp"

namespace fugu {

namespace {

void store_little_endian(unsigned char* out, std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  std::memcpy(out, &word, sizeof word);
}

}  // namespace

SeededBits::SeededBits(std::uint64_t seed, std::uint64_t stream) { detail::fill_state(seed, stream, state_); }

void SeededBits::fill(std::span<unsigned char> block) {
  // In registers: the bytes written might alias the members.
  auto [s0, s1, s2, s3] = state_;
  for (std::size_t at = 0; at < block.size(); at += 8) {
    store_little_endian(block.data() + at, std::rotl(s1 * 5, 7) * 9);
    const std::uint64_t shifted = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = std::rotl(s3, 45);
  }
  state_ = {s0, s1, s2, s3};
}

}  // namespace fugu
