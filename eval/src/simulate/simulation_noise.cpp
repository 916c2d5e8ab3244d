#include "fugu/simulate/simulation_noise.hpp"

#include "fugu/base/check.hpp"
#include "fugu/noise/discrete_gaussian.hpp"
#include "fugu/noise/discrete_laplace.hpp"

namespace fugu {

double SimulationNoise::switch_scale(const Rational& scale) {
  latest_scale_ ^= 1;
  Scale& known = scales_[latest_scale_];
  if (!known.is_of(scale)) {
    known = {scale, scale.to_double()};
    const bool usual = known.steps > 1 && known.steps < 0x1p32;  // well within what the law allows
    FUGU_CHECK(usual || is_laplace_scale(scale));
  }
  return known.steps;
}

std::int64_t SimulationNoise::laplace(const Rational& scale) { return draw(steps_of(scale)); }

std::int64_t SimulationNoise::gaussian(const Rational& variance) {
  if (!bits_) bits_ = std::make_unique<SeededBits>(seed_, stream_);
  return discrete_gaussian(*bits_, variance);
}

void SimulationNoise::add(NoiseKind kind, const Rational& parameter, std::span<std::int64_t> values) {
  if (kind == NoiseKind::gaussian) {
    for (std::int64_t& value : values) value += gaussian(parameter);
  }
  if (kind != NoiseKind::laplace) return;
  const double scale = steps_of(parameter);
  if (values.size() == 1) {
    values[0] += draw(scale);
  } else {
    exponentials_.add_differences(scale, values);
  }
}

}  // namespace fugu
