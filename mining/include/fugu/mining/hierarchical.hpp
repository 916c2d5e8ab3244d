// Agglomerative clustering: the two nearest clusters become one, until one is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/mining/distance_matrix.hpp"

namespace fugu::mining {

/// How far apart two clusters are, by the distances between an item of the one and an item of the other.
enum class Linkage : std::uint8_t { single, average, complete };

/// A step: `second` joins `first`. A cluster is called after its smallest item, so first < second.
struct Merge {
  std::size_t first;
  std::size_t second;
  double height;  ///< how far apart they were
};

/// All steps, one fewer than items. Of pairs that are equally near, the one with the smaller `first` goes first, then
/// the one with the smaller `second`.
std::vector<Merge> agglomerate(const Distances& distances, Linkage linkage);

/// The clusters when `clusters` of them are left, for each item. They are numbered from 0 by their smallest item.
/// 1 ≤ clusters ≤ merges + 1.
std::vector<std::int64_t> cut(std::span<const Merge> merges, std::size_t clusters);

}  // namespace fugu::mining
