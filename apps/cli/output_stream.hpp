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

/// A file that is closed, and whose last write is checked, when it ends. One that was not finished is removed: half of
/// it would look like all.
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
      : file_(std::exchange(other.file_, nullptr)), path_(std::move(other.path_)), finished_(other.finished_) {}
  OutputStream& operator=(OutputStream&&) = delete;
  ~OutputStream() {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    std::error_code unknown;  // devices and pipes stay
    if (!finished_ && std::filesystem::is_regular_file(path_, unknown)) std::filesystem::remove(path_, unknown);
  }
  std::FILE* get() { return file_; }
  Result<void> finish() {
    if (std::fflush(file_) != 0 || std::ferror(file_) != 0)
      return Error{Cause::environment, path_ + ": writing failed: " + std::strerror(errno)};
    finished_ = true;
    return {};
  }

 private:
  OutputStream() = default;
  std::FILE* file_ = nullptr;
  std::string path_;
  bool finished_ = false;
};

}  // namespace fugu::cli
