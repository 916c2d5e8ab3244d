#include "fugu/policy/dominance.hpp"

#include <algorithm>

namespace fugu {
namespace {

// A longer lane would not do: where an interval ends, only its end meets the last slots.
bool covers(const Lane& a, const Lane& b) {
  if (a.series && a.series != b.series) return false;
  return a.steps.size() == b.steps.size() &&
         std::equal(b.steps.begin(), b.steps.end(), a.steps.begin(),
                    [](std::uint64_t of_b, std::uint64_t of_a) { return of_a >= of_b; });
}

template <class Range, class Covers>
bool each_is_covered(const Range& covered, const Range& by, Covers&& by_one) {
  return std::all_of(covered.begin(), covered.end(), [&](const auto& b) {
    return std::any_of(by.begin(), by.end(), [&](const auto& a) { return by_one(a, b); });
  });
}

bool covers(const Shape& a, const Shape& b) {
  return each_is_covered(b.alternatives, a.alternatives, [](const Profile& of_a, const Profile& of_b) {
    return each_is_covered(of_b.lanes, of_a.lanes, [](const Lane& x, const Lane& y) { return covers(x, y); });
  });
}

}  // namespace

bool dominates(const Policy& a, const Policy& b) {
  if (a.length_slots < b.length_slots || a.magnitude_steps < b.magnitude_steps || a.epsilon > b.epsilon) return false;
  return !a.shape || (b.shape && covers(*a.shape, *b.shape));
}

bool dominates_throughout(const Policy& a, const Policy& b) {
  return a.interval.contains(b.interval) && dominates(a, b);
}

std::optional<Policy> dominant(const Collection& collection, Slot slot) {
  std::optional<Policy> most;
  collection.for_overlapping({slot, slot}, [&](const Policy& policy) {
    if (!most) {
      most = policy;
      most->shape = nullptr;
      return;
    }
    most->interval.first = std::min(most->interval.first, policy.interval.first);
    most->interval.last = std::max(most->interval.last, policy.interval.last);
    most->length_slots = std::max(most->length_slots, policy.length_slots);
    most->magnitude_steps = std::max(most->magnitude_steps, policy.magnitude_steps);
    most->epsilon = std::min(most->epsilon, policy.epsilon);
  });
  return most;
}

bool dominates_at(const Collection& a, const Collection& b, Slot slot) {
  const auto of_b = dominant(b, slot);
  if (!of_b) return true;
  const auto of_a = dominant(a, slot);
  return of_a && dominates(*of_a, *of_b);
}

}  // namespace fugu
