// Random bits from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "fugu/noise/bits.hpp"

namespace fugu {

/// xoshiro256**: fast, reproducible, and predictable. For simulations only, never for what is published.
/// The same seed and stream give the same bits on every machine; different streams of a seed are unrelated, so that
/// parallel simulations can take one stream per task, whatever the number of threads.
class SeededBits final : public BitSource {
 public:
  explicit SeededBits(std::uint64_t seed, std::uint64_t stream = 0);

 private:
  void fill(std::span<unsigned char> block) override;

  std::array<std::uint64_t, 4> state_;
};

}  // namespace fugu
