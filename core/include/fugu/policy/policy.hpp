// A household's wish: what to hide, when, and how well.
//
// "Nobody shall notice whether the oven (2.1 kW, up to three quarter hours) ran between 11:00 and 14:00." A policy is
// the time in which the secret lies, how long and how large it is, and the ε with which it is hidden. What it promises,
// together with the other policies of the same meter, is in docs/guarantees/swellfish.md.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fugu/base/budget.hpp"
#include "fugu/stream/slot.hpp"

namespace fugu {

/// Position of a meter in the book, from 0.
using MeterId = std::uint32_t;

/// Slots first … last, both included.
struct Interval {
  Slot first = 0;
  Slot last = 0;

  std::uint64_t slots() const { return static_cast<std::uint64_t>(last - first) + 1; }
  bool contains(Slot slot) const { return first <= slot && slot <= last; }
  bool contains(const Interval& other) const { return first <= other.first && other.last <= last; }
  bool overlaps(const Interval& other) const { return first <= other.last && other.first <= last; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// What two overlapping intervals have in common.
inline Interval common(const Interval& a, const Interval& b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

/// By how many steps one occurrence changes the series in each of its slots.
struct Lane {
  /// The series concerned; absent: every series the meter counts into, by as much in each.
  std::optional<SeriesId> series;
  std::vector<std::uint64_t> steps;  ///< one per slot of the occurrence
  friend auto operator<=>(const Lane&, const Lane&) = default;
};

/// One pair of patterns that must look alike, as the difference between them. All lanes are equally long.
struct Profile {
  std::vector<Lane> lanes;
  friend auto operator<=>(const Profile&, const Profile&) = default;
};

/// An occurrence that is not simply "this much, for this long": at least one difference profile, any of which may be
/// what happened.
struct Shape {
  std::vector<Profile> alternatives;
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

/// One wish of one meter. Made by the readers of the policy folder, which check it.
struct Policy {
  /// Where the occurrence lies: it starts and ends within.
  Interval interval;
  /// How long it lasts at most; not longer than the interval. With a shape: its longest alternative.
  std::uint64_t length_slots = 1;
  /// By how much it changes each series in a slot at most, rounded up to the grid. With a shape: its largest entry.
  std::uint64_t magnitude_steps = 0;
  /// ε of the promise, rounded down.
  Budget epsilon;
  /// Absent for the usual case: any change of up to magnitude_steps in up to length_slots consecutive slots.
  std::shared_ptr<const Shape> shape = nullptr;

  /// Same wish, whether or not the shape is the same object.
  friend bool operator==(const Policy& a, const Policy& b) {
    return a.interval == b.interval && a.length_slots == b.length_slots && a.magnitude_steps == b.magnitude_steps &&
           a.epsilon == b.epsilon && (a.shape == b.shape || (a.shape && b.shape && *a.shape == *b.shape));
  }
};

/// Gives `policy` this shape and the envelope that goes with it. `shape` has an alternative, each alternative a lane,
/// and some entry is above 0. A shape that says "this much, for this long" in every series is left out: its envelope
/// says it.
void set_shape(Policy& policy, Shape shape);

inline constexpr std::uint64_t kMagnitudeStepsMax = std::uint64_t{1} << 40;
inline constexpr Slot kPolicySlotMax = Slot{1} << 40;

}  // namespace fugu
