// What a comparison of a deviation costs in ρ, by summing over all noise; and why a session that goes on reaching
// further may not be charged slot by slot there. docs/guarantees/approximate.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace fugu {
namespace {

/// P(statistic + ν > threshold + τ) for discrete Laplace τ and ν, each of its own scale.
double probability_of_yes(int above_threshold, double threshold_scale, double statistic_scale) {
  constexpr int kFar = 400;  // beyond lies less than e^-50 of both
  const auto mass = [](int k, double scale) {
    const double q = std::exp(-1 / scale);
    return (1 - q) / (1 + q) * std::pow(q, std::abs(k));
  };
  const auto tail = [](int k, double scale) {  // P(ν > k)
    const double q = std::exp(-1 / scale);
    return k >= 0 ? std::pow(q, k + 1) / (1 + q) : 1 - std::pow(q, -k) / (1 + q);
  };
  double sum = 0;
  for (int tau = -kFar; tau <= kFar; ++tau)
    sum += mass(tau, threshold_scale) * tail(tau - above_threshold, statistic_scale);
  return sum;
}

/// D_α of two coins, times (α − 1).
double log_moment(double p, double q, double alpha) {
  return std::log(std::pow(p, alpha) * std::pow(q, 1 - alpha) + std::pow(1 - p, alpha) * std::pow(1 - q, 1 - alpha));
}

// A comparison that reaches over n slots, of which m change the statistic by `change` each: all n pay 2n − 1 shares, so
// the m do not pay too little.
TEST(DeviationSession, AskedOnceCostsNoMoreInRhoThanItsSlotsCarry) {
  constexpr int kChange = 2;
  for (const double threshold_scale : {3.0, 8.0}) {
    const double statistic_scale = 2 * threshold_scale;
    const double e = kChange / threshold_scale + 2 * kChange / statistic_scale;
    for (int n = 1; n <= 4; ++n) {
      const double carried = (2 * n - 1) * e * e / 2;
      for (int m = 1; m <= n; ++m) {
        for (int above = -40; above <= 40; ++above) {
          const double p = probability_of_yes(above, threshold_scale, statistic_scale);
          const double q = probability_of_yes(above + m * kChange, threshold_scale, statistic_scale);
          for (const double alpha : {1.01, 1.5, 2.0, 5.0, 20.0}) {
            ASSERT_LE(log_moment(p, q, alpha), (alpha - 1) * alpha * m * carried * (1 + 1e-9));
            ASSERT_LE(log_moment(q, p, alpha), (alpha - 1) * alpha * m * carried * (1 + 1e-9));
          }
        }
      }
    }
  }
}

/// The largest E[L^α · e^(−α(α−1)·charged)] that an adversary gets who decides after each slot whether a session goes
/// on, and spends what is left elsewhere. L is the likelihood ratio: after n slots e^(±n·e), as an answer that is no
/// more than n·e-indistinguishable allows. A rule of charging is sound if this is at most 1 for every α.
double worst_moment(double e, double alpha, int slots, double (*charged)(int n)) {
  const auto stopped = [&](int n, int sign) {
    return std::exp(alpha * sign * n * e - alpha * (alpha - 1) * charged(n) * e * e / 2);
  };
  double high = stopped(slots, 1);
  double low = stopped(slots, -1);
  for (int n = slots - 1; n >= 0; --n) {
    const auto go_on = [&](double ratio) {  // under the other stream, ratios keep their mean
      const double up = std::exp((n + 1) * e);
      const double p = (ratio - 1 / up) / (up - 1 / up);
      return p * high + (1 - p) * low;
    };
    const double next_high = std::max(stopped(n, 1), go_on(std::exp(n * e)));
    const double next_low = std::max(stopped(n, -1), go_on(std::exp(-n * e)));
    high = next_high;
    low = next_low;
  }
  return high;
}

// The counterexample: raising (n − 1)²e²/2 to n²e²/2 slot by slot pays for a session of fixed length, and not for one
// whose length is chosen as it goes.
TEST(DeviationSession, ChargedSlotBySlotItWouldCostMoreInRho) {
  const auto squares = [](int n) { return static_cast<double>(n) * n; };
  EXPECT_NEAR(worst_moment(0.1, 2, 1, squares), 1, 0.01);
  EXPECT_LE(worst_moment(0.1, 2, 1, squares), 1) << "asked in one slot there is nothing to choose";
  EXPECT_GT(worst_moment(0.1, 2, 2, squares), 1.001);
  EXPECT_GT(worst_moment(0.1, 2, 8, squares), 1.04);
}

}  // namespace
}  // namespace fugu
