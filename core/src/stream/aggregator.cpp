#include "fugu/stream/aggregator.hpp"

#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "fugu/base/rational.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu {
namespace {

constexpr Slot kGraceMax = 10'000;

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

Result<void> validate(ClampRange clamp) {
  if (clamp.lo > clamp.hi) return usage("clamp: found a lower bound above the upper one; expected lower ≤ upper");
  if (clamp.lo < -kStepsMax || clamp.hi > kStepsMax)
    return usage("clamp: found a bound beyond 2^53 steps; expected a smaller one");
  return {};
}

/// What lies in a series, whatever its meters read.
ClampRange counted_in(SeriesId series, const Aggregator::Options& options) {
  if (options.transform != nullptr) return options.transform->range();
  return options.clamp_by_series.empty() ? options.clamp : options.clamp_by_series[series];
}

Result<void> validate(const SeriesMap& map, const Aggregator::Options& options) {
  FUGU_CHECK(options.clamp_by_series.empty() ||
             (options.clamp_by_series.size() == map.series().size() && options.transform == nullptr));
  FUGU_TRY(validate(options.clamp));
  for (const ClampRange& clamp : options.clamp_by_series) FUGU_TRY(validate(clamp));
  if (options.grace_slots < 0 || options.grace_slots > kGraceMax) {
    return usage("grace period: found " + std::to_string(options.grace_slots) + " slots; expected 0 to 10000");
  }
  for (SeriesId series = 0; series < map.series().size(); ++series) {
    const ClampRange counted = counted_in(series, options);
    const auto bound = static_cast<uint128>(std::max(std::abs(counted.lo), std::abs(counted.hi)));
    if (bound * map.meters_in(series) > static_cast<uint128>(kStepsMax)) {
      return usage(
          "clamp: found a bound that, times the meters of one series, exceeds 2^53 steps; "
          "expected a smaller bound or a larger unit step");
    }
  }
  return {};
}

}  // namespace

std::vector<std::uint64_t> largest_changes(std::span<const ClampRange> clamp_by_series) {
  std::vector<std::uint64_t> changes;
  for (const ClampRange& clamp : clamp_by_series) changes.push_back(static_cast<std::uint64_t>(largest_change(clamp)));
  return changes;
}

Result<Aggregator> Aggregator::make(const SeriesMap& map, Options options) {
  FUGU_TRY(validate(map, options));
  return Aggregator(map, std::move(options));
}

Aggregator::Aggregator(const SeriesMap& map, Options options) : map_(&map), options_(std::move(options)) {
  const auto slots = std::bit_ceil(static_cast<std::uint64_t>(options_.grace_slots) + 1);
  OpenSlot empty;
  empty.sums.resize(map.series().size());
  empty.reported.resize(map.meter_count() / 64 + 1);
  ring_.assign(slots, empty);
  mask_ = slots - 1;
}

Result<void> Aggregator::change_map(const SeriesMap& map, Slot from) {
  FUGU_CHECK(!change_pending() && from > newest_ && from >= oldest_);
  FUGU_TRY(validate(map, options_));
  for (OpenSlot& open : ring_) open.reported.resize(map.meter_count() / 64 + 1);
  next_map_ = &map;
  next_from_ = from;
  return {};
}

void Aggregator::start(Slot first) {
  oldest_ = first;
  newest_ = first - 1;
}

void Aggregator::clamp_by(SlotSchedule<ClampRange> clamps) {
  FUGU_CHECK(clamps.is_complete() && options_.clamp_by_series.empty());
  for (const auto& [from, clamp] : clamps.rows)
    FUGU_CHECK(options_.clamp.lo <= clamp.lo && clamp.lo <= clamp.hi && clamp.hi <= options_.clamp.hi);
  clamps_ = std::move(clamps);
}

Aggregator::Outcome Aggregator::add(Slot slot, MeterId meter, Raw value) {
  if (slot < oldest_) return Outcome::late;
  FUGU_CHECK(!must_close_before(slot));
  newest_ = std::max(newest_, slot);
  if (value.missing()) return Outcome::missing;

  const SeriesMap& map = map_in(slot);
  if (meter >= map.meter_count()) return Outcome::elsewhere;
  const std::span<const SeriesId> series = map.series_of(meter);
  if (series.empty()) return Outcome::elsewhere;

  OpenSlot& open = open_slot(slot);
  std::uint64_t& reported = open.reported[meter / 64];
  const std::uint64_t bit = std::uint64_t{1} << meter % 64;
  if ((reported & bit) != 0) return Outcome::duplicate;
  reported |= bit;

  const std::int64_t steps = value.reveal(RawKey());
  if (!options_.clamp_by_series.empty()) return add_by_series(open, series, steps);
  const auto [lo, hi] = clamps_.rows.empty() ? options_.clamp : clamps_.at(slot);
  const std::int64_t clamped = std::clamp(steps, lo, hi);
  const std::int64_t counted =
      options_.transform == nullptr ? clamped : options_.transform->of_reading(slot, meter, clamped);
  for (const SeriesId id : series) open.sums[id] += counted;
  return clamped == steps ? Outcome::counted : Outcome::clamped;
}

/// A reading may be within the range of one series and beyond that of another.
Aggregator::Outcome Aggregator::add_by_series(OpenSlot& open, std::span<const SeriesId> series,
                                              std::int64_t steps) const {
  Outcome outcome = Outcome::counted;
  for (const SeriesId id : series) {
    const auto [lo, hi] = options_.clamp_by_series[id];
    const std::int64_t clamped = std::clamp(steps, lo, hi);
    if (clamped != steps) outcome = Outcome::clamped;
    open.sums[id] += clamped;
  }
  return outcome;
}

void Aggregator::finish(Slot slot) {
  OpenSlot& open = open_slot(slot);
  for (MeterId meter = 0; meter < map_->meter_count(); ++meter) {
    if ((open.reported[meter / 64] >> meter % 64 & 1) != 0) continue;
    const std::int64_t counted = options_.transform->of_absent(slot, meter);
    for (SeriesId series : map_->series_of(meter)) open.sums[series] += counted;
  }
  for (SeriesId series = 0; series < open.sums.size(); ++series)
    open.sums[series] += options_.transform->of_slot(slot, series);
}

void Aggregator::close(std::vector<Raw>& sums) {
  if (oldest_ >= next_from_) {
    map_ = std::exchange(next_map_, nullptr);
    next_from_ = std::numeric_limits<Slot>::max();
  }
  OpenSlot& open = open_slot(oldest_);
  if (options_.transform != nullptr) finish(oldest_);
  sums.resize(open.sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = Raw(open.sums[i]);
  std::fill(open.sums.begin(), open.sums.end(), 0);
  std::fill(open.reported.begin(), open.reported.end(), 0);
  newest_ = std::max(newest_, oldest_);
  ++oldest_;
}

}  // namespace fugu
