// The generator behind made-up households: small, seeded by what is diced, the same on every platform. Test data only.
#pragma once

#include <cmath>
#include <cstdint>

namespace fugu {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Dice {
 public:
  /// A stream of its own for each triple.
  Dice(std::uint64_t seed, std::uint64_t meter, std::uint64_t day) : state_(mix(mix(mix(seed) ^ meter) ^ day)) {}

  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Sum of three uniform variables, scaled: bell-shaped, within three deviations, and the same on every platform.
  double bell(double mean, double deviation) {
    const double a = uniform();  // one after the other: operands of + are evaluated in any order
    const double b = uniform();
    const double c = uniform();
    return mean + 2 * deviation * (a + b + c - 1.5);
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t next() { return state_ = mix(state_); }
  std::uint64_t state_;
};

}  // namespace fugu
