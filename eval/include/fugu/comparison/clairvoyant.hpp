// Unicorn*: what perfect decisions would be worth.
#pragma once

#include <vector>

#include "fugu/strategy/planned.hpp"
#include "fugu/stream/source.hpp"

namespace fugu {

/// Decides by the true stream, for nothing. NOT private: the Simulation it runs in shows it each slot before it is run,
/// and no publisher does. docs/guarantees/unicorn.md.
class ClairvoyantStrategy final : public PlannedStrategy {
 public:
  using PlannedStrategy::PlannedStrategy;

  /// The true values of the next slot. `row` must outlive it.
  void look(const SlotRow& row) { row_ = &row; }

 protected:
  Result<double> release_relevant(Kernel& kernel, Release& release, const Block& block, double rate) override;

 private:
  double true_distance(const Block& block) const;

  const SlotRow* row_ = nullptr;
  std::vector<std::int64_t> reference_;
};

}  // namespace fugu
