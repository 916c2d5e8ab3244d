// The parts of fugu audit that need no ledger, and what a ledger's audit takes over from them.
#pragma once

#include "command.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/ledger.hpp"
#include "fugu/distributional/state.hpp"

namespace fugu::cli {

/// fugu audit temporal, fugu audit distributional.
void add_audit_temporal(CLI::App& audit, Outcome& outcome);
void add_audit_distributional(CLI::App& audit, Outcome& outcome);

/// Prints what a state promises, from the laws of its constants; whether that holds.
Result<bool> print_audit(const DistributionalState& state);
/// Where a run does not fit the state that it names: findings.
void add_misfits(const LedgerHeader& run, const DistributionalState& state, AuditReport& report);

}  // namespace fugu::cli
