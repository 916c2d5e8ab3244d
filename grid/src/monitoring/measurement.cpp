#include "fugu/monitoring/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace fugu::grid {
namespace {

/// Above 0, at most 1: its logarithm is finite.
double unit(BitSource& bits) { return static_cast<double>((bits.take64() >> 11) + 1) * 0x1p-53; }

}  // namespace

void apply_scenario(MeasurementScenario scenario, std::span<double> q_kvar) {
  if (scenario == MeasurementScenario::p_only) std::ranges::fill(q_kvar, 0.0);
}

Result<void> add_measurement_error(std::span<double> values, BitSource& bits, double sigma) {
  if (!(sigma >= 0) || !std::isfinite(sigma)) {
    return Error{Cause::usage, "sigma of the measurement error has to be a number, 0 or more"};
  }
  for (std::size_t i = 0; i < values.size(); i += 2) {  // Box and Muller: two at a time
    const double radius = std::sqrt(-2 * std::log(unit(bits)));
    const double angle = 2 * std::numbers::pi * unit(bits);
    values[i] *= 1 + sigma * radius * std::cos(angle);
    if (i + 1 < values.size()) values[i + 1] *= 1 + sigma * radius * std::sin(angle);
  }
  return {};
}

}  // namespace fugu::grid
