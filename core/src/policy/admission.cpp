#include "fugu/policy/admission.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <string>

namespace fugu {
namespace {

Error refused(std::string why) { return {Cause::refused, std::move(why)}; }

Result<void> check_not_begun(const Policy& policy, Slot now, std::string_view verb) {
  if (policy.interval.first >= now) return {};
  std::string why("the policy's interval begins in slot ");
  why.append(std::to_string(policy.interval.first)).append(" and the stream is at slot ").append(std::to_string(now));
  return refused(why.append(": what has begun cannot be ").append(verb));
}

std::string number(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6).ptr;
  return {text.data(), end};
}

std::string slots(Slot count) { return std::to_string(count) + (count == 1 ? " slot" : " slots"); }

}  // namespace

Result<void> check_limits(const AdmissionRule& rule, const Policy& policy) {
  if (rule.largest_magnitude_steps && policy.magnitude_steps > *rule.largest_magnitude_steps) {
    return refused("the magnitude is " + std::to_string(policy.magnitude_steps) + " steps; at most " +
                   std::to_string(*rule.largest_magnitude_steps) + " are admitted");
  }
  if (rule.smallest_epsilon && policy.epsilon < *rule.smallest_epsilon) {
    return refused("epsilon is " + number(policy.epsilon.to_double()) + "; at least " +
                   number(rule.smallest_epsilon->to_double()) + " is admitted");
  }
  return {};
}

Result<void> admit(const AdmissionRule& rule, const Collection& collection, const Policy& policy, Slot now) {
  FUGU_TRY(check_not_begun(policy, now, "added to or changed"));
  const Slot notice = policy.interval.first - now;
  if (notice < rule.notice_slots) {
    return refused("the policy's interval begins in " + slots(notice) + "; a notice of " + slots(rule.notice_slots) +
                   " is asked for");
  }
  FUGU_TRY(check_limits(rule, policy));
  if (collection.holds(policy)) return refused("the meter has this policy already");
  if (!rule.most_overlapping) return {};
  const std::size_t overlapping = busiest_slot(collection, policy.interval).policies + 1;
  if (overlapping <= *rule.most_overlapping) return {};
  return refused("with it, " + std::to_string(overlapping) +
                 " policies of the meter would be relevant in the same slot; at most " +
                 std::to_string(*rule.most_overlapping) + " are admitted");
}

Result<void> admit_withdrawal(const Collection& collection, const Policy& policy, Slot now) {
  if (!collection.holds(policy)) return refused("the meter has no such policy to take back");
  return check_not_begun(policy, now, "taken back");
}

BusySlot busiest_slot(const Collection& collection, const Interval& interval) {
  std::vector<Slot> ends;  // of the policies relevant in the slot looked at, the earliest on top
  BusySlot most{0, interval.first};
  collection.for_overlapping(interval, [&](const Policy& policy) {
    const Slot begin = std::max(policy.interval.first, interval.first);
    while (!ends.empty() && ends.front() < begin) {
      std::pop_heap(ends.begin(), ends.end(), std::greater<>());
      ends.pop_back();
    }
    ends.push_back(policy.interval.last);
    std::push_heap(ends.begin(), ends.end(), std::greater<>());
    if (ends.size() > most.policies) most = {ends.size(), begin};
  });
  return most;
}

}  // namespace fugu
