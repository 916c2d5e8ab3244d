// From the operator's files to what an estimator takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fugu/inference/state_estimator.hpp"
#include "fugu/measurement/measurements.hpp"

namespace fugu::grid {

/// Network and measurements outlive it.
class MeasuredKnowledge {
 public:
  MeasuredKnowledge(const Network& network, const Measurements& measurements);

  /// Sensors, sums, where the voltage is known, and where in the day the first stamp is. `slot_min`: of clocks that
  /// count slots, of which the first begins at midnight.
  StateEstimatorOptions options(std::int64_t slot_min) const;
  /// Of `count` stamps from `first` on.
  GridKnowledge batch(std::size_t first, std::size_t count) const;
  /// Stamps at which the busbar's voltage was not measured, or was none: they have the one before.
  std::uint64_t voltages_filled() const { return voltages_filled_; }

 private:
  const Measurements& measurements_;
  std::vector<double> busbar_pu_;
  std::uint64_t voltages_filled_ = 0;
};

}  // namespace fugu::grid
