#include "fugu/noise/noise.hpp"

#include "fugu/noise/discrete_gaussian.hpp"
#include "fugu/noise/discrete_laplace.hpp"

namespace fugu {

namespace {

template <class Source>
void add_each(Source& source, NoiseKind kind, Rational parameter, std::span<std::int64_t> values) {
  if (kind == NoiseKind::laplace) {
    for (std::int64_t& value : values) value += source.laplace(parameter);
  } else if (kind == NoiseKind::gaussian) {
    for (std::int64_t& value : values) value += source.gaussian(parameter);
  }
}

}  // namespace

std::int64_t SecureNoise::laplace(Rational scale) { return discrete_laplace(bits_, scale); }
std::int64_t SecureNoise::gaussian(Rational variance) { return discrete_gaussian(bits_, variance); }
void SecureNoise::add(NoiseKind kind, Rational parameter, std::span<std::int64_t> values) {
  add_each(*this, kind, parameter, values);
}

std::int64_t SimulationNoise::laplace(Rational scale) { return discrete_laplace(bits_, scale); }
std::int64_t SimulationNoise::gaussian(Rational variance) { return discrete_gaussian(bits_, variance); }
void SimulationNoise::add(NoiseKind kind, Rational parameter, std::span<std::int64_t> values) {
  add_each(*this, kind, parameter, values);
}

}  // namespace fugu
