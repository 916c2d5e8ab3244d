// Options that name files: none may be named twice.
#pragma once

#include <initializer_list>
#include <string>

#include "fugu/base/result.hpp"
#include "fugu/base/same_file.hpp"
#include "fugu/stream/location.hpp"

namespace fugu::cli {

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
