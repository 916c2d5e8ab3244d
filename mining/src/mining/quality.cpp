#include "fugu/mining/quality.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "fugu/base/check.hpp"

namespace fugu::mining {

namespace {

double pairs(std::uint64_t items) { return static_cast<double>(items) * (static_cast<double>(items) - 1) / 2; }

template <class Label>
double pairs_together(const std::map<Label, std::uint64_t>& sizes) {
  double sum = 0;
  for (const auto& [label, size] : sizes) sum += pairs(size);
  return sum;
}

}  // namespace

std::vector<double> silhouettes(const Distances& distances, std::span<const std::int64_t> cluster_of) {
  FUGU_CHECK(cluster_of.size() == distances.size());
  std::map<std::int64_t, double> sizes;
  for (const std::int64_t label : cluster_of) {
    if (label >= 0) ++sizes[label];
  }
  std::vector<double> result(distances.size());
  std::vector<double> row(distances.size());
  for (std::size_t item = 0; item < distances.size(); ++item) {
    const std::int64_t own = cluster_of[item];
    if (own < 0 || sizes[own] < 2 || sizes.size() < 2) continue;
    distances.row(item, row);
    std::map<std::int64_t, double> sums;
    for (std::size_t other = 0; other < row.size(); ++other) sums[cluster_of[other]] += row[other];
    const double within = sums[own] / (sizes[own] - 1);
    double between = std::numeric_limits<double>::infinity();
    for (const auto& [label, size] : sizes) {
      if (label != own) between = std::min(between, sums[label] / size);
    }
    const double larger = std::max(within, between);
    result[item] = larger == 0 ? 0 : (between - within) / larger;
  }
  return result;
}

double adjusted_rand_index(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  FUGU_CHECK(a.size() == b.size());
  std::map<std::int64_t, std::uint64_t> sizes_a;
  std::map<std::int64_t, std::uint64_t> sizes_b;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> sizes_both;
  for (std::size_t item = 0; item < a.size(); ++item) {
    ++sizes_a[a[item]];
    ++sizes_b[b[item]];
    ++sizes_both[{a[item], b[item]}];
  }
  const double in_a = pairs_together(sizes_a);
  const double in_b = pairs_together(sizes_b);
  const double all = pairs(a.size());
  const double expected = all == 0 ? 0 : in_a * in_b / all;
  const double most = (in_a + in_b) / 2;
  return most == expected ? 1 : (pairs_together(sizes_both) - expected) / (most - expected);
}

}  // namespace fugu::mining
