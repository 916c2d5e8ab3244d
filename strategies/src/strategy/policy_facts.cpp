#include "fugu/strategy/policy_facts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "fugu/strategy/tenat.hpp"

namespace fugu {

namespace {

/// From the first to the last of `slots` in which something is relevant; nothing when there is none.
std::optional<Interval> hull_of(const Collection& collection, const Interval& slots) {
  std::optional<Interval> hull;
  collection.for_overlapping(slots, [&](const Policy& policy) {
    const Interval within = common(policy.interval, slots);
    hull = hull ? Interval{std::min(hull->first, within.first), std::max(hull->last, within.last)} : within;
  });
  return hull;
}

/// Gathers collections over the same slots.
class Facts {
 public:
  explicit Facts(const Interval& slots) : slots_(slots), change_(slots.slots(), 0), affected_(slots.slots(), 0) {}

  void add(const Collection& collection) {
    const std::optional<Interval> hull = hull_of(collection, slots_);
    if (!hull) return;
    of_meter_.assign(hull->slots() + 1, 0);
    collection.for_overlapping(slots_, [&](const Policy& phi) {
      ++facts_.policies;
      facts_.longest_interval_slots = std::max(facts_.longest_interval_slots, phi.interval.slots());
      const std::uint64_t affected = affected_slots(collection, phi);
      facts_.most_affected_slots = std::max(facts_.most_affected_slots, affected);
      const Interval within = common(phi.interval, slots_);
      of_meter_[static_cast<std::size_t>(within.first - hull->first)] += phi.magnitude_steps;
      of_meter_[static_cast<std::size_t>(within.last - hull->first) + 1] -= phi.magnitude_steps;  // may wrap, and back
      for (Slot slot = within.first; slot <= within.last; ++slot)
        affected_[index_of(slot)] = std::max(affected_[index_of(slot)], affected);
    });
    std::partial_sum(of_meter_.begin(), of_meter_.end(), of_meter_.begin());
    std::uint64_t* const change = change_.data() + index_of(hull->first);
    for (std::size_t t = 0; t < hull->slots(); ++t) change[t] = std::max(change[t], of_meter_[t]);
  }

  /// Means over so many slots: nothing is relevant in those that were left out.
  CollectionFacts result(std::uint64_t sensitivity_steps, std::uint64_t slots) const {
    CollectionFacts facts = facts_;
    if (facts.policies == 0) return facts;
    const auto mean = [&](const std::vector<std::uint64_t>& values, std::uint64_t of) {
      return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(of) / static_cast<double>(slots);
    };
    facts.tes_effect = mean(change_, sensitivity_steps);
    facts.tenat_effect = mean(affected_, facts.longest_interval_slots);
    facts.tenat_effect_printed = mean(affected_, facts.most_affected_slots);
    return facts;
  }

 private:
  std::size_t index_of(Slot slot) const { return static_cast<std::size_t>(slot - slots_.first); }

  Interval slots_;
  CollectionFacts facts_;
  std::vector<std::uint64_t> change_;    // by slot: the largest Δ_t of a meter
  std::vector<std::uint64_t> affected_;  // by slot: the largest δ(J) that is relevant
  std::vector<std::uint64_t> of_meter_;  // scratch
};

/// What is relevant in a slot at its largest, longest and strictest.
struct Extremes {
  std::uint64_t magnitude_steps = 0;
  std::uint64_t length_slots = 0;
  Budget epsilon = Budget::from_units(std::numeric_limits<std::uint64_t>::max());

  void add(const Policy& policy) {
    magnitude_steps = std::max(magnitude_steps, policy.magnitude_steps);
    length_slots = std::max(length_slots, policy.length_slots);
    epsilon = std::min(epsilon, policy.epsilon);
  }
  bool operator==(const Extremes&) const = default;
};

template <class Visit>
void for_slots_of(const Collection& collection, const Interval& slots, Visit&& visit) {
  collection.for_overlapping(slots, [&](const Policy& policy) {
    const Interval within = common(policy.interval, slots);
    for (Slot slot = within.first; slot <= within.last; ++slot)
      visit(static_cast<std::size_t>(slot - slots.first), policy);
  });
}

}  // namespace

CollectionFacts facts_of(const Collection& collection, const Interval& slots, std::uint64_t sensitivity_steps) {
  const std::optional<Interval> hull = hull_of(collection, slots);
  if (!hull) return {};
  Facts facts(*hull);
  facts.add(collection);
  return facts.result(sensitivity_steps, slots.slots());
}

CollectionFacts facts_of(const PolicyBook& book, const Interval& slots, std::uint64_t sensitivity_steps) {
  Facts facts(slots);
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) facts.add(book.of(meter));
  return facts.result(sensitivity_steps, slots.slots());
}

std::vector<std::uint64_t> dominated_slots(const PolicyBook& book, const Interval& slots) {
  std::vector<Extremes> of_all(slots.slots());
  for (MeterId meter = 0; meter < book.meter_count(); ++meter)
    for_slots_of(book.of(meter), slots, [&](std::size_t t, const Policy& policy) { of_all[t].add(policy); });
  std::vector<std::uint64_t> dominated(book.meter_count(), 0);
  std::vector<Extremes> own(slots.slots());
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    for_slots_of(book.of(meter), slots, [&](std::size_t t, const Policy& policy) { own[t].add(policy); });
    for_slots_of(book.of(meter), slots, [&](std::size_t t, const Policy&) {
      if (own[t].length_slots == 0) return;  // was looked at with another policy
      if (own[t] == of_all[t]) ++dominated[meter];
      own[t] = {};
    });
  }
  return dominated;
}

}  // namespace fugu
