// A number does not silently become a seeded source.
#include "fugu/simulate/simulation_noise.hpp"

void simulate(const fugu::SimulationNoise& noise);

void run() {
  simulate(fugu::SimulationNoise(1));
#ifdef FUGU_MUST_FAIL
  simulate(1);
#endif
}
