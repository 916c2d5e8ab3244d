// A file or standard output, for what is written with printf.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "file_options.hpp"
#include "fugu/base/result.hpp"

namespace fugu::cli {

/// A file that takes its place when it is finished, and whose last write is checked. Until then, and when it fails,
/// what was there before stays: half of a file would look like all. Devices and pipes are written as they are.
class OutputStream {
 public:
  static Result<OutputStream> open(const std::string& path) {
    OutputStream out;
    out.path_ = path;
    if (path == "-") {
      out.file_ = stdout;
      return out;
    }
    if (is_file(path)) {
      out.place_ = path_written(path);
      out.beside_ = out.place_ + ".new";
    }
    out.file_ = std::fopen(out.beside_.empty() ? path.c_str() : out.beside_.c_str(), "w");
    if (out.file_ == nullptr) return Error{Cause::environment, path + ": opening failed: " + std::strerror(errno)};
    return out;
  }
  OutputStream(OutputStream&& other) noexcept
      : file_(std::exchange(other.file_, nullptr)),
        path_(std::move(other.path_)),
        place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})) {}
  OutputStream& operator=(OutputStream&&) = delete;
  ~OutputStream() {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    std::error_code ignored;  // the failed write is what is reported
    if (!beside_.empty()) std::filesystem::remove(beside_, ignored);
  }
  std::FILE* get() { return file_; }
  Result<void> finish() {
    if (std::fflush(file_) != 0 || std::ferror(file_) != 0) return failed();
    if (beside_.empty()) return {};
    if (std::rename(beside_.c_str(), place_.c_str()) != 0) return failed();
    beside_.clear();
    return {};
  }

 private:
  OutputStream() = default;

  /// New, or a regular file. What lies in /dev is not, whatever it is connected to.
  static bool is_file(const std::string& path) {
    std::error_code unknown;
    const auto status = std::filesystem::status(path, unknown);
    return !path.starts_with("/dev/") && (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status));
  }
  Error failed() const { return {Cause::environment, path_ + ": writing failed: " + std::strerror(errno)}; }

  std::FILE* file_ = nullptr;
  std::string path_;    // as given
  std::string place_;   // where the file goes: links are followed
  std::string beside_;  // where it is until it is finished
};

}  // namespace fugu::cli
