#include "fugu/comparison/groups_of_one.hpp"

namespace fugu {

namespace {

constexpr std::uint64_t kGroupingPart = 5;  // a fifth of a slot's budget

}  // namespace

Result<void> GroupsOfOne::step(Kernel& kernel, Release& release) {
  const Budget slot = kernel.total() / kernel.window_slots();
  FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), slot - slot / kGroupingPart));
  for (const SeriesId series : kernel.all()) {
    if (const auto answer = answers[series]) release.estimate(series, answer->steps, true);
  }
  return {};
}

}  // namespace fugu
