#include "fugu/base/durable_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace fugu::detail {

Error system_error(const std::string& path, std::string_view doing) {
  return {Cause::environment, path + ": " + std::string(doing) + " failed: " + std::strerror(errno)};
}

Error input_error(const std::string& path, std::string_view doing) {
  const bool is_mistaken = errno == ENOENT || errno == ENOTDIR || errno == EISDIR;
  return {is_mistaken ? Cause::usage : Cause::environment,
          path + ": " + std::string(doing) + ": " + std::strerror(errno)};
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> lock(int descriptor, const std::string& path, std::string_view busy) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) return Error{Cause::environment, path + ": " + std::string(busy) + "; stop it first"};
  return system_error(path, "locking");
}

Result<void> write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(path, "writing");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> sync_directory_of(const std::string& path) {
  std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (directory.empty()) directory = ".";
  const File file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0 || ::fsync(file.get()) != 0) return system_error(directory.string(), "making durable");
  return {};
}

namespace {

/// Writes PATH.new, which nobody else made and nobody else may read.
Result<std::string> write_beside(const std::string& path, std::string_view bytes) {
  std::string beside = path + ".new";
  if (::unlink(beside.c_str()) != 0 && errno != ENOENT) return system_error(beside, "removing what a crash left");
  const File file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) return system_error(beside, "creating");
  Result<void> written = write_all(file.get(), bytes, beside);
  if (written && ::fsync(file.get()) != 0) written = system_error(beside, "making durable");
  if (written) return beside;
  ::unlink(beside.c_str());  // half a file is of no use to anybody
  return std::move(written).error();
}

}  // namespace

Result<void> replace_durably(const std::string& path, std::string_view bytes) {
  FUGU_ASSIGN(const std::string beside, write_beside(path, bytes));
  if (std::rename(beside.c_str(), path.c_str()) != 0) return system_error(path, "renaming");
  return sync_directory_of(path);
}

Result<bool> create_durably(const std::string& path, std::string_view bytes) {
  FUGU_ASSIGN(const std::string beside, write_beside(path, bytes));
  const bool created = ::link(beside.c_str(), path.c_str()) == 0;  // unlike renaming, it replaces nothing
  if (!created && errno != EEXIST) return system_error(path, "creating");
  if (::unlink(beside.c_str()) != 0) return system_error(beside, "removing");
  FUGU_TRY(sync_directory_of(path));
  return created;
}

}  // namespace fugu::detail
