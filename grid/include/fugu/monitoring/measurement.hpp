// What an operator's meters say about what customers draw: scenarios and errors (thesis, sections 6.1.1.1 and 6.2.2).
#pragma once

#include <cstdint>
#include <span>

#include "fugu/base/result.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu::grid {

enum class MeasurementScenario : std::uint8_t {
  pq,      ///< active and reactive power
  p_only,  ///< active power; the reactive one is taken to be 0 kvar, the pseudo-measurement of who knows nothing
};

/// Replaces what the scenario does not measure.
void apply_scenario(MeasurementScenario scenario, std::span<double> q_kvar);

/// The error that operators accept already: the yardstick for all others.
inline constexpr double kMeasurementSigma = 0.01;

/// Multiplies each value by 1 + sigma·z, with a standard normal z of its own. For simulations: `bits` would be seeded
/// ones. An error for a sigma that is negative or no number, and then nothing is changed.
Result<void> add_measurement_error(std::span<double> values, BitSource& bits, double sigma = kMeasurementSigma);

}  // namespace fugu::grid
