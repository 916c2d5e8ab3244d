// Types of attributes, as far as they say which values there are and how constants are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "fugu/sql/decimal_number.hpp"

namespace fugu::querylog {

/// A value of an attribute. Dates are days since 1970-01-01, times and time stamps microseconds, truth is 0 or 1.
using Value = std::variant<DecimalNumber, std::string>;

struct Type {
  enum class Kind : std::uint8_t { number, text, date, time, timestamp, boolean };
  Kind kind = Kind::text;
  std::string word;                       ///< its name in PostgreSQL
  std::optional<int> places{};            ///< of a number: decimal places; none for floating point
  std::optional<DecimalNumber> limit{};   ///< of a number: the largest; the smallest is −limit, −limit − 1 for integers
  std::optional<std::uint32_t> length{};  ///< of a text: the most characters
  bool is_padded = false;                 ///< of a text: blanks at its end do not count

  /// Whether there is a next value. All but floating point and text.
  bool is_discrete() const { return kind != Kind::text && (kind != Kind::number || places); }
  int decimal_places() const { return places.value_or(0); }
};

/// The type that a name of PostgreSQL or of MySQL stands for, with what stands in brackets after it. Nothing for names
/// that are not on the list.
std::optional<Type> type_named(std::string_view name, std::optional<int> first = {}, std::optional<int> second = {});

/// A constant as it is written.
struct Constant {
  enum class Kind : std::uint8_t { null, number, text, boolean };
  Kind kind = Kind::null;
  std::string text;  ///< number: as DecimalNumber writes it; boolean: "true" or "false"
};

/// The value of the type that a constant stands for: '5', 5 and 5.0 are one integer. A number as the constant of a text
/// stands for its digits. Nothing for NULL and for what has no such value: a date must be written YYYY-MM-DD, a time
/// HH:MM[:SS[.ffffff]], a time stamp as both with a blank or T between, without a zone.
std::optional<Value> value_of(const Constant& constant, const Type& type);

}  // namespace fugu::querylog
