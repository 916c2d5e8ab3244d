// Jaccard distance: what share of the elements of two sets only one of them has.
//
// Elements are numbers: what they stand for is the business of whoever numbered them, so a provider that gets numbered
// sets needs nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/mining/distance_matrix.hpp"

namespace fugu::mining {

/// Ascending, each element once.
using ElementSet = std::vector<std::uint32_t>;

/// 1 − |a ∩ b| / |a ∪ b|, exactly; 0 when both are empty. It is a metric on sets.
Fraction jaccard_distance(const ElementSet& a, const ElementSet& b);

/// The same for all pairs. Much quicker than one by one: what is common to many sets is counted for many pairs at once.
DistanceMatrix jaccard_distances(std::span<const ElementSet> sets);

}  // namespace fugu::mining
