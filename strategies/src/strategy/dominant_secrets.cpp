#include "fugu/strategy/dominant_secrets.hpp"

#include <algorithm>

namespace fugu {

void DominantSecrets::update(const RelevantPolicies& relevant) {
  of_meter_.resize(relevant.meter_count());
  for (std::size_t i = 0; i < relevant.size(); ++i) of_meter_[relevant.meter(i)] = {};
  for (std::size_t i = 0; i < relevant.size(); ++i) {
    Dominant& dominant = of_meter_[relevant.meter(i)];
    dominant.length_slots = std::max(dominant.length_slots, static_cast<double>(relevant.length_slots(i)));
    dominant.epsilon = std::min(dominant.epsilon, relevant.epsilon(i));
  }
  rate_ = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < relevant.size(); ++i) {
    const MeterId meter = relevant.meter(i);
    const auto steps = static_cast<double>(relevant.sensitivity_steps(meter));
    rate_ = std::min(rate_, of_meter_[meter].epsilon / (steps * of_meter_[meter].length_slots));
  }
}

}  // namespace fugu
