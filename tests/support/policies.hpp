// Policies by their parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "fugu/policy/policy.hpp"

namespace fugu::test {

inline Policy policy_of(Interval interval, std::uint64_t length_slots, std::uint64_t magnitude_steps, double epsilon) {
  Policy policy;
  policy.interval = interval;
  policy.length_slots = length_slots;
  policy.magnitude_steps = magnitude_steps;
  policy.epsilon = Budget::round_down(epsilon);
  return policy;
}

inline Policy shaped(Interval interval, Shape shape, double epsilon) {
  Policy policy = policy_of(interval, 1, 1, epsilon);
  for (const Profile& profile : shape.alternatives) {
    for (const Lane& lane : profile.lanes) {
      policy.length_slots = std::max<std::uint64_t>(policy.length_slots, lane.steps.size());
      for (const std::uint64_t steps : lane.steps) policy.magnitude_steps = std::max(policy.magnitude_steps, steps);
    }
  }
  policy.shape = std::make_shared<const Shape>(std::move(shape));
  return policy;
}

}  // namespace fugu::test
