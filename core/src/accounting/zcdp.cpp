#include "fugu/accounting/zcdp.hpp"

#include <algorithm>
#include <cmath>

namespace fugu {

namespace {

/// log δ at Rényi order `alpha`.
double log_delta_at(double alpha, double rho, double epsilon) {
  return (alpha - 1) * (alpha * rho - epsilon) - std::log(alpha) + (alpha - 1) * std::log1p(-1 / alpha);
}

/// Golden-section search on log(α − 1), in which the function has one minimum: one evaluation a step.
double log_delta(double rho, double epsilon) {
  constexpr double kGolden = 0.61803398874989485;
  const auto at = [&](double point) { return log_delta_at(1 + std::exp(point), rho, epsilon); };
  double low = -30;
  double high = 60;
  double a = high - kGolden * (high - low);
  double b = low + kGolden * (high - low);
  double at_a = at(a);
  double at_b = at(b);
  for (int i = 0; i < 60; ++i) {  // down to 3e-11, and the minimum is flat
    if (at_a < at_b) {
      high = b;
      b = a;
      at_b = at_a;
      at_a = at(a = high - kGolden * (high - low));
    } else {
      low = a;
      a = b;
      at_a = at_b;
      at_b = at(b = low + kGolden * (high - low));
    }
  }
  return std::min(0.0, log_delta_at(1 + std::exp((low + high) / 2), rho, epsilon));
}

/// Covers the rounding of the few double operations above many times over.
constexpr double kLogSafety = 1e-9;

}  // namespace

double zcdp_delta(double rho, double epsilon) { return std::min(1.0, std::exp(log_delta(rho, epsilon) + kLogSafety)); }

Budget zcdp_rho(Epsilon epsilon, Delta delta) {
  FUGU_CHECK(delta.value() > 0);
  const double target = std::log(delta.value()) - 2 * kLogSafety;  // one for zcdp_delta(), one for the way back
  double low = 0;
  double high = epsilon.value() + 2 * std::log(1 / delta.value()) + 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;  // neighbours
    (log_delta(middle, epsilon.value()) <= target ? low : high) = middle;
  }
  return Budget::round_down(low);
}

}  // namespace fugu
