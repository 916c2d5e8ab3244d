#include "fugu/noise/bits.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>

#include <bit>

#include "fugu/core/check.hpp"

namespace fugu {
namespace detail {

void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++fork_generation; });
  FUGU_CHECK(registered == 0);
}

}  // namespace detail

BitSource::~BitSource() { OPENSSL_cleanse(storage_, sizeof storage_); }

void BitSource::renew() {
  generation_ = detail::fork_generation.load(std::memory_order_relaxed);
  fill({storage_ + kWindowBytes, kBlockBytes});
  unused_bytes_ = kBlockBytes;
}

SecureBits::SecureBits() { detail::watch_forks(); }

void SecureBits::fill(std::span<unsigned char> block) {
  FUGU_CHECK(RAND_priv_bytes(block.data(), static_cast<int>(block.size())) == 1);
}

namespace {

/// splitmix64: turns any seed, however regular, into well-mixed words.
class Splitmix {
 public:
  explicit Splitmix(std::uint64_t state) : state_(state) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

void store_little_endian(unsigned char* out, std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  std::memcpy(out, &word, sizeof word);
}

}  // namespace

SeededBits::SeededBits(std::uint64_t seed, std::uint64_t stream) {
  // Seed and stream pass through separate generators before they meet: (1, 2) and (2, 1) share nothing.
  Splitmix seeds(seed);
  Splitmix streams(stream ^ 0x6A09E667F3BCC909U);
  for (std::uint64_t& word : state_) {
    Splitmix mixed(seeds.next() + std::rotl(streams.next(), 32));
    word = mixed.next();
  }
}

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
