#include "fugu/metric/anomaly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fugu/base/check.hpp"

namespace fugu {

namespace {

/// Of a mean reach: keeps densities finite.
constexpr double kLeastReach = 1e-10;

/// Values in order, and for each the stretch of `neighbours` + 1 values around it that are nearest.
struct Crowd {
  std::vector<std::size_t> order;  // slots by value
  std::vector<double> sorted;
  std::vector<std::size_t> first;  // of the stretch, by place in `sorted`
  std::vector<double> reach;       // distance to the furthest of it
  std::size_t neighbours = 0;
};

Crowd crowd_of(std::span<const double> values, std::size_t neighbours) {
  FUGU_CHECK(values.size() >= 2 && neighbours >= 1);
  Crowd crowd;
  crowd.neighbours = std::min(neighbours, values.size() - 1);
  crowd.order.resize(values.size());
  std::iota(crowd.order.begin(), crowd.order.end(), std::size_t{0});
  std::ranges::stable_sort(crowd.order, {}, [&](std::size_t slot) { return values[slot]; });
  for (const std::size_t slot : crowd.order) crowd.sorted.push_back(values[slot]);
  const std::vector<double>& x = crowd.sorted;
  std::size_t first = 0;  // never moves back: the nearest of a larger value are no smaller
  for (std::size_t i = 0; i < x.size(); ++i) {
    while (first + crowd.neighbours < i ||
           (first + crowd.neighbours + 1 < x.size() && x[first + crowd.neighbours + 1] - x[i] < x[i] - x[first]))
      ++first;
    crowd.first.push_back(first);
    crowd.reach.push_back(std::max(x[i] - x[first], x[first + crowd.neighbours] - x[i]));
  }
  return crowd;
}

/// Mean of f(place) over the neighbours of the value at place i.
template <class Function>
double mean_of_neighbours(const Crowd& crowd, std::size_t i, Function&& f) {
  double sum = 0;
  for (std::size_t j = crowd.first[i]; j <= crowd.first[i] + crowd.neighbours; ++j) {
    if (j != i) sum += f(j);
  }
  return sum / static_cast<double>(crowd.neighbours);
}

}  // namespace

std::vector<double> knn_scores(std::span<const double> values, std::size_t neighbours) {
  const Crowd crowd = crowd_of(values, neighbours);
  std::vector<double> scores(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) scores[crowd.order[i]] = crowd.reach[i];
  return scores;
}

std::vector<double> lof_scores(std::span<const double> values, std::size_t neighbours) {
  const Crowd crowd = crowd_of(values, neighbours);
  const std::vector<double>& x = crowd.sorted;
  std::vector<double> density;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto reached = [&](std::size_t j) { return std::max(crowd.reach[j], std::abs(x[i] - x[j])); };
    density.push_back(1 / (mean_of_neighbours(crowd, i, reached) + kLeastReach));
  }
  std::vector<double> scores(values.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    scores[crowd.order[i]] = mean_of_neighbours(crowd, i, [&](std::size_t j) { return density[j]; }) / density[i];
  return scores;
}

double roc_auc(std::span<const double> scores, const std::vector<bool>& is_anomaly) {
  FUGU_CHECK(scores.size() == is_anomaly.size());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t slot) { return scores[slot]; });
  double anomalies = 0, others = 0, pairs_won = 0;
  for (std::size_t i = 0; i < order.size();) {
    double equal_anomalies = 0, equal_others = 0;
    const double score = scores[order[i]];
    for (; i < order.size() && scores[order[i]] == score; ++i)
      (is_anomaly[order[i]] ? equal_anomalies : equal_others) += 1;
    pairs_won += equal_anomalies * (others + equal_others / 2);
    anomalies += equal_anomalies;
    others += equal_others;
  }
  return anomalies == 0 || others == 0 ? std::numeric_limits<double>::quiet_NaN() : pairs_won / (anomalies * others);
}

}  // namespace fugu
