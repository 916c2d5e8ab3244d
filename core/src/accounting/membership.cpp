#include "fugu/accounting/membership.hpp"

#include <algorithm>
#include <map>

#include "fugu/stream/location.hpp"
#include "moving_accountant.hpp"

namespace fugu {

Result<void> Membership::place(const UnitPlaced& placed, std::unique_ptr<Accountant>& accountant,
                               std::uint64_t latest_session) {
  if (placed.signature && *placed.signature >= exposure_.signature_count())
    return Error{Cause::bad_input, "unit " + shown_name(placed.unit) + " is placed where no series are"};
  const NameTable::Id id = names_.intern(placed.unit);
  if (id == units_.size()) {
    const std::uint32_t first = placed.signature.value_or(0);
    units_.push_back({placed.signature.has_value(), first, first});
    return {};
  }
  Unit& unit = units_[id];
  if (!placed.signature) {
    unit.present = false;
    return {};
  }
  if (unit.signature != *placed.signature) {
    // Changes of several slots add up before they are squared: what a session that goes on would cost is not known.
    if (accountant->currency() == Currency::rho && reach_.slots > 0)
      return Error{Cause::refused,
                   "with δ > 0, a unit cannot move to other series while the mechanism looks back over several slots"};
    auto* moving = dynamic_cast<MovingAccountant*>(accountant.get());
    if (moving == nullptr) {
      auto made = std::make_unique<MovingAccountant>(std::move(accountant), exposure_);
      moving = made.get();
      accountant = std::move(made);
    }
    const std::uint64_t from = moving->has(unit.account) ? unit.account : unit.signature;
    FUGU_ASSIGN(unit.account, moving->move(from, *placed.signature, placed.slot, latest_session));
    unit.signature = *placed.signature;
  }
  unit.present = true;
  return {};
}

Result<std::vector<UnitPlaced>> Membership::changes_to(const SeriesMap& map, std::uint64_t change_of_one_meter_steps,
                                                       Slot slot) const {
  const std::vector<std::uint64_t> meters = map.meters_of_one_unit();
  for (SeriesId series = 0; series < map.series().size(); ++series) {
    if (meters[series] * change_of_one_meter_steps > exposure_.sensitivity_steps(series))
      return Error{Cause::bad_input, "one household has " + std::to_string(meters[series]) + " meters in series " +
                                         shown_name(map.series()[series]) +
                                         ", more than when the ledger began: begin another ledger"};
  }
  std::vector<UnitPlaced> changes;
  std::vector<bool> found(units_.size(), false);
  std::map<std::vector<SeriesId>, std::optional<std::uint32_t>> known;
  const std::vector<std::vector<SeriesId>> sets = map.series_by_unit();
  for (UnitId unit = 0; unit < sets.size(); ++unit) {
    if (sets[unit].empty()) continue;
    const auto [signature, is_new] = known.try_emplace(sets[unit]);
    if (is_new) signature->second = exposure_.signature_with(sets[unit]);
    if (!signature->second)
      return Error{Cause::bad_input, "household or meter " + shown_name(map.unit_name(unit)) +
                                         " counts into a combination of series that nobody had when the ledger began: "
                                         "begin another ledger"};
    const auto id = names_.find(map.unit_name(unit));
    if (id) found[*id] = true;
    const Unit* const before = id ? &units_[*id] : nullptr;
    // Where it was may hold its series as well; then nothing changes for its account.
    const auto covers = [&](std::uint32_t g) {
      const std::vector<SeriesId>& all = exposure_.signature(g);
      return std::includes(all.begin(), all.end(), sets[unit].begin(), sets[unit].end());
    };
    if (before != nullptr && covers(before->signature)) {
      if (!before->present) changes.push_back({slot, std::string(map.unit_name(unit)), before->signature});
    } else {
      changes.push_back({slot, std::string(map.unit_name(unit)), signature->second});
    }
  }
  for (NameTable::Id id = 0; id < units_.size(); ++id) {
    if (!found[id] && units_[id].present) changes.push_back({slot, std::string(names_.name(id)), std::nullopt});
  }
  return changes;
}

}  // namespace fugu
