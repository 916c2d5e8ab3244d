// The slot clock: Slot ↔ time.
//
// Slots are equidistant in elapsed time, whatever civil clocks do: where summer time begins or ends, a day has 92 or
// 100 quarter hours. A time stamp marks the start of its slot. A clock without an origin counts slots: its times are
// plain slot numbers from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fugu/stream/slot.hpp"
#include "fugu/stream/stamp.hpp"

namespace fugu {

/// What a time in a file says: a slot, and the offset in which it was written.
struct Tick {
  Slot slot = 0;
  std::int32_t utc_offset_s = 0;
};

/// A small value; calls do not allocate except those that return a string.
class Clock {
 public:
  /// Counts slots.
  Clock() = default;
  /// Slot 0 starts at `origin_s` (seconds since 1970, UTC); a slot takes `slot_s` > 0 seconds.
  Clock(std::int64_t origin_s, std::int64_t slot_s);

  /// False for a clock that counts slots.
  bool has_time() const { return slot_s_ != 0; }
  /// Of a clock with time; 0 otherwise.
  std::int64_t origin_s() const { return origin_s_; }
  std::int64_t slot_s() const { return slot_s_; }

  /// The slot that starts at `instant_s`: negative before the origin, nothing between two slots. Needs has_time().
  std::optional<Slot> slot_at(std::int64_t instant_s) const;
  /// The slot that `instant_s` falls into; negative before the origin. Needs has_time().
  Slot slot_around(std::int64_t instant_s) const;
  /// When `slot` starts. Needs has_time().
  std::int64_t start_of(Slot slot) const;

  /// Reads a time as this clock writes it: a stamp, or a slot number up to 2^53. On a fault `tick` is left alone.
  TimeFault parse(std::string_view text, std::optional<std::int32_t> default_offset_s, Tick& tick) const noexcept;
  /// What would be right instead, for an error message.
  std::string expected(TimeFault fault) const;

  /// Writes the time of `slot` with that offset, or its number, and returns the length.
  std::size_t format(Slot slot, std::int32_t utc_offset_s, std::span<char, kStampTextMax> out) const noexcept;
  std::string text(Slot slot, std::int32_t utc_offset_s = 0) const;

  friend bool operator==(const Clock&, const Clock&) = default;

 private:
  std::int64_t origin_s_ = 0;
  std::int64_t slot_s_ = 0;  // 0: counts slots
};

/// The time of day as a live reader asks for it, in seconds since 1970, UTC. Tests give their own.
using WallClock = std::function<std::int64_t()>;
/// This machine's.
std::int64_t wall_clock_s();

/// The largest slot number that is read.
inline constexpr Slot kSlotMax = Slot{1} << 53;

/// How far one row may move a stream on unless more is asked for: a day of quarter hours. Each slot passed over is
/// released without data, and spends.
inline constexpr Slot kGapSlotsMax = 96;

/// Reads a plain slot number, digits only, up to kSlotMax.
std::optional<Slot> parse_slot_number(std::string_view text) noexcept;

}  // namespace fugu
