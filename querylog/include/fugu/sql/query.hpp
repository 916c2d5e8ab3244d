// A SELECT statement after names were resolved, in so few kinds of nodes that a reader of it can know them all.
//
// What the parser of PostgreSQL accepts and these cannot say is refused before (query_reader.hpp). Words in it are
// public: keywords, operators, functions and types of PostgreSQL, all from lists of ours. Names of relations and
// attributes, and constants, are not.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fugu/sql/type.hpp"

namespace fugu::querylog {

/// A column of a relation of the schema, both by their numbers there.
struct Attribute {
  std::uint32_t relation = 0;
  std::uint32_t column = 0;

  friend auto operator<=>(const Attribute&, const Attribute&) = default;
};

struct Query;

struct Expression {
  enum class Kind : std::uint8_t {
    column,     ///< `sources`
    constant,   ///< `constant`
    star,       ///< as the argument of COUNT
    operation,  ///< `word` applied to operands: operators, predicates, CASE, COALESCE, lists
    function,   ///< `word` called with operands
    aggregate,  ///< the same, of all rows of a group
    cast,       ///< to `type`
    all_of,     ///< AND
    any_of,     ///< OR
    negation,   ///< NOT
    subquery,   ///< `query`; `word` is EXISTS, IN, an operator with ANY or ALL, or empty for a single value
  };
  Kind kind = Kind::constant;
  std::string word{};
  std::vector<Expression> operands{};
  Constant constant{};
  std::optional<Type> type{};
  std::shared_ptr<const Query> query{};
  /// A column: what it is made of, in order. One of them and not computed: it is that attribute.
  struct Source {
    std::uint32_t occurrence = 0;  ///< in Statement::occurrences
    std::uint32_t column = 0;

    friend auto operator<=>(const Source&, const Source&) = default;
  };
  std::vector<Source> sources{};
  bool is_computed = false;
  std::size_t position = 0;  ///< of its first byte in the statement
};

struct SortKey {
  Expression expression{};
  std::string word{};  ///< ASC, DESC, with NULLS FIRST, NULLS LAST
};

/// A column that a query hands out.
struct Output {
  Expression expression{};
  std::string name{};      ///< how others refer to it; empty when they cannot
  bool from_star = false;  ///< one of those that * stands for
};

struct Join {
  std::string word{};                       ///< JOIN, LEFT JOIN, …, CROSS JOIN
  std::optional<Expression> condition{};    ///< ON; equalities for USING
  std::vector<std::uint32_t> restricted{};  ///< occurrences of which it keeps only what meets the condition
};

struct Query {
  std::uint32_t block = 0;  ///< its number in the statement
  std::vector<Query> with{};
  // A set operation of two queries …
  std::string set_word{};  ///< UNION, UNION ALL, …; empty for a SELECT
  std::vector<Query> sides{};
  // … or a SELECT.
  bool is_distinct = false;
  bool has_star = false;
  bool has_from = false;
  std::vector<Output> outputs{};           ///< of a set operation: of its sides
  std::vector<std::uint32_t> relations{};  ///< occurrences in FROM
  std::vector<Query> derived{};            ///< subqueries in FROM
  std::vector<Join> joins{};
  std::optional<Expression> where{};
  std::vector<Expression> group_by{};
  std::optional<Expression> having{};
  // Of both.
  std::vector<SortKey> order_by{};
  std::optional<Expression> limit{};
  std::optional<Expression> offset{};
};

/// A relation where a query names it.
struct Occurrence {
  std::uint32_t relation = 0;  ///< in the schema
  std::uint32_t block = 0;     ///< of the query that names it
  bool is_optional = false;    ///< on the side of an outer join that may be missing
  std::size_t position = 0;
};

struct Statement {
  Query query;
  std::vector<Occurrence> occurrences{};

  Attribute attribute(Expression::Source source) const {
    return {occurrences[source.occurrence].relation, source.column};
  }
};

}  // namespace fugu::querylog
