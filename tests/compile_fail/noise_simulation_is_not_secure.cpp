// What publishes demands secure noise; simulation noise must not pass for it.
#include "fugu/simulate/simulation_noise.hpp"

void publish(fugu::SecureNoise& noise);

void run() {
  fugu::SecureNoise secure;
  publish(secure);
  fugu::SimulationNoise simulation(1);
#ifdef FUGU_MUST_FAIL
  publish(simulation);
#endif
}
