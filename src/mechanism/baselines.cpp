#include "fugu/mechanism/baselines.hpp"

#include <algorithm>

namespace fugu {

Result<void> EveryKth::step(Kernel& kernel, Release& release) {
  const std::uint64_t window = kernel.window_slots();
  const std::uint64_t k = std::min(k_slots_, window);
  if (static_cast<std::uint64_t>(kernel.slot()) % k != 0) return {};
  const std::uint64_t releases_per_window = (window + k - 1) / k;
  FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), kernel.total() / releases_per_window));
  release.set(kernel.all(), answers);
  return {};
}

}  // namespace fugu
