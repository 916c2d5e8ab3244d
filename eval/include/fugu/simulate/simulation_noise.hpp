// Noise from a seed: fast, the same on every machine, and not private.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "fugu/noise/noise.hpp"
#include "fugu/simulate/exponentials.hpp"
#include "fugu/simulate/seeded_bits.hpp"

namespace fugu {

/// Reproducible noise, which anyone who knows the seed can subtract. The same seed and stream give the same draws.
///
/// Laplace draws are made for speed: the law is the stated one up to the rounding of doubles, and cut off at 36 scales.
class SimulationNoise final : public Noise {
 public:
  explicit SimulationNoise(std::uint64_t seed, std::uint64_t stream = 0)
      : seed_(seed), stream_(stream), exponentials_(seed, stream) {}

  std::int64_t laplace(const Rational& scale) override;
  std::int64_t gaussian(const Rational& variance) override;
  void add(NoiseKind kind, const Rational& parameter, std::span<std::int64_t> values) override;

 private:
  /// ⌊λe⌋ of an exponential variate is geometric, and the difference of two such is what is wanted.
  std::int64_t draw(double scale) {
    const auto [first, second] = exponentials_.next_pair();
    return static_cast<std::int64_t>(first * scale) - static_cast<std::int64_t>(second * scale);
  }
  /// A scale as a double, checked.
  double steps_of(const Rational& scale) {
    return scales_[latest_scale_].is_of(scale) ? scales_[latest_scale_].steps : switch_scale(scale);
  }
  double switch_scale(const Rational& scale);

  std::uint64_t seed_;
  std::uint64_t stream_;
  Exponentials exponentials_;
  struct Scale {
    Rational exact;
    double steps = 1;

    bool is_of(const Rational& scale) const { return exact.num == scale.num && exact.den == scale.den; }
  };
  Scale scales_[2];  // the last two: strategies that decide before they release take turns
  unsigned latest_scale_ = 0;
  std::unique_ptr<SeededBits> bits_;  // for Gaussian draws, once there is one
};

}  // namespace fugu
