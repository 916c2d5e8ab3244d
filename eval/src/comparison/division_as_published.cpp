#include "fugu/comparison/division_as_published.hpp"

#include <algorithm>

namespace fugu {

Result<BudgetDivision::Moved> DivisionAsPublished::ask_distance(Kernel& kernel, std::span<const SeriesId> series,
                                                                std::span<const std::int64_t> reference,
                                                                Budget share) const {
  std::uint64_t per_meter = 1;
  for (const SeriesId id : series) per_meter = std::max(per_meter, kernel.series_per_meter(id));
  FUGU_ASSIGN(const NoisyValue distance,
              kernel.distance_at(series, reference, share.to_double() * static_cast<double>(per_meter) / unit_steps_));
  return Moved{.steps = static_cast<double>(distance.steps), .noise_steps = 0};
}

Result<void> GroupedDivisionAsPublished::step(Kernel& kernel, Release& release) {
  if (kernel.slot() > 0) return {};
  FUGU_ASSIGN(const auto answers, kernel.values_at(kernel.all(), 0x1p-39));
  release.set(kernel.all(), answers);
  return {};
}

}  // namespace fugu
