// BD and BA as the VLDB 2023 benchmark ran them, flaws included: to be compared with BudgetDivision.
#pragma once

#include "fugu/strategy/budget_division.hpp"

namespace fugu {

/// BREAKS its promise. What it does wrong: the noise of decisions is that of sensitivity 1, in the unit of the data,
/// whatever the sensitivity is; and a noisy distance counts as the true one, however much noise is in it.
/// docs/guarantees/bd-ba.md.
class DivisionAsPublished final : public BudgetDivision {
 public:
  DivisionAsPublished(Allocation allocation, double unit_steps)
      : BudgetDivision({.allocation = allocation}), unit_steps_(unit_steps) {}

 private:
  Result<Moved> ask_distance(Kernel& kernel, std::span<const SeriesId> series, std::span<const std::int64_t> reference,
                             Budget share) const override;

  double unit_steps_;
};

/// bd-grouped as published, which is useless: the budget of releases is never set, so there is one release with all the
/// noise there is, and no other.
class GroupedDivisionAsPublished final : public Strategy {
 public:
  Result<void> step(Kernel& kernel, Release& release) override;
};

}  // namespace fugu
