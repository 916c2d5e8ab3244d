// The operator's Ed25519 key, which signs the heads of a ledger.
//
// A signature says that the holder of the key stood by a head at some time, so that the operator cannot deny it later.
// It does not say that what is recorded is true (docs/guarantees/ledger.md, "Heads and signatures").
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "fugu/base/digest.hpp"
#include "fugu/base/result.hpp"

struct evp_pkey_st;

namespace fugu {

using Signature = std::array<unsigned char, 64>;

/// The public half: checks signatures.
class PublicKey {
 public:
  /// From a PEM file. Cause::bad_input when it holds no such key.
  static Result<PublicKey> load(const std::string& path);

  bool verifies(const Digest& head, const Signature& signature) const;
  /// 64 hexadecimal digits.
  std::string text() const;

 private:
  friend class OperatorKey;
  explicit PublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

/// The private half. Whoever has the file can sign in the operator's name.
class OperatorKey {
 public:
  /// Makes a key and writes it durably: `path`, readable by its owner only, and `path`.pub. Cause::usage when one of
  /// the files exists.
  static Result<OperatorKey> create(const std::string& path);
  /// Cause::bad_input when the file holds no such key, Cause::refused when others may read it.
  static Result<OperatorKey> load(const std::string& path);

  Signature sign(const Digest& head) const;
  PublicKey public_key() const { return PublicKey(key_); }

 private:
  explicit OperatorKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace fugu
