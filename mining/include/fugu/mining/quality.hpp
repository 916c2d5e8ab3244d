// How good a clustering is, and how much two of them agree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fugu/mining/distance_matrix.hpp"

namespace fugu::mining {

/// Per item, from −1 to 1: how much nearer its own cluster is than the nearest other (Rousseeuw, 1987). 0 for an item
/// alone in its cluster, for noise, and when there is one cluster only. Negative labels are noise.
std::vector<double> silhouettes(const Distances& distances, std::span<const std::int64_t> cluster_of);

/// 1 for the same clustering under whatever names, about 0 for chance (Hubert and Arabie, 1985). Every label is a
/// cluster, noise as well. 1 when both put all items together, or both put each alone. The spans have the same length.
double adjusted_rand_index(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

}  // namespace fugu::mining
