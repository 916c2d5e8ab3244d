// Statistical checks that state how often they raise a false alarm.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace fugu::test {

/// How a statistical check was run, for its message: with alpha, a correct sampler fails it once in 1/alpha runs.
struct StatCheck {
  double alpha;
  std::string seed;  ///< what to pass back to repeat it, or "none" for a cryptographic source
};

/// The regularised upper incomplete gamma function Q(a, x) = Γ(a, x)/Γ(a).
inline double upper_gamma(double a, double x) {
  if (x <= 0) return 1;
  const double prefactor = std::exp(-x + a * std::log(x) - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (double n = a + 1; term > sum * 1e-16; ++n) sum += term *= x / n;
    return 1 - sum * prefactor;
  }
  // Lentz's method for the continued fraction, whose value is small exactly where a test rejects.
  double b = x + 1 - a;
  double c = std::numeric_limits<double>::max();
  double d = 1 / b;
  double fraction = d;
  for (int i = 1; i < 10'000; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    fraction *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return prefactor * fraction;
}

/// Pearson's test: the probability that counts from these bins are as far from their expectation as the observed ones.
/// The approximation needs an expectation of at least 30 or so in every bin.
inline double chi_square_p_value(std::span<const std::uint64_t> observed, std::span<const double> probability) {
  double total = 0;
  for (const std::uint64_t count : observed) total += static_cast<double>(count);
  double statistic = 0;
  for (std::size_t bin = 0; bin < observed.size(); ++bin) {
    const double expected = total * probability[bin];
    const double difference = static_cast<double>(observed[bin]) - expected;
    statistic += difference * difference / expected;
  }
  return upper_gamma(static_cast<double>(observed.size() - 1) / 2, statistic / 2);
}

/// Passes when the counts fit the law, fails with alpha and seed when they do not.
inline ::testing::AssertionResult fits_law(std::span<const std::uint64_t> observed, std::span<const double> probability,
                                           const StatCheck& check) {
  const double p_value = chi_square_p_value(observed, probability);
  if (p_value >= check.alpha) return ::testing::AssertionSuccess() << "p = " << p_value;
  return ::testing::AssertionFailure() << "chi-square over " << observed.size() << " bins: p = " << p_value
                                       << " is below alpha = " << check.alpha << " (seed " << check.seed << ")";
}

}  // namespace fugu::test
