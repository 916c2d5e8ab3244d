#include "filter_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

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

/// Integrals up to each end of the bins.
struct alignas(32) EndIntegrals {
  double zeroth[kBins + 1];
  double first[kBins + 1];
  double second[kBins + 1];
};

/// Within a bin the load is equally likely everywhere, so a bin's share of an integral is its difference.
[[gnu::always_inline]] inline BinSums share_out(const double* __restrict edges, const EndIntegrals& up_to,
                                                BinWeights& weights) {
  double sums[3][kLanes] = {};
  for (std::size_t i = 0; i < kBins; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t at = i + lane;
      const double density = weights.of[at] / (edges[at + 1] - edges[at]);
      const double weight = density * (up_to.zeroth[at + 1] - up_to.zeroth[at]);
      weights.of[at] = weight;
      sums[0][lane] += weight;
      sums[1][lane] += density * (up_to.first[at + 1] - up_to.first[at]);
      sums[2][lane] += density * (up_to.second[at + 1] - up_to.second[at]);
    }
  }
  const auto total = [](const double* lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); };
  const BinSums found{total(sums[0]), total(sums[1]), total(sums[2])};
  const double share = 1 / found.weight;
  for (double& weight : weights.of) weight *= share;
  return found;
}

[[gnu::always_inline]] inline BinSums weigh(const double* __restrict edges, double value, double scale,
                                            BinWeights& weights) {
  // An answer outside the bins says no more than one at their end.
  const double per_scale = 1 / scale;
  const double outside = std::max({0.0, edges[0] - value, value - edges[kBins]});
  const double beyond = outside * per_scale;
  const double peak = outside > 0 ? 0 : 1;
  EndIntegrals up_to;
  for (std::size_t i = 0; i <= kBins; ++i) {
    const Integrals at = integrals(edges[i] - value, scale, per_scale, beyond, peak);
    up_to.zeroth[i] = at.zeroth;
    up_to.first[i] = at.first;
    up_to.second[i] = at.second;
  }
  return share_out(edges, up_to, weights);
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

BinSums weigh_normal(const double* edges, double value, double deviation, BinWeights& weights) {
  constexpr double kDeviationsMax = 30;  // further out there are no numbers so small, and it makes no difference
  const double reach = kDeviationsMax * deviation;
  const double near = std::clamp(value, edges[0] - reach, edges[kBins] + reach);
  const double peak = near < edges[0] || near > edges[kBins] ? 0 : 1;
  EndIntegrals up_to;
  for (std::size_t i = 0; i <= kBins; ++i) {
    const double d = edges[i] - near;
    const double z = d / deviation;
    // Tails keep their digits: what lies above is taken from the whole.
    const double tail = 0.5 * std::erfc(std::abs(z) / std::numbers::sqrt2);
    const double below = d > 0 ? peak - tail : tail;
    const double density = std::exp(-0.5 * z * z) / (deviation * std::sqrt(2 * std::numbers::pi));
    up_to.zeroth[i] = below;
    up_to.first[i] = -deviation * deviation * density;
    up_to.second[i] = deviation * deviation * (below - d * density);
  }
  BinSums found = share_out(edges, up_to, weights);
  // About the value itself.
  const double moved = near - value;
  found.square += 2 * moved * found.load + moved * moved * found.weight;
  found.load += moved * found.weight;
  return found;
}

}  // namespace fugu::grid::detail
