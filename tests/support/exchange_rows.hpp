// Results that are all there, but not in the order of their study.
#pragma once

#include <algorithm>
#include <string>

namespace fugu::test {

/// The text of results.csv with its first two rows exchanged.
inline std::string with_rows_exchanged(std::string text) {
  const auto line_after = [&](std::string::iterator from) { return std::find(from, text.end(), '\n') + 1; };
  const auto first = line_after(text.begin());
  const auto second = line_after(first);
  std::rotate(first, second, line_after(second));
  return text;
}

}  // namespace fugu::test
