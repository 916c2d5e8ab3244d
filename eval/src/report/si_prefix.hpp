// Prefixes for large numbers.
#pragma once

#include <array>
#include <string_view>

namespace fugu::report {

struct SiPrefix {
  double magnitude;
  int exponent;
  std::string_view symbol;
};

/// Largest first.
inline constexpr std::array kSiPrefixes = {SiPrefix{1e12, 12, "T"}, SiPrefix{1e9, 9, "G"}, SiPrefix{1e6, 6, "M"},
                                           SiPrefix{1e3, 3, "k"}};

}  // namespace fugu::report
