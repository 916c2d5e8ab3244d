#include "audit_arithmetic.hpp"

#include <algorithm>
#include <cmath>

namespace fugu::audit {

namespace {

void multiply_all(mpz_t product, std::initializer_list<std::uint64_t> factors) {
  mpz_set_ui(product, 1);
  for (const std::uint64_t factor : factors) mpz_mul_ui(product, product, factor);
}

}  // namespace

long double up_to_long_double(Units units, unsigned bits) {
  auto value = static_cast<long double>(units);
  if (static_cast<Units>(value) < units) value = std::nextafter(value, HUGE_VALL);
  return std::ldexp(value, -static_cast<int>(bits));
}

Fraction::Fraction(std::initializer_list<std::uint64_t> numerator, std::initializer_list<std::uint64_t> denominator) {
  mpq_init(value_);
  multiply_all(mpq_numref(value_), numerator);
  multiply_all(mpq_denref(value_), denominator);
  mpq_canonicalize(value_);
}

Fraction::Fraction(const Fraction& other) {
  mpq_init(value_);
  mpq_set(value_, other.value_);
}

Fraction& Fraction::operator+=(const Fraction& other) {
  mpq_add(value_, value_, other.value_);
  return *this;
}

Fraction Fraction::times(std::uint64_t n) const {
  Fraction product({n}, {1});
  mpq_mul(product.value_, product.value_, value_);
  return product;
}

Fraction Fraction::half_square(std::uint64_t n) const {
  Fraction square({n, n}, {2});
  mpq_mul(square.value_, square.value_, value_);
  mpq_mul(square.value_, square.value_, value_);
  return square;
}

Units Fraction::up(unsigned bits) const {
  mpz_t quotient;
  mpz_init(quotient);
  mpz_mul_2exp(quotient, mpq_numref(value_), bits);
  mpz_cdiv_q(quotient, quotient, mpq_denref(value_));
  Units units = kTooMuch;
  if (mpz_sizeinbase(quotient, 2) <= 100) {
    std::uint64_t limbs[2] = {0, 0};
    mpz_export(limbs, nullptr, -1, sizeof(std::uint64_t), 0, 0, quotient);
    units = (static_cast<Units>(limbs[1]) << 64) | limbs[0];
  }
  mpz_clear(quotient);
  return units;
}

double log_delta(long double rho, long double epsilon) {
  // Canonne, Kamath, Steinke 2020, Proposition 12, at every order of a fine grid, then between its best neighbours.
  const auto at = [&](long double log_order) {
    const long double a = std::exp(log_order);  // α − 1
    return a * ((a + 1) * rho - epsilon) - std::log1p(a) + a * (std::log(a) - std::log1p(a));
  };
  long double best_point = 0;
  long double best = at(best_point);
  for (long double step : {0.25L, 0.01L, 0.0005L, 0.00002L, 0.000001L}) {
    const long double centre = best_point;
    const long double span = step > 0.1L ? 40 : 30 * step;
    for (long double point = centre - span; point <= centre + span; point += step) {
      if (const long double value = at(point); value < best) {
        best = value;
        best_point = point;
      }
    }
  }
  return static_cast<double>(std::min(0.0L, best));
}

}  // namespace fugu::audit
