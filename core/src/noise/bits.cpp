#include "fugu/noise/bits.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>

#include <bit>

#include "fugu/base/check.hpp"
#include "seeding.hpp"

namespace fugu {
namespace detail {

void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++fork_generation; });
  FUGU_CHECK(registered == 0);
}

}  // namespace detail

BitSource::BitSource(std::size_t block_bytes) : block_bytes_(block_bytes) {
  FUGU_CHECK(block_bytes >= kWindowBytes && block_bytes <= kBlockBytes);
}
BitSource::~BitSource() { OPENSSL_cleanse(storage_, sizeof storage_); }

void BitSource::renew() {
  generation_ = detail::fork_generation.load(std::memory_order_relaxed);
  fill({storage_ + kWindowBytes, block_bytes_});
  unused_bytes_ = block_bytes_;
}

void BitSource::empty() {
  OPENSSL_cleanse(storage_ + kWindowBytes, unused_bytes_);
  unused_bytes_ = 0;
}

SecureBits::SecureBits() { detail::watch_forks(); }

void SecureBits::fill(std::span<unsigned char> block) {
  FUGU_CHECK(RAND_priv_bytes(block.data(), static_cast<int>(block.size())) == 1);
}

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
