// Made-up homes for tests of inference.
#pragma once

#include <cmath>
#include <vector>

#include "fugu/inference/household_model.hpp"
#include "fugu/simulate/dice.hpp"

namespace fugu::grid::test {

/// Homes whose load is high in the evening, stays where it is for about an hour, and is up to `most` times their level.
inline HouseholdSample made_up_homes(std::size_t homes, std::size_t days, std::uint64_t seed = 1) {
  HouseholdSample sample{.slot_min = 15, .kw = std::vector<std::vector<double>>(homes)};
  for (std::size_t home = 0; home < homes; ++home) {
    Dice dice(seed, home, 0);
    const double level = 0.2 + 0.6 * dice.uniform();
    double above = 1;
    for (std::size_t slot = 0; slot < days * 96; ++slot) {
      if (dice.uniform() < 0.25) above = std::exp(dice.bell(0, 0.8));
      const double evening = slot % 96 >= 68 && slot % 96 < 88 ? 2 : 0.8;
      sample.kw[home].push_back(level * evening * above);
    }
  }
  return sample;
}

}  // namespace fugu::grid::test
