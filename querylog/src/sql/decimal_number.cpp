#include "fugu/sql/decimal_number.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fugu::querylog {

namespace {

constexpr int kPlacesMax = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

/// One more or one less, of whole digits; one less only of more than 0.
std::string plus_one(std::string digits) {
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (*digit != '9') return ++*digit, digits;
    *digit = '0';
  }
  return "1" + digits;
}
std::string minus_one(std::string digits) {
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (*digit != '0') return --*digit, digits;
    *digit = '9';
  }
  return digits;
}

}  // namespace

DecimalNumber::DecimalNumber(bool negative, std::string digits, int exponent)
    : negative_(negative), digits_(std::move(digits)), exponent_(exponent) {
  const std::size_t zeros = std::min(digits_.find_first_not_of('0'), digits_.size());
  digits_.erase(0, zeros);
  exponent_ -= static_cast<int>(zeros);
  digits_.erase(digits_.find_last_not_of('0') + 1);
  if (digits_.empty()) {
    negative_ = false;
    exponent_ = 0;
  }
}

DecimalNumber::DecimalNumber(std::int64_t value) {
  const std::string text = std::to_string(value);
  const std::string digits = text.substr(value < 0 ? 1 : 0);
  *this = DecimalNumber(value < 0, digits, static_cast<int>(digits.size()));
}

std::optional<DecimalNumber> DecimalNumber::parse(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\f\v";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view whole = take_digits(text);
  std::string_view part;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    part = take_digits(text);
  }
  if (whole.empty() && part.empty()) return std::nullopt;
  int exponent = 0;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(text.starts_with("e+") || text.starts_with("E+") ? 2 : 1);
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (fault != std::errc{} || exponent > 2 * kPlacesMax || exponent < -2 * kPlacesMax) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!text.empty() || whole.size() + part.size() > 4 * kPlacesMax) return std::nullopt;
  DecimalNumber number(negative, std::string(whole) + std::string(part), static_cast<int>(whole.size()) + exponent);
  const int last_place = number.exponent_ - static_cast<int>(number.digits_.size());
  if (number.exponent_ > kPlacesMax || last_place < -kPlacesMax) return std::nullopt;
  return number;
}

std::string DecimalNumber::truncated(int places, bool& exact) const {
  const int kept = exponent_ + places;  // digits before the last place
  exact = kept >= static_cast<int>(digits_.size());
  if (kept <= 0) {
    exact = digits_.empty();
    return "0";
  }
  std::string whole = digits_.substr(0, static_cast<std::size_t>(kept));
  whole.resize(static_cast<std::size_t>(kept), '0');
  return whole;
}

DecimalNumber DecimalNumber::rounded_up(int places) const {
  bool exact = false;
  std::string whole = truncated(places, exact);
  if (exact) return *this;
  if (!negative_) whole = plus_one(std::move(whole));
  return {negative_, whole, static_cast<int>(whole.size()) - places};
}

DecimalNumber DecimalNumber::next(int places) const {
  bool exact = false;
  std::string whole = truncated(places, exact);
  if (!negative_) {
    whole = plus_one(std::move(whole));
  } else if (exact) {
    whole = minus_one(std::move(whole));
  }
  return {negative_, whole, static_cast<int>(whole.size()) - places};
}

DecimalNumber DecimalNumber::negated() const { return {!negative_, digits_, exponent_}; }

std::string DecimalNumber::text() const {
  if (digits_.empty()) return "0";
  const std::string sign = negative_ ? "-" : "";
  const auto size = static_cast<int>(digits_.size());
  if (exponent_ <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent_), '0') + digits_;
  if (exponent_ >= size) return sign + digits_ + std::string(static_cast<std::size_t>(exponent_ - size), '0');
  return sign + digits_.substr(0, static_cast<std::size_t>(exponent_)) + "." +
         digits_.substr(static_cast<std::size_t>(exponent_));
}

std::strong_ordering operator<=>(const DecimalNumber& a, const DecimalNumber& b) {
  const auto sign = [](const DecimalNumber& x) { return x.digits_.empty() ? 0 : x.negative_ ? -1 : 1; };
  if (const auto order = sign(a) <=> sign(b); order != 0) return order;
  const DecimalNumber& smaller = a.negative_ ? b : a;  // of two below zero, the one further away comes first
  const DecimalNumber& larger = a.negative_ ? a : b;
  if (const auto order = smaller.exponent_ <=> larger.exponent_; order != 0) return order;
  return smaller.digits_.compare(larger.digits_) <=> 0;
}

}  // namespace fugu::querylog
