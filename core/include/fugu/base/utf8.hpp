// Characters of UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fugu {

struct Utf8Character {
  std::uint32_t code_point = 0;
  std::size_t size = 0;  ///< in bytes; 0: not UTF-8
};

/// The character at the start of `text`, which is not empty: shortest forms only, no surrogates.
inline Utf8Character decode_utf8(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  std::uint32_t code_point = first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code_point = code_point << 6U | (byte(i) & 0x3FU);
  }
  const bool too_long = (size == 3 && code_point < 0x800) || (size == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (too_long || surrogate || code_point > 0x10FFFF) return {};
  return {code_point, size};
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = decode_utf8(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace fugu
