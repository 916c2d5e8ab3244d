#include "fugu/meter/keyed_hash.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "fugu/base/check.hpp"

namespace fugu {

SecretKey SecretKey::make() {
  SecretKey key;
  FUGU_CHECK(RAND_priv_bytes(key.bytes_.data(), static_cast<int>(key.bytes_.size())) == 1);
  return key;
}

std::optional<SecretKey> SecretKey::parse(std::string_view hex) {
  SecretKey key;
  if (!from_hex(hex, key.bytes_)) return std::nullopt;
  return key;
}

std::string SecretKey::hex() const { return to_hex(bytes_); }

struct KeyedHash::Context {
  EVP_MAC* mac = nullptr;
  EVP_MAC_CTX* context = nullptr;
  ~Context() {
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
  }
};

KeyedHash::KeyedHash() : context_(std::make_unique<Context>()) {
  context_->mac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  FUGU_CHECK(context_->mac != nullptr);
  context_->context = EVP_MAC_CTX_new(context_->mac);
  FUGU_CHECK(context_->context != nullptr);
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  FUGU_CHECK(EVP_MAC_CTX_set_params(context_->context, parameters) == 1);
}
KeyedHash::KeyedHash(KeyedHash&&) noexcept = default;
KeyedHash& KeyedHash::operator=(KeyedHash&&) noexcept = default;
KeyedHash::~KeyedHash() = default;

KeyedHash::Digest KeyedHash::operator()(const SecretKey& key, std::string_view message) {
  Digest digest;
  std::size_t size = 0;
  EVP_MAC_CTX* const context = context_->context;
  FUGU_CHECK(EVP_MAC_init(context, key.bytes().data(), SecretKey::kBytes, nullptr) == 1);
  FUGU_CHECK(EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1);
  FUGU_CHECK(EVP_MAC_final(context, digest.data(), &size, digest.size()) == 1 && size == digest.size());
  return digest;
}

std::uint64_t word_of(const KeyedHash::Digest& digest, std::size_t word) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(digest[8 * word + i]) << (8 * i);
  return value;
}

bool same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace fugu
