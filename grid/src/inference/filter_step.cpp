#include "filter_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "fugu/base/avx2.hpp"

namespace fugu::grid::detail {
namespace {

constexpr std::size_t kBins = HouseholdModel::kBins;
constexpr std::size_t kLanes = 4;

/// e^x for x <= 0, to ten digits; 0 is reached about e^-700. No branches and no calls, so that loops become vectors.
[[gnu::always_inline]] inline double exp_below_zero(double x) {
  constexpr double kRoundToWhole = 0x1.8p52;
  const double bounded = x < -700 ? -700 : x;
  const double shifted = bounded * 1.4426950408889634 + kRoundToWhole;
  const double halvings = shifted - kRoundToWhole;
  const double r = (bounded - halvings * 0x1.62e42fefa38p-1) - halvings * 0x1.ef35793c7673p-45;
  const double polynomial =
      1 +
      r * (1 +
           r * (0.5 + r * (1.0 / 6 +
                           r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320))))))));
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return polynomial * std::bit_cast<double>(exponent);
}

[[gnu::always_inline]] inline void predict(const double* __restrict transitions, BinWeights& weights) {
  BinWeights next;
  for (std::size_t from = 0; from < kBins; ++from) {
    const double weight = weights.of[from];
    const double* __restrict const row = transitions + from * kBins;
    for (std::size_t to = 0; to < kBins; ++to) next.of[to] += weight * row[to];
  }
  weights = next;
}

/// Integrals of exp(-|d| / scale), of d and of d² times it, up to an end of a bin that lies d above the answer. Where
/// all ends lie on one side, `peak` is 0: what the integrals have in common stands in no difference.
struct Integrals {
  double zeroth;
  double first;
  double second;
};
[[gnu::always_inline]] inline Integrals integrals(double d, double b, double per_b, double beyond, double peak) {
  const double distance = std::abs(d);
  const double side = std::copysign(1.0, -d);  // below the answer integrals grow, above they near a limit
  const double top = (1 - side) * peak;
  const double tail = exp_below_zero(beyond - distance * per_b);
  return {b * (top + side * tail), -b * (distance + b) * tail,
          b * (2 * b * b * top + side * (d * d + 2 * b * (b + distance)) * tail)};
}

[[gnu::always_inline]] inline BinSums weigh(const double* __restrict edges, double value, double scale,
                                            BinWeights& weights) {
  // An answer outside the bins says no more than one at their end.
  const double per_scale = 1 / scale;
  const double outside = std::max({0.0, edges[0] - value, value - edges[kBins]});
  const double beyond = outside * per_scale;
  const double peak = outside > 0 ? 0 : 1;
  alignas(32) double zeroth[kBins + 1];
  alignas(32) double first[kBins + 1];
  alignas(32) double second[kBins + 1];
  for (std::size_t i = 0; i < kBins; ++i) {
    const Integrals at = integrals(edges[i] - value, scale, per_scale, beyond, peak);
    zeroth[i] = at.zeroth;
    first[i] = at.first;
    second[i] = at.second;
  }
  const Integrals last = integrals(edges[kBins] - value, scale, per_scale, beyond, peak);
  zeroth[kBins] = last.zeroth;
  first[kBins] = last.first;
  second[kBins] = last.second;
  double sums[3][kLanes] = {};
  for (std::size_t i = 0; i < kBins; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t at = i + lane;
      const double density = weights.of[at] / (edges[at + 1] - edges[at]);
      const double weight = density * (zeroth[at + 1] - zeroth[at]);
      weights.of[at] = weight;
      sums[0][lane] += weight;
      sums[1][lane] += density * (first[at + 1] - first[at]);
      sums[2][lane] += density * (second[at + 1] - second[at]);
    }
  }
  const auto total = [](const double* lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); };
  const BinSums found{total(sums[0]), total(sums[1]), total(sums[2])};
  const double share = 1 / found.weight;
  for (double& weight : weights.of) weight *= share;
  return found;
}

}  // namespace

void predict_portable(const double* transitions, BinWeights& weights) { predict(transitions, weights); }
FUGU_AVX2 void predict_avx2(const double* transitions, BinWeights& weights) { predict(transitions, weights); }
BinSums weigh_portable(const double* edges, double value, double scale, BinWeights& weights) {
  return weigh(edges, value, scale, weights);
}
FUGU_AVX2 BinSums weigh_avx2(const double* edges, double value, double scale, BinWeights& weights) {
  return weigh(edges, value, scale, weights);
}

}  // namespace fugu::grid::detail
