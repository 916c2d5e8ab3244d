#include "fugu/accounting/head_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>

namespace fugu {

namespace {

// All heads have the same length, in one sector: overwriting leaves the old one or the new one.
constexpr const char* kFormat = "fugu ledger head\nframes %020" PRIu64 "\nslots %020" PRIu64 "\nseal %64s\n";
constexpr std::size_t kTextBytes = 17 + 28 + 27 + 70;

std::string text_of(const LedgerHead& head) {
  char text[kTextBytes + 1];
  const int length = std::snprintf(text, sizeof text, kFormat, head.frames, head.slots, to_hex(head.seal).c_str());
  FUGU_CHECK(length == static_cast<int>(kTextBytes));
  return text;
}

std::optional<LedgerHead> parse(const std::string& text) {
  LedgerHead head;
  char seal[65] = {};
  if (std::sscanf(text.c_str(), "fugu ledger head frames %" SCNu64 " slots %" SCNu64 " seal %64s", &head.frames,
                  &head.slots, seal) != 3)
    return std::nullopt;
  const auto digest = digest_from_hex(seal);
  if (!digest) return std::nullopt;
  head.seal = *digest;
  if (text_of(head) != text) return std::nullopt;
  return head;
}

}  // namespace

Result<std::optional<LedgerHead>> HeadFile::read(const std::string& path) {
  const detail::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0 && errno == ENOENT) return std::optional<LedgerHead>();
  if (file.get() < 0) return detail::system_error(path, "opening");
  std::string text(kTextBytes + 1, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return detail::system_error(path, "reading");
  text.resize(static_cast<std::size_t>(got));
  const auto head = parse(text);
  if (!head)
    return Error{Cause::refused, path +
                                     ": expected the latest head of the ledger, found something else: whether the "
                                     "ledger is the latest cannot be told. If you know that it is, remove this file"};
  return head;
}

Result<HeadFile> HeadFile::open(const std::string& path, const LedgerHead& head) {
  FUGU_TRY(detail::create_durably(path, text_of(head)));
  detail::File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return detail::system_error(path, "opening");
  return HeadFile(path, std::move(file));
}

Result<void> HeadFile::write(const LedgerHead& head) {
  const std::string text = text_of(head);
  const ssize_t written = ::pwrite(file_.get(), text.data(), text.size(), 0);
  if (written != static_cast<ssize_t>(text.size())) return detail::system_error(path_, "writing");
  return {};
}

Result<void> HeadFile::sync() const {
  if (::fsync(file_.get()) != 0) return detail::system_error(path_, "making durable");
  return {};
}

}  // namespace fugu
