#include "fugu/noise/discrete_laplace.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <bit>

#include "fugu/base/check.hpp"
#include "fugu/noise/exact.hpp"
#include "lanes.hpp"
#include "laplace_paths.hpp"

namespace fugu {
namespace {

using detail::Digits;
using detail::Rate;

constexpr int kSmallestScaleLog2 = -16;
constexpr int kLargestScaleLog2 = 44;
/// |k| stays below 2 to this power.
constexpr unsigned kMagnitudeBits = 62;

/// What the 16-bit words of a draw decided, and what they left open.
struct Draft {
  Digits digits;
  unsigned digit_count;
  bool negative;
  bool sign_undecided;
  bool tail_undecided;
};

/// As many low digits as bring the remaining ones' rate, 2^digit_count / scale, to 16 or more.
unsigned digit_count_of(Rate rate) {
  return static_cast<unsigned>(std::max(0, detail::kHighestLane + 1 - rate.exponent));
}

/// The digits' words come last, then the sign's, then the tail's.
std::size_t bytes_of(unsigned digit_count) { return 2 * digit_count + 4; }

std::uint16_t word_before(const unsigned char* end) { return static_cast<std::uint16_t>(end[-2] | end[-1] << 8); }

template <class Group>
[[gnu::always_inline]] inline Draft make_draft(const unsigned char* end, Rate rate) {
  Draft draft;
  draft.digits = detail::draw_digits<Group>(end, rate);
  draft.digit_count = digit_count_of(rate);
  const unsigned char* const sign_end = end - 2 * draft.digit_count;
  const std::uint16_t sign_word = word_before(sign_end);
  const std::uint16_t sign_threshold = detail::lane_threshold_q16(rate, rate.exponent);
  draft.negative = sign_word < sign_threshold;
  draft.sign_undecided = static_cast<std::uint16_t>(sign_word - sign_threshold) <= 1;
  draft.tail_undecided = word_before(sign_end - 2) == 0;
  return draft;
}

/// 2^digit / scale in Q57, rounded down, or just below 128 when it is larger.
std::uint64_t exponent_q57(Rational scale, unsigned digit) {
  constexpr std::uint64_t kLimit = ~std::uint64_t{0};
  const int num_zeros = std::countl_zero(scale.num);
  const int den_zeros = std::countl_zero(scale.den);
  const auto ratio_q62 = static_cast<std::uint64_t>((uint128{scale.den << den_zeros} << 62) / (scale.num << num_zeros));
  const int shift = num_zeros - den_zeros + static_cast<int>(digit) - 5;
  if (shift <= 0) return shift > -64 ? ratio_q62 >> -shift : 0;
  return std::countl_zero(ratio_q62) >= shift ? ratio_q62 << shift : kLimit;
}

/// How far 64 bits must be from a probability evaluated in fixed point to be settled by it.
constexpr std::uint64_t kMarginQ64 = std::uint64_t{1} << 14;

/// The uniform variable that starts with these 16 bits, to 64 bits.
std::uint64_t lengthen(BitSource& bits, std::uint16_t word) { return std::uint64_t{word} << 48 | bits.take64() >> 16; }

/// Settles a digit, or the sign (digit 0 once more), whose first 16 bits are too close to its probability.
bool settle_digit(BitSource& bits, std::uint16_t word, Rational scale, unsigned digit) {
  const std::uint64_t drawn = lengthen(bits, word);
  const std::uint64_t p_q64 = detail::logistic_q64(exponent_q57(scale, digit));
  if (drawn + kMarginQ64 < p_q64) return true;
  if (drawn > p_q64 + kMarginQ64) return false;
  return detail::LazyUniform(bits, drawn).below(detail::digit_bounds(scale, digit));
}

/// The number formed by all digits from `digit` on, given that its uniform variable starts with 16 zeros: it is
/// geometric, and at least n when the variable is below exp(−n · 2^digit / scale).
std::uint64_t settle_tail(BitSource& bits, Rational scale, unsigned digit) {
  const std::uint64_t drawn = lengthen(bits, 0);
  const std::uint64_t first_q64 = detail::exp_minus_q63(exponent_q57(scale, digit)) << 1;
  if (drawn > first_q64 + kMarginQ64) return 0;
  detail::LazyUniform uniform(bits, drawn);
  std::uint64_t tail = 0;
  while (uniform.below(detail::tail_bounds(scale, digit, tail + 1))) ++tail;
  FUGU_CHECK(tail < std::uint64_t{1} << (kMagnitudeBits - digit));
  return tail;
}

std::int64_t assemble(std::uint64_t magnitude, bool negative) {
  // −1 − g is ~g in two's complement.
  return static_cast<std::int64_t>(magnitude ^ (std::uint64_t{0} - std::uint64_t{negative}));
}

[[gnu::noinline]] std::int64_t settle(BitSource& bits, Rational scale, Draft draft) {
  // The words are copied first: settling takes further bits, which may refill the buffer.
  const std::size_t bytes = bytes_of(draft.digit_count);
  unsigned char words[BitSource::kWindowBytes];
  unsigned char* const end = words + sizeof words;
  std::memcpy(end - bytes, bits.window(bytes) - bytes, bytes);
  bits.discard(bytes);

  std::uint64_t magnitude = draft.digits.ones;
  for (unsigned digit = 0; digit < draft.digit_count; ++digit) {
    const std::uint64_t place = std::uint64_t{1} << digit;
    if ((draft.digits.undecided & place) == 0) continue;
    const std::uint16_t word = word_before(end - 2 * (draft.digit_count - 1 - digit));
    magnitude = settle_digit(bits, word, scale, digit) ? magnitude | place : magnitude & ~place;
  }
  if (draft.sign_undecided) {
    const std::uint16_t word = word_before(end - 2 * draft.digit_count);
    draft.negative = settle_digit(bits, word, scale, 0);
  }
  if (draft.tail_undecided) magnitude |= settle_tail(bits, scale, draft.digit_count) << draft.digit_count;
  OPENSSL_cleanse(words, sizeof words);
  return assemble(magnitude, draft.negative);
}

bool is_in_range(Rate rate) { return rate.exponent >= -kLargestScaleLog2 && rate.exponent <= -kSmallestScaleLog2; }

/// Inlined into one function per instruction set, so that all of a draw is compiled for it.
template <class Group>
[[gnu::always_inline]] inline std::int64_t draw(BitSource& bits, Rational scale) {
  FUGU_CHECK(scale.num != 0 && scale.den != 0);
  const Rate rate = detail::rate_of(scale);
  FUGU_CHECK(is_in_range(rate));
  const std::size_t bytes = bytes_of(digit_count_of(rate));
  const Draft draft = make_draft<Group>(bits.window(bytes), rate);
  const bool settled = draft.digits.undecided == 0 && !draft.sign_undecided && !draft.tail_undecided;
  if (!settled) [[unlikely]]
    return settle(bits, scale, draft);
  bits.discard(bytes);
  return assemble(draft.digits.ones, draft.negative);
}

}  // namespace

namespace detail {

std::int64_t discrete_laplace_portable(BitSource& bits, Rational scale) { return draw<PortableGroup>(bits, scale); }

#if defined(__x86_64__)
FUGU_AVX2 std::int64_t discrete_laplace_avx2(BitSource& bits, Rational scale) { return draw<Avx2Group>(bits, scale); }
#else
std::int64_t discrete_laplace_avx2(BitSource& bits, Rational scale) { return discrete_laplace_portable(bits, scale); }
#endif

}  // namespace detail

bool is_laplace_scale(Rational scale) noexcept {
  return scale.num != 0 && scale.den != 0 && is_in_range(detail::rate_of(scale));
}

std::int64_t discrete_laplace(BitSource& bits, Rational scale) {
  return detail::has_avx2() ? detail::discrete_laplace_avx2(bits, scale)
                            : detail::discrete_laplace_portable(bits, scale);
}

}  // namespace fugu
