// What is published is protected by secure noise; noise with a seed does not compile.
#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"

void run(fugu::Mechanism mechanism, fugu::ReleaseSink& sink) {
#ifdef FUGU_MUST_FAIL
  fugu::Publisher publisher(std::move(mechanism), std::make_unique<fugu::SimulationNoise>(1), sink);
#else
  fugu::Publisher publisher(std::move(mechanism), std::make_unique<fugu::SecureNoise>(), sink);
#endif
}
