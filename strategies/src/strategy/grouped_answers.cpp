#include "fugu/strategy/grouped_answers.hpp"

#include <algorithm>
#include <numeric>

#include "fugu/estimation/smoother.hpp"
#include "fugu/noise/law.hpp"

namespace fugu {

std::uint64_t GroupedAnswers::most_members_of_one_meter(const Exposure& exposure, std::span<const SeriesId> members) {
  const auto shares_no_meter = [&](SeriesId series) { return exposure.series_per_meter(series) == 1; };
  if (std::all_of(members.begin(), members.end(), shares_no_meter)) return 1;
  counts_.resize(exposure.signature_count());
  std::uint64_t most = 0;
  for (const SeriesId series : members) {
    for (const std::uint32_t signature : exposure.signatures_of(series)) most = std::max(most, ++counts_[signature]);
  }
  for (const SeriesId series : members) {
    for (const std::uint32_t signature : exposure.signatures_of(series)) counts_[signature] = 0;
  }
  return most;
}

Result<std::span<const PartOfSum>> GroupedAnswers::ask(Kernel& kernel, std::span<const SeriesId> members,
                                                       std::span<double> expected, double expected_variance,
                                                       Budget each) {
  FUGU_CHECK(expected.size() == members.size());
  // In ε a signature with m of the most members' M pays share·m/M, in ρ share·(m/M)²: at most m·each in both.
  const std::uint64_t most = most_members_of_one_meter(kernel.exposure(), members);
  FUGU_ASSIGN(const NoisyValue sum, kernel.sum(members, Budget::from_units(each.units() * most)));
  james_stein(expected, expected_variance);
  const auto count = static_cast<double>(members.size());
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  const double more = (static_cast<double>(sum.steps) - total) / count;
  const double variance = NoiseLaw{sum.noise, sum.parameter}.variance() / (count * count);
  parts_.clear();
  for (const double value : expected) parts_.push_back({value + more, variance});
  return std::span<const PartOfSum>(parts_);
}

}  // namespace fugu
