// From a seed and a stream to the state of a generator. Private to simulate.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace fugu::detail {

/// splitmix64: turns any seed, however regular, into well-mixed words.
class Splitmix {
 public:
  explicit Splitmix(std::uint64_t state) : state_(state) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// Seed and stream pass through separate generators before they meet: (1, 2) and (2, 1) share nothing.
inline void fill_state(std::uint64_t seed, std::uint64_t stream, std::span<std::uint64_t> state) {
  Splitmix seeds(seed);
  Splitmix streams(stream ^ 0x6A09E667F3BCC909U);
  for (std::uint64_t& word : state) word = Splitmix(seeds.next() + std::rotl(streams.next(), 32)).next();
}

}  // namespace fugu::detail
