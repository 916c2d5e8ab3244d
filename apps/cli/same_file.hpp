// Whether options name the same file: what is written must not destroy what was read.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <system_error>

#include "fugu/base/result.hpp"
#include "fugu/stream/location.hpp"

namespace fugu::cli {

/// Where writing to `path` puts a file: links are followed, also those to what is not there yet.
inline std::string path_written(const std::string& path) {
  constexpr int kLinksMax = 40;  // as the kernel has it
  std::error_code unknown;       // then opening it says why
  std::filesystem::path place = path;
  for (int i = 0; i < kLinksMax && std::filesystem::is_symlink(place, unknown); ++i)
    place = place.parent_path() / std::filesystem::read_symlink(place, unknown);
  return place.string();
}

/// By whatever names, also when it is not there yet. Nothing given, `-` for a standard stream, devices and pipes are no
/// files.
inline bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code unknown;  // then opening it says why
  if (std::filesystem::exists(a, unknown) || std::filesystem::exists(b, unknown))
    return std::filesystem::is_regular_file(a, unknown) && std::filesystem::equivalent(a, b, unknown) && !unknown;
  const auto place_of = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path_written(path), unknown), unknown);
  };
  const auto place = place_of(a);
  return place == place_of(b) && !unknown;
}

struct FileOption {
  const char* option;
  const std::string& path;
};

/// Each option names a file of its own; else Cause::usage, before anything is opened for writing.
inline Result<void> check_different(std::initializer_list<FileOption> files) {
  for (auto a = files.begin(); a != files.end(); ++a) {
    for (auto b = a + 1; b != files.end(); ++b) {
      if (same_file(a->path, b->path))
        return Error{Cause::usage, std::string(a->option).append(" and ").append(b->option) +
                                       " must be different files: found " + shown_name(a->path) + " for both"};
    }
  }
  return {};
}

}  // namespace fugu::cli
