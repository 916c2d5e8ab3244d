// Whether a state is the one that a ledger was written with.
#pragma once

#include "fugu/accounting/audit.hpp"
#include "fugu/distributional/state.hpp"

namespace fugu {

/// Adds to `report`, which is that of the run's ledger, what of the run does not fit `state`: other series or steps,
/// more than is charged for, or a version of the state that this one does not descend from, so that it cannot count
/// what was drawn.
void audit_state(const LedgerHeader& run, const DistributionalState& state, AuditReport& report);

}  // namespace fugu
