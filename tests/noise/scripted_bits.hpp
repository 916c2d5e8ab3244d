// A bit source that says what the test wants it to say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fugu/noise/bits.hpp"

namespace fugu::test {

/// Hands out 16-bit words in the order given, then `filler` words for ever.
class ScriptedBits final : public BitSource {
 public:
  explicit ScriptedBits(std::vector<std::uint16_t> words, std::uint16_t filler = 0)
      : words_(std::move(words)), filler_(filler) {}

  /// The words of a 64-bit number, in the order in which `take64` uses them up: it reads little-endian from the end.
  static void append64(std::vector<std::uint16_t>& words, std::uint64_t value) {
    for (int shift = 48; shift >= 0; shift -= 16) words.push_back(static_cast<std::uint16_t>(value >> shift));
  }

 private:
  void fill(std::span<unsigned char> block) override {
    for (std::size_t at = block.size(); at >= 2; at -= 2) {
      const std::uint16_t word = next_ < words_.size() ? words_[next_++] : filler_;
      block[at - 2] = static_cast<unsigned char>(word & 0xFF);
      block[at - 1] = static_cast<unsigned char>(word >> 8);
    }
  }

  std::vector<std::uint16_t> words_;
  std::uint16_t filler_;
  std::size_t next_ = 0;
};

}  // namespace fugu::test
