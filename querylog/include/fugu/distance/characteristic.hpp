// What a query is compared by: sets whose elements say in which role a name or a constant stands.
//
// An element is a list of parts. Words are public; names of relations and attributes, and constants, are not. So that a
// set can be encrypted element by element and nothing falls together or apart by it, the role is part of the element:
// the relation `town` and the attribute `town` are different elements.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "fugu/mining/set_distance.hpp"
#include "fugu/sql/query.hpp"
#include "fugu/sql/schema.hpp"

namespace fugu::querylog {

struct Part {
  enum class Kind : std::uint8_t { word, relation, attribute, constant };
  Kind kind = Kind::word;
  std::string text;

  friend auto operator<=>(const Part&, const Part&) = default;
};

struct Element {
  std::vector<Part> parts;

  friend auto operator<=>(const Element&, const Element&) = default;
  /// `WHERE customer.town =`: for tests and for whoever owns the log.
  std::string text() const;
};

/// Sorted, each element once.
using Characteristic = std::vector<Element>;

/// The words, names, constants and predicates of the text (thesis, Definition 7). Attributes go by their name alone, as
/// in the text. docs/concepts/query-distances.md has what is a token.
Characteristic tokens(const Statement& statement, const Schema& schema);

/// What is selected, from where, and by what, without constants (thesis, Table 3.3). Attributes go by relation and
/// name.
Characteristic features(const Statement& statement, const Schema& schema);

/// Gives each element a number, from 0, in the order in which they come.
class Dictionary {
 public:
  mining::ElementSet numbers(const Characteristic& characteristic);
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace fugu::querylog
