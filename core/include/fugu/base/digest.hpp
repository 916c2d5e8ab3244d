// SHA-256, which chains records so that none can be changed unnoticed; and bytes as hexadecimal digits.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fugu {

using Digest = std::array<unsigned char, 32>;

/// Of the pieces, one after the other.
Digest sha256(std::initializer_list<std::string_view> pieces);

inline std::string_view as_text(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// Lower case, two digits a byte.
std::string to_hex(std::span<const unsigned char> bytes);
/// False when `hex` does not have twice as many hexadecimal digits (lower case) as there are bytes.
bool from_hex(std::string_view hex, std::span<unsigned char> bytes);
/// nullopt unless it is 64 hexadecimal digits.
std::optional<Digest> digest_from_hex(std::string_view text);

}  // namespace fugu
