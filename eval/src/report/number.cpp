#include "fugu/report/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "si_prefix.hpp"

namespace fugu::report {

namespace {

constexpr std::string_view kThinSpace = "\xE2\x80\xAF";  // narrow, no-break
constexpr std::string_view kMinus = "\xE2\x88\x92";
constexpr std::string_view kEnDash = "\xE2\x80\x93";
constexpr std::string_view kInfinity = "\xE2\x88\x9E";

/// Plain digits (`-1234.50`) with the typography of this header.
std::string typeset(std::string_view digits) {
  std::string out;
  if (digits.starts_with('-')) {
    digits.remove_prefix(1);
    if (digits.find_first_not_of("0.") != std::string_view::npos) out += kMinus;
  }
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0) out += kThinSpace;
    out += digits[i];
  }
  return out;
}

std::string plain(double value, std::chars_format format, int precision) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, precision).ptr;
  return {text.data(), end};
}

std::string superscript(int number) {
  static constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  if (number < 0) out += "⁻";
  for (const char digit : std::to_string(std::abs(number))) out += kDigits[static_cast<std::size_t>(digit - '0')];
  return out;
}

std::string not_finite(double value) {
  std::string out;
  if (std::isnan(value)) return out.append(kEnDash);
  if (value < 0) out += kMinus;
  return out.append(kInfinity);
}

}  // namespace

std::string format_count(std::int64_t count) { return typeset(std::to_string(count)); }

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite(value);
  return typeset(plain(value, std::chars_format::fixed, std::clamp(decimals, 0, 17)));
}

std::string format_power(double value, int exponent, int decimals) {
  // Dividing by a positive power of ten is exact more often than multiplying by a negative one, and never overflows.
  const double power = std::pow(10.0, std::min(std::abs(exponent), 300));
  const double mantissa = exponent < 0 ? value * power : value / power;
  return format_fixed(mantissa, decimals).append("×10").append(superscript(exponent));
}

std::string format_prefixed(double value) {
  for (const SiPrefix& prefix : kSiPrefixes) {
    const double mantissa = value / prefix.magnitude;
    if (mantissa >= 999.5) break;
    if (mantissa < 0.9995) continue;  // what rounds to a thousand of a prefix is one of the next
    return format_fixed(mantissa, mantissa < 9.95 ? 1 : 0).append(prefix.symbol);
  }
  return format_significant(value, 2);
}

std::string format_significant(double value, int digits) {
  if (!std::isfinite(value)) return not_finite(value);
  if (value == 0.0) return "0";
  // Rounded first: 9.999 with three digits is 10.0 and has one decimal, not two.
  const std::string scientific = plain(value, std::chars_format::scientific, std::clamp(digits, 1, 17) - 1);
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  const char* first = scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, scientific.data() + scientific.size(), exponent);
  if (exponent < -4 || exponent >= 15)
    return typeset(std::string_view(scientific).substr(0, e)).append("×10").append(superscript(exponent));
  return format_fixed(value, std::max(0, digits - 1 - exponent));
}

}  // namespace fugu::report
