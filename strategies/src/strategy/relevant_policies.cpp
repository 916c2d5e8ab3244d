#include "fugu/strategy/relevant_policies.hpp"

#include <algorithm>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

constexpr auto kByFirst = [](const auto& a, const auto& b) { return a.interval.first < b.interval.first; };

/// How far from the end a new policy may belong and still be put in its place at once.
constexpr std::size_t kNearlyInOrder = 32;

}  // namespace

RelevantPolicies::Record RelevantPolicies::record_of(const Policy& policy) {
  return {policy.interval, policy.length_slots, policy.magnitude_steps, policy.epsilon.to_double()};
}

/// In how many slots of `interval` an occurrence of the other policy can lie.
std::uint64_t RelevantPolicies::reach(const Interval& interval, const Interval& other,
                                      std::uint64_t other_length_slots) {
  return interval.overlaps(other) ? std::min(common(interval, other).slots(), other_length_slots) : 0;
}

void RelevantPolicies::add(MeterId meter, const Policy& policy) {
  FUGU_CHECK(!slot_ || policy.interval.first > *slot_);
  if (meter >= collections_.size()) {
    collections_.resize(meter + std::size_t{1});
    sensitivities_.resize(collections_.size());
    has_arrival_.resize(collections_.size(), 0);
  }
  Upcoming& upcoming = collections_[meter];
  const Record record = record_of(policy);
  insert(upcoming, record, slot_.has_value());
  if (!upcoming.begun.empty()) remember_arrival(meter, record, +1);
  wake_at(meter, policy.interval.first);
}

void RelevantPolicies::insert(Upcoming& upcoming, const Record& record, bool keep_ordered) {
  auto& to_come = upcoming.to_come;
  // Books are mostly in order, or in order by day: look at the last few first.
  auto at = to_come.size();
  const auto begin = std::max(upcoming.next, at - std::min<std::size_t>(at, kNearlyInOrder));
  while (at > begin && kByFirst(record, to_come[at - 1])) --at;
  if (at == begin && begin > upcoming.next) {
    const auto from = to_come.begin() + static_cast<std::ptrdiff_t>(upcoming.next);
    const auto to = to_come.begin() + static_cast<std::ptrdiff_t>(begin);
    // While a book is being loaded, sorting once beats moving many again and again.
    if (keep_ordered && upcoming.ordered)
      at = static_cast<std::size_t>(std::upper_bound(from, to, record, kByFirst) - to_come.begin());
    else
      upcoming.ordered = false;
  }
  to_come.insert(to_come.begin() + static_cast<std::ptrdiff_t>(at), record);
}

bool RelevantPolicies::withdraw(MeterId meter, const Policy& policy) {
  if (meter >= collections_.size()) return false;
  Upcoming& upcoming = collections_[meter];
  order(upcoming);
  const Record record = record_of(policy);
  const auto from = upcoming.to_come.begin() + static_cast<std::ptrdiff_t>(upcoming.next);
  const auto [begin, end] = std::equal_range(from, upcoming.to_come.end(), record, kByFirst);
  const auto found = std::find(begin, end, record);
  if (found == end) return false;
  upcoming.to_come.erase(found);
  if (!upcoming.begun.empty()) remember_arrival(meter, record, -1);
  return true;
}

void RelevantPolicies::order(Upcoming& upcoming) {
  if (upcoming.ordered) return;
  std::sort(upcoming.to_come.begin() + static_cast<std::ptrdiff_t>(upcoming.next), upcoming.to_come.end(), kByFirst);
  upcoming.ordered = true;
}

void RelevantPolicies::wake_at(MeterId meter, Slot slot) {
  Slot& wakes_at = collections_[meter].wakes_at;
  if (slot >= wakes_at) return;
  wakes_at = slot;
  agenda_.schedule(slot, meter);
}

void RelevantPolicies::remember_arrival(MeterId meter, const Record& record, std::int64_t sign) {
  arrivals_.push_back({meter, record.interval, record.length_slots, sign});
  has_arrival_[meter] = 1;
}

void RelevantPolicies::begin_policies(std::vector<MeterId>& meters) {
  std::sort(meters.begin(), meters.end());  // those one after another lie one after another in memory
  for (const MeterId meter : meters) begin_policies(meter);
}

void RelevantPolicies::remove_ended() {
  changed_ = true;
  earliest_last_ = kNever;
  for (std::size_t i = 0; i < last_.size();) {
    if (last_[i] < *slot_) {
      remove(i);
    } else {
      earliest_last_ = std::min(earliest_last_, last_[i]);
      ++i;
    }
  }
}

void RelevantPolicies::remove(std::size_t i) {
  set_sensitivity(meters_[i], sensitivity_steps(meters_[i]) - records_[i].magnitude_steps);
  const auto drop = [i](auto& column) {
    column[i] = column.back();
    column.pop_back();
  };
  drop(meters_);
  drop(last_);
  drop(epsilon_per_affected_slot_);
  drop(spent_);
  drop(records_);
  drop(counts_);
}

void RelevantPolicies::apply_arrivals() {
  changed_ = true;
  const auto by_meter = [](const Arrival& a, const Arrival& b) { return a.meter < b.meter; };
  std::sort(arrivals_.begin(), arrivals_.end(), by_meter);
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    if (has_arrival_[meters_[i]] == 0) continue;
    const auto [begin, end] =
        std::equal_range(arrivals_.begin(), arrivals_.end(), Arrival{meters_[i], {}, 0, 0}, by_meter);
    for (auto arrival = begin; arrival != end; ++arrival) {
      const std::uint64_t slots = reach(interval(i), arrival->interval, arrival->length_slots);
      counts_[i].affected_sum += arrival->sign * static_cast<std::int64_t>(slots);
    }
    update_affected(i);
  }
  for (const Arrival& arrival : arrivals_) has_arrival_[arrival.meter] = 0;
  arrivals_.clear();
}

void RelevantPolicies::begin_policies(MeterId meter) {
  Upcoming& upcoming = collections_[meter];
  if (upcoming.wakes_at > *slot_) return;  // it was woken already, for an earlier policy that came later
  order(upcoming);
  auto& to_come = upcoming.to_come;
  auto& begun = upcoming.begun;
  std::erase_if(begun, [this](const Record& record) { return record.interval.last < *slot_; });
  const std::size_t older = begun.size();
  for (; upcoming.next < to_come.size() && to_come[upcoming.next].interval.first <= *slot_; ++upcoming.next) {
    const Record& record = to_come[upcoming.next];
    if (record.interval.last < *slot_) continue;
    if (affected_ == Affected::counted)
      begun.push_back(record);
    else
      begin_policy(meter, record, 0);
  }
  for (std::size_t i = older; i < begun.size(); ++i) begin_policy(meter, begun[i], affected_sum_of(begun[i], upcoming));
  if (upcoming.next * 2 > to_come.size()) {
    to_come.erase(to_come.begin(), to_come.begin() + static_cast<std::ptrdiff_t>(upcoming.next));
    upcoming.next = 0;
  }
  upcoming.wakes_at = kNever;
  if (upcoming.next < to_come.size()) wake_at(meter, to_come[upcoming.next].interval.first);
}

std::uint64_t RelevantPolicies::affected_sum_of(const Record& record, const Upcoming& upcoming) {
  std::uint64_t sum = record.length_slots;
  const auto count = [&](const Record& other) { sum += reach(record.interval, other.interval, other.length_slots); };
  for (const Record& other : upcoming.begun) {
    if (&other != &record) count(other);
  }
  for (std::size_t i = upcoming.next; i < upcoming.to_come.size(); ++i) {
    if (upcoming.to_come[i].interval.first > record.interval.last) break;
    count(upcoming.to_come[i]);
  }
  return sum;
}

void RelevantPolicies::begin_policy(MeterId meter, const Record& record, std::uint64_t affected_sum) {
  changed_ = true;
  set_sensitivity(meter, sensitivity_steps(meter) + record.magnitude_steps);
  earliest_last_ = std::min(earliest_last_, record.interval.last);
  meters_.push_back(meter);
  last_.push_back(record.interval.last);
  spent_.push_back(0);
  records_.push_back(record);
  counts_.push_back({static_cast<std::int64_t>(affected_sum), 0, answered_});
  epsilon_per_affected_slot_.emplace_back();
  update_affected(meters_.size() - 1);
}

void RelevantPolicies::update_affected(std::size_t i) {
  counts_[i].affected_slots = std::min(static_cast<std::uint64_t>(counts_[i].affected_sum), interval(i).slots());
  epsilon_per_affected_slot_[i] = epsilon(i) / static_cast<double>(affected_slots(i));
}

std::uint64_t RelevantPolicies::largest_sensitivity_steps() const {
  std::uint64_t largest = 0;
  for (const MeterId meter : meters_) largest = std::max(largest, sensitivity_steps(meter));
  return largest;
}

}  // namespace fugu
