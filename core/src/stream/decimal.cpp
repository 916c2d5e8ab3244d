#include "fugu/stream/decimal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "fugu/base/rational.hpp"

namespace fugu {
namespace {

constexpr int kStepDigitsMax = 9;
constexpr int kStepExponentMax = 18;

// Digits kept of a value's mantissa. 10^27 · 2 < 10^28 ≤ any divisor of more than 28 zeros; and a divisor of 28 zeros
// times a step's 9 digits is below 2^127. See divide().
constexpr int kDigitsMax = 27;
constexpr int kDivisorZerosMax = 28;

constexpr int kExponentMax = 1'000'000;  // explicit exponents saturate here, far beyond any value on the grid

constexpr std::array<std::uint64_t, 19> powers_of_ten() {
  std::array<std::uint64_t, 19> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr auto kPow10 = powers_of_ten();

uint128 pow10(int exponent) {
  uint128 power = 1;
  for (; exponent > 18; exponent -= 18) power *= kPow10[18];
  return power * kPow10[static_cast<std::size_t>(exponent)];
}

constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
constexpr unsigned digit(char c) { return static_cast<unsigned>(c - '0'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(), [](char a, char b) { return lower(a) == b; });
}

// Why `text`, without its sign, is not a decimal.
DecimalFault diagnose(std::string_view text) {
  if (text.empty()) return DecimalFault::text;  // a lone sign
  if (equals_ignoring_case(text, "nan")) return DecimalFault::nan;
  if (equals_ignoring_case(text, "inf") || equals_ignoring_case(text, "infinity")) return DecimalFault::infinite;
  if (text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x') return DecimalFault::hexadecimal;
  return DecimalFault::text;
}

// A decimal of any length: (mantissa + something in [0, 1)) · 10^exponent, where the something is zero unless `sticky`.
struct Decimal {
  uint128 mantissa = 0;
  int exponent = 0;
  bool sticky = false;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // False when the text is not an unsigned decimal.
  bool scan(Decimal& decimal) {
    const bool before_point = scan_digits(decimal, false);
    bool after_point = false;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      after_point = scan_digits(decimal, true);
    }
    if (!before_point && !after_point) return false;
    return scan_exponent(decimal) && at_ == end_;
  }

 private:
  bool scan_digits(Decimal& decimal, bool after_point) {
    const char* begin = at_;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      if (count_ < kDigitsMax) {
        decimal.mantissa = decimal.mantissa * 10 + digit(*at_);
        count_ += decimal.mantissa != 0;
        decimal.exponent -= after_point;
      } else {
        decimal.sticky |= *at_ != '0';
        decimal.exponent += !after_point;
      }
    }
    return at_ != begin;
  }

  bool scan_exponent(Decimal& decimal) {
    if (at_ == end_ || lower(*at_) != 'e') return true;
    ++at_;
    const bool negative = at_ != end_ && *at_ == '-';
    if (at_ != end_ && (*at_ == '-' || *at_ == '+')) ++at_;
    if (at_ == end_) return false;
    int exponent = 0;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      exponent = std::min(kExponentMax, exponent * 10 + static_cast<int>(digit(*at_)));
    }
    decimal.exponent += negative ? -exponent : exponent;
    return true;
  }

  const char* at_;
  const char* end_;
  int count_ = 0;  // significant digits so far
};

// Without trailing zeros in the mantissa, unless digits were cut off. Zero when the text is not a decimal.
Decimal trimmed(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  Decimal decimal;
  if (!Scanner(text).scan(decimal)) return {};
  if (decimal.sticky) return decimal;
  for (; decimal.mantissa != 0 && decimal.mantissa % 10 == 0; decimal.mantissa /= 10) ++decimal.exponent;
  return decimal;
}

constexpr std::uint64_t kTooLarge = ~std::uint64_t{0};

// How a magnitude is rounded: what Rounding and the sign come down to.
enum class Magnitude : std::uint8_t { half_up, half_down, up };

std::uint64_t rounded(uint128 numerator, uint128 denominator, bool sticky, Magnitude rounding) {
  const uint128 quotient = numerator / denominator;
  const uint128 remainder = numerator % denominator;
  const bool tie = 2 * remainder == denominator && !sticky;
  const bool up = rounding == Magnitude::up
                      ? remainder != 0 || sticky
                      : 2 * remainder >= denominator && !(tie && rounding == Magnitude::half_down);
  if (quotient > static_cast<uint128>(kStepsMax)) return kTooLarge;
  const std::uint64_t steps = static_cast<std::uint64_t>(quotient) + up;
  return steps > static_cast<std::uint64_t>(kStepsMax) ? kTooLarge : steps;
}

// decimal / (mantissa · 10^exponent) in steps, or kTooLarge.
//
// A sticky decimal has 27 digits. Unless it is too large, its divisor is then a multiple of 10, hence even, and what
// was cut off (less than 1) cannot lift a remainder below half of it to half of it.
std::uint64_t divide(const Decimal& decimal, std::uint32_t mantissa, int exponent, Magnitude rounding) {
  if (decimal.mantissa == 0) return 0;
  const int zeros = decimal.exponent - exponent;
  if (zeros < -kDivisorZerosMax) return rounding == Magnitude::up ? 1 : 0;
  if (zeros < 0) return rounded(decimal.mantissa, mantissa * pow10(-zeros), decimal.sticky, rounding);
  const uint128 limit = (static_cast<uint128>(kStepsMax) + 1) * mantissa;  // below 10^25
  if (zeros > 25 || decimal.mantissa > limit / pow10(zeros)) return kTooLarge;
  return rounded(decimal.mantissa * pow10(zeros), mantissa, decimal.sticky, rounding);
}

// The common case: at most 18 digits with a point somewhere, no exponent, a step that is a power of ten.
// Returns false, and nothing else, when the text is of another kind. Ties go down when `ties_down`, else up.
bool fast_steps(std::string_view text, int step_exponent, bool ties_down, std::uint64_t& steps) {
  if (text.size() > 18) return false;
  const char* at = text.data();
  const char* const end = at + text.size();
  const char* const begin = at;
  std::uint64_t mantissa = 0;
  for (; at != end && is_digit(*at); ++at) mantissa = mantissa * 10 + digit(*at);
  std::ptrdiff_t digits = at - begin;
  int zeros = -step_exponent;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    for (; at != end && is_digit(*at); ++at) mantissa = mantissa * 10 + digit(*at);
    digits += at - fraction;
    zeros -= static_cast<int>(at - fraction);
  }
  if (at != end || digits == 0 || zeros < -18 || zeros > 18) return false;
  if (zeros < 0) {
    const std::uint64_t divisor = kPow10[static_cast<std::size_t>(-zeros)];
    steps = (mantissa + divisor / 2 - (ties_down ? 1 : 0)) / divisor;
    return steps <= static_cast<std::uint64_t>(kStepsMax);
  }
  const std::uint64_t factor = kPow10[static_cast<std::size_t>(zeros)];
  return !__builtin_mul_overflow(mantissa, factor, &steps) && steps <= static_cast<std::uint64_t>(kStepsMax);
}

Error bad_step(std::string_view found) {
  return {Cause::usage,
          "unit step: found " + std::string(found) +
              "; expected a positive decimal of at most 9 digits between 1e-18 and 1e18, such as 1 or 0.001"};
}

// Writes the digits of `value` so that they end before `end`; returns where they begin.
char* write_digits(uint128 value, char* end) {
  for (; value > ~std::uint64_t{0}; value /= 10) *--end = static_cast<char>('0' + static_cast<int>(value % 10));
  auto rest = static_cast<std::uint64_t>(value);
  do {
    *--end = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  return end;
}

}  // namespace

std::string_view describe(DecimalFault fault) noexcept {
  switch (fault) {
    case DecimalFault::none: break;
    case DecimalFault::empty: return "nothing where a number belongs";
    case DecimalFault::text: return "text where a number belongs";
    case DecimalFault::nan: return "NaN where a number belongs";
    case DecimalFault::infinite: return "an infinity where a number belongs";
    case DecimalFault::hexadecimal: return "a hexadecimal number where a decimal belongs";
    case DecimalFault::too_large: return "a number too large for the unit step";
  }
  FUGU_CHECK(fault != DecimalFault::none);
  return {};
}

Result<UnitStep> UnitStep::parse(std::string_view text) {
  Decimal decimal;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty()) return bad_step("nothing");
  if (text.front() == '-') return bad_step("a minus sign");
  if (!Scanner(text).scan(decimal)) return bad_step("text that is no decimal");
  if (decimal.mantissa == 0) return bad_step("zero");
  while (decimal.mantissa % 10 == 0) {
    decimal.mantissa /= 10;
    ++decimal.exponent;
  }
  if (decimal.sticky || decimal.mantissa >= kPow10[kStepDigitsMax]) return bad_step("too many digits");
  const bool too_large = decimal.exponent > kStepExponentMax ||
                         (decimal.exponent > 0 && decimal.mantissa > pow10(kStepExponentMax - decimal.exponent));
  if (too_large || decimal.exponent < -kStepExponentMax) return bad_step("a number out of range");
  return UnitStep(static_cast<std::uint32_t>(decimal.mantissa), decimal.exponent);
}

DecimalFault UnitStep::steps(std::string_view text, std::int64_t& steps, Rounding rounding) const noexcept {
  if (text.empty()) return DecimalFault::empty;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);

  std::uint64_t magnitude = 0;
  if (mantissa_ != 1 || rounding == Rounding::away || !fast_steps(text, exponent_, negative, magnitude)) {
    Decimal decimal;
    if (!Scanner(text).scan(decimal)) return diagnose(text);
    const Magnitude how = rounding == Rounding::away ? Magnitude::up
                          : negative                 ? Magnitude::half_down
                                                     : Magnitude::half_up;
    magnitude = divide(decimal, mantissa_, exponent_, how);
    if (magnitude == kTooLarge) return DecimalFault::too_large;
  }
  steps = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  return DecimalFault::none;
}

bool UnitStep::holds(std::string_view text) const noexcept {
  if (mantissa_ == 1 && exponent_ <= 0) {  // the usual case: the digits at the end are counted
    std::size_t at = text.size();
    while (at > 0 && is_digit(text[at - 1])) --at;
    if (at == 0) return true;
    if (text[at - 1] == '.' && text.size() - at <= static_cast<std::size_t>(-exponent_)) return true;
  }
  const Decimal decimal = trimmed(text);
  if (decimal.mantissa == 0) return true;
  const int zeros = decimal.exponent - exponent_;
  if (decimal.sticky || zeros < 0) return false;  // the mantissa has no factor 10 to divide by
  if (zeros > kDivisorZerosMax) return true;      // too large for the grid, which steps() says
  return (decimal.mantissa % mantissa_) * (pow10(zeros) % mantissa_) % mantissa_ == 0;
}

std::string UnitStep::rounding_text(std::string_view value, Rounding rounding) const {
  constexpr int kFinest = -6;  // digits beyond mostly come from printing doubles, and large values would not fit
  const int exponent = std::min({trimmed(value).exponent, exponent_, 0});
  std::string out = rounding == Rounding::away ? "magnitudes" : "values";
  out.append(" are not multiples of the unit step ").append(text(1));
  out.append(rounding == Rounding::away ? " and get rounded up: " : " and get rounded: ");
  out.append("a unit step of ").append(UnitStep(1, std::max(exponent, kFinest)).text(1));
  return out.append(exponent < kFinest ? " would keep more of them"
                                       : " would keep the first, others may have more digits");
}

std::size_t UnitStep::format(std::int64_t steps, std::span<char, kTextMax> out) const noexcept {
  std::array<char, 32> digits;
  char* const end = digits.data() + digits.size();
  const uint128 magnitude = steps < 0 ? -static_cast<uint128>(steps) : static_cast<uint128>(steps);
  const char* begin = write_digits(magnitude * mantissa_, end);
  auto count = static_cast<std::size_t>(end - begin);
  const auto fraction = static_cast<std::size_t>(std::max(0, -exponent_));

  char* at = out.data();
  if (steps < 0) *at++ = '-';
  const auto put = [&at](const char* from, std::size_t size) { at = std::copy_n(from, size, at); };
  const auto zeros = [&at](std::size_t size) { at = std::fill_n(at, size, '0'); };
  if (fraction == 0) {
    put(begin, count);
    if (steps != 0) zeros(static_cast<std::size_t>(exponent_));
    return static_cast<std::size_t>(at - out.data());
  }
  std::size_t kept = fraction;  // digits after the point, less trailing zeros
  while (kept > 0 && count > 0 && begin[count - 1] == '0') --kept, --count;
  const std::size_t whole = count > kept ? count - kept : 0;
  if (whole == 0) zeros(1);
  put(begin, whole);
  if (count == 0 || kept == 0) return static_cast<std::size_t>(at - out.data());
  *at++ = '.';
  zeros(kept - (count - whole));
  put(begin + whole, count - whole);
  return static_cast<std::size_t>(at - out.data());
}

std::string UnitStep::text(std::int64_t steps) const {
  std::array<char, kTextMax> buffer;
  return {buffer.data(), format(steps, buffer)};
}

Rational UnitStep::to_rational() const noexcept {
  const std::uint64_t power = kPow10[static_cast<std::size_t>(std::abs(exponent_))];
  return exponent_ >= 0 ? Rational{mantissa_ * power, 1} : Rational{mantissa_, power};
}

double UnitStep::to_double() const noexcept {
  std::array<char, kTextMax> buffer;
  const std::size_t size = format(1, buffer);
  double value = 0;
  std::from_chars(buffer.data(), buffer.data() + size, value);
  return value;
}

}  // namespace fugu
