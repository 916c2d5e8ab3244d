#include "fugu/comparison/printed_shares.hpp"

#include "fugu/strategy/discounted.hpp"

namespace fugu {

Result<void> PrintedShares::step(Kernel& kernel, Release& release) {
  const double share = PublishedShares::share(discount_, static_cast<std::uint64_t>(kernel.slot()) + 1);
  const Budget spent = Budget::round_down(share * kernel.total().to_double());
  if (spent == Budget()) return {};  // less than can be counted: the last release repeats
  FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), spent));
  release.set(kernel.all(), answers);
  return {};
}

}  // namespace fugu
