// SQL text → Statement, or why not.
//
// It fails closed: text is refused unless all of it is understood. What may stand in it are the kinds of nodes, the
// functions, operators and types that query_reader.cpp lists; and relations and attributes of the schema.
//
// Messages say the construct and its place. They never contain a name or a constant, nor what the parser says, which
// may.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "fugu/sql/query.hpp"
#include "fugu/sql/schema.hpp"

namespace fugu::querylog {

// Limits of a statement. The parser of PostgreSQL needs stack for each level of its tree and crashes when it runs out
// (libpg_query #348, #366): a tree has fewer levels than the text has tokens, so with few enough tokens it cannot.
inline constexpr std::size_t kBytesMax = 256 * 1024;
inline constexpr std::size_t kTokensMax = 10'000;
inline constexpr std::size_t kDepthMax = 200;  ///< levels of the tree

/// Why a statement is refused.
struct Refusal {
  std::string construct;     ///< "a function that is not on the list"
  std::size_t position = 0;  ///< byte of the statement, from 1; 0: the statement as a whole

  /// `character POSITION: CONSTRUCT`.
  std::string text() const;
};

using ReadStatement = std::variant<Statement, Refusal>;

/// One SELECT statement. A semicolon may end it.
ReadStatement read_statement(std::string_view text, const Schema& schema);

}  // namespace fugu::querylog
