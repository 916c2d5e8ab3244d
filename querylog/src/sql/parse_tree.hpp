// The parser of PostgreSQL on text that may be hostile.
#pragma once

#include <pg_query/pg_query.pb-c.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fugu/sql/query_reader.hpp"

namespace fugu::querylog::detail {

struct FreeTree {
  void operator()(PgQuery__ParseResult* tree) const;
};
using ParseTree = std::unique_ptr<PgQuery__ParseResult, FreeTree>;

/// The tree of one statement, at most kDepthMax levels deep.
std::variant<ParseTree, Refusal> parse(std::string_view text);

/// Where the statements of a script start and end. A Refusal for text that cannot even be split into tokens.
struct Piece {
  std::size_t begin;
  std::size_t size;
};
std::variant<std::vector<Piece>, Refusal> split_script(const std::string& text);

/// Where `$1`, `$2`, … stand in a text; none in text that cannot be split into tokens.
std::vector<Piece> parameters_of(const std::string& text);

}  // namespace fugu::querylog::detail
