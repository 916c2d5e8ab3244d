// Strategies for discounted definitions: when to spend a bound that forgets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fugu/mechanism/mechanism.hpp"

namespace fugu {

/// Spends in every k-th slot all that past losses leave, and repeats the release in between: the bound is met with
/// equality.
///
/// Guarantee: keeps the definition, and always has something left to spend, because the weights are log-convex.
/// Error: with k = 1 noise of scale Δ/ε in the first slot; later Δ/((1 − α)·ε), or for hyperbolic discounting a scale
/// that grows like log t (β = 1, slot 365: 6.8·Δ/ε). For a horizon of w slots no other schedule spends more in total.
/// Cost: O(series); no memory. docs/guarantees/discounted.md.
class SpendAll final : public Strategy {
 public:
  explicit SpendAll(std::uint64_t every_slots = 1) : every_slots_(every_slots) { FUGU_CHECK(every_slots >= 1); }
  Result<void> step(Kernel& kernel, Release& release) override;
  bool values_only() const override { return true; }

 private:
  std::uint64_t every_slots_;
};

/// What a plan makes small.
enum class PlanLeast : std::uint8_t {
  mean_error,     ///< Σ over slots of the expected error
  largest_error,  ///< the expected error of the worst slot
};

/// A schedule for a known horizon: what each slot spends, as a part of ε.
struct DiscountedPlan {
  std::vector<double> shares;
  /// Σ weight/share, or the largest weight/share: expected errors in multiples of 1/ε.
  double objective = 0;
  /// The objective cannot be less than (1 − gap) · objective, whatever is spent when.
  double gap = 0;
};

/// The best schedule that keeps Σ over k ≤ t of a(t − k) · share_k ≤ 1 for every t of the horizon. `weights`, one per
/// slot and positive, say what noise of scale 1/share costs there: 1, or sensitivities that differ.
///
/// Guarantee: `gap` is a certificate, by duality; it is below 10⁻⁶ unless 200 Newton steps were not enough.
/// Cost: O(slots) per step and mode of the discount; a year of quarter hours takes one to two seconds.
/// docs/guarantees/discounted.md.
DiscountedPlan plan_discounted(const Discount& discount, std::span<const double> weights, PlanLeast least);

/// StrategyParameters::noise_weight, of all series together: absent when sensitivities do not vary. `exposure` must
/// outlive it.
std::function<double(Slot slot)> noise_weights(const Exposure& exposure);

/// Follows a plan to its end, and spends all that is left in every slot afterwards.
class PlannedShares final : public Strategy {
 public:
  explicit PlannedShares(std::vector<double> shares) : shares_(std::move(shares)) {}
  Result<void> step(Kernel& kernel, Release& release) override;
  bool values_only() const override { return true; }

 private:
  std::vector<double> shares_;
};

/// The schedules of Farokhi's "Temporally Discounted Differential Privacy": constant noise (Corollary 12), noise that
/// grows like √k (Corollary 16), and without a discount like k² (Corollary 8).
class PublishedShares final : public Strategy {
 public:
  /// Cause::refused when the schedule breaks its own definition: Corollary 16 from β = 3.654 on.
  static Result<PublishedShares> make(const std::optional<Discount>& discount);

  /// What slot k = 1, 2, … spends, as a part of ε.
  static double share(const std::optional<Discount>& discount, std::uint64_t k);

  Result<void> step(Kernel& kernel, Release& release) override;
  bool values_only() const override { return true; }

 private:
  explicit PublishedShares(const std::optional<Discount>& discount) : discount_(discount) {}
  std::optional<Discount> discount_;
};

}  // namespace fugu
