// Tree of the parser → Query: keeps what is on the lists, resolves names, and refuses everything else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/sql/query_reader.hpp"
#include "parse_tree.hpp"

namespace fugu::querylog::detail {

/// A type as the parser has it.
std::optional<Type> type_of(const PgQuery__TypeName& name);

class Resolver {
 public:
  explicit Resolver(const Schema& schema) : schema_(schema) {}

  Result<Statement> statement(const PgQuery__Node& node);
  /// A condition on the attributes of one relation; they have occurrence 0.
  Result<Expression> condition(const PgQuery__Node& node, const Relation& relation);
  /// Why one of the above failed.
  const Refusal& refusal() const { return refusal_; }

 private:
  /// A column that can be named.
  struct Named {
    std::string name;
    std::vector<Expression::Source> sources;
    bool is_computed = false;
    bool needs_qualifier = false;  ///< the other side of USING has it
  };
  /// Something in FROM.
  struct Entry {
    std::string name;
    std::vector<Named> columns;
  };
  struct Scope {
    std::vector<Entry> entries;
    const Scope* outer = nullptr;
  };
  struct CommonTable {
    std::string name;
    std::vector<Named> columns;
  };
  /// What a part of FROM added: entries from `entry` on, occurrences from `occurrence` on, up to those there now.
  struct Part {
    std::size_t entry;
    std::size_t occurrence;
  };
  using Nodes = PgQuery__Node* const*;

  Error refuse(std::int32_t location, std::string construct);
  static std::vector<Named> columns_of(const Query& query);

  Result<Query> query(const PgQuery__SelectStmt& select, const Scope* outer);
  Result<void> with(const PgQuery__WithClause& clause, const Scope* outer, Query& into);
  Result<void> set_operation(const PgQuery__SelectStmt& select, const Scope* outer, Query& into);
  Result<void> block(const PgQuery__SelectStmt& select, Scope& scope, Query& into);
  Result<void> from(const PgQuery__Node& node, Scope& scope, Query& into);
  Result<void> relation(const PgQuery__RangeVar& variable, Scope& scope, Query& into);
  Result<void> derived(const PgQuery__RangeSubselect& subselect, Scope& scope, Query& into);
  Result<void> join(const PgQuery__JoinExpr& join, Scope& scope, Query& into);
  Result<Expression> using_condition(const PgQuery__JoinExpr& join, Scope& scope, Part left, Part right);
  Result<void> add_entry(std::string name, std::vector<Named> columns, const PgQuery__Alias* alias, Scope& scope,
                         std::int32_t location);
  Result<void> output(const PgQuery__ResTarget& target, const Scope& scope, Query& into);
  Result<Expression> grouped(const PgQuery__Node& node, const Scope& scope, const Query& query);
  Result<SortKey> sorted(const PgQuery__SortBy& key, const Scope& scope, const Query& query);
  Result<std::optional<Expression>> output_at(const PgQuery__Node& node, const Query& query);

  Result<Expression> expression(const PgQuery__Node& node, const Scope& scope);
  Result<std::vector<Expression>> expressions(Nodes nodes, std::size_t count, const Scope& scope);
  Result<Expression> operation(std::string word, std::int32_t location, Nodes nodes, std::size_t count,
                               const Scope& scope);
  Result<Expression> column(const PgQuery__ColumnRef& reference, const Scope& scope);
  Result<Expression> find_column(std::string_view entry, std::string_view name, std::int32_t location,
                                 const Scope& scope);
  Result<Expression> constant(const PgQuery__AConst& constant);
  Result<Expression> operator_call(const PgQuery__AExpr& call, const Scope& scope);
  Result<Expression> function_call(const PgQuery__FuncCall& call, const Scope& scope);
  Result<Expression> over(Expression call, const PgQuery__WindowDef& window, const Scope& scope);
  Result<Expression> subquery(const PgQuery__SubLink& link, const Scope& scope);
  Result<Expression> case_of(const PgQuery__CaseExpr& node, const Scope& scope);
  Result<Expression> cast(const PgQuery__TypeCast& node, const Scope& scope);

  const Schema& schema_;
  Statement statement_;
  std::uint32_t blocks_ = 0;
  std::vector<CommonTable> common_tables_;  // the innermost last
  Refusal refusal_;
};

}  // namespace fugu::querylog::detail
