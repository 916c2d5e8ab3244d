#include "fugu/mining/optics.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "fugu/base/check.hpp"

namespace fugu::mining {

namespace {

/// The k-th smallest, from 1: few values get below the k smallest so far. `scratch` saves its memory.
double kth_smallest(std::vector<double>& scratch, std::span<const double> values, std::size_t k) {
  scratch.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k));
  std::ranges::make_heap(scratch);
  for (const double value : values.subspan(k)) {
    if (value >= scratch.front()) continue;
    std::ranges::pop_heap(scratch);
    scratch.back() = value;
    std::ranges::push_heap(scratch);
  }
  return scratch.front();
}

/// Distance to the k-th nearest other item, given the distances to all of them.
double kth_neighbour(std::vector<double>& scratch, std::vector<double>& row, std::size_t item, std::size_t k) {
  row[item] = kUndefined;  // not a neighbour of itself
  return kth_smallest(scratch, row, k);
}

}  // namespace

std::vector<Reached> optics(const Distances& distances, std::size_t min_items, double radius) {
  FUGU_CHECK(min_items >= 1);
  const std::size_t size = distances.size();
  std::vector<Reached> order;
  order.reserve(size);
  std::vector<std::size_t> left(size);  // ascending
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<double> reachability(size, kUndefined);  // of those left
  std::vector<double> row(size);
  std::vector<double> scratch;
  std::ptrdiff_t next = 0;  // its place in both
  while (!left.empty()) {
    const std::size_t item = left[static_cast<std::size_t>(next)];
    const double reached = reachability[static_cast<std::size_t>(next)];
    left.erase(left.begin() + next);
    reachability.erase(reachability.begin() + next);
    distances.row(item, row);
    double core_distance = min_items > size ? kUndefined : kth_smallest(scratch, row, min_items);
    if (core_distance > radius) core_distance = kUndefined;
    order.push_back({item, reached, core_distance});
    for (std::size_t place = 0; place < left.size(); ++place) {
      const double distance = row[left[place]];
      const double reach = distance <= radius ? std::max(core_distance, distance) : kUndefined;
      reachability[place] = std::min(reachability[place], reach);
    }
    next = std::ranges::min_element(reachability) - reachability.begin();
  }
  return order;
}

std::vector<double> nearest_neighbour_distances(const Distances& distances, std::size_t k) {
  FUGU_CHECK(k >= 1 && k < distances.size());
  std::vector<double> row(distances.size());
  std::vector<double> scratch;
  std::vector<double> result(distances.size());
  for (std::size_t item = 0; item < distances.size(); ++item) {
    distances.row(item, row);
    result[item] = kth_neighbour(scratch, row, item, k);
  }
  return result;
}

std::vector<double> outlier_factors(const Distances& distances, std::size_t min_items) {
  const std::size_t size = distances.size();
  const std::vector<double> core_distance = nearest_neighbour_distances(distances, min_items);
  std::vector<double> row(size);
  const auto for_neighbours = [&](std::size_t item, auto&& visit) {
    distances.row(item, row);
    for (std::size_t other = 0; other < size; ++other) {
      if (other != item && row[other] <= core_distance[item]) visit(other, row[other]);
    }
  };
  std::vector<double> mean_reach(size);  // one over the density
  for (std::size_t item = 0; item < size; ++item) {
    std::size_t neighbours = 0;
    double sum = 0;
    for_neighbours(item, [&](std::size_t other, double distance) {
      sum += std::max(core_distance[other], distance);
      ++neighbours;
    });
    mean_reach[item] = sum / static_cast<double>(neighbours);
  }
  std::vector<double> factors(size);
  for (std::size_t item = 0; item < size; ++item) {
    std::size_t neighbours = 0;
    double sum = 0;
    for_neighbours(item, [&](std::size_t other, double) {
      sum += mean_reach[item] == mean_reach[other] ? 1 : mean_reach[item] / mean_reach[other];
      ++neighbours;
    });
    factors[item] = sum / static_cast<double>(neighbours);
  }
  return factors;
}

std::vector<std::int64_t> dbscan(const Distances& distances, std::size_t min_items, double radius) {
  FUGU_CHECK(min_items >= 1);
  const std::size_t size = distances.size();
  std::vector<double> row(size);
  const auto is_core = [&](std::size_t item) {
    distances.row(item, row);
    return static_cast<std::size_t>(std::ranges::count_if(row, [&](double d) { return d <= radius; })) >= min_items;
  };
  std::vector<std::int64_t> cluster_of(size, kNoise);
  std::vector<std::size_t> to_visit;
  std::int64_t cluster = 0;
  for (std::size_t start = 0; start < size; ++start) {
    if (cluster_of[start] != kNoise || !is_core(start)) continue;
    to_visit.push_back(start);
    cluster_of[start] = cluster;
    while (!to_visit.empty()) {
      const std::size_t item = to_visit.back();
      to_visit.pop_back();
      if (!is_core(item)) continue;
      for (std::size_t other = 0; other < size; ++other) {
        if (row[other] > radius || cluster_of[other] != kNoise) continue;
        cluster_of[other] = cluster;
        to_visit.push_back(other);
      }
    }
    ++cluster;
  }
  return cluster_of;
}

}  // namespace fugu::mining
