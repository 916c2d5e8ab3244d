#include "fugu/strategy/tenat.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

/// Δ_t for every slot of `slots`.
std::vector<std::uint64_t> sensitivities(const Collection& collection, const Interval& slots) {
  std::vector<std::uint64_t> steps(slots.slots() + 1, 0);
  collection.for_overlapping(slots, [&](const Policy& policy) {
    const Interval within = common(policy.interval, slots);
    steps[static_cast<std::size_t>(within.first - slots.first)] += policy.magnitude_steps;
    steps[static_cast<std::size_t>(within.last - slots.first) + 1] -= policy.magnitude_steps;  // may wrap, and back
  });
  std::partial_sum(steps.begin(), steps.end(), steps.begin());
  steps.pop_back();
  return steps;
}

double top_sum(std::vector<double>& values, std::uint64_t count) {
  if (count < values.size()) {
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(values.begin(), end, values.end(), std::greater<>());
    values.erase(end, values.end());
  }
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::uint64_t largest_of(const Collection& collection) {
  std::vector<std::pair<Slot, std::uint64_t>> starts;
  std::vector<std::pair<Slot, std::uint64_t>> ends;
  for (const Policy& policy : collection.policies()) {
    starts.emplace_back(policy.interval.first, policy.magnitude_steps);
    ends.emplace_back(policy.interval.last, policy.magnitude_steps);
  }
  std::sort(ends.begin(), ends.end());
  std::uint64_t steps = 0;
  std::uint64_t largest = 0;
  std::size_t ended = 0;
  for (const auto& [first, magnitude] : starts) {  // ordered, as the collection is
    for (; ends[ended].first < first; ++ended) steps -= ends[ended].second;
    steps += magnitude;
    largest = std::max(largest, steps);
  }
  return largest;
}

}  // namespace

std::uint64_t temporal_sensitivity_steps(const Collection& collection, Slot slot) {
  std::uint64_t steps = 0;
  collection.for_overlapping({slot, slot}, [&](const Policy& policy) { steps += policy.magnitude_steps; });
  return steps;
}

std::uint64_t temporal_sensitivity_steps(const PolicyBook& book, Slot slot) {
  std::uint64_t largest = 0;
  for (MeterId meter = 0; meter < book.meter_count(); ++meter)
    largest = std::max(largest, temporal_sensitivity_steps(book.of(meter), slot));
  return largest;
}

std::uint64_t largest_temporal_sensitivity_steps(const PolicyBook& book) {
  std::uint64_t largest = 0;
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) largest = std::max(largest, largest_of(book.of(meter)));
  return largest;
}

std::uint64_t affected_slots(const Collection& collection, const Policy& phi) {
  std::uint64_t slots = 0;  // phi overlaps itself in |J| ≥ T slots, so it counts as T
  collection.for_overlapping(phi.interval, [&](const Policy& psi) {
    slots += std::min(common(phi.interval, psi.interval).slots(), psi.length_slots);
  });
  return std::min(slots, phi.interval.slots());
}

double tenat_use(const PolicyBook& book, const Interval& slots, std::span<const double> rates) {
  FUGU_CHECK(rates.size() == slots.slots());
  double worst = 0;
  std::vector<double> spent;
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    const Collection& collection = book.of(meter);
    const std::vector<std::uint64_t> steps = sensitivities(collection, slots);
    collection.for_overlapping(slots, [&](const Policy& phi) {
      const Interval within = common(phi.interval, slots);
      spent.clear();
      for (Slot slot = within.first; slot <= within.last; ++slot) {
        const auto i = static_cast<std::size_t>(slot - slots.first);
        spent.push_back(steps[i] == 0 ? 0 : static_cast<double>(steps[i]) * rates[i]);
      }
      worst = std::max(worst, top_sum(spent, affected_slots(collection, phi)) / phi.epsilon.to_double());
    });
  }
  return worst;
}

TenatAccountant::TenatAccountant(const Collection& collection) {
  for (const Policy& phi : collection.policies()) {
    Start& start = to_come_.emplace_back();
    start.first = phi.interval.first;
    start.state.last = phi.interval.last;
    start.state.epsilon = phi.epsilon.to_double();
    start.state.others_slots = affected_slots(collection, phi) - 1;
  }
}

void TenatAccountant::advance(Slot slot) {
  std::erase_if(relevant_, [&](const Relevant& phi) { return phi.last < slot; });
  for (; next_ < to_come_.size() && to_come_[next_].first <= slot; ++next_) {
    if (to_come_[next_].state.last >= slot) relevant_.push_back(std::move(to_come_[next_].state));
  }
}

double TenatAccountant::available() const {
  double available = std::numeric_limits<double>::infinity();
  // The current slot counts among the δ(J) costliest, or is no costlier than they are: either way it has room for what
  // the δ(J) − 1 costliest others leave.
  for (const Relevant& phi : relevant_) available = std::min(available, phi.epsilon - phi.largest_sum);
  return std::max(available, 0.0);
}

void TenatAccountant::spend(double epsilon_t) {
  for (Relevant& phi : relevant_) {
    if (phi.others_slots == 0) continue;
    if (phi.largest.size() == phi.others_slots) {
      if (epsilon_t <= phi.largest.front()) continue;
      std::pop_heap(phi.largest.begin(), phi.largest.end(), std::greater<>());
      phi.largest_sum -= phi.largest.back();
      phi.largest.pop_back();
    }
    phi.largest.push_back(epsilon_t);
    std::push_heap(phi.largest.begin(), phi.largest.end(), std::greater<>());
    phi.largest_sum += epsilon_t;
  }
}

}  // namespace fugu
