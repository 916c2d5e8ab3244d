// Whole numbers of any size, to check our own arithmetic against.
#pragma once

#include <gmp.h>

#include <cstdint>

#include "fugu/base/rational.hpp"

namespace fugu::test {

class Big {
 public:
  Big(uint128 value) {
    mpz_init_set_ui(value_, static_cast<std::uint64_t>(value >> 64));
    mpz_mul_2exp(value_, value_, 64);
    mpz_add_ui(value_, value_, static_cast<std::uint64_t>(value));
  }
  Big(const Big& other) { mpz_init_set(value_, other.value_); }
  Big& operator=(const Big& other) {
    mpz_set(value_, other.value_);
    return *this;
  }
  ~Big() { mpz_clear(value_); }

  friend Big operator*(Big a, const Big& b) {
    mpz_mul(a.value_, a.value_, b.value_);
    return a;
  }
  friend Big operator+(Big a, const Big& b) {
    mpz_add(a.value_, a.value_, b.value_);
    return a;
  }
  friend Big operator<<(Big a, unsigned shift) {
    mpz_mul_2exp(a.value_, a.value_, shift);
    return a;
  }
  friend Big divide_up(Big a, const Big& b) {
    mpz_cdiv_q(a.value_, a.value_, b.value_);
    return a;
  }
  friend bool operator==(const Big& a, const Big& b) { return mpz_cmp(a.value_, b.value_) == 0; }
  friend bool operator<(const Big& a, const Big& b) { return mpz_cmp(a.value_, b.value_) < 0; }
  friend bool operator<=(const Big& a, const Big& b) { return mpz_cmp(a.value_, b.value_) <= 0; }

 private:
  mpz_t value_;
};

}  // namespace fugu::test
