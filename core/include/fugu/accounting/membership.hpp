// Who counts into what, while that changes: meters are exchanged, feeders are re-wired, customers come and go.
//
// A promise is about a unit (a household, see SeriesMap), wherever it counts. A unit that moves from series A to series
// B within a window has lost what A was asked before and what B is asked after. So a signature's account is not enough:
// whoever moves gets an account of their own, which begins with the past of the old one and goes on with the series of
// the new one. Proof: docs/guarantees/membership.md.
#pragma once

#include <cstdint>
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
struct UnitPlaced {
  Slot slot = 0;
  std::string unit;
  std::optional<std::uint32_t> signature;

  friend bool operator==(const UnitPlaced&, const UnitPlaced&) = default;
};

/// What a stream of readings exposes: a household with several meters in one series changes it by so many times as
/// much.
Result<Exposure> exposure_of(const Counting& counting);

/// Whether an exposure covers everybody: no unit counts into a combination of series, or with a number of meters, that
/// it does not have. Cause::bad_input says who does.
Result<void> check_covered(const Exposure& exposure, const Counting& counting);

/// Where every unit counts now, and which account pays for it. Units are placed in the order of the ledger.
class Membership {
 public:
  Membership(const Exposure& exposure, Reach reach) : exposure_(exposure), reach_(reach) {}

  /// Places a unit before the slot that comes next. `accountant` becomes one that follows the units that move, when the
  /// first one does. Cause::refused, and nothing has changed, when a move cannot be kept account of.
  /// Sessions up to number `latest_session` have been opened.
  Result<void> place(const UnitPlaced& placed, std::unique_ptr<Accountant>& accountant, std::uint64_t latest_session);

  /// What has to be placed before `slot` so that everybody counts where the map says. Cause::bad_input as
  /// check_covered().
  Result<std::vector<UnitPlaced>> changes_to(const Counting& counting, Slot slot) const;

  bool empty() const { return units_.empty(); }
  /// Nothing when the unit is not known, or has left.
  std::optional<std::uint32_t> signature_of(std::string_view unit) const;

 private:
  struct Unit {
    bool present = false;
    std::uint32_t signature = 0;  // the latest
    std::uint64_t account = 0;
  };

  Exposure exposure_;
  Reach reach_;
  NameTable names_;
  std::vector<Unit> units_;
};

}  // namespace fugu
