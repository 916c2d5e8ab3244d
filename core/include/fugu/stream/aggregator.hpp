// Sums readings into series, slot by slot. The only place in this part that looks into a Raw.
//
// Rules. A reading is clamped to the public range of its slot, then counted into every series of its meter; where
// series have ranges of their own, it is clamped to that of each series it counts into. A missing reading counts
// nothing; a slot in which nobody reported has sum 0, never missing: who reports is protected, so it must not show. Of
// several readings of one meter for one slot the first that is not missing counts. A slot stays open until a reading
// for a slot more than `grace` later arrives; readings for closed slots are late and not counted.
//
// Guarantee: given which slots were open when each row arrived, one meter changes the sum of a series in one slot by at
// most largest_change() of what readings are clamped to there, or by what a transform says, whether it changes its
// reading, reports or not, and whatever it sends twice. The order of arrival is public by the threat model: a row far
// ahead closes slots, and readings of others for them are then late.
//
// Memory: (grace + 1) · (8 bytes a series + 1 bit a meter), rounded up to a power of two of slots. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fugu/base/digest.hpp"
#include "fugu/base/result.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/raw.hpp"
#include "fugu/stream/series_map.hpp"
#include "fugu/stream/slot.hpp"
#include "fugu/stream/slot_schedule.hpp"

namespace fugu {

/// The public range that every reading is clamped to, in steps; lo ≤ hi.
struct ClampRange {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  friend bool operator==(const ClampRange&, const ClampRange&) = default;
};

/// By how much one meter can change the sum of a series in a slot, in steps: between not being there (0) and either
/// bound, and between the bounds.
constexpr std::int64_t largest_change(ClampRange clamp) {
  return std::max<std::int64_t>(clamp.hi, 0) - std::min<std::int64_t>(clamp.lo, 0);
}

/// The same of each series, where they have ranges of their own: what Counting::change_by_series says.
std::vector<std::uint64_t> largest_changes(std::span<const ClampRange> clamp_by_series);

/// What meters send instead of their readings. Called with clamped readings; what it draws must not depend on anything
/// but the meter, its reading, the slot and bits of its own, so that one reading changes one slot.
class ReadingTransform {
 public:
  virtual ~ReadingTransform() = default;

  /// Called once, before anything is drawn: when slots are.
  virtual void start(const Clock& clock) = 0;
  /// What is sent lies within this, for every meter.
  virtual ClampRange range() const = 0;
  /// By how much one meter can change the sum of a series in a slot: it replaces largest_change(clamp).
  virtual std::int64_t change_steps() const = 0;
  /// For Counting::versions: what may change between two runs of a stream, and costs something each time.
  virtual std::span<const Digest> versions() const = 0;
  virtual std::int64_t of_reading(Slot slot, MeterId meter, std::int64_t clamped_steps) = 0;
  /// Of a meter from which nothing came until its slot closed.
  virtual std::int64_t of_absent(Slot slot, MeterId meter) = 0;
  /// Added to the sum of a series when its slot closes; independent of all readings.
  virtual std::int64_t of_slot(Slot slot, SeriesId series) = 0;
};

class Aggregator {
 public:
  struct Options {
    ClampRange clamp;
    Slot grace_slots = 1;                   ///< 0 to 10,000
    ReadingTransform* transform = nullptr;  ///< must outlive the aggregator; none: readings are summed as they are
    /// Instead of `clamp`, one for each series of the map. Neither with a transform nor with clamp_by().
    std::vector<ClampRange> clamp_by_series = {};
  };
  /// What became of a reading.
  enum class Outcome : std::uint8_t {
    counted,
    clamped,    ///< counted, after clamping
    missing,    ///< nothing to count
    duplicate,  ///< its meter already counted in its slot
    elsewhere,  ///< its meter counts into no series in its slot
    late,       ///< its slot is closed
  };

  /// `map` must outlive the aggregator. Fails with cause usage when the clamp of a series times the number of its
  /// meters exceeds kStepsMax: so no sum can overflow, and whether one would have is no secret.
  static Result<Aggregator> make(const SeriesMap& map, Options options);

  /// Opens the stream at `first`; all earlier slots are closed.
  void start(Slot first);
  /// In each slot readings are clamped to its own public range, which lies within that of the options. Before add().
  void clamp_by(SlotSchedule<ClampRange> clamps);

  /// The slot that closes next.
  Slot oldest_open() const { return oldest_; }
  /// The latest slot that got a reading; oldest_open() − 1 when there is none.
  Slot newest() const { return newest_; }
  /// True when oldest_open() has to be closed before a reading for `slot` can be added.
  bool must_close_before(Slot slot) const { return slot - oldest_ > options_.grace_slots; }

  /// From `from` on, a slot that got no reading yet, meters count where `map` says (SeriesMap::read_again of the map so
  /// far), which must outlive the aggregator. Cause::usage as for make(); one change at a time: see change_pending().
  Result<void> change_map(const SeriesMap& map, Slot from);
  /// Whether a change waits for its slot to be the oldest that is open.
  bool change_pending() const { return next_map_ != nullptr; }

  Outcome add(Slot slot, MeterId meter, Raw value);
  /// Writes the sums of oldest_open(), one per series, and closes it.
  void close(std::vector<Raw>& sums);

 private:
  struct OpenSlot {
    std::vector<std::int64_t> sums;
    std::vector<std::uint64_t> reported;  // one bit per meter
  };
  Aggregator(const SeriesMap& map, Options options);

  void finish(Slot slot);
  Outcome add_by_series(OpenSlot& open, std::span<const SeriesId> series, std::int64_t steps) const;
  OpenSlot& open_slot(Slot slot) { return ring_[static_cast<std::uint64_t>(slot) & mask_]; }

  /// Who counts into what in a slot.
  const SeriesMap& map_in(Slot slot) const { return slot < next_from_ ? *map_ : *next_map_; }

  const SeriesMap* map_;
  const SeriesMap* next_map_ = nullptr;
  Slot next_from_ = std::numeric_limits<Slot>::max();
  Options options_;
  SlotSchedule<ClampRange> clamps_;  // without rows: always that of the options
  std::vector<OpenSlot> ring_;       // slot s is at s modulo its size, a power of two above the grace period
  std::uint64_t mask_;
  Slot oldest_ = 0;
  Slot newest_ = -1;
};

}  // namespace fugu
