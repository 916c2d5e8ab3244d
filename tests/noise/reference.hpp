// What the samplers must produce, computed another way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "fugu/base/rational.hpp"

namespace fugu::test {

/// P(N ≤ k) of a law on the integers.
using Cdf = std::function<double(std::int64_t)>;

inline Cdf laplace_cdf(Rational scale) {
  const double x = 1 / scale.to_double();
  return [x](std::int64_t k) {
    const auto value = static_cast<double>(k);
    const double ratio = std::exp(-x);
    return k < 0 ? std::exp(value * x) / (1 + ratio) : 1 - std::exp(-(value + 1) * x) / (1 + ratio);
  };
}

/// By summing for small variances; for large ones from the normal law, which then differs by less than 1e-9.
inline Cdf gaussian_cdf(Rational variance) {
  const double v = variance.to_double();
  if (v > 1e9)
    return [v](std::int64_t k) { return 0.5 * std::erfc(-(static_cast<double>(k) + 0.5) / std::sqrt(2 * v)); };
  const auto reach = static_cast<std::int64_t>(10 + 12 * std::sqrt(v));
  std::vector<double> sums;
  double sum = 0;
  for (std::int64_t k = -reach; k <= reach; ++k) {
    const auto value = static_cast<double>(k);
    sums.push_back(sum += std::exp(-value * value / (2 * v)));
  }
  return [sums = std::move(sums), reach](std::int64_t k) {
    if (k < -reach) return 0.0;
    return k > reach ? 1.0 : sums[static_cast<std::size_t>(k + reach)] / sums.back();
  };
}

/// The smallest k with P(N ≤ k) ≥ level.
inline std::int64_t quantile(const Cdf& cdf, double level) {
  std::int64_t low = -1;
  while (cdf(low) >= level) low *= 2;
  std::int64_t high = 1;
  while (cdf(high) < level) high *= 2;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (cdf(middle) < level ? low : high) = middle;
  }
  return high;
}

/// Bins ]edge(i-1), edge(i)] that cut the integers into pieces of probability about 1/48, with finer ones in the tails.
struct Bins {
  std::vector<std::int64_t> edges;
  std::vector<double> probability;

  explicit Bins(const Cdf& cdf) {
    std::vector<double> levels = {2e-4, 1e-3, 4e-3};
    for (int i = 1; i < 48; ++i) levels.push_back(i / 48.0);
    levels.insert(levels.end(), {1 - 4e-3, 1 - 1e-3, 1 - 2e-4});
    double below = 0;
    for (const double level : levels) {
      const std::int64_t edge = quantile(cdf, level);
      if (!edges.empty() && edge == edges.back()) continue;
      const double up_to = cdf(edge);
      if (1 - up_to < 1e-4) break;
      edges.push_back(edge);
      probability.push_back(up_to - below);
      below = up_to;
    }
    probability.push_back(1 - below);
  }

  std::size_t bin_of(std::int64_t value) const {
    return static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), value) - edges.begin());
  }
};

}  // namespace fugu::test
