#include "fugu/mining/hierarchical.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fugu/base/check.hpp"

namespace fugu::mining {

namespace {

/// Clusters, each by its smallest item, with their distances and the nearest among the clusters after each.
class Clusters {
 public:
  Clusters(const Distances& distances, Linkage linkage)
      : linkage_(linkage), rows_(distances.size()), sizes_(distances.size(), 1), left_(distances.size()) {
    std::iota(left_.begin(), left_.end(), std::size_t{0});
    std::vector<double> row(distances.size());
    for (std::size_t item = 0; item < distances.size(); ++item) {
      distances.row(item, row);
      rows_[item].assign(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(item));
    }
    nearest_.resize(distances.size());
    for (const std::size_t cluster : left_) find_nearest(cluster);
  }

  Merge merge() {
    Merge best{0, 0, std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i + 1 < left_.size(); ++i) {
      const std::size_t first = left_[i];
      const double height = distance(first, nearest_[first]);
      if (height < best.height) best = {first, nearest_[first], height};
    }
    std::erase(left_, best.second);
    for (const std::size_t other : left_) {
      if (other != best.first) link(other, best.first) = linked(other, best.first, best.second);
    }
    sizes_[best.first] += sizes_[best.second];
    update_nearest(best);
    return best;
  }

 private:
  /// The sum of distances for average linkage, else the distance itself.
  double& link(std::size_t a, std::size_t b) { return rows_[std::max(a, b)][std::min(a, b)]; }
  double linked(std::size_t other, std::size_t a, std::size_t b) {
    switch (linkage_) {
      case Linkage::single: return std::min(link(other, a), link(other, b));
      case Linkage::complete: return std::max(link(other, a), link(other, b));
      case Linkage::average: break;
    }
    return link(other, a) + link(other, b);
  }
  double distance(std::size_t a, std::size_t b) {
    return linkage_ == Linkage::average ? link(a, b) / (sizes_[a] * sizes_[b]) : link(a, b);
  }

  /// Among those after it.
  void find_nearest(std::size_t cluster) {
    double least = std::numeric_limits<double>::infinity();
    for (auto other = std::ranges::upper_bound(left_, cluster); other != left_.end(); ++other) {
      if (const double d = distance(cluster, *other); d < least) {
        least = d;
        nearest_[cluster] = *other;
      }
    }
  }

  void update_nearest(const Merge& merged) {
    for (const std::size_t cluster : left_) {
      if (cluster == merged.first || nearest_[cluster] == merged.first || nearest_[cluster] == merged.second) {
        find_nearest(cluster);
      } else if (cluster < merged.first) {  // the merged cluster may be nearer now, or as near and before
        const double now = distance(cluster, merged.first);
        const double before = distance(cluster, nearest_[cluster]);
        if (now < before || (now == before && merged.first < nearest_[cluster])) nearest_[cluster] = merged.first;
      }
    }
  }

  Linkage linkage_;
  std::vector<std::vector<double>> rows_;  // to clusters before
  std::vector<double> sizes_;
  std::vector<std::size_t> left_;  // ascending
  std::vector<std::size_t> nearest_;
};

}  // namespace

std::vector<Merge> agglomerate(const Distances& distances, Linkage linkage) {
  Clusters clusters(distances, linkage);
  std::vector<Merge> merges;
  while (merges.size() + 1 < distances.size()) merges.push_back(clusters.merge());
  return merges;
}

std::vector<std::int64_t> cut(std::span<const Merge> merges, std::size_t clusters) {
  const std::size_t items = merges.size() + 1;
  FUGU_CHECK(clusters >= 1 && clusters <= items);
  std::vector<std::size_t> smallest(items);
  std::iota(smallest.begin(), smallest.end(), std::size_t{0});
  for (const Merge& merge : merges.first(items - clusters)) smallest[merge.second] = merge.first;
  std::vector<std::int64_t> cluster_of(items);
  std::int64_t next = 0;
  for (std::size_t item = 0; item < items; ++item) {  // an item comes after the one it joined, so that is numbered
    cluster_of[item] = smallest[item] == item ? next++ : cluster_of[smallest[item]];
  }
  return cluster_of;
}

}  // namespace fugu::mining
