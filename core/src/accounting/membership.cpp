#include "fugu/accounting/membership.hpp"

#include <algorithm>
#include <map>

#include "fugu/stream/location.hpp"
#include "moving_accountant.hpp"

namespace fugu {

namespace {

Error two_households(std::string_view meter) {
  return {Cause::bad_input,
          "meter " + shown_name(meter) +
              " belongs to another household than before: it stays where it was for as long as the ledger lasts. When "
              "somebody else has moved in, give the meter a new id"};
}

}  // namespace

std::optional<std::string_view> Membership::owner_of(std::string_view meter) const {
  if (const auto known = meters_.find(meter)) return names_.name(unit_of_meter_[*known]);
  return names_.find(meter) ? std::optional(meter) : std::nullopt;
}

Result<void> Membership::check_owners(const UnitPlaced& placed) const {
  if (owner_of(placed.unit).value_or(placed.unit) != placed.unit) return two_households(placed.unit);
  for (const std::string& meter : placed.meters) {
    if (owner_of(meter).value_or(placed.unit) != placed.unit) return two_households(meter);
  }
  return {};
}

Result<void> Membership::place(const UnitPlaced& placed, std::unique_ptr<Accountant>& accountant,
                               std::uint64_t latest_session) {
  if (placed.signature && *placed.signature >= exposure_.signature_count())
    return Error{Cause::bad_input, "unit " + shown_name(placed.unit) + " is placed where no series are"};
  FUGU_TRY(check_owners(placed));
  FUGU_TRY(check_joins(placed, *accountant));
  if (const auto known = names_.find(placed.unit)) {
    FUGU_TRY(move(units_[*known], placed, accountant, latest_session));
  } else {
    const std::uint32_t first = placed.signature.value_or(0);
    units_.push_back({placed.signature.has_value(), first, first});
  }
  const NameTable::Id id = names_.intern(placed.unit);
  for (const std::string& meter : placed.meters) {
    if (meters_.intern(meter) == unit_of_meter_.size()) unit_of_meter_.push_back(id);
  }
  return {};
}

Result<void> Membership::check_move(const Unit& unit, const UnitPlaced& placed, const Accountant& accountant) const {
  if (!placed.signature || unit.signature == *placed.signature) return {};
  // Changes of several slots add up before they are squared: what a session that goes on would cost is not known.
  if (accountant.currency() == Currency::rho && reach_.slots > 0)
    return Error{Cause::refused,
                 "with δ > 0, a unit cannot move to other series while the mechanism looks back over several slots"};
  return accountant.check_move(placed.unit);
}

/// Policies may have been stated while it counted nowhere.
Result<void> Membership::check_joins(const UnitPlaced& placed, const Accountant& accountant) const {
  const auto known = names_.find(placed.unit);
  const bool joins = placed.signature && !(known && units_[*known].present);
  return joins ? accountant.check_joins(placed.unit, *placed.signature) : Result<void>();
}

Result<void> Membership::check(const Counting& counting, const Accountant& accountant) const {
  FUGU_ASSIGN(const std::vector<UnitPlaced> changes, changes_to(counting, 0));
  for (const UnitPlaced& placed : changes) {
    FUGU_TRY(check_joins(placed, accountant));
    if (const auto known = names_.find(placed.unit)) FUGU_TRY(check_move(units_[*known], placed, accountant));
  }
  return {};
}

Result<void> Membership::move(Unit& unit, const UnitPlaced& placed, std::unique_ptr<Accountant>& accountant,
                              std::uint64_t latest_session) {
  FUGU_TRY(check_move(unit, placed, *accountant));
  if (placed.signature && unit.signature != *placed.signature) {
    auto* moving = dynamic_cast<MovingAccountant*>(accountant.get());
    if (moving == nullptr) {
      auto made = std::make_unique<MovingAccountant>(std::move(accountant), exposure_);
      moving = made.get();
      accountant = std::move(made);
    }
    const std::uint64_t from = moving->has(unit.account) ? unit.account : unit.signature;
    unit.account = moving->move(from, *placed.signature, placed.slot, latest_session);
    unit.signature = *placed.signature;
  }
  unit.present = placed.signature.has_value();
  return {};
}

Result<std::map<UnitId, std::vector<std::string>>> Membership::new_meters(const SeriesMap& map) const {
  std::map<UnitId, std::vector<std::string>> fresh;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) {
    if (map.series_of(meter).empty()) continue;
    const std::string_view name = map.meter_name(meter);
    const std::string_view unit = map.unit_name(map.unit_of(meter));
    const auto owner = owner_of(name);
    if (owner.value_or(unit) != unit) return two_households(name);
    if (!owner && name != unit) fresh[map.unit_of(meter)].emplace_back(name);
  }
  return fresh;
}

std::optional<std::uint32_t> Membership::signature_of(std::string_view unit) const {
  if (units_.empty()) return std::nullopt;
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
    if (meters[series] * counting.change_steps(series) > exposure.sensitivity_steps(series))
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
  for (SeriesId series = 0; series < options.sensitivity_steps.size(); ++series)
    options.sensitivity_steps[series] *= counting.change_steps(series);
  return Exposure::make(std::move(options));
}

Result<std::vector<UnitPlaced>> Membership::changes_to(const Counting& counting, Slot slot) const {
  FUGU_TRY(check_meters(exposure_, counting));
  Signatures signatures(exposure_);
  std::vector<UnitPlaced> changes;
  std::vector<bool> found(units_.size(), false);
  const SeriesMap& map = *counting.map;
  FUGU_ASSIGN(auto fresh, new_meters(map));
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
    auto meters = fresh.extract(unit);
    if (stays && units_[*id].present && meters.empty()) continue;
    changes.push_back({slot, std::string(name), stays ? units_[*id].signature : signature,
                       meters.empty() ? std::vector<std::string>() : std::move(meters.mapped())});
  }
  for (NameTable::Id id = 0; id < units_.size(); ++id) {
    if (!found[id] && units_[id].present) changes.push_back({slot, std::string(names_.name(id)), std::nullopt});
  }
  return changes;
}

}  // namespace fugu
