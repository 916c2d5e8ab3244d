// Comparing a uniform variable with a probability, to as many bits as it takes.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "fugu/base/rational.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu::detail {

/// One arbitrary-precision float.
class Real {
 public:
  explicit Real(mpfr_prec_t precision_bits);
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }

  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

/// One arbitrary-precision integer.
class Integer {
 public:
  explicit Integer(std::uint64_t value = 0) { mpz_init_set_ui(value_, value); }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { mpz_clear(value_); }

  operator mpz_ptr() { return value_; }
  operator mpz_srcptr() const { return value_; }

 private:
  mpz_t value_;
};

/// Sets `low` and `high` to bounds of one fixed probability. They approach each other as their precision grows.
using Bounds = std::function<void(Real& low, Real& high)>;

/// 1 / (1 + exp(2^digit / scale)), the probability that this digit is 1.
Bounds digit_bounds(Rational scale, unsigned digit);
/// exp(−count · 2^digit / scale).
Bounds tail_bounds(Rational scale, unsigned digit, std::uint64_t count);
/// exp(−num / den).
Bounds exp_minus_bounds(const Integer& num, const Integer& den);

/// A uniform variable in [0, 1) whose bits are drawn when they are needed.
class LazyUniform {
 public:
  /// `first_bits` are the 64 bits after the binary point.
  LazyUniform(BitSource& bits, std::uint64_t first_bits) : bits_(bits), words_{first_bits} {}

  /// Whether the variable is below the probability: exact, because bits and precision grow until the bounds settle it.
  bool below(const Bounds& probability);

 private:
  BitSource& bits_;
  std::vector<std::uint64_t> words_;
};

}  // namespace fugu::detail
