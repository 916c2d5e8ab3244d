// Distance matrices and what is mined from them, beside doing it pair by pair and beside reading the matrix once.
#include <benchmark/benchmark.h>
#include <pg_query.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "fugu/distance/characteristic.hpp"
#include "fugu/mining/hierarchical.hpp"
#include "fugu/mining/k_medoids.hpp"
#include "fugu/mining/optics.hpp"
#include "fugu/mining/set_distance.hpp"
#include "fugu/sql/query_reader.hpp"

namespace fugu {
namespace {

constexpr std::size_t kQueries = 4000;

/// Sets as queries have them: about twenty elements, some in nearly all queries, most in few.
const std::vector<mining::ElementSet>& sets() {
  static const auto made = [] {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform;
    std::vector<mining::ElementSet> result;
    for (std::size_t i = 0; i < kQueries; ++i) {
      std::set<std::uint32_t> set;
      while (set.size() < 20) {
        set.insert(static_cast<std::uint32_t>(1 / (uniform(random) + 1e-4)));  // element e with a probability of 1 / e²
        if (uniform(random) < 0.3) set.insert(10'000 + static_cast<std::uint32_t>(uniform(random) * 5000));
      }
      result.emplace_back(set.begin(), set.end());
    }
    return result;
  }();
  return made;
}

const mining::DistanceMatrix& matrix() {
  static const mining::DistanceMatrix made = mining::jaccard_distances(sets());
  return made;
}

/// Each item is a pair of queries.
void count_pairs(benchmark::State& state, std::size_t queries = kQueries) {
  state.SetItemsProcessed(static_cast<std::int64_t>(queries * (queries - 1) / 2) * state.iterations());
}

void quick_pairs(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(mining::jaccard_distances(sets()));
  count_pairs(state);
}

/// What the goal is measured against: a merge of two sorted sets of texts for each pair.
void naive_pairs(benchmark::State& state) {
  std::vector<std::vector<std::string>> texts;
  for (const mining::ElementSet& set : sets()) {
    auto& strings = texts.emplace_back();
    for (const std::uint32_t element : set) strings.push_back("attribute_" + std::to_string(element));
    std::ranges::sort(strings);
  }
  constexpr std::size_t kSome = 400;
  for (auto _ : state) {
    std::size_t common = 0;
    for (std::size_t a = 0; a < kSome; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        auto next = texts[b].begin();
        for (const std::string& text : texts[a]) {
          while (next != texts[b].end() && *next < text) ++next;
          common += next != texts[b].end() && *next == text;
        }
      }
    }
    benchmark::DoNotOptimize(common);
  }
  count_pairs(state, kSome);
}

void merged_pairs(benchmark::State& state) {
  for (auto _ : state) {
    for (std::size_t a = 0; a < kQueries; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        benchmark::DoNotOptimize(mining::jaccard_distance(sets()[a], sets()[b]));
      }
    }
  }
  count_pairs(state);
}

void naive_pass(benchmark::State& state) {
  std::vector<double> row(kQueries);
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t item = 0; item < kQueries; ++item) {
      matrix().row(item, row);
      sum += row[kQueries - 1 - item];
    }
    benchmark::DoNotOptimize(sum);
  }
  count_pairs(state);
}

void optics_pass(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(mining::optics(matrix(), 5, mining::kUndefined));
  count_pairs(state);
}

/// The last step of a search: it looks at all swaps and finds none.
void medoids_pass(benchmark::State& state) {
  const auto medoids = mining::fast_pam(matrix(), mining::first_medoids(matrix(), 10)).items;
  for (auto _ : state) benchmark::DoNotOptimize(mining::fast_pam(matrix(), medoids));
  count_pairs(state);
}

void linkage_pass(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(mining::agglomerate(matrix(), mining::Linkage::average));
  count_pairs(state);
}

constexpr const char* kText =
    "SELECT c.town, count(*), sum(p.price) FROM customer AS c JOIN purchase AS p ON c.id = p.id WHERE c.debts > 100.50 "
    "AND c.town IN ('Vienna', 'Orlando', 'Rome') AND p.price BETWEEN 3 AND 70 GROUP BY c.town ORDER BY 2 DESC LIMIT 10";

/// The parser alone.
void naive_query(benchmark::State& state) {
  for (auto _ : state) pg_query_free_protobuf_parse_result(pg_query_parse_protobuf(kText));
}

/// From the text to its tokens.
void read_query(benchmark::State& state) {
  const auto schema = querylog::Schema::from_text(
      "s",
      "CREATE TABLE customer (id int, town text, debts numeric(8, 2)); CREATE TABLE purchase (id int, price int);");
  for (auto _ : state) {
    const auto read = querylog::read_statement(kText, *schema);
    benchmark::DoNotOptimize(querylog::tokens(std::get<querylog::Statement>(read), *schema));
  }
}

BENCHMARK(quick_pairs)->Unit(benchmark::kMillisecond);
BENCHMARK(merged_pairs)->Unit(benchmark::kMillisecond);
BENCHMARK(naive_pairs)->Unit(benchmark::kMillisecond);
BENCHMARK(naive_pass)->Unit(benchmark::kMillisecond);
BENCHMARK(optics_pass)->Unit(benchmark::kMillisecond);
BENCHMARK(medoids_pass)->Unit(benchmark::kMillisecond);
BENCHMARK(linkage_pass)->Unit(benchmark::kMillisecond);
BENCHMARK(naive_query)->Unit(benchmark::kMicrosecond);
BENCHMARK(read_query)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
