#include "resolver.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "words.hpp"

namespace fugu::querylog::detail {

namespace {

using Kind = Expression::Kind;

std::span<PgQuery__Node* const> nodes(PgQuery__Node* const* items, std::size_t count) { return {items, count}; }

/// The text of a name's part; empty for what is no text.
std::string_view text_of(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_STRING ? std::string_view(node.string->sval) : std::string_view{};
}

/// The only part of a name, or the second after `pg_catalog`, in which the parser puts what has a syntax of its own.
std::string_view public_name(PgQuery__Node* const* parts, std::size_t count) {
  if (count == 1) return text_of(*parts[0]);
  return count == 2 && text_of(*parts[0]) == "pg_catalog" ? text_of(*parts[1]) : std::string_view{};
}

std::string join_word(PgQuery__JoinType type, bool has_condition) {
  switch (type) {
    case PG_QUERY__JOIN_TYPE__JOIN_INNER: return has_condition ? "JOIN" : "CROSS JOIN";
    case PG_QUERY__JOIN_TYPE__JOIN_LEFT: return "LEFT JOIN";
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT: return "RIGHT JOIN";
    case PG_QUERY__JOIN_TYPE__JOIN_FULL: return "FULL JOIN";
    default: return {};
  }
}

std::string set_word(PgQuery__SetOperation operation, bool all) {
  const std::string end = all ? " ALL" : "";
  switch (operation) {
    case PG_QUERY__SET_OPERATION__SETOP_UNION: return "UNION" + end;
    case PG_QUERY__SET_OPERATION__SETOP_INTERSECT: return "INTERSECT" + end;
    case PG_QUERY__SET_OPERATION__SETOP_EXCEPT: return "EXCEPT" + end;
    default: return {};
  }
}

/// Empty for USING.
std::string sort_word(const PgQuery__SortBy& key) {
  if (key.n_use_op > 0) return {};
  std::string word = key.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC ? "DESC" : "ASC";
  if (key.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST) word += " NULLS FIRST";
  if (key.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST) word += " NULLS LAST";
  return word;
}

std::string_view truth_word(PgQuery__BoolTestType type) {
  switch (type) {
    case PG_QUERY__BOOL_TEST_TYPE__IS_TRUE: return "IS TRUE";
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE: return "IS NOT TRUE";
    case PG_QUERY__BOOL_TEST_TYPE__IS_FALSE: return "IS FALSE";
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE: return "IS NOT FALSE";
    case PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN: return "IS UNKNOWN";
    case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN: return "IS NOT UNKNOWN";
    default: return {};
  }
}

std::string_view now_word(PgQuery__SQLValueFunctionOp operation) {
  switch (operation) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE: return "CURRENT_DATE";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME: return "CURRENT_TIME";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP: return "CURRENT_TIMESTAMP";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME: return "LOCALTIME";
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP: return "LOCALTIMESTAMP";
    default: return {};
  }
}

std::optional<int> integer(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_A_CONST || node.a_const->isnull != 0) return std::nullopt;
  if (node.a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL) return std::nullopt;
  return node.a_const->ival->ival;
}

Expression made(Kind kind, std::string word, std::int32_t location, std::vector<Expression> operands = {}) {
  return {.kind = kind,
          .word = std::move(word),
          .operands = std::move(operands),
          .position = static_cast<std::size_t>(std::max(location, 0))};
}

/// Each of these has to hold.
Expression both(Expression a, Expression b) {
  const auto location = static_cast<std::int32_t>(a.position);
  std::vector<Expression> operands;
  operands.push_back(std::move(a));
  operands.push_back(std::move(b));
  return made(Kind::all_of, "AND", location, std::move(operands));
}

/// The sources of all columns in an expression. Those in a subquery belong to what it reads itself.
void collect_sources(const Expression& expression, std::vector<Expression::Source>& into) {
  into.insert(into.end(), expression.sources.begin(), expression.sources.end());
  for (const Expression& operand : expression.operands) collect_sources(operand, into);
}

template <class T>
void sort_unique(std::vector<T>& items) {
  std::ranges::sort(items);
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

std::optional<Type> type_of(const PgQuery__TypeName& name) {
  if (name.setof != 0 || name.pct_type != 0 || name.n_array_bounds > 0) return std::nullopt;
  const std::string_view word = public_name(name.names, name.n_names);
  std::vector<int> numbers;
  for (const PgQuery__Node* const each : nodes(name.typmods, name.n_typmods)) {
    const auto number = integer(*each);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (word == "interval" && numbers.size() <= 2) return Type{.kind = Type::Kind::text, .word = "interval"};
  if (numbers.size() > 2) return std::nullopt;
  return type_named(word, numbers.empty() ? std::nullopt : std::optional(numbers[0]),
                    numbers.size() < 2 ? std::nullopt : std::optional(numbers[1]));
}

Error Resolver::refuse(std::int32_t location, std::string construct) {
  refusal_ = {std::move(construct), location < 0 ? 0 : static_cast<std::size_t>(location) + 1};
  return {Cause::bad_input, refusal_.text()};
}

Result<Statement> Resolver::statement(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return refuse(-1, "a statement that is not SELECT");
  FUGU_ASSIGN(statement_.query, query(*node.select_stmt, nullptr));
  return std::move(statement_);
}

Result<Expression> Resolver::condition(const PgQuery__Node& node, const Relation& of) {
  Entry entry{.name = of.name, .columns = {}};
  for (std::uint32_t i = 0; i < of.columns.size(); ++i) entry.columns.push_back({of.columns[i].name, {{0, i}}});
  return expression(node, Scope{.entries = {std::move(entry)}});
}

// --- queries ---

Result<Query> Resolver::query(const PgQuery__SelectStmt& select, const Scope* outer) {
  if (select.into_clause != nullptr) return refuse(-1, "SELECT INTO");
  if (select.n_locking_clause > 0) return refuse(-1, "FOR UPDATE or another lock");
  if (select.n_window_clause > 0) return refuse(-1, "WINDOW");
  if (select.n_values_lists > 0) return refuse(-1, "VALUES");
  if (select.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES) return refuse(-1, "WITH TIES");
  const std::size_t tables_before = common_tables_.size();
  Query result{.block = blocks_++};
  if (select.with_clause != nullptr) FUGU_TRY(with(*select.with_clause, outer, result));
  Scope scope{.entries = {}, .outer = outer};
  if (select.op == PG_QUERY__SET_OPERATION__SETOP_NONE) {
    FUGU_TRY(block(select, scope, result));
  } else {
    FUGU_TRY(set_operation(select, outer, result));
  }
  for (const PgQuery__Node* const node : nodes(select.sort_clause, select.n_sort_clause)) {
    FUGU_ASSIGN(SortKey key, sorted(*node->sort_by, scope, result));
    result.order_by.push_back(std::move(key));
  }
  if (select.limit_count != nullptr) {
    FUGU_ASSIGN(result.limit, expression(*select.limit_count, scope));
  }
  if (select.limit_offset != nullptr) {
    FUGU_ASSIGN(result.offset, expression(*select.limit_offset, scope));
  }
  common_tables_.resize(tables_before);
  return result;
}

Result<void> Resolver::with(const PgQuery__WithClause& clause, const Scope* outer, Query& into) {
  if (clause.recursive != 0) return refuse(clause.location, "WITH RECURSIVE");
  for (const PgQuery__Node* const node : nodes(clause.ctes, clause.n_ctes)) {
    const PgQuery__CommonTableExpr& table = *node->common_table_expr;
    if (table.ctequery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
      return refuse(table.location, "a statement in WITH that is not SELECT");
    }
    if (table.search_clause != nullptr || table.cycle_clause != nullptr)
      return refuse(table.location, "SEARCH or CYCLE");
    FUGU_ASSIGN(Query inner, query(*table.ctequery->select_stmt, outer));
    PgQuery__Alias alias = PG_QUERY__ALIAS__INIT;
    alias.aliasname = table.ctename;
    alias.n_colnames = table.n_aliascolnames;
    alias.colnames = table.aliascolnames;
    Scope one;
    FUGU_TRY(add_entry({}, columns_of(inner), &alias, one, table.location));
    common_tables_.push_back({one.entries[0].name, std::move(one.entries[0].columns)});
    into.with.push_back(std::move(inner));
  }
  return {};
}

std::vector<Resolver::Named> Resolver::columns_of(const Query& query) {
  std::vector<Named> columns;
  for (const Output& output : query.outputs) {
    Named column{.name = output.name, .sources = {}};
    collect_sources(output.expression, column.sources);
    sort_unique(column.sources);
    column.is_computed = output.expression.kind != Kind::column || output.expression.is_computed;
    columns.push_back(std::move(column));
  }
  return columns;
}

Result<void> Resolver::set_operation(const PgQuery__SelectStmt& select, const Scope* outer, Query& into) {
  into.set_word = set_word(select.op, select.all != 0);
  if (into.set_word.empty()) return refuse(-1, "a set operation that is not on the list");
  for (const PgQuery__SelectStmt* const side : {select.larg, select.rarg}) {
    FUGU_ASSIGN(Query read, query(*side, outer));
    into.sides.push_back(std::move(read));
  }
  const std::vector<Named> left = columns_of(into.sides[0]);
  const std::vector<Named> right = columns_of(into.sides[1]);
  if (left.size() != right.size()) return refuse(-1, "a set operation on different numbers of columns");
  for (std::size_t i = 0; i < left.size(); ++i) {
    Expression merged = made(Kind::column, {}, 0);
    merged.sources = left[i].sources;
    merged.sources.insert(merged.sources.end(), right[i].sources.begin(), right[i].sources.end());
    sort_unique(merged.sources);
    merged.is_computed = true;
    into.outputs.push_back({.expression = std::move(merged), .name = left[i].name});
  }
  return {};
}

Result<void> Resolver::block(const PgQuery__SelectStmt& select, Scope& scope, Query& into) {
  for (const PgQuery__Node* const node : nodes(select.from_clause, select.n_from_clause)) {
    FUGU_TRY(from(*node, scope, into));
  }
  into.has_from = select.n_from_clause > 0;
  into.is_distinct = select.n_distinct_clause > 0;
  if (into.is_distinct && select.distinct_clause[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET) {
    return refuse(-1, "DISTINCT ON");
  }
  for (const PgQuery__Node* const node : nodes(select.target_list, select.n_target_list)) {
    FUGU_TRY(output(*node->res_target, scope, into));
  }
  if (select.where_clause != nullptr) {
    FUGU_ASSIGN(into.where, expression(*select.where_clause, scope));
  }
  if (select.group_distinct != 0) return refuse(-1, "GROUP BY DISTINCT");
  for (const PgQuery__Node* const node : nodes(select.group_clause, select.n_group_clause)) {
    FUGU_ASSIGN(Expression key, grouped(*node, scope, into));
    into.group_by.push_back(std::move(key));
  }
  if (select.having_clause != nullptr) {
    FUGU_ASSIGN(into.having, expression(*select.having_clause, scope));
  }
  return {};
}

// --- FROM ---

Result<void> Resolver::from(const PgQuery__Node& node, Scope& scope, Query& into) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR: return relation(*node.range_var, scope, into);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT: return derived(*node.range_subselect, scope, into);
    case PG_QUERY__NODE__NODE_JOIN_EXPR: return join(*node.join_expr, scope, into);
    default: return refuse(-1, "something in FROM that is no relation, subquery or join");
  }
}

Result<void> Resolver::relation(const PgQuery__RangeVar& variable, Scope& scope, Query& into) {
  const std::string_view name = variable.relname;
  if (*variable.catalogname != '\0' || *variable.schemaname != '\0') {
    return refuse(variable.location, "a relation with the name of a schema");
  }
  if (variable.inh == 0) return refuse(variable.location, "ONLY");
  const auto common = std::ranges::find(common_tables_.rbegin(), common_tables_.rend(), name, &CommonTable::name);
  if (common != common_tables_.rend()) {
    return add_entry(common->name, common->columns, variable.alias, scope, variable.location);
  }
  const auto found = schema_.relation(name);
  if (!found) return refuse(variable.location, "a relation that the schema does not have");
  const auto occurrence = static_cast<std::uint32_t>(statement_.occurrences.size());
  statement_.occurrences.push_back(
      {.relation = *found, .block = into.block, .position = static_cast<std::size_t>(std::max(variable.location, 0))});
  into.relations.push_back(occurrence);
  std::vector<Named> columns;
  for (const Column& column : schema_.relations()[*found].columns) {
    columns.push_back({column.name, {{occurrence, static_cast<std::uint32_t>(columns.size())}}});
  }
  return add_entry(std::string(name), std::move(columns), variable.alias, scope, variable.location);
}

Result<void> Resolver::derived(const PgQuery__RangeSubselect& subselect, Scope& scope, Query& into) {
  if (subselect.lateral != 0) return refuse(-1, "LATERAL");
  if (subselect.subquery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    return refuse(-1, "a subquery that is not SELECT");
  }
  FUGU_ASSIGN(Query inner, query(*subselect.subquery->select_stmt, scope.outer));
  FUGU_TRY(add_entry({}, columns_of(inner), subselect.alias, scope, -1));
  into.derived.push_back(std::move(inner));
  return {};
}

Result<void> Resolver::add_entry(std::string name, std::vector<Named> columns, const PgQuery__Alias* alias,
                                 Scope& scope, std::int32_t location) {
  if (alias != nullptr) {
    name = alias->aliasname;
    if (alias->n_colnames > columns.size()) return refuse(location, "more names for columns than columns");
    for (std::size_t i = 0; i < alias->n_colnames; ++i) columns[i].name = text_of(*alias->colnames[i]);
  }
  if (std::ranges::find(scope.entries, name, &Entry::name) != scope.entries.end()) {
    return refuse(location, "a name that stands for two things in FROM");
  }
  scope.entries.push_back({std::move(name), std::move(columns)});
  return {};
}

Result<void> Resolver::join(const PgQuery__JoinExpr& node, Scope& scope, Query& into) {
  if (node.is_natural != 0) return refuse(-1, "NATURAL JOIN");
  if (node.alias != nullptr || node.join_using_alias != nullptr) return refuse(-1, "a name for a join");
  auto& occurrences = statement_.occurrences;
  const Part left{scope.entries.size(), occurrences.size()};
  FUGU_TRY(from(*node.larg, scope, into));
  const Part right{scope.entries.size(), occurrences.size()};
  FUGU_TRY(from(*node.rarg, scope, into));
  const std::size_t end = occurrences.size();
  Join join{.word = join_word(node.jointype, node.quals != nullptr || node.n_using_clause > 0)};
  if (join.word.empty()) return refuse(-1, "a join that is not on the list");
  const bool may_lack_left = join.word == "RIGHT JOIN" || join.word == "FULL JOIN";
  const bool may_lack_right = join.word == "LEFT JOIN" || join.word == "FULL JOIN";
  for (std::size_t i = left.occurrence; i < end; ++i) {
    const bool may_lack = i < right.occurrence ? may_lack_left : may_lack_right;
    const bool may_lack_other = i < right.occurrence ? may_lack_right : may_lack_left;
    occurrences[i].is_optional |= may_lack;
    if (!may_lack_other) join.restricted.push_back(static_cast<std::uint32_t>(i));
  }
  if (node.quals != nullptr) {
    const auto first = scope.entries.begin() + static_cast<std::ptrdiff_t>(left.entry);
    const Scope joined{.entries = {first, scope.entries.end()}, .outer = scope.outer};
    FUGU_ASSIGN(join.condition, expression(*node.quals, joined));
  } else if (node.n_using_clause > 0) {
    if (join.word == "FULL JOIN") return refuse(-1, "FULL JOIN with USING");
    FUGU_ASSIGN(join.condition, using_condition(node, scope, left, right));
  }
  into.joins.push_back(std::move(join));
  return {};
}

Result<Expression> Resolver::using_condition(const PgQuery__JoinExpr& node, Scope& scope, Part left, Part right) {
  std::optional<Expression> condition;
  const bool keeps_right = node.jointype == PG_QUERY__JOIN_TYPE__JOIN_RIGHT;
  for (const PgQuery__Node* const name : nodes(node.using_clause, node.n_using_clause)) {
    std::vector<Expression> sides;
    const std::size_t begins[] = {left.entry, right.entry, scope.entries.size()};
    for (std::size_t side = 0; side < 2; ++side) {
      const auto at = [&](std::size_t entry) { return scope.entries.begin() + static_cast<std::ptrdiff_t>(entry); };
      const Scope one{.entries = {at(begins[side]), at(begins[side + 1])}};
      FUGU_ASSIGN(Expression found, find_column({}, text_of(*name), -1, one));
      sides.push_back(std::move(found));
    }
    for (std::size_t entry = begins[keeps_right ? 0 : 1]; entry < begins[keeps_right ? 1 : 2]; ++entry) {
      for (Named& column : scope.entries[entry].columns) column.needs_qualifier |= column.name == text_of(*name);
    }
    Expression equal = made(Kind::operation, "=", 0, std::move(sides));
    condition = condition ? both(*std::move(condition), std::move(equal)) : std::move(equal);
  }
  return *std::move(condition);
}

// --- SELECT, GROUP BY, ORDER BY ---

Result<void> Resolver::output(const PgQuery__ResTarget& target, const Scope& scope, Query& into) {
  const PgQuery__Node& value = *target.val;
  const bool is_column = value.node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
  const auto fields =
      is_column ? nodes(value.column_ref->fields, value.column_ref->n_fields) : std::span<PgQuery__Node* const>{};
  if (!is_column || fields.back()->node_case != PG_QUERY__NODE__NODE_A_STAR) {
    FUGU_ASSIGN(Expression read, expression(value, scope));
    std::string name = target.name;
    if (name.empty() && is_column) name = text_of(*fields.back());
    if (name.empty() && (read.kind == Kind::function || read.kind == Kind::aggregate)) name = read.word;
    into.outputs.push_back({.expression = std::move(read), .name = std::move(name)});
    return {};
  }
  if (fields.size() > 2) return refuse(target.location, "a name of more than two parts");
  into.has_star = true;
  const bool of_all = fields.size() == 1;
  bool any = false;
  for (const Entry& entry : scope.entries) {
    if (!of_all && entry.name != text_of(*fields[0])) continue;
    any = true;
    for (const Named& column : entry.columns) {
      if (of_all && column.needs_qualifier) continue;
      Expression read = made(Kind::column, {}, target.location);
      read.sources = column.sources;
      read.is_computed = column.is_computed;
      into.outputs.push_back({.expression = std::move(read), .name = column.name, .from_star = true});
    }
  }
  if (!any) return refuse(target.location, "* of something that is not in FROM");
  return {};
}

/// A whole number stands for the output of that place.
Result<std::optional<Expression>> Resolver::output_at(const PgQuery__Node& node, const Query& query) {
  const auto place = integer(node);
  if (!place) return std::optional<Expression>{};
  if (*place < 1 || static_cast<std::size_t>(*place) > query.outputs.size()) {
    return refuse(node.a_const->location, "the number of a column that there is not");
  }
  return std::optional(query.outputs[static_cast<std::size_t>(*place) - 1].expression);
}

namespace {

std::string_view simple_name(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF || node.column_ref->n_fields != 1) return {};
  return text_of(*node.column_ref->fields[0]);
}

const Output* output_named(const Query& query, std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = std::ranges::find(query.outputs, name, &Output::name);
  return found == query.outputs.end() ? nullptr : &*found;
}

}  // namespace

Result<Expression> Resolver::grouped(const PgQuery__Node& node, const Scope& scope, const Query& query) {
  FUGU_ASSIGN(auto numbered, output_at(node, query));
  if (numbered) return *std::move(numbered);
  auto read = expression(node, scope);  // a column of FROM goes before an output of that name
  const Output* const named = output_named(query, simple_name(node));
  if (!read && named != nullptr) return named->expression;
  return read;
}

Result<SortKey> Resolver::sorted(const PgQuery__SortBy& key, const Scope& scope, const Query& query) {
  SortKey result;
  result.word = sort_word(key);
  if (result.word.empty()) return refuse(key.location, "ORDER BY USING");
  FUGU_ASSIGN(auto numbered, output_at(*key.node, query));
  if (numbered) {
    result.expression = *std::move(numbered);
  } else if (const Output* const named = output_named(query, simple_name(*key.node))) {
    result.expression = named->expression;  // an output goes before a column of FROM
  } else {
    FUGU_ASSIGN(result.expression, expression(*key.node, scope));
  }
  return result;
}

// --- expressions ---

Result<Expression> Resolver::expression(const PgQuery__Node& node, const Scope& scope) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF: return column(*node.column_ref, scope);
    case PG_QUERY__NODE__NODE_A_CONST: return constant(*node.a_const);
    case PG_QUERY__NODE__NODE_A_EXPR: return operator_call(*node.a_expr, scope);
    case PG_QUERY__NODE__NODE_BOOL_EXPR: {
      const PgQuery__BoolExpr& logic = *node.bool_expr;
      FUGU_ASSIGN(auto operands, expressions(logic.args, logic.n_args, scope));
      const bool is_and = logic.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR;
      const bool is_or = logic.boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR;
      if (is_and) return made(Kind::all_of, "AND", logic.location, std::move(operands));
      if (is_or) return made(Kind::any_of, "OR", logic.location, std::move(operands));
      return made(Kind::negation, "NOT", logic.location, std::move(operands));
    }
    case PG_QUERY__NODE__NODE_NULL_TEST: {
      const PgQuery__NullTest& test = *node.null_test;
      const bool is_null = test.nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL;
      return operation(is_null ? "IS NULL" : "IS NOT NULL", test.location, &test.arg, 1, scope);
    }
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST: {
      const PgQuery__BooleanTest& test = *node.boolean_test;
      return operation(std::string(truth_word(test.booltesttype)), test.location, &test.arg, 1, scope);
    }
    case PG_QUERY__NODE__NODE_SUB_LINK: return subquery(*node.sub_link, scope);
    case PG_QUERY__NODE__NODE_FUNC_CALL: return function_call(*node.func_call, scope);
    case PG_QUERY__NODE__NODE_TYPE_CAST: return cast(*node.type_cast, scope);
    case PG_QUERY__NODE__NODE_CASE_EXPR: return case_of(*node.case_expr, scope);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: {
      const PgQuery__CoalesceExpr& call = *node.coalesce_expr;
      return operation("COALESCE", call.location, call.args, call.n_args, scope);
    }
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: {
      const PgQuery__MinMaxExpr& call = *node.min_max_expr;
      const bool greatest = call.op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
      return operation(greatest ? "GREATEST" : "LEAST", call.location, call.args, call.n_args, scope);
    }
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION: {
      const PgQuery__SQLValueFunction& call = *node.sqlvalue_function;
      if (now_word(call.op).empty()) return refuse(call.location, "a function that is not on the list");
      return made(Kind::operation, std::string(now_word(call.op)), call.location);
    }
    case PG_QUERY__NODE__NODE_PARAM_REF:
      return refuse(node.param_ref->location, "a parameter, whose value is not in the text");
    default: return refuse(-1, "an expression of a kind that is not on the list");
  }
}

Result<std::vector<Expression>> Resolver::expressions(Nodes items, std::size_t count, const Scope& scope) {
  std::vector<Expression> result;
  for (const PgQuery__Node* const node : nodes(items, count)) {
    FUGU_ASSIGN(Expression read, expression(*node, scope));
    result.push_back(std::move(read));
  }
  return result;
}

Result<Expression> Resolver::operation(std::string word, std::int32_t location, Nodes items, std::size_t count,
                                       const Scope& scope) {
  FUGU_ASSIGN(auto operands, expressions(items, count, scope));
  return made(Kind::operation, std::move(word), location, std::move(operands));
}

Result<Expression> Resolver::column(const PgQuery__ColumnRef& reference, const Scope& scope) {
  const auto fields = nodes(reference.fields, reference.n_fields);
  if (fields.size() > 2) return refuse(reference.location, "a name of more than two parts");
  const std::string_view name = text_of(*fields.back());
  if (name.empty()) return refuse(reference.location, "* where a value is needed");
  return find_column(fields.size() == 2 ? text_of(*fields[0]) : std::string_view{}, name, reference.location, scope);
}

Result<Expression> Resolver::find_column(std::string_view entry_name, std::string_view name, std::int32_t location,
                                         const Scope& scope) {
  for (const Scope* each = &scope; each != nullptr; each = each->outer) {
    const Named* found = nullptr;
    for (const Entry& entry : each->entries) {
      if (!entry_name.empty() && entry.name != entry_name) continue;
      for (const Named& column : entry.columns) {
        if (column.name != name || (entry_name.empty() && column.needs_qualifier)) continue;
        if (found != nullptr) return refuse(location, "a column that several relations have");
        found = &column;
      }
    }
    if (found == nullptr) continue;
    Expression result = made(Kind::column, {}, location);
    result.sources = found->sources;
    result.is_computed = found->is_computed;
    return result;
  }
  return refuse(location, "a column that is not in FROM");
}

Result<Expression> Resolver::constant(const PgQuery__AConst& node) {
  Expression result = made(Kind::constant, {}, node.location);
  if (node.isnull != 0) return result;
  switch (node.val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
      result.constant = {Constant::Kind::number, std::to_string(node.ival->ival)};
      return result;
    case PG_QUERY__A__CONST__VAL_FVAL: {
      const auto number = DecimalNumber::parse(node.fval->fval);
      if (!number) return refuse(node.location, "a number of too many digits");
      result.constant = {Constant::Kind::number, number->text()};
      return result;
    }
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
      result.constant = {Constant::Kind::boolean, node.boolval->boolval != 0 ? "true" : "false"};
      return result;
    case PG_QUERY__A__CONST__VAL_SVAL: result.constant = {Constant::Kind::text, node.sval->sval}; return result;
    default: return refuse(node.location, "a constant of a kind that is not on the list");
  }
}

Result<Expression> Resolver::operator_call(const PgQuery__AExpr& call, const Scope& scope) {
  const std::string_view name = call.n_name == 1 ? text_of(*call.name[0]) : std::string_view{};
  std::vector<PgQuery__Node*> operands;
  if (call.lexpr != nullptr) operands.push_back(call.lexpr);
  const auto add_list = [&operands](const PgQuery__Node& list) {
    operands.insert(operands.end(), list.list->items, list.list->items + list.list->n_items);
  };
  std::string word;
  switch (call.kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
      word = operator_word(name);
      operands.push_back(call.rexpr);
      break;
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
      word = name == "=" ? "IN" : "NOT IN";
      add_list(*call.rexpr);
      break;
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
      word = name;  // the parser has the words there
      add_list(*call.rexpr);
      break;
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
      word = call.kind == PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM";
      operands.push_back(call.rexpr);
      break;
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
      word = "NULLIF";
      operands.push_back(call.rexpr);
      break;
    default: break;
  }
  if (word.empty()) return refuse(call.location, "an operator that is not on the list");
  FUGU_ASSIGN(Expression result, operation(word, call.location, operands.data(), operands.size(), scope));
  const bool is_sign = result.operands.size() == 1 && (word == "-" || word == "+");
  if (is_sign && result.operands[0].kind == Kind::constant &&
      result.operands[0].constant.kind == Constant::Kind::number) {  // -5 is a number, not an operation
    Expression number = std::move(result.operands[0]);
    if (word == "-") number.constant.text = DecimalNumber::parse(number.constant.text)->negated().text();
    number.position = result.position;
    return number;
  }
  return result;
}

Result<Expression> Resolver::function_call(const PgQuery__FuncCall& call, const Scope& scope) {
  const std::string_view name = public_name(call.funcname, call.n_funcname);
  const FunctionKind kind = function_kind(name);
  if (kind == FunctionKind::unknown) return refuse(call.location, "a function that is not on the list");
  if (kind == FunctionKind::window && call.over == nullptr)
    return refuse(call.location, "a window function without OVER");
  if (call.n_agg_order > 0 || call.agg_within_group != 0) return refuse(call.location, "an aggregate with ORDER BY");
  if (call.agg_filter != nullptr) return refuse(call.location, "FILTER");
  if (call.func_variadic != 0) return refuse(call.location, "VARIADIC");
  std::vector<Expression> operands;
  if (call.agg_star != 0) {
    operands.push_back(made(Kind::star, {}, call.location));
  } else {
    FUGU_ASSIGN(operands, expressions(call.args, call.n_args, scope));
  }
  const std::string word = std::string(name) + (call.agg_distinct != 0 ? " DISTINCT" : "");
  const bool is_aggregate = kind == FunctionKind::aggregate && call.over == nullptr;
  Expression result = made(is_aggregate ? Kind::aggregate : Kind::function, word, call.location, std::move(operands));
  if (call.over != nullptr) return over(std::move(result), *call.over, scope);
  return result;
}

/// `call OVER (PARTITION BY … ORDER BY …)` as an operation OVER on the call and on both lists.
Result<Expression> Resolver::over(Expression call, const PgQuery__WindowDef& window, const Scope& scope) {
  constexpr std::int32_t kNoFrame = 1058;  // FRAMEOPTION_DEFAULTS of PostgreSQL
  const bool is_named = *window.name != '\0' || *window.refname != '\0';
  if (is_named || window.frame_options != kNoFrame)
    return refuse(window.location, "a named window, or one with a frame");
  std::vector<Expression> parts;
  parts.push_back(std::move(call));
  if (window.n_partition_clause > 0) {
    FUGU_ASSIGN(Expression keys,
                operation("PARTITION BY", window.location, window.partition_clause, window.n_partition_clause, scope));
    parts.push_back(std::move(keys));
  }
  if (window.n_order_clause > 0) {
    Expression keys = made(Kind::operation, "ORDER BY", window.location);
    for (const PgQuery__Node* const node : nodes(window.order_clause, window.n_order_clause)) {
      FUGU_ASSIGN(Expression key, expression(*node->sort_by->node, scope));
      const std::string word = sort_word(*node->sort_by);
      if (word.empty()) return refuse(node->sort_by->location, "ORDER BY USING");
      if (word != "ASC") key = made(Kind::operation, word, node->sort_by->location, {std::move(key)});
      keys.operands.push_back(std::move(key));
    }
    parts.push_back(std::move(keys));
  }
  return made(Kind::operation, "OVER", window.location, std::move(parts));
}

Result<Expression> Resolver::subquery(const PgQuery__SubLink& link, const Scope& scope) {
  std::string word;
  const std::string_view by = link.n_oper_name == 1 ? operator_word(text_of(*link.oper_name[0])) : std::string_view{};
  switch (link.sub_link_type) {
    case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK: word = "EXISTS"; break;
    case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:  // IN has no operator there
      word = link.n_oper_name == 0 || by == "=" ? "IN" : std::string(by) + " ANY";
      break;
    case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK: word = std::string(by) + " ALL"; break;
    case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK: break;
    default: return refuse(link.location, "a subquery of a kind that is not on the list");
  }
  if (link.n_oper_name > 0 && by.empty()) return refuse(link.location, "an operator that is not on the list");
  Expression result = made(Kind::subquery, word, link.location);
  if (link.testexpr != nullptr) {
    FUGU_ASSIGN(Expression tested, expression(*link.testexpr, scope));
    result.operands.push_back(std::move(tested));
  }
  if (link.subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    return refuse(link.location, "a subquery that is not SELECT");
  }
  FUGU_ASSIGN(Query inner, query(*link.subselect->select_stmt, &scope));
  result.query = std::make_shared<const Query>(std::move(inner));
  return result;
}

Result<Expression> Resolver::case_of(const PgQuery__CaseExpr& node, const Scope& scope) {
  std::vector<PgQuery__Node*> parts;
  if (node.arg != nullptr) parts.push_back(node.arg);
  for (const PgQuery__Node* const branch : nodes(node.args, node.n_args)) {
    parts.push_back(branch->case_when->expr);
    parts.push_back(branch->case_when->result);
  }
  if (node.defresult != nullptr) parts.push_back(node.defresult);
  return operation("CASE", node.location, parts.data(), parts.size(), scope);
}

Result<Expression> Resolver::cast(const PgQuery__TypeCast& node, const Scope& scope) {
  const auto type = type_of(*node.type_name);
  if (!type) return refuse(node.location, "a type that is not on the list");
  FUGU_ASSIGN(Expression operand, expression(*node.arg, scope));
  Expression result = made(Kind::cast, type->word, node.location);
  result.operands.push_back(std::move(operand));
  result.type = type;
  return result;
}

}  // namespace fugu::querylog::detail
