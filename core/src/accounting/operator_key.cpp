#include "fugu/accounting/operator_key.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fugu/base/durable_file.hpp"

namespace fugu {

namespace {

using Key = std::shared_ptr<EVP_PKEY>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// Longer than any key file.
constexpr std::size_t kFileBytesMax = 4096;

/// What is signed. The words keep the signature from meaning anything elsewhere.
std::string message_of(const Digest& head) { return "fugu ledger head " + to_hex(head); }

Key owned(EVP_PKEY* key) { return {key, &EVP_PKEY_free}; }

Result<std::string> read_small_file(const std::string& path, bool secret) {
  const detail::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return detail::input_error(path, "cannot be opened");
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return detail::system_error(path, "reading");
  if (secret && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Error{Cause::refused, path +
                                     ": others than its owner may use this private key; chmod 600 it, or make a new "
                                     "one if it may have been copied"};
  std::string text(kFileBytesMax, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return detail::input_error(path, "cannot be read");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

/// Takes only what is an Ed25519 key.
Result<Key> checked(EVP_PKEY* read, const std::string& path, const char* what) {
  Key key = owned(read);
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_ED25519)
    return Error{Cause::bad_input, path + ": expected " + what + " as fugu key new makes it, found something else"};
  return key;
}

template <class Write>
std::string pem_of(Write&& write) {
  const Memory memory(BIO_new(BIO_s_secmem()), &BIO_free_all);
  FUGU_CHECK(memory != nullptr && write(memory.get()) == 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

Result<void> create_file(const std::string& path, const std::string& text) {
  FUGU_ASSIGN(const bool created, detail::create_durably(path, text));
  if (!created) return Error{Cause::usage, path + ": exists already; a key is never overwritten"};
  return {};
}

}  // namespace

Result<PublicKey> PublicKey::load(const std::string& path) {
  FUGU_ASSIGN(const std::string text, read_small_file(path, false));
  const Memory memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free_all);
  FUGU_ASSIGN(Key key, checked(PEM_read_bio_PUBKEY(memory.get(), nullptr, nullptr, nullptr), path, "a public key"));
  return PublicKey(std::move(key));
}

bool PublicKey::verifies(const Digest& head, const Signature& signature) const {
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  const std::string message = message_of(head);
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature.data(), signature.size(),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
}

std::string PublicKey::text() const {
  Digest raw{};
  std::size_t size = raw.size();
  FUGU_CHECK(EVP_PKEY_get_raw_public_key(key_.get(), raw.data(), &size) == 1 && size == raw.size());
  return to_hex(raw);
}

Result<OperatorKey> OperatorKey::create(const std::string& path) {
  Key key = owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  FUGU_CHECK(key != nullptr);
  FUGU_TRY(create_file(path, pem_of([&](BIO* out) {
                         return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
                       })));
  const std::string to_give_away = path + ".pub";
  FUGU_TRY(create_file(to_give_away, pem_of([&](BIO* out) { return PEM_write_bio_PUBKEY(out, key.get()); })));
  if (::chmod(to_give_away.c_str(), 0644) != 0) return detail::system_error(to_give_away, "letting others read");
  return OperatorKey(std::move(key));
}

Result<OperatorKey> OperatorKey::load(const std::string& path) {
  FUGU_ASSIGN(const std::string text, read_small_file(path, true));
  const Memory memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free_all);
  FUGU_ASSIGN(Key key,
              checked(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr), path, "a private key"));
  return OperatorKey(std::move(key));
}

Signature OperatorKey::sign(const Digest& head) const {
  const Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  const std::string message = message_of(head);
  Signature signature{};
  std::size_t size = signature.size();
  FUGU_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  FUGU_CHECK(EVP_DigestSign(context.get(), signature.data(), &size,
                            reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1);
  return signature;
}

}  // namespace fugu
