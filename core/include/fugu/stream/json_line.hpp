// One line of JSON as a small tree that keeps numbers as they were written, so that none is rounded on the way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/stream/location.hpp"

namespace fugu::json {

enum class Kind : unsigned char { null, boolean, number, text, array, object };

struct Value {
  Kind kind = Kind::null;
  bool flag = false;               ///< of a boolean
  std::string text;                ///< of a text or number
  std::vector<Value> items;        ///< of an array or object
  std::vector<std::string> names;  ///< of an object: one per item, all different

  /// The member of that name, or nullptr.
  const Value* member(std::string_view name) const;
};

/// What a value is, for an error message: "a number", "an array".
std::string_view describe(Kind kind);

/// Parses a line that must be an object of at most 8 levels without repeated names. `where` is the begin of the line;
/// `expected` says for errors what the object should be: "one JSON object, such as {…}".
Result<Value> parse_line(std::string_view line, Location where, std::string_view expected);

}  // namespace fugu::json
