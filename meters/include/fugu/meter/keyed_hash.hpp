// HMAC-SHA-256: what makes shifts repeatable for the meter and unpredictable for everybody else, and reports authentic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fugu/base/digest.hpp"

namespace fugu {

/// A secret of 256 bits. Not printable by accident: only hex() writes it.
class SecretKey {
 public:
  static constexpr std::size_t kBytes = 32;

  /// From the cryptographic source.
  static SecretKey make();
  /// 64 hexadecimal digits, otherwise nothing.
  static std::optional<SecretKey> parse(std::string_view hex);
  std::string hex() const;
  std::span<const std::uint8_t, kBytes> bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

/// Reusable: one for all keys of a thread.
class KeyedHash {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  KeyedHash();
  KeyedHash(KeyedHash&&) noexcept;
  KeyedHash& operator=(KeyedHash&&) noexcept;
  ~KeyedHash();

  Digest operator()(const SecretKey& key, std::string_view message);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// The 64 bits at `word` of a digest, 0 to 3.
std::uint64_t word_of(const KeyedHash::Digest& digest, std::size_t word);

/// Whether both are equal, in a time that does not say where they differ.
bool same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

}  // namespace fugu
