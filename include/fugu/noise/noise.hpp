// Exact integer noise for the kernel.
#pragma once

#include <cstdint>

#include "fugu/core/rational.hpp"

namespace fugu {

/// The two laws an answer can be perturbed with.
enum class NoiseKind : std::uint8_t { laplace, gaussian };

/// Draws noise on the integer grid. Implemented by SecureNoise (publishing) and SimulationNoise (benchmarks and
/// studies); the publishing path accepts the former only.
class Noise {
 public:
  virtual ~Noise() = default;

  /// P(k) ∝ exp(−|k| / scale), exactly.
  virtual std::int64_t laplace(Rational scale) = 0;
  /// P(k) ∝ exp(−k² / (2 · variance)), exactly.
  virtual std::int64_t gaussian(Rational variance) = 0;
};

}  // namespace fugu
