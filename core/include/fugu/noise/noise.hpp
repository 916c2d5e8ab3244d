// Exact integer noise for the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "fugu/base/rational.hpp"
#include "fugu/noise/bits.hpp"
#include "fugu/noise/exponentials.hpp"

namespace fugu {

/// The laws an answer can be perturbed with. `none` is the true value, with a parameter of 0: only where a definition
/// permits it.
enum class NoiseKind : std::uint8_t { laplace, gaussian, none };

/// Draws noise on the integer grid. Implemented by SecureNoise (publishing) and SimulationNoise (benchmarks and
/// studies); the publishing path accepts the former only. Not for use by several threads at once.
///
/// Guarantee: the laws are exactly those stated (SimulationNoise: nearly), for every scale `is_laplace_scale` and every
/// variance `is_gaussian_variance` accepts; others end the program. docs/guarantees/noise.md.
/// Parameters come by reference: by value g++ takes them through memory, and a draw would wait for that.
class Noise {
 public:
  virtual ~Noise() = default;

  /// P(k) ∝ exp(−|k| / scale), exactly.
  virtual std::int64_t laplace(const Rational& scale) = 0;
  /// P(k) ∝ exp(−k² / (2 · variance)), exactly.
  virtual std::int64_t gaussian(const Rational& variance) = 0;
  /// Adds an independent draw to each value; nothing for NoiseKind::none.
  virtual void add(NoiseKind kind, const Rational& parameter, std::span<std::int64_t> values) = 0;
};

/// Noise from the cryptographic source: the only kind that may protect a published value.
class SecureNoise final : public Noise {
 public:
  SecureNoise() = default;

  std::int64_t laplace(const Rational& scale) override;
  std::int64_t gaussian(const Rational& variance) override;
  void add(NoiseKind kind, const Rational& parameter, std::span<std::int64_t> values) override;

  /// The next draws owe nothing to bits that are in memory now (SecureBits::renew).
  void renew_bits() { bits_.renew(); }

 private:
  SecureBits bits_;
};

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
