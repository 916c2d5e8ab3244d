// Exact integer noise for the kernel.
#pragma once

#include <cstdint>
#include <span>

#include "fugu/core/rational.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu {

/// The laws an answer can be perturbed with. `none` is the true value, with a parameter of 0: only where a definition
/// permits it.
enum class NoiseKind : std::uint8_t { laplace, gaussian, none };

/// Draws noise on the integer grid. Implemented by SecureNoise (publishing) and SimulationNoise (benchmarks and
/// studies); the publishing path accepts the former only. Not for use by several threads at once.
///
/// Guarantee: the laws are exactly those stated, for every scale `is_laplace_scale` and every variance
/// `is_gaussian_variance` accepts; others end the program. docs/guarantees/noise.md.
class Noise {
 public:
  virtual ~Noise() = default;

  /// P(k) ∝ exp(−|k| / scale), exactly.
  virtual std::int64_t laplace(Rational scale) = 0;
  /// P(k) ∝ exp(−k² / (2 · variance)), exactly.
  virtual std::int64_t gaussian(Rational variance) = 0;
  /// Adds an independent draw to each value; nothing for NoiseKind::none.
  virtual void add(NoiseKind kind, Rational parameter, std::span<std::int64_t> values) = 0;
};

/// Noise from the cryptographic source: the only kind that may protect a published value.
class SecureNoise final : public Noise {
 public:
  SecureNoise() = default;

  std::int64_t laplace(Rational scale) override;
  std::int64_t gaussian(Rational variance) override;
  void add(NoiseKind kind, Rational parameter, std::span<std::int64_t> values) override;

 private:
  SecureBits bits_;
};

/// Reproducible noise, which anyone who knows the seed can subtract. The same seed and stream give the same draws.
class SimulationNoise final : public Noise {
 public:
  explicit SimulationNoise(std::uint64_t seed, std::uint64_t stream = 0) : bits_(seed, stream) {}

  std::int64_t laplace(Rational scale) override;
  std::int64_t gaussian(Rational variance) override;
  void add(NoiseKind kind, Rational parameter, std::span<std::int64_t> values) override;

 private:
  SeededBits bits_;
};

}  // namespace fugu
