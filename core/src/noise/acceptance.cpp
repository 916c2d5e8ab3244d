#include "acceptance.hpp"

#include <algorithm>
#include <bit>

#include "fixed_point.hpp"
#include "fugu/noise/exact.hpp"

namespace fugu::detail {
namespace {

constexpr std::uint64_t kLargestQ57 = ~std::uint64_t{0};

/// How far 63 bits must be from the acceptance probability evaluated in fixed point to be settled by it: 2^-40.
constexpr std::uint64_t kMarginQ63 = std::uint64_t{1} << 23;

/// The smallest integer above the square root of a number below 2^17.
std::uint32_t root_above(std::uint32_t square) {
  std::uint32_t root = 0;
  for (std::uint32_t bit = 256; bit != 0; bit >>= 1) {
    const std::uint32_t candidate = root | bit;
    root = candidate * candidate <= square ? candidate : root;
  }
  return root + 1;
}

std::uint64_t proposal_scale_of(Rational variance) {
  const std::uint64_t whole = variance.num / variance.den;
  // 15 or 16 leading bits of the variance are enough, and keep the root short.
  const int halvings = std::max(0, static_cast<int>(std::bit_width(whole)) - 15) / 2;
  return std::uint64_t{root_above(static_cast<std::uint32_t>(whole >> (2 * halvings)))} << halvings;
}

/// t² · den: at most four times num, or den where t is 1.
uint128 scaled_den(Rational variance, std::uint64_t scale) { return uint128{variance.den} * scale * scale; }

}  // namespace

Acceptance::Acceptance(Rational variance)
    : variance_(variance),
      scale_(proposal_scale_of(variance)),
      inverse_scale_q95_((uint128{1} << 95) / scale_),
      w_q57_(static_cast<std::uint64_t>((uint128{variance.num} << 57) / scaled_den(variance, scale_))),
      inverse_2w_q58_(static_cast<std::uint64_t>((scaled_den(variance, scale_) << 57) / variance.num)) {}

bool Acceptance::draw(BitSource& bits, std::uint64_t magnitude) const {
  const std::uint64_t drawn_q64 = bits.take64();
  const std::uint64_t drawn_q63 = drawn_q64 >> 1;
  const std::uint64_t p_q63 = exp_minus_q63(exponent_q57(magnitude));
  if (drawn_q63 + kMarginQ63 < p_q63) return true;
  if (drawn_q63 > p_q63 + kMarginQ63) return false;
  return settle(bits, drawn_q64, magnitude);
}

std::uint64_t Acceptance::exponent_q57(std::uint64_t magnitude) const {
  if (magnitude >= 64 * scale_) return kLargestQ57;
  // Multiplied, not divided: the time a division takes depends on the magnitude. Here it is below 2^38.
  const auto ratio_q57 = static_cast<std::uint64_t>(inverse_scale_q95_ * magnitude >> 38);
  const std::uint64_t distance_q57 = ratio_q57 > w_q57_ ? ratio_q57 - w_q57_ : w_q57_ - ratio_q57;
  const std::uint64_t square_q50 = mul_high(distance_q57, distance_q57);
  const uint128 exponent = uint128{square_q50} * inverse_2w_q58_ >> 51;
  return exponent > kLargestQ57 ? kLargestQ57 : static_cast<std::uint64_t>(exponent);
}

/// The same decision in exact arithmetic, from more bits: the exponent is (|y|·t·b − a)² / (2·a·b·t²), variance = a/b.
bool Acceptance::settle(BitSource& bits, std::uint64_t drawn_q64, std::uint64_t magnitude) const {
  Integer scaled_b(variance_.den);
  mpz_mul_ui(scaled_b, scaled_b, scale_);
  Integer num;
  mpz_mul_ui(num, scaled_b, magnitude);
  mpz_sub_ui(num, num, variance_.num);
  mpz_mul(num, num, num);
  Integer den;
  mpz_mul_ui(den, scaled_b, scale_);
  mpz_mul_ui(den, den, variance_.num);
  mpz_mul_2exp(den, den, 1);
  return LazyUniform(bits, drawn_q64).below(exp_minus_bounds(num, den));
}

}  // namespace fugu::detail
