#include "fugu/mechanism/release_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fugu/base/durable_file.hpp"

namespace fugu {

Result<ReleaseFile> ReleaseFile::open(const std::string& path) {
  if (path == "-") return ReleaseFile(path, STDOUT_FILENO);
  // What lies in /dev may be a link to what this process was started with, such as /dev/stdout.
  const int follow = path.starts_with("/dev/") ? 0 : O_NOFOLLOW;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | follow, 0644);
  if (descriptor < 0 && errno == ELOOP)
    return Error{Cause::usage, path + ": is a symbolic link; name the file that releases should go to"};
  if (descriptor < 0) return detail::system_error(path, "opening");
  return ReleaseFile(path, descriptor);
}

ReleaseFile::~ReleaseFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

bool ReleaseFile::is_file() const {
  struct stat status{};
  return descriptor_ != STDOUT_FILENO && ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

Result<void> ReleaseFile::keep(std::uint64_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  if (!is_file() || (::ftruncate(descriptor_, size) == 0 && ::lseek(descriptor_, size, SEEK_SET) == size)) return {};
  return detail::system_error(path_, "cutting off");
}

}  // namespace fugu
