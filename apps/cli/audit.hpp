// The parts of fugu audit that need no ledger, and what a ledger's audit takes over from them.
#pragma once

#include "command.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/ledger.hpp"
#include "fugu/distributional/ledger_fit.hpp"

namespace fugu::cli {

/// fugu audit temporal, fugu audit distributional.
void add_audit_temporal(CLI::App& audit, Outcome& outcome);
void add_audit_distributional(CLI::App& audit, Outcome& outcome);

/// Prints what a state promises, from the laws of its constants; whether that holds.
Result<bool> print_audit(const DistributionalState& state, const HouseholdDraws& household = {});

/// What somebody knows about the ledger's chain.
struct HeadArguments {
  std::string head;
  std::string key;

  bool given() const { return !head.empty() || !key.empty(); }
  void add_to(CLI::App& command, CLI::Option* ledger);
};
/// Prints the head, and adds findings where the ledger does not continue the one that was kept, or is not signed.
Result<void> audit_heads(const std::string& ledger, const HeadArguments& arguments, bool open_ended,
                         AuditReport& report);

}  // namespace fugu::cli
