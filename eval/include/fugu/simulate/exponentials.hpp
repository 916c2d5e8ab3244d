// Exponential variates in bulk, for simulations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fugu {

/// Independent variates of mean 1: −log of a uniform variate of 52 bits, so none exceeds 36.05.
///
/// Four interleaved generators (xoshiro256**) and straight-line arithmetic, which compilers turn into vector code;
/// every machine makes the same numbers. Predictable: for simulations only.
class Exponentials {
 public:
  explicit Exponentials(std::uint64_t seed, std::uint64_t stream = 0);

  struct Pair {
    double first;
    double second;
  };
  Pair next_pair() {
    if (used_ == kCount) refill();
    const Pair pair{values_[used_], values_[used_ + 1]};
    used_ += 2;
    return pair;
  }

  /// Adds ⌊scale · first⌋ − ⌊scale · second⌋ of the next pair to each value; scale at most 2^44.
  void add_differences(double scale, std::span<std::int64_t> values);

  static constexpr std::size_t kCount = 256;
  static constexpr std::size_t kLanes = 4;
  using Lanes = std::array<std::uint64_t, kLanes>;

 private:
  void refill();

  std::array<Lanes, 4> state_;  // [word of a generator's state][generator]
  std::size_t used_ = kCount;
  alignas(32) std::array<double, kCount> values_;
};

}  // namespace fugu
