#include "fugu/base/same_file.hpp"

#include <filesystem>
#include <system_error>

namespace fugu {

std::string path_written(const std::string& path) {
  constexpr int kLinksMax = 40;  // as the kernel has it
  std::error_code unknown;       // then opening it says why
  std::filesystem::path place = path;
  for (int i = 0; i < kLinksMax && std::filesystem::is_symlink(place, unknown); ++i)
    place = place.parent_path() / std::filesystem::read_symlink(place, unknown);
  return place.string();
}

bool same_file(const std::string& a, const std::string& b) {
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

}  // namespace fugu
