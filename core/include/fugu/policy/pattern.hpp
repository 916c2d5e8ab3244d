// What individuals do, as patterns, and which changes of a query tell two patterns apart.
//
// "Nobody shall notice whether I went jogging in the park or to the bar" names two patterns of the same length. What
// has to be hidden is the difference between them: in each slot, by how much the query would be another. These are the
// pattern pairs of the thesis (Definition 7.2.1), for locations, physical activities and appliances (Section 7.1.1):
// for a histogram of who is where, a histogram of who does what, and a sum of power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/policy/policy.hpp"

namespace fugu {

/// An activity that goes on in a slot: running, being in the park, the oven.
struct Active {
  std::string name;
  std::optional<std::uint64_t> power_steps = {};  ///< where it differs from what the activity usually takes; Sum only
};
/// What one individual does in one slot. May be empty.
using Event = std::vector<Active>;
/// Consecutive slots.
using Pattern = std::vector<Event>;

/// What no individual can do. A pattern that does is not possible, so there is nothing to confuse with it.
class Constraints {
 public:
  /// Not both in one slot: sitting and running.
  Constraints& exclusive(std::string a, std::string b);
  /// Whoever does `a` does `b`: running and moving.
  Constraints& implies(std::string a, std::string b);
  /// At most one of these in a slot: places.
  Constraints& at_most_one(const std::vector<std::string>& names);

  /// Fails with cause bad_input, with the slot and the constraint that is violated.
  Result<void> check(const Pattern& pattern) const;

 private:
  std::vector<std::pair<std::string, std::string>> exclusive_;
  std::vector<std::pair<std::string, std::string>> implied_;
};

template <class T>
using ByActivity = std::map<std::string, T, std::less<>>;

inline constexpr std::size_t kPatternsMax = 64;
inline constexpr std::size_t kShapeEntriesMax = std::size_t{1} << 20;

/// The Sum of the power of what goes on: for every two patterns of the same length one profile with one lane, the
/// absolute difference of their sums. Pairs that no query can tell apart, and repetitions, are left out.
///
/// Both fail with cause bad_input when a pattern violates a constraint, names an activity that is not in the map (or
/// one twice in a slot), is empty or has no other of its length; when no two patterns differ in the query; when there
/// are more than kPatternsMax patterns, kShapeEntriesMax entries or kMagnitudeStepsMax steps.
Result<Shape> shape_of_sum(std::span<const Pattern> patterns, const ByActivity<std::uint64_t>& power_steps,
                           const Constraints& constraints = {});

/// A histogram that counts in each series who does its activities: one lane for each series that differs. Who moves
/// leaves one series and enters another, so both change. `person_steps`: what one person counts, in steps.
Result<Shape> shape_of_histogram(std::span<const Pattern> patterns, const ByActivity<SeriesId>& series_of,
                                 const Constraints& constraints = {}, std::uint64_t person_steps = 1);

}  // namespace fugu
