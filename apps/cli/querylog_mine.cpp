// fugu querylog mine.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "file_options.hpp"
#include "fugu/mining/hierarchical.hpp"
#include "fugu/mining/k_medoids.hpp"
#include "fugu/mining/matrix_file.hpp"
#include "fugu/mining/optics.hpp"
#include "fugu/mining/quality.hpp"
#include "querylog.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
MATRIX is what `fugu querylog distances` writes; nothing else is read. Items are called as in the matrix.

  k-medoids, fast-pam              --clusters     item,cluster and the medoids; as in the thesis, and the better search
  single, average, complete        --clusters     item,cluster; without it the steps: first,second,height
  dbscan              --min-items, --radius       item,cluster; no cluster is noise
  optics              --min-items, (--radius)     item,reachability,core_distance, in the order of the plot
  optics-of           --min-items                 item,outlier_factor, the largest first; about 1 inside a cluster
  knn-outliers        --min-items                 item,distance to that neighbour, the largest first

The smaller item wins a tie, so the same matrix always gives the same result: docs/concepts/mining.md.

Examples
  fugu querylog mine matrix.csv --algorithm average --clusters 3
  fugu querylog mine matrix.csv --algorithm dbscan --min-items 2 --radius 0.4 --out clusters.csv
  fugu querylog mine matrix.csv --algorithm optics-of --min-items 2
)";

struct MineArguments {
  std::string matrix;
  std::string algorithm;
  std::size_t clusters = 0;   // 0: not given
  std::size_t min_items = 0;  // 0: not given
  double radius = mining::kUndefined;
  std::string out = "-";
};

/// The shortest text that is exactly that number; empty for what is not defined.
std::string exact(double value) {
  if (!std::isfinite(value)) return {};
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

struct Mined {
  std::string csv;
  std::vector<std::int64_t> cluster_of{};  // empty where the result is no clustering
  std::vector<std::size_t> medoids{};
};

class Miner {
 public:
  Miner(const MineArguments& arguments, const mining::NamedMatrix& matrix)
      : arguments_(arguments), matrix_(matrix), distances_(matrix.distances) {}

  Mined k_medoids() const {
    const auto start = mining::first_medoids(distances_, arguments_.clusters);
    mining::Medoids found = mining::k_medoids(distances_, start);
    return {clusters(found.cluster_of), std::move(found.cluster_of), std::move(found.items)};
  }
  Mined fast_pam() const {
    const auto start = mining::first_medoids(distances_, arguments_.clusters);
    mining::Medoids found = mining::fast_pam(distances_, start);
    return {clusters(found.cluster_of), std::move(found.cluster_of), std::move(found.items)};
  }
  Mined single() const { return agglomerate(mining::Linkage::single); }
  Mined average() const { return agglomerate(mining::Linkage::average); }
  Mined complete() const { return agglomerate(mining::Linkage::complete); }
  Mined dbscan() const {
    auto cluster_of = mining::dbscan(distances_, arguments_.min_items, arguments_.radius);
    return {clusters(cluster_of), std::move(cluster_of)};
  }
  Mined optics() const {
    std::string csv = "item,reachability,core_distance\n";
    for (const mining::Reached& reached : mining::optics(distances_, arguments_.min_items, arguments_.radius)) {
      csv += name(reached.item) + "," + exact(reached.reachability) + "," + exact(reached.core_distance) + "\n";
    }
    return {csv};
  }
  Mined optics_of() const {
    return {ranked("item,outlier_factor\n", mining::outlier_factors(distances_, arguments_.min_items))};
  }
  Mined knn_outliers() const {
    return {ranked("item,distance\n", mining::nearest_neighbour_distances(distances_, arguments_.min_items))};
  }

 private:
  Mined agglomerate(mining::Linkage linkage) const {
    const auto merges = mining::agglomerate(distances_, linkage);
    if (arguments_.clusters > 0) {
      auto cluster_of = mining::cut(merges, arguments_.clusters);
      return {clusters(cluster_of), std::move(cluster_of)};
    }
    std::string csv = "first,second,height\n";
    for (const mining::Merge& merge : merges) {
      csv += name(merge.first) + "," + name(merge.second) + "," + exact(merge.height) + "\n";
    }
    return {csv};
  }

  std::string name(std::size_t item) const { return std::to_string(matrix_.names[item]); }
  std::string clusters(const std::vector<std::int64_t>& cluster_of) const {
    std::string csv = "item,cluster\n";
    for (std::size_t item = 0; item < cluster_of.size(); ++item) {
      csv += name(item) + "," + (cluster_of[item] < 0 ? "" : std::to_string(cluster_of[item])) + "\n";
    }
    return csv;
  }
  /// The largest first; an infinite factor is larger than all.
  std::string ranked(std::string header, const std::vector<double>& values) const {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&values](std::size_t item) { return values[item]; });
    for (const std::size_t item : order) {
      header += name(item) + "," + (std::isinf(values[item]) ? "inf" : exact(values[item])) + "\n";
    }
    return header;
  }

  const MineArguments& arguments_;
  const mining::NamedMatrix& matrix_;
  const mining::DistanceMatrix& distances_;
};

enum class Wants : std::uint8_t { clusters, maybe_clusters, neighbours, min_items, min_items_and_radius };

struct Algorithm {
  const char* name;
  Wants wants;
  Mined (Miner::*run)() const;
};
constexpr Algorithm kAlgorithms[] = {
    {"k-medoids", Wants::clusters, &Miner::k_medoids},
    {"fast-pam", Wants::clusters, &Miner::fast_pam},
    {"single", Wants::maybe_clusters, &Miner::single},
    {"average", Wants::maybe_clusters, &Miner::average},
    {"complete", Wants::maybe_clusters, &Miner::complete},
    {"dbscan", Wants::min_items_and_radius, &Miner::dbscan},
    {"optics", Wants::min_items, &Miner::optics},
    {"optics-of", Wants::neighbours, &Miner::optics_of},
    {"knn-outliers", Wants::neighbours, &Miner::knn_outliers},
};

Error missing(const char* option, const std::string& algorithm) {
  return {Cause::usage, std::string(option) + " is missing: --algorithm " + algorithm + " needs it"};
}

Result<void> check(const MineArguments& arguments, Wants wants, std::size_t items) {
  const bool takes_clusters = wants == Wants::clusters || wants == Wants::maybe_clusters;
  const bool takes_radius = wants == Wants::min_items || wants == Wants::min_items_and_radius;
  const auto useless = [&](const char* option) {
    return Error{Cause::usage, std::string(option) + " means nothing with --algorithm " + arguments.algorithm};
  };
  if (!takes_clusters && arguments.clusters > 0) return useless("--clusters");
  if (takes_clusters && arguments.min_items > 0) return useless("--min-items");
  if (!takes_radius && arguments.radius != mining::kUndefined) return useless("--radius");
  if (wants == Wants::clusters && arguments.clusters == 0) return missing("--clusters", arguments.algorithm);
  if (!takes_clusters && arguments.min_items == 0) return missing("--min-items", arguments.algorithm);
  if (wants == Wants::min_items_and_radius && arguments.radius == mining::kUndefined) {
    return missing("--radius", arguments.algorithm);
  }
  const std::string of_items = " of " + std::to_string(items) + " items";
  if (arguments.clusters > items) {
    return Error{Cause::usage,
                 "--clusters: found " + std::to_string(arguments.clusters) + of_items + "; expected fewer"};
  }
  if (wants == Wants::neighbours && arguments.min_items >= items) {
    return Error{Cause::usage, "--min-items: found " + std::to_string(arguments.min_items) + of_items +
                                   "; expected fewer, an item is no neighbour of itself"};
  }
  return {};
}

void tell(const Mined& mined, const mining::NamedMatrix& matrix) {
  if (mined.cluster_of.empty()) return;
  const auto silhouettes = mining::silhouettes(matrix.distances, mined.cluster_of);
  const double mean = std::reduce(silhouettes.begin(), silhouettes.end()) / static_cast<double>(silhouettes.size());
  std::set<std::int64_t> clusters(mined.cluster_of.begin(), mined.cluster_of.end());
  clusters.erase(mining::kNoise);
  const auto noise = std::ranges::count(mined.cluster_of, mining::kNoise);
  note(std::to_string(clusters.size()) + " clusters, " + std::to_string(noise) + " of " +
       std::to_string(mined.cluster_of.size()) + " items are noise, mean silhouette " + short_number(mean));
  std::string medoids;
  for (const std::size_t item : mined.medoids) medoids += " " + std::to_string(matrix.names[item]);
  if (!medoids.empty()) note("medoids of clusters 0, 1, …:" + medoids);
}

Outcome mine(const MineArguments& arguments) {
  FUGU_TRY(check_different({{"MATRIX", arguments.matrix}, {"--out", arguments.out}}));
  const auto* const algorithm = std::ranges::find(kAlgorithms, arguments.algorithm, &Algorithm::name);
  FUGU_ASSIGN(Input input, Input::open(arguments.matrix));
  FUGU_ASSIGN(const mining::NamedMatrix matrix, mining::read_matrix(std::move(input)));
  FUGU_TRY(check(arguments, algorithm->wants, matrix.names.size()));
  const Miner miner(arguments, matrix);
  const Mined mined = (miner.*algorithm->run)();
  FUGU_TRY(write_file(arguments.out, mined.csv));
  tell(mined, matrix);
  return kDone;
}

}  // namespace

void prepare_querylog_mine(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<MineArguments>();
  std::vector<std::string> names;
  for (const Algorithm& each : kAlgorithms) names.emplace_back(each.name);
  command.footer(kExamples);
  command.add_option("matrix", arguments->matrix, "Distances, or - for standard input")->required();
  command.add_option("--algorithm", arguments->algorithm, "What to compute, see below")
      ->required()
      ->check(CLI::IsMember(names));
  command.add_option("--clusters", arguments->clusters, "How many clusters")->check(CLI::PositiveNumber);
  command.add_option("--min-items", arguments->min_items, "How many items make a neighbourhood")
      ->check(CLI::PositiveNumber);
  command.add_option("--radius", arguments->radius, "How far away a neighbour may be")->check(CLI::NonNegativeNumber);
  command.add_option("--out", arguments->out, "Where the result goes")->capture_default_str();
  command.callback([arguments, &outcome] { outcome = mine(*arguments); });
}

}  // namespace fugu::cli
