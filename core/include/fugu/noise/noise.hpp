// Exact integer noise for the kernel.
#pragma once

#include <cstdint>
#include <span>

#include "fugu/base/rational.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu {

/// The laws an answer can be perturbed with. `none` is the true value, with a parameter of 0: only where a definition
/// permits it.
enum class NoiseKind : std::uint8_t { laplace, gaussian, none };

/// Draws noise on the integer grid. The publishing path accepts SecureNoise only; evaluation has a kind of its own,
/// with a seed. Not for use by several threads at once.
///
/// Guarantee: the laws are those stated, exactly so in SecureNoise, for every scale `is_laplace_scale` and every
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

}  // namespace fugu
