#include "fugu/mechanism/release_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fugu/base/durable_file.hpp"

namespace fugu {

namespace {

/// These are links to what this process was started with. Others under /dev are not: everybody may write /dev/shm.
int follow_flag(const std::string& path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ? 0 : O_NOFOLLOW;
}

/// The first bytes, enough to hold any header of releases.
Result<std::string> beginning_of(const std::string& path) {
  const detail::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | follow_flag(path)));
  if (file.get() < 0) return detail::system_error(path, "opening");
  std::string text(256, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return detail::system_error(path, "reading");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

}  // namespace

Result<ReleaseFile> ReleaseFile::open(const std::string& path) {
  if (path == "-") return ReleaseFile(path, STDOUT_FILENO);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | follow_flag(path), 0644);
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

Result<void> ReleaseFile::check_replaceable(By by) const {
  if (!is_file()) return {};
  FUGU_ASSIGN(const std::string beginning, beginning_of(path_));
  if (beginning.empty()) return {};
  const std::string header = beginning.substr(0, beginning.find('\n'));
  if (!header.starts_with("time,series,value,"))
    return Error{Cause::refused, path_ +
                                     ": found something else than releases, which would be overwritten: name "
                                     "another file, or remove this one"};
  if (by == By::simulation && !header.ends_with(",simulated"))
    return Error{Cause::refused, path_ +
                                     ": holds releases that were not simulated, which a simulation would "
                                     "overwrite: name another file, or remove this one"};
  return {};
}

Result<void> ReleaseFile::keep(std::uint64_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  if (!is_file() || (::ftruncate(descriptor_, size) == 0 && ::lseek(descriptor_, size, SEEK_SET) == size)) return {};
  return detail::system_error(path_, "cutting off");
}

}  // namespace fugu
