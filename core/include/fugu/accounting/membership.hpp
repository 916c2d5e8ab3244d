// Who counts into what, while that changes: meters are exchanged, feeders are re-wired, customers come and go.
//
// A promise is about a unit (a household, see SeriesMap), wherever it counts. A unit that moves from series A to series
// B within a window has lost what A was asked before and what B is asked after. So a signature's account is not enough:
// whoever moves gets an account of their own, which begins with the past of the old one and goes on with the series of
// the new one. Proof: docs/guarantees/membership.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/accounting/accountant.hpp"
#include "fugu/accounting/definition.hpp"
#include "fugu/base/result.hpp"
#include "fugu/stream/series_map.hpp"
#include "fugu/stream/source.hpp"

namespace fugu {

/// From `slot` on, before anything is asked in it, a unit counts into series of one signature (Exposure) and into no
/// others; into none when it has left.
///
/// The meter of the unit's name, if there is one, and `meters` belong to it for good: a meter that changed households
/// would begin with a clean account.
struct UnitPlaced {
  Slot slot = 0;
  std::string unit;
  std::optional<std::uint32_t> signature;
  std::vector<std::string> meters = {};

  friend bool operator==(const UnitPlaced&, const UnitPlaced&) = default;
};

/// What a stream of readings exposes: a household with several meters in one series changes it by so many times as
/// much.
Result<Exposure> exposure_of(const Counting& counting);

/// Where every unit counts now, and which account pays for it. Units are placed in the order of the ledger.
class Membership {
 public:
  /// `exposure` outlives this.
  Membership(const Exposure& exposure, Reach reach) : exposure_(exposure), reach_(reach) {}

  /// Places a unit before the slot that comes next. `accountant` becomes one that follows the units that move, when the
  /// first one does. Cause::refused, and nothing has changed, when a move cannot be kept account of.
  /// Sessions up to number `latest_session` have been opened.
  Result<void> place(const UnitPlaced& placed, std::unique_ptr<Accountant>& accountant, std::uint64_t latest_session);

  /// What has to be placed before `slot` so that everybody counts where the map says. Cause::bad_input when a unit
  /// counts into a combination of series, or with a number of meters, that the exposure does not have, and when a meter
  /// belongs to another household than before.
  Result<std::vector<UnitPlaced>> changes_to(const Counting& counting, Slot slot) const;

  /// Whether all of that could be placed now.
  Result<void> check(const Counting& counting, const Accountant& accountant) const;

  bool empty() const { return units_.empty(); }
  /// Nothing when the unit is not known, or has left.
  std::optional<std::uint32_t> signature_of(std::string_view unit) const;

 private:
  struct Unit {
    bool present = false;
    std::uint32_t signature = 0;  // the latest
    std::uint64_t account = 0;
  };
  /// The unit that has had the meter so far.
  std::optional<std::string_view> owner_of(std::string_view meter) const;
  Result<void> check_owners(const UnitPlaced& placed) const;
  Result<void> check_move(const Unit& unit, const UnitPlaced& placed, const Accountant& accountant) const;
  Result<void> check_joins(const UnitPlaced& placed, const Accountant& accountant) const;
  Result<void> move(Unit& unit, const UnitPlaced& placed, std::unique_ptr<Accountant>& accountant,
                    std::uint64_t latest_session);
  /// By unit of the map: meters that nobody has had so far, without those that are units themselves.
  Result<std::map<UnitId, std::vector<std::string>>> new_meters(const SeriesMap& map) const;

  const Exposure& exposure_;
  Reach reach_;
  NameTable names_;
  std::vector<Unit> units_;
  NameTable meters_;  // with another name than their unit
  std::vector<NameTable::Id> unit_of_meter_;
};

}  // namespace fugu
