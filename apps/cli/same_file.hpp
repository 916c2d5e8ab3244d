// Whether two options name the same file.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace fugu::cli {

/// By whatever names, also when it is not there yet. Nothing given, and `-` for a standard stream, are no files.
inline bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code unknown;  // then opening it says why
  if (std::filesystem::exists(a, unknown) || std::filesystem::exists(b, unknown))
    return std::filesystem::equivalent(a, b, unknown) && !unknown;
  const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(a, unknown), unknown);
  return !unknown && place == std::filesystem::weakly_canonical(std::filesystem::absolute(b, unknown), unknown);
}

}  // namespace fugu::cli
