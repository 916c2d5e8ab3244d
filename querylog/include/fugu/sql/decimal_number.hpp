// Numbers as SQL writes them, exactly: constants of a query have any number of digits, and 5, 5.0 and 05e0 are the
// same.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fugu::querylog {

class DecimalNumber {
 public:
  DecimalNumber() = default;  ///< 0
  explicit DecimalNumber(std::int64_t value);

  /// `[+-]digits[.digits][e[+-]digits]` with blanks around it; either side of the point may be empty, not both. Nothing
  /// when it is no such number, or has a digit further than 1,000 places from the point.
  static std::optional<DecimalNumber> parse(std::string_view text);

  /// The smallest multiple of 10^−places that is not below it, or that is above it.
  DecimalNumber rounded_up(int places) const;
  DecimalNumber next(int places) const;
  DecimalNumber negated() const;

  /// The same text for the same number: no leading or trailing zeros, no −0.
  std::string text() const;

  friend std::strong_ordering operator<=>(const DecimalNumber& a, const DecimalNumber& b);
  friend bool operator==(const DecimalNumber& a, const DecimalNumber& b) = default;

 private:
  DecimalNumber(bool negative, std::string digits, int exponent);

  /// Its multiple of 10^−places next to it towards zero, as whole digits, and whether that is the number itself.
  std::string truncated(int places, bool& exact) const;

  // ±0.DIGITS · 10^exponent_; no digits at all for 0.
  bool negative_ = false;
  std::string digits_;
  int exponent_ = 0;
};

}  // namespace fugu::querylog
