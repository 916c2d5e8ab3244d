// What somebody says about series by their names: `C1.p`, or `*.p` for all that end in .p.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu::cli {

struct SeriesPattern {
  std::string text;   ///< a name, in which one * stands for any characters, or for none
  std::string where;  ///< for messages: `clamps.csv:3`
};

/// Whether a name is one of those that a pattern means.
bool matches(std::string_view pattern, std::string_view name);

/// All mistakes of `what` as one error.
Error error_of(std::string_view what, const std::vector<std::string>& mistakes);

/// By series: the position of the one pattern that means it. Appends to `mistakes` each series that no pattern means,
/// or several, and each pattern that means none; then the result is not to be used.
std::vector<std::size_t> assign_patterns(std::span<const SeriesPattern> patterns, std::span<const std::string> series,
                                         std::vector<std::string>& mistakes);

}  // namespace fugu::cli
