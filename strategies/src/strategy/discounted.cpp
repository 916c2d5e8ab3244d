#include "fugu/strategy/discounted.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace fugu {

namespace {

Result<void> release_all(Kernel& kernel, Release& release, Budget share) {
  if (share == Budget()) return {};  // less than can be counted: the last release repeats
  FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), share));
  release.set(kernel.all(), answers);
  return {};
}

Budget part_of_total(const Kernel& kernel, double share) {
  return Budget::round_down(share * kernel.total().to_double());
}

}  // namespace

std::function<double(Slot slot)> noise_weights(const Exposure& exposure) {
  if (!exposure.varies()) return {};
  return [&exposure](Slot slot) {
    double sum = 0;
    for (SeriesId id = 0; id < exposure.series_count(); ++id)
      sum += static_cast<double>(exposure.sensitivity_steps(id, slot) * exposure.series_per_meter(id));
    return sum;
  };
}

Result<void> SpendAll::step(Kernel& kernel, Release& release) {
  if (static_cast<std::uint64_t>(kernel.slot()) % every_slots_ != 0) return {};
  return release_all(kernel, release, kernel.available());
}

Result<void> PlannedShares::step(Kernel& kernel, Release& release) {
  Budget share = kernel.available();
  const auto slot = static_cast<std::size_t>(kernel.slot());
  if (slot < shares_.size()) share = std::min(share, part_of_total(kernel, shares_[slot]));
  return release_all(kernel, release, share);
}

double PublishedShares::share(const std::optional<Discount>& discount, std::uint64_t k) {
  const auto n = static_cast<double>(k);
  if (!discount) return 6 / (std::numbers::pi * std::numbers::pi * n * n);
  if (discount->kind == Discount::Kind::exponential) return 1 - discount->factor;
  const double beta = discount->factor;
  return std::sqrt(beta * (beta + 1)) /
         (2 * (std::atanh(1 / std::numbers::sqrt3) + std::atanh(std::sqrt(beta / (1 + beta)))) * std::sqrt(n));
}

Result<PublishedShares> PublishedShares::make(const std::optional<Discount>& discount) {
  const double first = share(discount, 1);
  if (first > 1) {
    char witness[200];
    std::snprintf(witness, sizeof witness,
                  "published (Corollary 16) breaks its own definition at beta = %g: the first report alone loses %.4g "
                  "epsilon; use equal or planned, or a beta below 3.65",
                  discount->factor, first);
    return Error{Cause::refused, witness};
  }
  return PublishedShares(discount);
}

Result<void> PublishedShares::step(Kernel& kernel, Release& release) {
  const auto k = static_cast<std::uint64_t>(kernel.slot()) + 1;
  return release_all(kernel, release, part_of_total(kernel, share(discount_, k)));
}

}  // namespace fugu
