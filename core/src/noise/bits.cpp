#include "fugu/noise/bits.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>

#include <utility>

#include "fugu/base/check.hpp"

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

void BitSource::refill() {
  generation_ = detail::fork_generation.load(std::memory_order_relaxed);
  fill({storage_ + kWindowBytes, block_bytes_});
  unused_bytes_ = block_bytes_;
}

void BitSource::empty() {
  OPENSSL_cleanse(storage_ + kWindowBytes, unused_bytes_);
  unused_bytes_ = 0;
}

SecureBits::SecureBits() { detail::watch_forks(); }

void SecureBits::renew() {
  empty();
  needs_entropy_ = true;
}

void SecureBits::fill(std::span<unsigned char> block) {
  if (std::exchange(needs_entropy_, false)) FUGU_CHECK(RAND_poll() == 1);
  FUGU_CHECK(RAND_priv_bytes(block.data(), static_cast<int>(block.size())) == 1);
}

}  // namespace fugu
