#include "fugu/noise/noise.hpp"

#include "fugu/noise/discrete_gaussian.hpp"
#include "fugu/noise/discrete_laplace.hpp"

namespace fugu {

std::int64_t SecureNoise::laplace(Rational scale) { return discrete_laplace(bits_, scale); }
std::int64_t SecureNoise::gaussian(Rational variance) { return discrete_gaussian(bits_, variance); }

std::int64_t SimulationNoise::laplace(Rational scale) { return discrete_laplace(bits_, scale); }
std::int64_t SimulationNoise::gaussian(Rational variance) { return discrete_gaussian(bits_, variance); }

}  // namespace fugu
