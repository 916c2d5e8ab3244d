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
    FUGU_TRY(moving->check_move(placed.unit));
    const std::uint64_t from = moving->has(unit.account) ? unit.account : unit.signature;
    unit.account = moving->move(from, *placed.signature, placed.slot, latest_session);
    unit.signature = *placed.signature;
  }
  unit.present = true;
  return {};
}

std::optional<std::uint32_t> Membership::signature_of(std::string_view unit) const {
  const auto id = names_.find(unit);
  if (!id || !units_[*id].present) return std::nullopt;
  return units_[*id].signature;
}

namespace {

using SeriesSet = std::vector<SeriesId>;

bool holds(const SeriesSet& all, const SeriesSet& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// Signatures by set of series; few sets have many units.
class Signatures {
 public:
  explicit Signatures(const Exposure& exposure) : exposure_(exposure) {}

  Result<std::uint32_t> of(const SeriesSet& set, std::string_view unit) {
    const auto [known, is_new] = known_.try_emplace(set);
    if (is_new) known->second = exposure_.signature_with(set);
    if (known->second) return *known->second;
    return Error{Cause::bad_input,
                 "household or meter " + shown_name(unit) +
                     " counts into a combination of series that nobody had when the ledger began; only "
                     "another ledger can hold it, and spends the promise anew"};
  }

 private:
  const Exposure& exposure_;
  std::map<SeriesSet, std::optional<std::uint32_t>> known_;
};

Result<void> check_meters(const Exposure& exposure, const Counting& counting) {
  const std::vector<std::uint64_t> meters = counting.map->meters_of_one_unit();
  if (meters.size() != exposure.series_count())
    return Error{Cause::bad_input,
                 "the map has other series than the stream began with: only another ledger can hold them, and spends "
                 "the promise anew"};
  for (SeriesId series = 0; series < meters.size(); ++series) {
    if (meters[series] * counting.change_of_one_meter_steps > exposure.sensitivity_steps(series))
      return Error{
          Cause::bad_input,
          "one household has " + std::to_string(meters[series]) + " meters in series " +
              shown_name(counting.map->series()[series]) +
              ", more than when the ledger began; only another ledger can hold it, and spends the promise anew"};
  }
  return {};
}

}  // namespace

Result<Exposure> exposure_of(const Counting& counting) {
  Exposure::Options options{.sensitivity_steps = counting.map->meters_of_one_unit(),
                            .signatures = counting.map->signatures()};
  for (std::uint64_t& steps : options.sensitivity_steps) steps *= counting.change_of_one_meter_steps;
  return Exposure::make(std::move(options));
}

Result<void> check_covered(const Exposure& exposure, const Counting& counting) {
  FUGU_TRY(Membership(exposure, {}).changes_to(counting, 0));
  return {};
}

Result<std::vector<UnitPlaced>> Membership::changes_to(const Counting& counting, Slot slot) const {
  FUGU_TRY(check_meters(exposure_, counting));
  Signatures signatures(exposure_);
  std::vector<UnitPlaced> changes;
  std::vector<bool> found(units_.size(), false);
  const SeriesMap& map = *counting.map;
  SeriesSet set;
  for (UnitId unit = 0; unit < map.unit_count(); ++unit) {
    const auto series = map.series_of_unit(unit);
    if (series.empty()) continue;
    set.assign(series.begin(), series.end());
    const std::string_view name = map.unit_name(unit);
    FUGU_ASSIGN(const std::uint32_t signature, signatures.of(set, name));
    const auto id = names_.find(name);
    if (id) found[*id] = true;
    // Where it was may hold its series as well: then nothing changes for its account.
    const bool stays = id && holds(exposure_.signature(units_[*id].signature), set);
    if (stays && units_[*id].present) continue;
    changes.push_back({slot, std::string(name), stays ? units_[*id].signature : signature});
  }
  for (NameTable::Id id = 0; id < units_.size(); ++id) {
    if (!found[id] && units_[id].present) changes.push_back({slot, std::string(names_.name(id)), std::nullopt});
  }
  return changes;
}

}  // namespace fugu
