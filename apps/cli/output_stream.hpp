// A file or standard output, for what is written with printf.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "fugu/core/result.hpp"

namespace fugu::cli {

/// Half of what was to be written helps nobody. A device is left alone.
inline void remove_unfinished(const std::string& path) {
  std::error_code ignored;  // the failed write is what is reported
  if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
}

/// A file that is closed, and whose last write is checked, when it ends.
class OutputStream {
 public:
  static Result<OutputStream> open(const std::string& path) {
    OutputStream out;
    out.path_ = path;
    out.file_ = path == "-" ? stdout : std::fopen(path.c_str(), "w");
    if (out.file_ == nullptr) return Error{Cause::environment, path + ": opening failed: " + std::strerror(errno)};
    return out;
  }
  OutputStream(OutputStream&& other) noexcept
      : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)) {}
  OutputStream& operator=(OutputStream&&) = delete;
  ~OutputStream() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  }
  std::FILE* get() { return file_; }
  Result<void> finish() {
    if (std::fflush(file_) == 0 && std::ferror(file_) == 0) return {};
    const Error failed{Cause::environment, path_ + ": writing failed: " + std::strerror(errno)};
    if (file_ != stdout) remove_unfinished(path_);
    return failed;
  }

 private:
  OutputStream() = default;
  std::FILE* file_ = nullptr;
  std::string path_;
};

}  // namespace fugu::cli
