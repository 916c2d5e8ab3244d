// Predicates of the forms that distances look into: an attribute against constants, or against another attribute.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/sql/query.hpp"
#include "fugu/sql/schema.hpp"

namespace fugu::querylog {

/// `A θ c`, `A IN (c, …)`, `A BETWEEN c AND d`, `A IS NULL`, or `A θ B`. Written the other way round, it is turned:
/// `5 < A` is `A > 5`, and of two attributes the one that comes first in the schema is the left one.
struct Predicate {
  std::string word;                    ///< θ
  const Expression* column = nullptr;  ///< A, of kind column
  std::optional<Type> cast{};          ///< what A is cast to before it is compared
  const Expression* other = nullptr;   ///< B; then there are no constants
  std::vector<Constant> constants{};   ///< NULL included
};

/// Nothing for expressions of other forms.
std::optional<Predicate> predicate_of(const Expression& expression, const Statement& statement);

/// What a column is made of: ascending, each once.
std::vector<Attribute> attributes_of(const Expression& column, const Statement& statement);

/// The one attribute that a column is, if it is not computed.
std::optional<Expression::Source> plain_source(const Expression& column);

/// The type by which the constants of a predicate are read: that of the attribute or of its cast. Patterns are texts.
/// Nothing when the column is computed: then constants are what they are written as.
std::optional<Type> constant_type(const Predicate& predicate, const Statement& statement, const Schema& schema);

}  // namespace fugu::querylog
