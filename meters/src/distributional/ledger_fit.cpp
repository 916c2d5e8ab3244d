#include "fugu/distributional/ledger_fit.hpp"

#include <algorithm>

#include "fugu/mechanism/run_facts.hpp"

namespace fugu {

namespace {

void audit_sums(const LedgerHeader& run, const DistributionalState& state, AuditReport& report) {
  const auto unit_step = unit_step_of(run);
  if (!unit_step || !(*unit_step == state.plan().unit_step))
    report.add("the state was prepared for another unit step than the ledger's");
  if (run.series != state.series()) report.add("the state was prepared for other series than the ledger's");
  const auto change = static_cast<std::uint64_t>(state.transform().change_steps());
  for (SeriesId id = 0; id < run.series.size(); ++id) {
    if (run.exposure.sensitivity_steps(id) >= change) continue;
    report.add("series " + run.series[id] + ": the ledger charges for a change of " +
               std::to_string(run.exposure.sensitivity_steps(id)) +
               " steps; with this state one meter can change it by " + std::to_string(change));
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < run.exposure.signature_count(); ++i)
    most = std::max(most, run.exposure.signature(i).size());
  if (most > state.series_per_meter() && !state.at_meters())
    report.add("a meter counts into " + std::to_string(most) + " series; the constants were drawn for meters in " +
               std::to_string(state.series_per_meter()) + " at most");
}

/// A version that was used must be one of this state's, and none may come after a later one.
void audit_versions(const DistributionalState& state, AuditReport& report) {
  const Slot known_from = report.versions.empty() ? static_cast<Slot>(report.slots) : report.versions.front().slot;
  if (known_from > 0)
    report.not_checked.push_back("which version of the state was used before slot " + std::to_string(known_from) +
                                 ": the ledger does not say");
  auto rest = state.versions();
  for (const VersionUsed& used : report.versions) {
    const auto found = std::find(rest.begin(), rest.end(), used.version);
    if (found == rest.end()) {
      report.add("from slot " + std::to_string(used.slot) +
                 " on another state was used, which the one given does not descend from: it is an earlier one, or one "
                 "was restored and changed again. What was drawn for that is not counted; give the latest state");
      return;
    }
    rest = rest.subspan(static_cast<std::size_t>(found - rest.begin()));
  }
}

}  // namespace

void audit_state(const LedgerHeader& run, const DistributionalState& state, AuditReport& report) {
  audit_sums(run, state, report);
  audit_versions(state, report);
}

}  // namespace fugu
