// Comparison of short texts that are mostly equal, without the call that std::memcmp costs.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace fugu {

inline bool same_text(std::string_view a, std::string_view b) noexcept {
  const auto word = [](const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  if (a.size() != b.size()) return false;
  if (a.size() < 8) return a == b;
  const std::size_t last = a.size() - 8;
  std::uint64_t difference = word(a.data() + last) ^ word(b.data() + last);
  for (std::size_t at = 0; at < last; at += 8) difference |= word(a.data() + at) ^ word(b.data() + at);
  return difference == 0;
}

}  // namespace fugu
