#include "fugu/noise/noise.hpp"

#include "fugu/noise/discrete_gaussian.hpp"
#include "fugu/noise/discrete_laplace.hpp"

namespace fugu {

std::int64_t SecureNoise::laplace(const Rational& scale) { return discrete_laplace(bits_, scale); }
std::int64_t SecureNoise::gaussian(const Rational& variance) { return discrete_gaussian(bits_, variance); }

void SecureNoise::add(NoiseKind kind, const Rational& parameter, std::span<std::int64_t> values) {
  if (kind == NoiseKind::laplace) {
    for (std::int64_t& value : values) value += laplace(parameter);
  } else if (kind == NoiseKind::gaussian) {
    for (std::int64_t& value : values) value += gaussian(parameter);
  }
}

}  // namespace fugu
