#include "fugu/policy/policy.hpp"

#include "fugu/base/check.hpp"

namespace fugu {
namespace {

bool is_flat(const Shape& shape) {
  if (shape.alternatives.size() != 1 || shape.alternatives[0].lanes.size() != 1) return false;
  const Lane& lane = shape.alternatives[0].lanes[0];
  return !lane.series && std::all_of(lane.steps.begin(), lane.steps.end(),
                                     [&](std::uint64_t steps) { return steps == lane.steps.front(); });
}

}  // namespace

void set_shape(Policy& policy, Shape shape) {
  policy.length_slots = 0;
  policy.magnitude_steps = 0;
  for (const Profile& profile : shape.alternatives) {
    for (const Lane& lane : profile.lanes) {
      policy.length_slots = std::max<std::uint64_t>(policy.length_slots, lane.steps.size());
      for (std::uint64_t steps : lane.steps) policy.magnitude_steps = std::max(policy.magnitude_steps, steps);
    }
  }
  FUGU_CHECK(policy.length_slots > 0 && policy.magnitude_steps > 0);
  policy.shape = is_flat(shape) ? nullptr : std::make_shared<const Shape>(std::move(shape));
}

}  // namespace fugu
