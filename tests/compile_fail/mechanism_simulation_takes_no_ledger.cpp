// A simulation spends nothing that could be recorded: there is no way to give it a ledger.
#include "fugu/mechanism/publisher.hpp"
#include "fugu/simulate/simulation.hpp"

void run(fugu::Mechanism mechanism, fugu::LedgerWriter ledger) {
#ifdef FUGU_MUST_FAIL
  fugu::Simulation simulation(std::move(mechanism), std::make_unique<fugu::SimulationNoise>(1), std::move(ledger));
#else
  static_cast<void>(ledger);
  fugu::Simulation simulation(std::move(mechanism), std::make_unique<fugu::SimulationNoise>(1));
#endif
}
