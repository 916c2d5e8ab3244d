// Whether a state is the one that a ledger was written with.
#pragma once

#include <map>
#include <set>

#include "fugu/accounting/audit.hpp"
#include "fugu/distributional/state.hpp"
#include "fugu/mechanism/run_facts.hpp"

namespace fugu {

/// The fact of a run that names its state, by id.
inline constexpr const char* kStateFact = "distributional";
/// The id of the state that readings went through; nullptr when they did not.
const std::string* state_id_of(const LedgerHeader& run);

/// What a ledger says, at its end, about the state that its readings went through.
struct StateOnRecord {
  std::string id;
  std::optional<Digest> version =
      {};  ///< the last one that was used; nothing in ledgers of before versions were recorded
  RunClock clock = {};
  Slot next_slot = 0;
};
/// Reads the ledger, which another run may be writing. Cause::usage when readings went through no state.
Result<StateOnRecord> state_on_record(const std::string& ledger);

/// Whether a state is the latest of that stream, so that it may be changed, and new meters learn from readings that end
/// at `learned_until_s`. Cause::refused when not. Publishing refuses the same, but then the state has been replaced.
Result<void> check_change(const StateOnRecord& record, const DistributionalState& state,
                          std::optional<std::int64_t> learned_until_s);

/// The meters of each household, those included that it has no more.
using Households = std::map<std::string, std::set<std::string>>;
Households households_of(const SeriesMap& map);
/// As far as a ledger has come.
Result<Households> households_on_record(const std::string& ledger);

/// Of the household that constants were drawn for most often, for all its meters together: so many times it pays ε.
struct HouseholdDraws {
  std::size_t meters = 1;
  std::uint64_t draws = 1;
};
HouseholdDraws most_drawn_for(const Households& households, const DistributionalState& state);

/// Adds to `report`, which is that of the run's ledger, what of the run does not fit `state`: other series or steps,
/// more than is charged for, or a version of the state that this one does not descend from, so that it cannot count
/// what was drawn.
void audit_state(const LedgerHeader& run, const Households& households, const DistributionalState& state,
                 AuditReport& report);

}  // namespace fugu
