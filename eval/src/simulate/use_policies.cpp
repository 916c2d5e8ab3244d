#include "fugu/simulate/use_policies.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/simulate/dice.hpp"

namespace fugu {

namespace {

constexpr double kEpsilonStep = 1e-4;
constexpr std::uint64_t kEpsilonDice = 0x65707369;  // sets these draws apart from those of the simulation

Interval interval_around(const Interval& use, IntervalRule rule) {
  const auto length = static_cast<Slot>(use.slots());
  if (rule == IntervalRule::conference) return {use.first - 2 * length, use.last + 2 * length};
  const Slot first = use.first - 3 * length / 2;
  return {first, first + 4 * length - 1};
}

double diced_epsilon(const UsePolicyOptions& options, std::uint64_t household, std::uint64_t number) {
  const double steps = std::floor((options.epsilon_max - options.epsilon_min) / kEpsilonStep + 1e-6);
  const double u = Dice(options.seed ^ kEpsilonDice, household, number).uniform();
  return options.epsilon_min + std::floor(u * (steps + 1)) * kEpsilonStep;
}

}  // namespace

Result<IntervalRule> parse_interval_rule(std::string_view name) {
  if (name == "conference") return IntervalRule::conference;
  if (name == "thesis") return IntervalRule::thesis;
  return Error{Cause::usage, "interval rule: expected conference or thesis"};
}

Result<HorizonRule> parse_horizon_rule(std::string_view name) {
  if (name == "clip") return HorizonRule::clip;
  if (name == "drop") return HorizonRule::drop;
  return Error{Cause::usage, "intervals beyond the horizon: expected clip or drop"};
}

UsePolicies::UsePolicies(const UsePolicyOptions& options, std::uint64_t household)
    : options_(options), household_(household) {}

void UsePolicies::add(std::span<const ApplianceUse> uses, std::int64_t until_min, std::vector<UsePolicy>& policies) {
  for (const ApplianceUse& use : uses) {
    const Interval slots = {use.start_min / options_.slot_min,
                            std::min((use.end_min - 1) / options_.slot_min, options_.horizon_slots - 1)};
    const auto same =
        std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.appliance == use.appliance; });
    if (same == open_.end()) {
      open_.push_back({use.appliance, slots, use.power_w});
    } else if (slots.first <= same->slots.last + 1) {
      same->slots.last = std::max(same->slots.last, slots.last);
      same->power_w = std::max(same->power_w, use.power_w);
    } else {
      close(*same, policies);
      *same = {use.appliance, slots, use.power_w};
    }
  }
  const Slot next = until_min / options_.slot_min;
  std::erase_if(open_, [&](const Open& open) {
    const bool is_over = open.slots.last + 1 < next;
    if (is_over) close(open, policies);
    return is_over;
  });
}

void UsePolicies::finish(std::vector<UsePolicy>& policies) {
  for (const Open& open : open_) close(open, policies);
  open_.clear();
}

void UsePolicies::close(const Open& open, std::vector<UsePolicy>& policies) {
  const double epsilon = diced_epsilon(options_, household_, closed_++);
  const Interval horizon = {0, options_.horizon_slots - 1};
  Policy policy;
  policy.interval = interval_around(open.slots, options_.interval);
  if (!horizon.contains(policy.interval)) {
    if (options_.beyond == HorizonRule::drop) return;
    policy.interval = common(horizon, policy.interval);
  }
  policy.length_slots = open.slots.slots();
  policy.magnitude_steps = static_cast<std::uint64_t>(open.power_w);
  policy.epsilon = Budget::round_down(epsilon);
  policies.push_back({open.appliance, std::move(policy)});
}

Policy holiday_secret(Slot first, std::int64_t slot_min, std::uint64_t magnitude_steps, double epsilon) {
  const Slot week = 7 * 1440 / slot_min;
  Policy policy;
  policy.interval = {first, first + week - 1};
  policy.length_slots = static_cast<std::uint64_t>(week);
  policy.magnitude_steps = magnitude_steps;
  policy.epsilon = Budget::round_down(epsilon);
  return policy;
}

}  // namespace fugu
