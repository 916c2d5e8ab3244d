// Each algorithm against small cases done by hand, and against a slow form of itself written from its definition.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "fugu/mining/hierarchical.hpp"
#include "fugu/mining/k_medoids.hpp"
#include "fugu/mining/optics.hpp"
#include "fugu/mining/quality.hpp"
#include "mining/builders.hpp"

namespace fugu::mining {
namespace {

using Labels = std::vector<std::int64_t>;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Two groups and one far away.
test::Function two_groups() { return test::on_a_line({0, 1, 2, 10, 11, 12, 50}); }

DistanceMatrix any_matrix(std::size_t least = 2) {
  const auto items = *rc::gen::inRange<std::size_t>(least, 14);
  const auto digits = *rc::gen::container<std::vector<unsigned>>(items * (items - 1) / 2, rc::gen::inRange(0u, 17u));
  return test::from_digits(items, digits);
}

// --- k-medoids ---

double cost_of(const Distances& distances, const std::vector<std::size_t>& medoids) {
  double cost = 0;
  for (std::size_t item = 0; item < distances.size(); ++item) {
    double nearest = kInfinite;
    for (const std::size_t medoid : medoids) nearest = std::min(nearest, distances.at(item, medoid));
    cost += nearest;
  }
  return cost;
}

/// PAM: tries all swaps, computes each sum anew. Sixteenths add up exactly.
std::vector<std::size_t> slow_pam(const Distances& distances, std::vector<std::size_t> medoids) {
  while (true) {
    double best_cost = cost_of(distances, medoids);
    std::vector<std::size_t> best = medoids;
    for (std::size_t item = 0; item < distances.size(); ++item) {
      for (std::size_t place = 0; place < medoids.size(); ++place) {
        auto swapped = medoids;
        swapped[place] = item;
        if (std::set(swapped.begin(), swapped.end()).size() < medoids.size()) continue;
        if (const double cost = cost_of(distances, swapped); cost < best_cost) {
          best_cost = cost;
          best = swapped;
        }
      }
    }
    if (best == medoids) return medoids;
    medoids = best;
  }
}

/// Algorithm 1 of the thesis, line by line.
std::vector<std::size_t> slow_thesis(const Distances& distances, std::vector<std::size_t> medoids) {
  const auto nearest = [&](std::size_t item) {
    std::size_t best = 0;
    for (std::size_t place = 1; place < medoids.size(); ++place) {
      if (distances.at(item, medoids[place]) < distances.at(item, medoids[best])) best = place;
    }
    return best;
  };
  double before = kInfinite;
  while (cost_of(distances, medoids) < before) {
    before = cost_of(distances, medoids);
    for (std::size_t place = 0; place < medoids.size(); ++place) {
      for (std::size_t item = 0; item < distances.size(); ++item) {
        if (nearest(item) != place || std::ranges::count(medoids, item) > 0) continue;
        auto swapped = medoids;
        swapped[place] = item;
        if (cost_of(distances, swapped) < cost_of(distances, medoids)) medoids = swapped;
      }
    }
  }
  return medoids;
}

TEST(KMedoids, FindsTheGroups) {
  const auto distances = two_groups();
  const auto start = first_medoids(distances, 3);
  EXPECT_EQ(start, (std::vector<std::size_t>{3, 6, 1}));
  for (const auto& found : {k_medoids(distances, start), fast_pam(distances, start), fast_pam(distances, {0, 1, 2})}) {
    auto medoids = found.items;
    std::ranges::sort(medoids);
    EXPECT_EQ(medoids, (std::vector<std::size_t>{1, 4, 6}));
    EXPECT_EQ(found.cost, 4);
    EXPECT_EQ(found.cluster_of[0], found.cluster_of[2]);
    EXPECT_NE(found.cluster_of[2], found.cluster_of[3]);
    EXPECT_EQ(found.items[static_cast<std::size_t>(found.cluster_of[6])], 6u);
  }
}

TEST(KMedoids, OneClusterAndAsManyAsItems) {
  const auto distances = two_groups();
  EXPECT_EQ(fast_pam(distances, {6}).items, std::vector<std::size_t>{3});
  EXPECT_EQ(k_medoids(distances, {6}).items, std::vector<std::size_t>{3});
  EXPECT_EQ(fast_pam(distances, first_medoids(distances, 7)).cost, 0);
}

RC_GTEST_PROP(KMedoids, FastPamIsPam, ()) {
  const DistanceMatrix distances = any_matrix();
  const auto k = *rc::gen::inRange<std::size_t>(1, distances.size() + 1);
  const auto start = first_medoids(distances, k);
  const Medoids fast = fast_pam(distances, start);
  RC_ASSERT(fast.items == slow_pam(distances, start));
  RC_ASSERT(fast.cost == cost_of(distances, fast.items));
}

RC_GTEST_PROP(KMedoids, TheThesisLineByLine, ()) {
  const DistanceMatrix distances = any_matrix();
  const auto k = *rc::gen::inRange<std::size_t>(1, distances.size() + 1);
  std::vector<std::size_t> start(k);
  std::iota(start.begin(), start.end(), std::size_t{0});
  RC_ASSERT(k_medoids(distances, start).items == slow_thesis(distances, start));
}

// --- density ---

double kth_distance(const Distances& distances, std::size_t item, std::size_t k, bool counts_itself) {
  std::vector<double> all;
  for (std::size_t other = 0; other < distances.size(); ++other) {
    if (other != item || counts_itself) all.push_back(distances.at(item, other));
  }
  std::ranges::sort(all);
  return k <= all.size() ? all[k - 1] : kInfinite;
}

TEST(Optics, ByHand) {
  const auto order = optics(test::on_a_line({0, 1, 3, 20}), 2, 5);
  std::vector<std::size_t> items;
  std::vector<double> reachability;
  std::vector<double> core;
  for (const Reached& reached : order) {
    items.push_back(reached.item);
    reachability.push_back(reached.reachability);
    core.push_back(reached.core_distance);
  }
  EXPECT_EQ(items, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(reachability, (std::vector<double>{kUndefined, 1, 2, kUndefined}));
  EXPECT_EQ(core, (std::vector<double>{1, 1, 2, kUndefined}));
}

RC_GTEST_PROP(Optics, EachBarIsTheLeastReachabilityFromThoseBefore, ()) {
  const DistanceMatrix distances = any_matrix();
  const auto min_items = *rc::gen::inRange<std::size_t>(1, 6);
  const double radius = *rc::gen::inRange(0, 17) / 16.0;
  const auto core = [&](std::size_t item) {
    const double distance = kth_distance(distances, item, min_items, true);
    return distance <= radius ? distance : kInfinite;
  };
  std::vector<std::size_t> before;
  std::set<std::size_t> left;
  for (std::size_t item = 0; item < distances.size(); ++item) left.insert(item);
  for (const Reached& reached : optics(distances, min_items, radius)) {
    std::size_t next = *left.begin();
    double least = kInfinite;
    for (const std::size_t candidate : left) {
      for (const std::size_t from : before) {
        if (distances.at(from, candidate) > radius) continue;
        if (const double d = std::max(core(from), distances.at(from, candidate)); d < least) {
          least = d;
          next = candidate;
        }
      }
    }
    RC_ASSERT(reached.item == next);
    RC_ASSERT(reached.reachability == least);
    RC_ASSERT(reached.core_distance == core(next));
    before.push_back(next);
    left.erase(next);
  }
  RC_ASSERT(left.empty());
}

TEST(OpticsOf, ByHand) {
  // Core distances with one neighbour 1, 1, 2, 17; the neighbours are 1, 0, 1, 2.
  const auto factors = outlier_factors(test::on_a_line({0, 1, 3, 20}), 1);
  EXPECT_EQ(factors, (std::vector<double>{1, 1, 2, 8.5}));
}

TEST(OpticsOf, DuplicatesAreNoOutliersToEachOther) {
  const auto factors = outlier_factors(test::on_a_line({0, 0, 0, 5}), 2);
  EXPECT_EQ(factors, (std::vector<double>{1, 1, 1, kInfinite}));
}

RC_GTEST_PROP(OpticsOf, IsItsFormula, ()) {
  const DistanceMatrix distances = any_matrix();
  const auto k = *rc::gen::inRange<std::size_t>(1, distances.size());
  const auto neighbours = [&](std::size_t p) {
    std::vector<std::size_t> result;
    for (std::size_t o = 0; o < distances.size(); ++o) {
      if (o != p && distances.at(p, o) <= kth_distance(distances, p, k, false)) result.push_back(o);
    }
    return result;
  };
  const auto density = [&](std::size_t p) {
    double sum = 0;
    for (const std::size_t o : neighbours(p)) sum += std::max(kth_distance(distances, o, k, false), distances.at(p, o));
    return static_cast<double>(neighbours(p).size()) / sum;
  };
  const auto factors = outlier_factors(distances, k);
  for (std::size_t p = 0; p < distances.size(); ++p) {
    double sum = 0;
    for (const std::size_t o : neighbours(p)) sum += density(o) == density(p) ? 1 : density(o) / density(p);
    const double expected = sum / static_cast<double>(neighbours(p).size());
    RC_ASSERT(factors[p] == expected || std::abs(factors[p] - expected) < 1e-9 * expected);
  }
}

RC_GTEST_PROP(NearestNeighbours, AreTheSortedOnes, ()) {
  const DistanceMatrix distances = any_matrix();
  const auto k = *rc::gen::inRange<std::size_t>(1, distances.size());
  const auto found = nearest_neighbour_distances(distances, k);
  for (std::size_t item = 0; item < distances.size(); ++item) {
    RC_ASSERT(found[item] == kth_distance(distances, item, k, false));
  }
}

TEST(Dbscan, ByHand) {
  // The item at 5 is at the border of both groups: the first has it.
  EXPECT_EQ(dbscan(test::on_a_line({0, 1, 2, 3, 5, 7, 8, 9, 10, 30}), 4, 2), (Labels{0, 0, 0, 0, 0, 1, 1, 1, 1, -1}));
  EXPECT_EQ(dbscan(test::on_a_line({0, 1}), 3, 5), (Labels{-1, -1}));
}

RC_GTEST_PROP(Dbscan, ClustersAreComponentsOfTheCore, ()) {
  const DistanceMatrix distances = any_matrix();
  const auto min_items = *rc::gen::inRange<std::size_t>(1, 6);
  const double radius = *rc::gen::inRange(0, 17) / 16.0;
  const std::size_t size = distances.size();
  const auto is_core = [&](std::size_t item) { return kth_distance(distances, item, min_items, true) <= radius; };
  Labels expected(size, kNoise);
  std::int64_t clusters = 0;
  for (std::size_t start = 0; start < size; ++start) {
    if (!is_core(start) || expected[start] != kNoise) continue;
    std::set<std::size_t> component{start};
    for (std::size_t grown = 0; grown != component.size();) {
      grown = component.size();
      for (const std::size_t from : std::set(component)) {
        for (std::size_t to = 0; to < size; ++to) {
          if (is_core(to) && distances.at(from, to) <= radius) component.insert(to);
        }
      }
    }
    for (std::size_t item = 0; item < size; ++item) {
      const bool reached =
          std::ranges::any_of(component, [&](std::size_t core) { return distances.at(core, item) <= radius; });
      if (expected[item] == kNoise && reached) expected[item] = clusters;
    }
    ++clusters;
  }
  RC_ASSERT(dbscan(distances, min_items, radius) == expected);
}

// --- hierarchical ---

/// Looks at all pairs of clusters in every step, and at all their items.
std::vector<Merge> slow_agglomerate(const Distances& distances, Linkage linkage) {
  std::map<std::size_t, std::vector<std::size_t>> clusters;
  for (std::size_t item = 0; item < distances.size(); ++item) clusters[item] = {item};
  std::vector<Merge> merges;
  while (clusters.size() > 1) {
    Merge best{0, 0, kInfinite};
    for (const auto& [first, items] : clusters) {
      for (const auto& [second, others] : clusters) {
        if (second <= first) continue;
        double least = kInfinite;
        double most = 0;
        double sum = 0;
        for (const std::size_t a : items) {
          for (const std::size_t b : others) {
            least = std::min(least, distances.at(a, b));
            most = std::max(most, distances.at(a, b));
            sum += distances.at(a, b);
          }
        }
        const double mean = sum / static_cast<double>(items.size() * others.size());
        const double height = linkage == Linkage::single ? least : linkage == Linkage::complete ? most : mean;
        if (height < best.height) best = {first, second, height};
      }
    }
    clusters[best.first].insert(clusters[best.first].end(), clusters[best.second].begin(), clusters[best.second].end());
    clusters.erase(best.second);
    merges.push_back(best);
  }
  return merges;
}

TEST(Hierarchical, ByHand) {
  const auto distances = test::on_a_line({0, 1, 3, 7});
  const auto heights = [&](Linkage linkage) {
    std::vector<double> result;
    for (const Merge& merge : agglomerate(distances, linkage)) result.push_back(merge.height);
    return result;
  };
  EXPECT_EQ(heights(Linkage::single), (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(heights(Linkage::average), (std::vector<double>{1, 2.5, 17.0 / 3}));
  EXPECT_EQ(heights(Linkage::complete), (std::vector<double>{1, 3, 7}));
}

TEST(Hierarchical, CutsNumberClustersByTheirSmallestItem) {
  const auto merges = agglomerate(two_groups(), Linkage::average);
  EXPECT_EQ(cut(merges, 1), Labels(7, 0));
  EXPECT_EQ(cut(merges, 3), (Labels{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(cut(merges, 7), (Labels{0, 1, 2, 3, 4, 5, 6}));
}

RC_GTEST_PROP(Hierarchical, IsTheGreedySearch, ()) {
  const DistanceMatrix distances = any_matrix();
  const auto linkage = *rc::gen::element(Linkage::single, Linkage::average, Linkage::complete);
  const auto fast = agglomerate(distances, linkage);
  const auto slow = slow_agglomerate(distances, linkage);
  RC_ASSERT(fast.size() == slow.size());
  for (std::size_t step = 0; step < fast.size(); ++step) {
    RC_ASSERT(fast[step].first == slow[step].first);
    RC_ASSERT(fast[step].second == slow[step].second);
    RC_ASSERT(fast[step].height == slow[step].height);
  }
}

// --- quality ---

TEST(Silhouette, ByHand) {
  const auto values = silhouettes(test::on_a_line({0, 1, 5, 9}), Labels{0, 0, 1, kNoise});
  EXPECT_EQ(values, (std::vector<double>{4.0 / 5, 3.0 / 4, 0, 0}));
  EXPECT_EQ(silhouettes(test::on_a_line({0, 1}), Labels{0, 0}), (std::vector<double>{0, 0}));
  EXPECT_EQ(silhouettes(test::on_a_line({3, 3, 3}), Labels{0, 0, 1}), (std::vector<double>{0, 0, 0}));
}

TEST(AdjustedRand, ByHand) {
  EXPECT_EQ(adjusted_rand_index(Labels{0, 0, 1, 1}, Labels{5, 5, -1, -1}), 1);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Labels{0, 0, 1, 1}, Labels{0, 1, 0, 1}), -0.5);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Labels{0, 0, 1, 2}, Labels{0, 0, 1, 1}), 4.0 / 7);
  EXPECT_EQ(adjusted_rand_index(Labels{0, 1, 2}, Labels{2, 1, 0}), 1);
  EXPECT_EQ(adjusted_rand_index(Labels{0, 0, 0}, Labels{1, 1, 1}), 1);
  EXPECT_EQ(adjusted_rand_index(Labels{}, Labels{}), 1);
}

RC_GTEST_PROP(AdjustedRand, IsWhatCountingPairsGives, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(2, 20);
  const auto labels = [size] { return *rc::gen::container<Labels>(size, rc::gen::inRange<std::int64_t>(0, 4)); };
  const Labels a = labels();
  const Labels b = labels();
  double both = 0, only_a = 0, only_b = 0, neither = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool in_a = a[i] == a[j];
      const bool in_b = b[i] == b[j];
      ++(in_a ? (in_b ? both : only_a) : (in_b ? only_b : neither));
    }
  }
  // The form of pairs: 2(ad − bc) / ((a+b)(b+d) + (a+c)(c+d)).
  const double below = (both + only_a) * (only_a + neither) + (both + only_b) * (only_b + neither);
  const double expected = below == 0 ? 1 : 2 * (both * neither - only_a * only_b) / below;
  RC_ASSERT(std::abs(adjusted_rand_index(a, b) - expected) < 1e-12);
}

}  // namespace
}  // namespace fugu::mining
