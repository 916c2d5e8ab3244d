// Which meter counts into which series, and whose it is. CSV with header `meter,series`, one row per pair; the columns
// in either order.
//
// A meter may count into several series (feeder, substation, city); those then share its budget. A pair given twice is
// an error. A row without a series is a meter that is known and counts into nothing. The unit of privacy is the
// household: all meters that a second map, `meter,household`, gives to it. A meter that it does not name is a household
// of its own. Constant once read: any number of threads may look things up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/stream/input.hpp"
#include "fugu/stream/name_table.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// Position of a meter in the series map, by first appearance, from 0.
using MeterId = NameTable::Id;
/// Position of a household, likewise.
using UnitId = NameTable::Id;

class SeriesMap {
 public:
  /// With `series`, these and no others, in that order: another one is Cause::bad_input.
  static Result<SeriesMap> read(Input input, std::span<const std::string> series = {});
  /// As read(), for a stream that runs with `earlier`: what that knows keeps its id, and meters that are gone from the
  /// input count into nothing. Cause::bad_input when a series is new.
  static Result<SeriesMap> read_again(Input input, const SeriesMap& earlier);
  /// Takes note of households: CSV with header `meter,household`, each meter at most once. Call it once, before
  /// anything is asked.
  Result<void> read_households(Input input);

  /// Names, by first appearance.
  const std::vector<std::string>& series() const { return series_; }

  std::size_t meter_count() const { return meters_.size(); }
  std::optional<MeterId> meter(std::string_view name) const noexcept { return meters_.find(name); }
  std::string_view meter_name(MeterId meter) const { return meters_.name(meter); }

  /// The series `meter` counts into, ascending; none when it is gone from a map that was read again, or has a row
  /// without.
  std::span<const SeriesId> series_of(MeterId meter) const noexcept {
    return {memberships_.data() + begins_[meter], begins_[meter + 1] - begins_[meter]};
  }
  /// How many meters count into `series`.
  std::size_t meters_in(SeriesId series) const { return meters_in_[series]; }

  std::size_t unit_count() const { return units_ ? units_->size() : meter_count(); }
  UnitId unit_of(MeterId meter) const { return units_ ? unit_of_[meter] : meter; }
  std::string_view unit_name(UnitId unit) const { return units_ ? units_->name(unit) : meter_name(unit); }
  std::optional<UnitId> unit(std::string_view name) const { return units_ ? units_->find(name) : meter(name); }
  /// The unit that a meter belongs to; the name itself when the meter is not known.
  std::string_view unit_of(std::string_view meter_name) const;
  /// The series that meters of a unit count into, ascending.
  std::span<const SeriesId> series_of_unit(UnitId unit) const {
    return units_ ? std::span<const SeriesId>(series_of_unit_[unit]) : series_of(unit);
  }

  /// The sets of series that some unit counts into, each ascending, without those contained in another: what one unit
  /// can touch at most, which is what an accountant has to cover.
  std::vector<std::vector<SeriesId>> signatures() const;
  /// By series: how many meters of one and the same unit count into it, at most. A unit changes the series by so many
  /// times what a meter changes it by.
  std::vector<std::uint64_t> meters_of_one_unit() const;

 private:
  struct Pair {
    MeterId meter;
    SeriesId series;
    std::uint64_t line;
  };
  static Result<SeriesMap> read(Input input, std::span<const std::string> series, NameTable meters);
  Result<void> index(std::vector<Pair> pairs, std::string_view file);

  NameTable meters_;
  std::optional<NameTable> units_;  // when there are households
  std::vector<UnitId> unit_of_;     // by meter, then
  std::vector<std::vector<SeriesId>> series_of_unit_;
  std::vector<std::string> series_;
  std::vector<SeriesId> memberships_;  // the series of meter 0, of meter 1, …
  std::vector<std::size_t> begins_;    // where each meter's begin, and the end of the last
  std::vector<std::size_t> meters_in_;
};

/// The map that holds now, of a source whose map may be replaced while the stream runs; or one map that stays, or none.
class CurrentMap {
 public:
  CurrentMap(const SeriesMap* map = nullptr) : map_(map) {}  // NOLINT(google-explicit-constructor): a map is one
  explicit CurrentMap(const SeriesMap* const* latest) : latest_(latest) {}

  const SeriesMap* get() const { return latest_ != nullptr ? *latest_ : map_; }
  explicit operator bool() const { return get() != nullptr; }
  const SeriesMap* operator->() const { return get(); }

 private:
  const SeriesMap* map_ = nullptr;
  const SeriesMap* const* latest_ = nullptr;
};

}  // namespace fugu
