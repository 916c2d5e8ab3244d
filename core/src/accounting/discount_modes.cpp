#include "fugu/accounting/discount_modes.hpp"

#include <cmath>

#include "fugu/noise/exact.hpp"

namespace fugu {

namespace {

/// Far beyond what is kept of it: what is computed is off by less than 2^-100 of itself, and rounded up afterwards.
constexpr mpfr_prec_t kPrecisionBits = 160;
/// Distance of neighbouring nodes, in log s: the trapezoidal rule is off by 2^-32.2 at most.
constexpr double kNodeStep = 0.39;
/// The largest node is this over z = 1 + β, the smallest z: what lies above is less than 2^-45 of the whole.
constexpr double kLargestExponent = 34;
/// Nodes whose exponent stays below this up to the largest age are taken for 0 there: 2^-33 of the whole at most.
constexpr double kSmallestExponent = 0x1p-16;
constexpr double kLargestAge = 0x1p32;
/// More than what the above may have taken away: 2^-32.2 and 2^-45.
constexpr double kRaisedBy = 0x1p-31;

class Number : public detail::Real {
 public:
  explicit Number(double value = 0) : Real(kPrecisionBits) { mpfr_set_d(*this, value, MPFR_RNDN); }
};

/// Both arguments are changed.
DiscountMode make_mode(Number& weight, Number& forgets) {
  mpfr_mul_2ui(weight, weight, 112, MPFR_RNDU);
  detail::Integer whole;
  mpfr_get_z(whole, weight, MPFR_RNDU);
  std::uint64_t words[2] = {0, 0};
  FUGU_CHECK(mpz_sizeinbase(whole, 2) <= 113);
  mpz_export(words, nullptr, -1, sizeof(std::uint64_t), 0, 0, whole);
  mpfr_mul_2ui(forgets, forgets, 64, MPFR_RNDD);
  return {.weight = (uint128{words[1]} << 64) | words[0], .forgets = mpfr_get_ui(forgets, MPFR_RNDD)};
}

DiscountMode exponential_mode(double alpha) {
  Number weight(1);
  Number forgets(1);
  mpfr_sub_d(forgets, forgets, alpha, MPFR_RNDD);
  return make_mode(weight, forgets);
}

/// The mode of node s, whose weight is s · `per_node` · e^(−s).
DiscountMode node_mode(Number& s, Number& per_node, double beta) {
  Number weight;
  Number forgets;
  mpfr_neg(weight, s, MPFR_RNDU);
  mpfr_exp(weight, weight, MPFR_RNDU);
  mpfr_mul(weight, weight, s, MPFR_RNDU);
  mpfr_mul(weight, weight, per_node, MPFR_RNDU);
  mpfr_mul_d(forgets, s, -beta, MPFR_RNDU);
  mpfr_expm1(forgets, forgets, MPFR_RNDU);  // −(1 − ratio)
  mpfr_neg(forgets, forgets, MPFR_RNDD);
  return make_mode(weight, forgets);
}

std::vector<DiscountMode> hyperbolic_modes(double beta) {
  std::vector<DiscountMode> modes;
  Number step(kNodeStep);
  Number per_node(kNodeStep * (1 + kRaisedBy));
  Number s;
  double next = kLargestExponent / (1 + beta);
  for (int node = 0; next * (1 + beta * kLargestAge) >= kSmallestExponent; ++node) {
    mpfr_mul_si(s, step, -node, MPFR_RNDN);
    mpfr_exp(s, s, MPFR_RNDN);
    mpfr_mul_d(s, s, kLargestExponent / (1 + beta), MPFR_RNDN);
    modes.push_back(node_mode(s, per_node, beta));
    next = mpfr_get_d(s, MPFR_RNDN) * std::exp(-kNodeStep);
  }
  // All smaller nodes together: Σ over n ≥ 1 of h·s·e^(−nh), never forgotten.
  Number rest;
  Number nothing(0);
  mpfr_expm1(rest, step, MPFR_RNDD);
  mpfr_div(rest, s, rest, MPFR_RNDU);
  mpfr_mul(rest, rest, per_node, MPFR_RNDU);
  modes.push_back(make_mode(rest, nothing));
  return modes;
}

}  // namespace

std::vector<DiscountMode> discount_modes(const Discount& discount) {
  if (discount.kind == Discount::Kind::exponential) return {exponential_mode(discount.factor)};
  return hyperbolic_modes(discount.factor);
}

}  // namespace fugu
