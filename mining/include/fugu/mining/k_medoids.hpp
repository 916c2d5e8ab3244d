// k-medoids: k of the items stand for all, so that the sum of distances to the nearest of them gets small.
//
// Both searches end in a local optimum and are deterministic: the smaller number wins a tie, and a swap must make the
// sum smaller to be kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fugu/mining/distance_matrix.hpp"

namespace fugu::mining {

struct Medoids {
  std::vector<std::size_t> items;        ///< the medoids
  std::vector<std::int64_t> cluster_of;  ///< for each item, which of them is nearest
  double cost = 0;                       ///< the sum of distances to them
};

/// Where to start: the item nearest to all, then always the one that lowers the sum most (BUILD of PAM). 1 ≤ k ≤ items.
std::vector<std::size_t> first_medoids(const Distances& distances, std::size_t k);

/// Algorithm 1 of the thesis: swaps a medoid with an item of its own cluster whenever that lowers the sum, in the order
/// of medoids and items, until a pass changes nothing. There, a swap that leaves the sum as it is is kept; here it is
/// undone.
Medoids k_medoids(const Distances& distances, std::vector<std::size_t> start);

/// PAM as FastPAM1 computes it: the best of all swaps of a medoid with any item, until none lowers the sum.
/// Schubert and Rousseeuw, Fast and eager k-medoids clustering, 2021.
Medoids fast_pam(const Distances& distances, std::vector<std::size_t> start);

}  // namespace fugu::mining
