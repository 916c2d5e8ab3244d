// Density: OPTICS, the outlier factors that come from it, and DBSCAN.
//
// Deterministic: the smaller number wins a tie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "fugu/mining/distance_matrix.hpp"

namespace fugu::mining {

inline constexpr double kUndefined = std::numeric_limits<double>::infinity();

/// One bar of the reachability plot.
struct Reached {
  std::size_t item;
  double reachability;   ///< kUndefined where a new component starts
  double core_distance;  ///< to its min_items-th item, itself counted; kUndefined when that is beyond the radius
};

/// Ankerst et al., OPTICS, 1999. Items in the order in which they are reached; a neighbourhood counts the item itself.
/// min_items ≥ 1; `radius` may be kUndefined.
std::vector<Reached> optics(const Distances& distances, std::size_t min_items, double radius);

/// OPTICS-OF (Breunig et al., 1999): how much less dense it is around an item than around its neighbours; about 1
/// inside a cluster. The neighbours are the `min_items` nearest other items, and all as near as the last of them. As
/// many duplicates make a density infinite: two such densities have the quotient 1. 1 ≤ min_items < items.
std::vector<double> outlier_factors(const Distances& distances, std::size_t min_items);

/// The distance to the k-th nearest other item (Ramaswamy et al., 2000). 1 ≤ k < items.
std::vector<double> nearest_neighbour_distances(const Distances& distances, std::size_t k);

/// Items that belong to no cluster.
inline constexpr std::int64_t kNoise = -1;

/// DBSCAN (Ester et al., 1996): for each item the number of its cluster, from 0, or kNoise. An item is in the core when
/// at least min_items, itself counted, are at most `radius` away. At the border of several clusters, the first found
/// has it.
std::vector<std::int64_t> dbscan(const Distances& distances, std::size_t min_items, double radius);

}  // namespace fugu::mining
