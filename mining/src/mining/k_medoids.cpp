#include "fugu/mining/k_medoids.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "fugu/base/check.hpp"

namespace fugu::mining {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

/// What each item has to know about the medoids to tell what a swap would cost.
class Assignment {
 public:
  Assignment(const Distances& distances, std::vector<std::size_t> medoids)
      : distances_(distances), medoids_(std::move(medoids)), row_(distances.size()) {
    FUGU_CHECK(!medoids_.empty() && medoids_.size() <= distances.size());
    assign();
  }

  const std::vector<std::size_t>& medoids() const { return medoids_; }
  std::size_t nearest(std::size_t item) const { return nearest_[item]; }
  bool is_medoid(std::size_t item) const { return std::ranges::count(medoids_, item) > 0; }
  double cost() const { return cost_; }

  /// What the sum changes by when `item` becomes a medoid in the place of each of them.
  std::vector<double> changes(std::size_t item) {
    distances_.row(item, row_);
    double for_all = 0;
    std::vector<double> changes(medoids_.size());
    for (std::size_t other = 0; other < row_.size(); ++other) {
      const double kept = std::min(row_[other], nearest_distance_[other]);
      for_all += kept - nearest_distance_[other];
      changes[nearest_[other]] += std::min(row_[other], second_distance_[other]) - kept;
    }
    for (double& change : changes) change += for_all;
    return changes;
  }

  /// Makes `item` the medoid `place`, if that lowers the sum.
  bool swap(std::size_t place, std::size_t item) {
    const double cost_before = cost_;
    const std::size_t medoid_before = std::exchange(medoids_[place], item);
    assign();
    if (cost_ < cost_before) return true;
    medoids_[place] = medoid_before;
    assign();
    return false;
  }

  Medoids take() && {
    return {std::move(medoids_), std::vector<std::int64_t>(nearest_.begin(), nearest_.end()), cost_};
  }

 private:
  void assign() {
    nearest_.assign(distances_.size(), 0);
    nearest_distance_.assign(distances_.size(), kFar);
    second_distance_.assign(distances_.size(), kFar);
    for (std::size_t place = 0; place < medoids_.size(); ++place) {
      distances_.row(medoids_[place], row_);
      for (std::size_t item = 0; item < row_.size(); ++item) {
        if (row_[item] < nearest_distance_[item]) {
          second_distance_[item] = std::exchange(nearest_distance_[item], row_[item]);
          nearest_[item] = place;
        } else {
          second_distance_[item] = std::min(second_distance_[item], row_[item]);
        }
      }
    }
    cost_ = 0;
    for (const double distance : nearest_distance_) cost_ += distance;
  }

  const Distances& distances_;
  std::vector<std::size_t> medoids_;
  std::vector<std::size_t> nearest_;  // place of the nearest medoid
  std::vector<double> nearest_distance_;
  std::vector<double> second_distance_;  // to the next medoid after it; infinite when there is only one
  double cost_ = 0;
  std::vector<double> row_;
};

}  // namespace

std::vector<std::size_t> first_medoids(const Distances& distances, std::size_t k) {
  FUGU_CHECK(k >= 1 && k <= distances.size());
  std::vector<double> row(distances.size());
  std::vector<double> nearest(distances.size(), kFar);
  std::vector<std::size_t> medoids;
  while (medoids.size() < k) {
    double best_cost = kFar;
    std::size_t best = 0;
    for (std::size_t item = 0; item < distances.size(); ++item) {
      if (std::ranges::count(medoids, item) > 0) continue;
      distances.row(item, row);
      double cost = 0;
      for (std::size_t other = 0; other < row.size(); ++other) cost += std::min(row[other], nearest[other]);
      if (cost < best_cost) {
        best_cost = cost;
        best = item;
      }
    }
    medoids.push_back(best);
    distances.row(best, row);
    std::ranges::transform(row, nearest, nearest.begin(), [](double a, double b) { return std::min(a, b); });
  }
  return medoids;
}

Medoids k_medoids(const Distances& distances, std::vector<std::size_t> start) {
  Assignment assignment(distances, std::move(start));
  double cost_before = kFar;
  while (assignment.cost() < cost_before) {
    cost_before = assignment.cost();
    for (std::size_t place = 0; place < assignment.medoids().size(); ++place) {
      for (std::size_t item = 0; item < distances.size(); ++item) {
        if (assignment.nearest(item) != place || assignment.is_medoid(item)) continue;
        if (assignment.changes(item)[place] < 0) assignment.swap(place, item);
      }
    }
  }
  return std::move(assignment).take();
}

Medoids fast_pam(const Distances& distances, std::vector<std::size_t> start) {
  Assignment assignment(distances, std::move(start));
  while (true) {
    double best_change = 0;
    std::size_t best_place = 0;
    std::size_t best_item = 0;
    for (std::size_t item = 0; item < distances.size(); ++item) {
      if (assignment.is_medoid(item)) continue;
      const std::vector<double> changes = assignment.changes(item);
      const auto least = std::ranges::min_element(changes);
      if (*least < best_change) {
        best_change = *least;
        best_place = static_cast<std::size_t>(least - changes.begin());
        best_item = item;
      }
    }
    // A change that only rounding makes negative would go round in circles: the sums must say the same.
    if (best_change == 0 || !assignment.swap(best_place, best_item)) return std::move(assignment).take();
  }
}

}  // namespace fugu::mining
