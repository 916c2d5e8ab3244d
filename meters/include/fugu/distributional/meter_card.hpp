// What a meter tells about itself once, so that sums over what meters send can go on when it is silent.
//
//     fugu-meter-card,1
//     meter,NAME
//     plan,…                  public parameters, the same for all meters of a stream
//     levels,STEPS,STEPS…     what its values are drawn around, with its constants, by level of the plan
//     end,CHECKSUM            of everything before
//
// Guarantee: a card gives away what the plan's ε covers and nothing else: whoever has all that the meter ever sends can
// work the levels out anyway. Not authenticated: bring cards over a channel that is. docs/guarantees/distributional.md.
#pragma once

#include <string>
#include <vector>

#include "fugu/distributional/state.hpp"

namespace fugu {

struct MeterCard {
  std::string meter;
  DistributionalPlan plan;
  MeterLevels levels;

  std::string text() const;
};

/// The cards of a file, one after the other, as `cat` puts them; at least one, each of another meter, all with one
/// plan.
Result<std::vector<MeterCard>> read_cards(Input input);

}  // namespace fugu
