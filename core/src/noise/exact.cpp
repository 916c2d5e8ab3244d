#include "fugu/noise/exact.hpp"

static_assert(sizeof(unsigned long) == sizeof(std::uint64_t), "GMP and MPFR take 64-bit integers as unsigned long");

namespace fugu::detail {

namespace {

/// MPFR keeps constants and buffers for each thread, which are given back when the thread ends.
struct ThreadCaches {
  ~ThreadCaches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

}  // namespace

Real::Real(mpfr_prec_t precision_bits) {
  thread_local const ThreadCaches caches;
  mpfr_init2(value_, precision_bits);
}

namespace {

/// count · 2^digit / scale, rounded in the direction given.
void set_exponent(Real& out, Rational scale, unsigned digit, std::uint64_t count, mpfr_rnd_t round) {
  const Integer num(count);
  Integer scaled;
  mpz_mul_ui(scaled, num, scale.den);
  mpz_mul_2exp(scaled, scaled, digit);
  mpfr_set_z(out, scaled, round);
  mpfr_div_ui(out, out, scale.num, round);
}

/// 1 / (1 + e^x), with x and every step rounded so that the result is at most (`toward` = down) or at least the truth.
void set_logistic(Real& out, Rational scale, unsigned digit, mpfr_rnd_t toward) {
  const mpfr_rnd_t against = toward == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
  set_exponent(out, scale, digit, 1, against);
  mpfr_exp(out, out, against);
  mpfr_add_ui(out, out, 1, against);
  mpfr_ui_div(out, 1, out, toward);
}

void set_exp_minus(Real& out, mpfr_rnd_t toward) {
  mpfr_neg(out, out, MPFR_RNDN);
  mpfr_exp(out, out, toward);
}

}  // namespace

Bounds digit_bounds(Rational scale, unsigned digit) {
  return [=](Real& low, Real& high) {
    set_logistic(low, scale, digit, MPFR_RNDD);
    set_logistic(high, scale, digit, MPFR_RNDU);
  };
}

Bounds tail_bounds(Rational scale, unsigned digit, std::uint64_t count) {
  return [=](Real& low, Real& high) {
    set_exponent(low, scale, digit, count, MPFR_RNDU);
    set_exp_minus(low, MPFR_RNDD);
    set_exponent(high, scale, digit, count, MPFR_RNDD);
    set_exp_minus(high, MPFR_RNDU);
  };
}

Bounds exp_minus_bounds(const Integer& num, const Integer& den) {
  return [&num, &den](Real& low, Real& high) {
    mpfr_set_z(low, num, MPFR_RNDU);
    mpfr_div_z(low, low, den, MPFR_RNDU);
    set_exp_minus(low, MPFR_RNDD);
    mpfr_set_z(high, num, MPFR_RNDD);
    mpfr_div_z(high, high, den, MPFR_RNDD);
    set_exp_minus(high, MPFR_RNDU);
  };
}

bool LazyUniform::below(const Bounds& probability) {
  for (std::size_t word_count = 2;; word_count *= 2) {
    while (words_.size() < word_count) words_.push_back(bits_.take64());
    Integer drawn;
    mpz_import(drawn, words_.size(), 1, sizeof words_[0], 0, 0, words_.data());
    const auto precision_bits = static_cast<mpfr_prec_t>(64 * words_.size());
    Real low(precision_bits);
    Real high(precision_bits);
    probability(low, high);
    // Powers of two scale exactly, so these comparisons are between exact numbers.
    mpfr_mul_2si(low, low, precision_bits, MPFR_RNDD);
    mpfr_mul_2si(high, high, precision_bits, MPFR_RNDU);
    const bool not_below = mpfr_cmp_z(high, drawn) <= 0;
    mpz_add_ui(drawn, drawn, 1);
    const bool is_below = mpfr_cmp_z(low, drawn) >= 0;
    if (not_below || is_below) {
      // MPFR keeps constants per thread; comparisons are too rare to be worth leaving memory behind in every thread.
      mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
      return is_below;
    }
  }
}

}  // namespace fugu::detail
