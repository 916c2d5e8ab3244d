#include "fugu/noise/bits.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>

#include "fugu/base/check.hpp"

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

}  // namespace fugu
