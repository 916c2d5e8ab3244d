#include "audit_policies.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace fugu::audit {

std::string describe(const Policy& policy, std::string_view meter) {
  char epsilon[32];
  std::snprintf(epsilon, sizeof epsilon, "%.6g", policy.epsilon.to_double());
  return "the policy of meter " + std::string(meter) + " for slots " + std::to_string(policy.interval.first) + " to " +
         std::to_string(policy.interval.last) + " (up to " + std::to_string(policy.length_slots) + " slots, " +
         std::to_string(policy.magnitude_steps) + " steps, ε = " + epsilon + ")";
}

bool names_unknown_series(const Policy& policy, const Exposure& exposure) {
  if (!policy.shape) return false;
  for (const Profile& profile : policy.shape->alternatives) {
    for (const Lane& lane : profile.lanes) {
      if (lane.series && *lane.series >= exposure.series_count()) return true;
    }
  }
  return false;
}

PoliciesHeld::PoliciesHeld(const Exposure& exposure) : exposure_(exposure), groups_{widest_signatures()} {}

std::vector<std::uint32_t> PoliciesHeld::widest_signatures() const {
  std::vector<std::uint32_t> widest;
  for (std::uint32_t g = 0; g < exposure_.signature_count(); ++g) {
    const std::vector<SeriesId>& own = exposure_.signature(g);
    if (own.empty()) continue;
    const std::vector<std::uint32_t>& others = exposure_.signatures_of(own.front());
    const bool within_another = std::any_of(others.begin(), others.end(), [&](std::uint32_t other) {
      const std::vector<SeriesId>& wider = exposure_.signature(other);
      if (other == g || !std::includes(wider.begin(), wider.end(), own.begin(), own.end())) return false;
      return wider.size() > own.size() || other < g;  // of equal ones, the first stays
    });
    if (!within_another) widest.push_back(g);
  }
  return widest;
}

std::string PoliciesHeld::of_now(std::string_view meter) const {
  const auto moved = moves_.find(meter);
  return std::string(meter) + (moved == moves_.end() ? "" : "\n" + std::to_string(moved->second));
}

bool PoliciesHeld::are_over(std::string_view meter, Slot slot) const {
  const auto id = names_.find(of_now(meter));
  if (!id) return true;
  for (std::uint32_t at = last_of_meter_[*id]; at != kNone; at = held_[at].previous) {
    if (!held_[at].withdrawn && held_[at].policy.interval.last >= slot) return false;
  }
  return true;
}

bool PoliciesHeld::move(std::string_view meter, Slot slot) {
  const bool over = are_over(meter, slot);
  ++moves_[std::string(meter)];
  return over;
}

bool PoliciesHeld::holds_for(std::string_view meter, std::uint32_t signature, Slot slot) const {
  if (are_over(meter, slot)) return true;
  const std::uint32_t group = group_of_meter_[*names_.find(of_now(meter))];
  return group == kAnyGroup || std::ranges::find(groups_[group], signature) != groups_[group].end();
}

MeterId PoliciesHeld::intern(std::string_view meter) {
  const MeterId id = names_.intern(of_now(meter));
  if (id == group_of_meter_.size()) {
    group_of_meter_.push_back(kNone);
    last_of_meter_.push_back(kNone);
  }
  return id;
}

std::uint32_t PoliciesHeld::group_with(std::vector<std::uint32_t> signatures) {
  std::erase_if(signatures, [&](std::uint32_t g) { return g >= exposure_.signature_count(); });
  std::sort(signatures.begin(), signatures.end());
  signatures.erase(std::unique(signatures.begin(), signatures.end()), signatures.end());
  if (signatures.empty()) return kAnyGroup;
  const auto [found, is_new] = group_ids_.try_emplace(signatures, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) groups_.push_back(std::move(signatures));
  return found->second;
}

std::uint32_t PoliciesHeld::joined(std::uint32_t group, std::uint32_t other) {
  if (group == kNone || group == other) return other;
  if (group == kAnyGroup || other == kAnyGroup) return kAnyGroup;
  std::vector<std::uint32_t> both = groups_[group];
  both.insert(both.end(), groups_[other].begin(), groups_[other].end());
  return group_with(std::move(both));
}

void PoliciesHeld::state(std::string_view meter, std::vector<std::uint32_t> signatures, const Policy& policy) {
  const MeterId id = intern(meter);
  group_of_meter_[id] = joined(group_of_meter_[id], group_with(std::move(signatures)));
  held_.push_back({policy, id, last_of_meter_[id]});
  last_of_meter_[id] = static_cast<std::uint32_t>(held_.size() - 1);
}

bool PoliciesHeld::withdraw(std::string_view meter, const Policy& policy) {
  const auto id = names_.find(of_now(meter));
  if (!id) return false;
  for (std::uint32_t position = last_of_meter_[*id]; position != kNone; position = held_[position].previous) {
    Held& held = held_[position];
    if (held.withdrawn || !(held.policy == policy)) continue;
    held.withdrawn = true;
    ++withdrawn_;
    return true;
  }
  return false;
}

void PoliciesHeld::close() {
  begins_.assign(names_.size() + 1, 0);
  for (const Held& held : held_) begins_[held.meter + 1] += held.withdrawn ? 0 : 1;
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  order_.resize(size());
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t position = 0; position < held_.size(); ++position) {
    const Held& held = held_[position];
    if (!held.withdrawn) order_[next[held.meter]++] = position;
  }
}

Idleness::Idleness(const PoliciesHeld& policies, const Exposure& exposure)
    : policies_(policies), busy_until_(policies.group_count(), -1), groups_of_series_(exposure.series_count()) {
  for (std::uint32_t position = 0; position < policies.positions(); ++position) {
    if (policies.in_force(position)) by_begin_.push_back(position);
  }
  std::sort(by_begin_.begin(), by_begin_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return policies.policy(a).interval.first < policies.policy(b).interval.first;
  });
  for (std::uint32_t group = 0; group < policies.group_count(); ++group) {
    for (const std::uint32_t g : policies.signatures(group)) {
      for (const SeriesId series : exposure.signature(g)) {
        std::vector<std::uint32_t>& groups = groups_of_series_[series];
        if (groups.empty() || groups.back() != group) groups.push_back(group);
      }
    }
  }
}

bool Idleness::is_idle(SeriesId series, const Interval& slots) {
  for (; begun_ < by_begin_.size(); ++begun_) {
    const std::uint32_t position = by_begin_[begun_];
    const Interval& interval = policies_.policy(position).interval;
    if (interval.first > slots.last) break;
    Slot& until = busy_until_[policies_.group(policies_.meter(position))];
    until = std::max(until, interval.last);
  }
  const std::vector<std::uint32_t>& groups = groups_of_series_[series];
  return std::none_of(groups.begin(), groups.end(),
                      [&](std::uint32_t group) { return busy_until_[group] >= slots.first; });
}

}  // namespace fugu::audit
