#include "fugu/base/digest.hpp"

#include <openssl/evp.h>

#include <memory>

#include "fugu/base/check.hpp"

namespace fugu {

Digest sha256(std::initializer_list<std::string_view> pieces) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  FUGU_CHECK(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  for (const std::string_view piece : pieces)
    FUGU_CHECK(EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1);
  Digest digest;
  FUGU_CHECK(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1);
  return digest;
}

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

}  // namespace

std::string to_hex(std::span<const unsigned char> bytes) {
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += kHexDigits[byte >> 4];
    hex += kHexDigits[byte & 15];
  }
  return hex;
}

bool from_hex(std::string_view hex, std::span<unsigned char> bytes) {
  if (hex.size() != 2 * bytes.size()) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t high = kHexDigits.find(hex[2 * i]);
    const std::size_t low = kHexDigits.find(hex[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    bytes[i] = static_cast<unsigned char>(high << 4 | low);
  }
  return true;
}

std::optional<Digest> digest_from_hex(std::string_view text) {
  Digest digest{};
  if (!from_hex(text, digest)) return std::nullopt;
  return digest;
}

}  // namespace fugu
