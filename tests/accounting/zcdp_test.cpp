// The conversion between ρ and (ε, δ), and what it means for the noise actually drawn.
#include "fugu/accounting/zcdp.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace fugu::test {
namespace {

/// Canonne, Kamath and Steinke 2020, Proposition 12, minimised over a plain list of orders.
double delta_over_orders(double rho, double epsilon) {
  long double best = 0;
  for (long double log_excess = -25; log_excess <= 40; log_excess += 0.0005L) {
    const long double excess = std::exp(log_excess);
    const long double order = 1 + excess;
    const long double log_delta = excess * (order * static_cast<long double>(rho) - static_cast<long double>(epsilon)) +
                                  excess * std::log(excess / order) - std::log(order);
    best = std::min(best, log_delta);
  }
  return static_cast<double>(std::exp(best));
}

TEST(Zcdp, DeltaIsTheBestOrder) {
  for (const double rho : {1e-6, 0.001, 0.015, 0.1, 0.5, 2.0, 30.0}) {
    for (const double epsilon : {0.01, 0.1, 1.0, 4.0, 40.0}) {
      const double reference = delta_over_orders(rho, epsilon);
      if (reference < 1e-290) continue;
      const double ours = zcdp_delta(rho, epsilon);
      EXPECT_NEAR(ours / reference, 1, 1e-5) << "rho " << rho << ", epsilon " << epsilon;
    }
  }
}

TEST(Zcdp, IsBetterThanTheClassicalConversion) {
  // Bun and Steinke 2016: ρ-zCDP implies (ρ + 2·√(ρ·ln(1/δ)), δ).
  for (const double delta : {1e-3, 1e-6, 1e-12}) {
    for (const double epsilon : {0.1, 1.0, 10.0}) {
      const double log_term = std::log(1 / delta);
      const double classical = std::pow(std::sqrt(log_term + epsilon) - std::sqrt(log_term), 2);
      EXPECT_GT(zcdp_rho(*Epsilon::make(epsilon), *Delta::make(delta)).to_double(), classical);
    }
  }
}

RC_GTEST_PROP(Zcdp, GrowsWithRhoAndFallsWithEpsilon, ()) {
  const double rho = std::exp(*rc::gen::inRange(-120, 30) / 10.0);
  const double epsilon = std::exp(*rc::gen::inRange(-60, 50) / 10.0);
  const double delta = zcdp_delta(rho, epsilon);
  RC_ASSERT(delta >= 0);
  RC_ASSERT(delta <= 1);
  RC_ASSERT(zcdp_delta(rho * 1.1, epsilon) >= delta * (1 - 1e-6));
  RC_ASSERT(zcdp_delta(rho, epsilon * 1.1) <= delta * (1 + 1e-6));
}

RC_GTEST_PROP(Zcdp, RhoComesBackAsDelta, ()) {
  const double epsilon = std::exp(*rc::gen::inRange(-40, 50) / 10.0);
  const double delta = std::pow(10.0, -*rc::gen::inRange(1, 250));
  const Budget rho = zcdp_rho(*Epsilon::make(epsilon), *Delta::make(delta));
  RC_PRE(rho.units() > 1'000'000u);  // what is below has few digits
  const double back = zcdp_delta(rho.to_double(), epsilon);
  RC_ASSERT(back <= delta);
  const Budget more = Budget::round_down(rho.to_double() * 1.0001);
  RC_ASSERT(zcdp_delta(more.to_double(), epsilon) > delta);
}

/// Σ over k of max(0, P(k) − e^ε·P(k − shift)) for the discrete Gaussian.
double exact_delta(double variance, double epsilon, int shift) {
  const int reach = static_cast<int>(40 * std::sqrt(variance)) + 10 * shift + 10;
  long double total = 0;
  for (int k = -reach; k <= reach; ++k) total += std::exp(-static_cast<long double>(k) * k / (2 * variance));
  long double delta = 0;
  for (int k = -reach; k <= reach; ++k) {
    const long double here = std::exp(-static_cast<long double>(k) * k / (2 * variance));
    const long double there = std::exp(-static_cast<long double>(k - shift) * (k - shift) / (2 * variance) + epsilon);
    delta += std::max(0.0L, here - there);
  }
  return static_cast<double>(delta / total);
}

TEST(Zcdp, CoversTheDiscreteGaussianAsDrawn) {
  // Small variances too, where the discrete law loses more than the continuous one.
  for (const double variance : {0.1, 0.3, 1.0, 4.0, 25.0, 2500.0}) {
    for (const int shift : {1, 2, 5}) {
      for (const double epsilon : {0.05, 0.5, 1.0, 3.0}) {
        const double rho = shift * shift / (2 * variance);
        EXPECT_LE(exact_delta(variance, epsilon, shift), zcdp_delta(rho, epsilon))
            << "variance " << variance << ", shift " << shift << ", epsilon " << epsilon;
      }
    }
  }
}

/// δ of one pure answer at ε₀, exactly: the randomised-response bound of an ε₀-indistinguishable pair.
TEST(Zcdp, CoversAPureAnswer) {
  for (const double pure : {0.1, 0.5, 1.0, 2.0}) {
    for (const double epsilon : {0.05, 0.3, 0.9}) {
      if (epsilon >= pure) continue;
      const double exact = (std::exp(pure) - std::exp(epsilon)) / (1 + std::exp(pure));
      EXPECT_LE(exact, zcdp_delta(pure * pure / 2, epsilon));
    }
  }
}

// The closed form of Theorem 10 in the conference paper: Laplace noise of scale Δ·(2/ε)·√(w·ln(e + ε/δ)) in every slot
// of a window of w. Ours for the same promise and the same w answers: scale Δ·√(w/(2ρ)). Both grow with √w, so that
// their ratio does not depend on w. Ours is smaller wherever it was looked at; with pure accounting (Δ·w/ε) it is
// smaller still while w is small.
TEST(Zcdp, NeedsLessNoiseThanTheClosedForm) {
  std::printf("  epsilon    delta   closed form      ours   ratio   (scale in units of the sensitivity, w = 96)\n");
  for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0}) {
    for (const double delta : {1e-3, 1e-6, 1e-9, 1e-12}) {
      const double rho = zcdp_rho(*Epsilon::make(epsilon), *Delta::make(delta)).to_double();
      for (const double w : {1.0, 2.0, 24.0, 96.0, 672.0}) {
        const double closed = 2 / epsilon * std::sqrt(w * std::log(std::numbers::e + epsilon / delta));
        const double ours = std::sqrt(w / (2 * rho));
        EXPECT_LT(ours, closed) << "epsilon " << epsilon << ", delta " << delta << ", w " << w;
        if (w == 96) std::printf("%9g %8g %13.1f %9.1f %7.3f\n", epsilon, delta, closed, ours, ours / closed);
      }
    }
  }
}

}  // namespace
}  // namespace fugu::test
