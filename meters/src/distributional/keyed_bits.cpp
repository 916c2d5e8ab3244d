#include "fugu/distributional/keyed_bits.hpp"

#include <openssl/evp.h>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

constexpr std::size_t kCipherBytes = 16;
constexpr std::uint32_t kCounterMax = (std::uint32_t{1} << 24) - 1;

void store(std::uint64_t value, std::size_t bytes, unsigned char* out) {
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(value >> (8 * i));
}

}  // namespace

struct KeyedBits::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  ~Cipher() { EVP_CIPHER_CTX_free(context); }
};

KeyedBits::KeyedBits(const SecretKey& key) : BitSource(kWindowBytes), cipher_(std::make_unique<Cipher>()) {
  FUGU_CHECK(cipher_->context != nullptr);
  FUGU_CHECK(EVP_EncryptInit_ex(cipher_->context, EVP_aes_256_ecb(), nullptr, key.bytes().data(), nullptr) == 1);
}
KeyedBits::~KeyedBits() = default;

void KeyedBits::start(Purpose purpose, std::int64_t time, std::uint32_t number) {
  empty();
  time_ = time;
  number_ = number;
  counter_ = static_cast<std::uint32_t>(purpose) << 24;
}

void KeyedBits::fill(std::span<unsigned char> block) {
  static_assert(kWindowBytes % kCipherBytes == 0);
  unsigned char counters[kWindowBytes];
  for (std::size_t at = 0; at < block.size(); at += kCipherBytes) {
    FUGU_CHECK((counter_ & kCounterMax) < kCounterMax);
    store(static_cast<std::uint64_t>(time_), 8, counters + at);
    store(number_, 4, counters + at + 8);
    store(counter_++, 4, counters + at + 12);
  }
  int size = 0;
  FUGU_CHECK(EVP_EncryptUpdate(cipher_->context, block.data(), &size, counters, static_cast<int>(block.size())) == 1);
  FUGU_CHECK(static_cast<std::size_t>(size) == block.size());
}

}  // namespace fugu
