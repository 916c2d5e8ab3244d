#include "fugu/base/digest.hpp"

#include <openssl/evp.h>

#include <charconv>
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

std::string to_hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::optional<Digest> digest_from_hex(std::string_view text) {
  Digest digest{};
  if (text.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const char* const pair = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(pair, pair + 2, digest[i], 16);
    if (error != std::errc() || end != pair + 2) return std::nullopt;
  }
  return digest;
}

}  // namespace fugu
