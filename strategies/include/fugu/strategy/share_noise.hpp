// What noise a share buys: the arithmetic on public numbers by which strategies weigh a release.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/mechanism/kernel.hpp"

namespace fugu {

/// The expected magnitude of noise is a weight, which says how far a meter reaches, times a factor, which depends on
/// the share only. In doubles: it decides what a strategy asks for, never what is charged.
class ShareNoise {
 public:
  explicit ShareNoise(const Kernel& kernel)
      : rho_(kernel.currency() == Currency::rho), gaussian_(kernel.noise() == NoiseKind::gaussian) {}

  /// Of an answer that a meter changes by `change_steps`, given 1/`parts` of the share.
  double weight(std::uint64_t change_steps, std::uint64_t parts = 1) const;
  /// Mean magnitude, in steps, of noise with unit weight.
  double factor(Budget share) const;
  /// The share for which `weight` gets noise of that magnitude: the inverse of the above.
  double share_for(double weight, double magnitude_steps) const;
  /// Whether noise of that magnitude can be drawn.
  bool drawable(double magnitude_steps) const;

 private:
  bool rho_;
  bool gaussian_;
};

/// How far meters reach into some series of a stream.
class MeterReach {
 public:
  /// The most that one meter can change Σ over `series`, in steps.
  std::uint64_t change_steps(const Exposure& exposure, std::span<const SeriesId> series);
  /// For each of `series`, the largest number of them that one of its meters counts into.
  std::span<const std::uint64_t> series_per_meter(const Exposure& exposure, std::span<const SeriesId> series);

 private:
  void forget(const Exposure& exposure, std::span<const SeriesId> series);

  std::vector<std::uint64_t> of_signature_;  // zero between calls
  std::vector<std::uint64_t> series_per_meter_;
};

}  // namespace fugu
