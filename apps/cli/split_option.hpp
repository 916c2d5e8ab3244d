// --split: parts of a household's budget by series.
#pragma once

#include <span>
#include <string>

#include "fugu/strategy/share_split.hpp"

namespace fugu::cli {

/// `*.p=0.7,*.q=0.3`. Every series is meant by exactly one pattern; parts have at most nine decimals, so that they are
/// summed up exactly. Lists all mistakes at once.
Result<ShareSplit> parse_split(const std::string& text, const Exposure& exposure, std::span<const std::string> series);

}  // namespace fugu::cli
