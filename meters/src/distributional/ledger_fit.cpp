#include "fugu/distributional/ledger_fit.hpp"

#include <algorithm>

namespace fugu {

namespace {

void audit_sums(const LedgerHeader& run, std::size_t meters_of_a_household, const DistributionalState& state,
                AuditReport& report) {
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
  if (most > state.series_per_meter() * meters_of_a_household && !state.at_meters())
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

const std::string* state_id_of(const LedgerHeader& run) {
  const auto fact = run.facts.find(kStateFact);
  return fact == run.facts.end() ? nullptr : &fact->second;
}

Result<StateOnRecord> state_on_record(const std::string& ledger) {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(ledger));
  const std::string* id = state_id_of(reader.header());
  if (id == nullptr)
    return Error{Cause::usage, ledger +
                                   ": readings of this stream went through no state; expected the ledger of the "
                                   "stream that the state belongs to"};
  StateOnRecord record{.id = *id};
  FUGU_ASSIGN(record.clock, clock_of(reader.header()));
  while (true) {
    FUGU_ASSIGN(const auto next, reader.next());
    if (!next) return record;
    if (const auto* used = std::get_if<VersionUsed>(&*next)) record.version = used->version;
    if (const auto* end = std::get_if<SlotEnd>(&*next)) record.next_slot = end->slot + 1;
  }
}

Result<void> check_change(const StateOnRecord& record, const DistributionalState& state,
                          std::optional<std::int64_t> learned_until_s) {
  if (record.id != state.id())
    return Error{Cause::refused,
                 "the ledger is of state " + record.id + ", this is state " + state.id() + "; expected its own"};
  const auto versions = state.versions();
  if (record.version && std::find(versions.begin(), versions.end(), *record.version) == versions.end())
    return Error{Cause::refused,
                 "the state is not the latest: the ledger was written with one that it does not descend from. Put back "
                 "the latest state: who changes an earlier one again draws twice for the same meters"};
  const auto& [clock, utc_offset_s] = record.clock;
  if (learned_until_s && clock.has_time() && clock.start_of(record.next_slot) < *learned_until_s)
    return Error{Cause::refused, "the past readings of new meters do not end before the stream goes on, at " +
                                     clock.text(record.next_slot, utc_offset_s) +
                                     "; expected earlier ones only: what is learned from must not be in the stream"};
  return {};
}

Households households_of(const SeriesMap& map) {
  Households households;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter)
    households[std::string(map.unit_name(map.unit_of(meter)))].emplace(map.meter_name(meter));
  return households;
}

Result<Households> households_on_record(const std::string& ledger) {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(ledger));
  Households households;
  while (true) {
    FUGU_ASSIGN(const auto next, reader.next());
    if (!next) return households;
    const auto* placed = std::get_if<UnitPlaced>(&*next);
    if (placed == nullptr) continue;
    std::set<std::string>& meters = households[placed->unit];
    meters.insert(placed->unit);  // the meter of its name, if there is one
    meters.insert(placed->meters.begin(), placed->meters.end());
  }
}

HouseholdDraws most_drawn_for(const Households& households, const DistributionalState& state) {
  HouseholdDraws most;
  for (const auto& [name, meters] : households) {
    HouseholdDraws own{0, 0};
    for (const std::string& meter : meters) {
      const auto position = state.position_of(meter);
      if (!position) continue;
      ++own.meters;
      own.draws += state.draws_for(*position);
    }
    if (std::pair(own.draws, own.meters) > std::pair(most.draws, most.meters)) most = own;
  }
  return most;
}

void audit_state(const LedgerHeader& run, const Households& households, const DistributionalState& state,
                 AuditReport& report) {
  std::size_t most = 1;
  for (const auto& [name, meters] : households) most = std::max(most, meters.size());
  audit_sums(run, most, state, report);
  audit_versions(state, report);
}

}  // namespace fugu
