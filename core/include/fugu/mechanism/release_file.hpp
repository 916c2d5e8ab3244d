// The file that releases go to, or standard output.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "fugu/base/result.hpp"

namespace fugu {

/// Closes itself, unless it is standard output.
class ReleaseFile {
 public:
  /// `-` is standard output. Opens without changing what is there. Not through a symbolic link, which could lead
  /// releases over a file that somebody else chose: Cause::usage.
  static Result<ReleaseFile> open(const std::string& path);
  ~ReleaseFile();
  ReleaseFile(ReleaseFile&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  ReleaseFile& operator=(ReleaseFile&&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  /// Whether what was written can be read back: not so for standard output, pipes and devices.
  bool is_file() const;
  enum class By : std::uint8_t { publisher, simulation };
  /// Whether a new stream may take the place of what the file holds: nothing, or earlier releases. A simulation takes
  /// the place of a simulation only: what is private was paid for. Cause::refused.
  Result<void> check_replaceable(By by) const;
  /// Keeps the first `bytes` of a file and goes on after them.
  Result<void> keep(std::uint64_t bytes);

 private:
  ReleaseFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

}  // namespace fugu
