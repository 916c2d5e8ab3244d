// Whether a file that others write has changed.
#pragma once

#include <sys/stat.h>

#include <string>

namespace fugu {

/// What tells one state of a file from another; all zeros when there is no file.
struct FileVersion {
  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = -1;
  time_t changed_s = 0;
  long changed_ns = 0;

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

inline FileVersion version_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace fugu
