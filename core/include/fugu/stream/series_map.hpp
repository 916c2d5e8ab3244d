// Which meter counts into which series. CSV with header `meter,series`, one row per pair; the columns in either order.
//
// A meter may count into several series (feeder, substation, city); those then share its budget. A pair given twice is
// an error. Constant once read: any number of threads may look things up.
#pragma once

#include <cstdint>
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

class SeriesMap {
 public:
  static Result<SeriesMap> read(Input input);

  /// Names, by first appearance.
  const std::vector<std::string>& series() const { return series_; }

  std::size_t meter_count() const { return meters_.size(); }
  std::optional<MeterId> meter(std::string_view name) const noexcept { return meters_.find(name); }
  std::string_view meter_name(MeterId meter) const { return meters_.name(meter); }

  /// The series `meter` counts into, ascending; at least one.
  std::span<const SeriesId> series_of(MeterId meter) const noexcept {
    return {memberships_.data() + begins_[meter], begins_[meter + 1] - begins_[meter]};
  }
  /// How many meters count into `series`.
  std::size_t meters_in(SeriesId series) const { return meters_in_[series]; }

  /// The sets of series that some meter counts into, each ascending, without those contained in another: what one
  /// meter can touch at most, which is what an accountant has to cover.
  std::vector<std::vector<SeriesId>> signatures() const;

 private:
  struct Pair {
    MeterId meter;
    SeriesId series;
    std::uint64_t line;
  };
  Result<void> index(std::vector<Pair> pairs, std::string_view file);

  NameTable meters_;
  std::vector<std::string> series_;
  std::vector<SeriesId> memberships_;  // the series of meter 0, of meter 1, …
  std::vector<std::size_t> begins_;    // where each meter's begin, and the end of the last
  std::vector<std::size_t> meters_in_;
};

}  // namespace fugu
