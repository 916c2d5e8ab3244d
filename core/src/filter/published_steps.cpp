#include "fugu/filter/published_steps.hpp"

#include <algorithm>
#include <cmath>

namespace fugu {

Result<PublishedSteps> PublishedSteps::make(std::string_view filters, const UnitStep& unit_step) {
  PublishedSteps published;
  if (filters.empty()) return published;
  FUGU_ASSIGN(std::shared_ptr<Filter> filter, make_filter_chain(filters));
  if (filter->mixes_slots()) return published;
  published.filter_ = std::move(filter);
  published.unit_ = unit_step.to_double();
  return published;
}

std::int64_t PublishedSteps::filtered(std::int64_t steps) const {
  constexpr double kLargest = 0x1p62;  // no answer gets there, a filter's bound may
  const double value = filter_->apply({.value = static_cast<double>(steps) * unit_}).value / unit_;
  return std::llround(std::clamp(value, -kLargest, kLargest));
}

}  // namespace fugu
