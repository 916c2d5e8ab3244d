// The publisher and the simulation decide which noise goes with a ledger; nobody goes around them.
#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"

void make(fugu::Mechanism mechanism, fugu::LedgerWriter& ledger) {
#ifdef FUGU_MUST_FAIL
  fugu::SlotRunner runner(std::move(mechanism), std::make_unique<fugu::SimulationNoise>(1), &ledger);
#else
  static_cast<void>(mechanism);
  static_cast<void>(ledger);
#endif
}
