// Sets of values of one attribute: which part of its domain a query asks for.
//
// Exact, and in one form only: two areas are equal when they hold the same values. Where there is a next value
// (integers, decimals of fixed places, dates, times, truth values) `> 5` and `>= 6` are one area; floating point and
// text keep open and closed ends apart. Text is ordered by its bytes.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/sql/type.hpp"

namespace fugu::querylog {

class Area {
 public:
  /// No value, not even NULL.
  Area() = default;
  /// All values of the type, without NULL.
  static Area values_of(const Type& type);
  static Area null();
  /// Values of the type that are smaller, larger, equal.
  static Area below(const Type& type, const Value& value, bool inclusive);
  static Area above(const Type& type, const Value& value, bool inclusive);
  static Area equal_to(const Type& type, const Value& value);
  /// Texts that start with `prefix`.
  static Area starting_with(const Type& type, const std::string& prefix);

  Area united(const Area& other) const;
  Area intersected(const Area& other) const;
  /// What it has of the other, which holds no NULL, not.
  Area without(const Area& other) const;

  bool is_empty() const { return !has_null_ && !starts_inside_ && cuts_.empty(); }
  /// Of an area of dates, the area of time stamps on these days.
  Area days_as_timestamps() const;
  /// `[6, 10] (1.5, ∞) NULL`: for tests and for whoever owns the log.
  std::string text() const;

  friend bool operator==(const Area&, const Area&) = default;
  /// Some order, so that areas can be found.
  friend auto operator<=>(const Area&, const Area&) = default;

 private:
  /// A place between values: before one of them or after it.
  struct Cut {
    Value value;
    bool after = false;

    friend auto operator<=>(const Cut&, const Cut&) = default;
  };
  static Cut cut(const Type& type, const Value& value, bool after);
  template <class Rule>
  static Area merged(const Area& a, const Area& b, Rule rule);

  // Whether values below all cuts belong to it; each cut changes that for the values above it.
  bool starts_inside_ = false;
  std::vector<Cut> cuts_;
  bool has_null_ = false;
};

}  // namespace fugu::querylog
