#include "fugu/monitoring/requirement.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/base/check.hpp"

namespace fugu::grid {

namespace {

double total_kw(const Requirement& requirement) {
  return requirement.p_kw * static_cast<double>(requirement.length_slots);
}

}  // namespace

Requirement one_use(double power_w, double cycle_min, double slot_min) {
  FUGU_CHECK(power_w > 0 && cycle_min > 0 && slot_min > 0);
  return {power_w / 1000, static_cast<std::uint64_t>(std::ceil(cycle_min / slot_min))};
}

Requirement followed_by(const Requirement& first, const Requirement& second) {
  return {std::max(first.p_kw, second.p_kw), first.length_slots + second.length_slots};
}

Requirement in_parallel(const Requirement& first, const Requirement& second) {
  return {first.p_kw + second.p_kw, std::max(first.length_slots, second.length_slots)};
}

double noise_scale_kw(const Requirement& requirement, double epsilon, double part) {
  FUGU_CHECK(epsilon > 0 && part > 0);
  return total_kw(requirement) / (epsilon * part);
}

double epsilon_at(const Requirement& requirement, double scale_kw, double part) {
  FUGU_CHECK(scale_kw > 0 && part > 0);
  return total_kw(requirement) / (scale_kw * part);
}

}  // namespace fugu::grid
