// The schedules of the discounted paper as printed, also where they break their definition.
#pragma once

#include <optional>

#include "fugu/mechanism/mechanism.hpp"

namespace fugu {

/// PublishedShares without its check: from β = 3.654 on Corollary 16 loses more than it promises. To be compared with.
class PrintedShares final : public Strategy {
 public:
  explicit PrintedShares(const std::optional<Discount>& discount) : discount_(discount) {}
  Result<void> step(Kernel& kernel, Release& release) override;

 private:
  std::optional<Discount> discount_;
};

}  // namespace fugu
