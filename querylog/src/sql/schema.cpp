#include "fugu/sql/schema.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "fugu/stream/csv.hpp"
#include "fugu/stream/input.hpp"
#include "fugu/stream/line_reader.hpp"
#include "parse_tree.hpp"
#include "resolver.hpp"

namespace fugu::querylog {

namespace {

using detail::Resolver;

constexpr std::size_t kBytesOfFileMax = 64 * 1024 * 1024;

std::span<PgQuery__Node* const> nodes(PgQuery__Node* const* items, std::size_t count) { return {items, count}; }

Error bad(const std::string& file, std::uint64_t line, std::size_t column, std::string_view found,
          std::string_view expected) {
  return found_but_expected({file, line, column}, found, expected);
}

/// Reads one CREATE TABLE statement.
class TableReader {
 public:
  Result<Relation> read(const PgQuery__Node& statement) {
    if (statement.node_case != PG_QUERY__NODE__NODE_CREATE_STMT) return refuse("a statement that is not CREATE TABLE");
    const PgQuery__CreateStmt& table = *statement.create_stmt;
    if (*table.relation->schemaname != '\0') return refuse("a relation with the name of a schema");
    if (table.n_inh_relations > 0 || table.partbound != nullptr || table.partspec != nullptr ||
        table.of_typename != nullptr) {
      return refuse("INHERITS, PARTITION or OF");
    }
    relation_.name = table.relation->relname;
    for (const PgQuery__Node* const node : nodes(table.table_elts, table.n_table_elts)) {
      if (node->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF) FUGU_TRY(add_column(*node->column_def));
    }
    for (const PgQuery__Node* const node : nodes(table.table_elts, table.n_table_elts)) {
      if (node->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF) {
        const PgQuery__ColumnDef& column = *node->column_def;
        for (const PgQuery__Node* const each : nodes(column.constraints, column.n_constraints)) {
          FUGU_TRY(add_constraint(*each->constraint, column.colname));
        }
      } else if (node->node_case == PG_QUERY__NODE__NODE_CONSTRAINT) {
        FUGU_TRY(add_constraint(*node->constraint, {}));
      } else {
        return refuse("LIKE or another element that is no column");
      }
    }
    return std::move(relation_);
  }

  const Refusal& refusal() const { return refusal_; }

 private:
  Error refuse(std::string construct, std::int32_t location = -1) {
    refusal_ = {std::move(construct), location < 0 ? 0 : static_cast<std::size_t>(location) + 1};
    return {Cause::bad_input, refusal_.text()};
  }

  Result<void> add_column(const PgQuery__ColumnDef& column) {
    if (relation_.column(column.colname)) return refuse("a column twice", column.location);
    const auto type = detail::type_of(*column.type_name);
    if (!type) return refuse("a type that is not on the list", column.type_name->location);
    relation_.columns.push_back({.name = column.colname, .type = *type, .is_nullable = column.is_not_null == 0});
    return {};
  }

  Result<void> add_constraint(const PgQuery__Constraint& constraint, std::string_view of_column) {
    switch (constraint.contype) {
      case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
      case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
      case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
      case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN: return {};
      case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL: return not_null(of_column, constraint.location);
      case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
        if (!of_column.empty()) return not_null(of_column, constraint.location);
        for (const PgQuery__Node* const key : nodes(constraint.keys, constraint.n_keys)) {
          FUGU_TRY(not_null(key->string->sval, constraint.location));
        }
        return {};
      case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK: {
        const Schema none;
        Resolver resolver(none);
        auto check = resolver.condition(*constraint.raw_expr, relation_);
        if (!check) {
          refusal_ = resolver.refusal();
          return std::move(check).failure();
        }
        relation_.checks.push_back(*std::move(check));
        return {};
      }
      default: return refuse("a constraint that is not on the list", constraint.location);
    }
  }

  Result<void> not_null(std::string_view name, std::int32_t location) {
    const auto column = relation_.column(name);
    if (!column) return refuse("a column that the relation does not have", location);
    relation_.columns[*column].is_nullable = false;
    return {};
  }

  Relation relation_;
  Refusal refusal_;
};

std::uint64_t line_of(const std::string& text, std::size_t position) {
  return 1 + static_cast<std::uint64_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

constexpr std::string_view kExpectedTables = "CREATE TABLE statements with columns of known types";

Result<std::vector<Relation>> read_tables(const std::string& file, const std::string& text) {
  auto split = detail::split_script(text);
  if (const auto* const refusal = std::get_if<Refusal>(&split))
    return bad(file, 0, 0, refusal->construct, kExpectedTables);
  std::vector<Relation> relations;
  for (const detail::Piece piece : std::get<std::vector<detail::Piece>>(split)) {
    const std::string_view statement = std::string_view(text).substr(piece.begin, piece.size);
    const auto at = [&](const Refusal& refusal) {
      const std::size_t start = std::min(statement.find_first_not_of(" \t\r\n"), statement.size() - 1);
      const std::size_t inside = refusal.position == 0 ? start : std::min(refusal.position - 1, statement.size());
      return bad(file, line_of(text, piece.begin + inside), 0, refusal.construct, kExpectedTables);
    };
    auto parsed = detail::parse(statement);
    if (const auto* const refusal = std::get_if<Refusal>(&parsed)) return at(*refusal);
    TableReader reader;
    auto relation = reader.read(*std::get<detail::ParseTree>(parsed)->stmts[0]->stmt);
    if (!relation) return at(reader.refusal());
    relations.push_back(*std::move(relation));
  }
  return relations;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// `varchar(255)`, `decimal(8,2)`.
std::optional<Type> written_type(std::string_view text) {
  const std::size_t bracket = text.find('(');
  const std::string name = lower(trimmed(text.substr(0, bracket)));
  if (bracket == std::string_view::npos) return type_named(name);
  if (!text.ends_with(')')) return std::nullopt;
  std::vector<int> numbers;
  for (const std::string_view field : csv::split(text.substr(bracket + 1, text.size() - bracket - 2))) {
    int number = 0;
    const std::string_view digits = trimmed(field);
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (fault != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    numbers.push_back(number);
  }
  if (numbers.size() > 2) return std::nullopt;
  return type_named(name, numbers[0], numbers.size() == 2 ? std::optional(numbers[1]) : std::nullopt);
}

/// The third field of a line, which may have a comma in brackets.
std::string_view type_field(std::string_view line, std::string_view from) {
  const auto start = static_cast<std::size_t>(from.data() - line.data());
  const std::string_view rest = line.substr(start);
  const std::size_t bracket = rest.find('(');
  const std::size_t comma = rest.find(',');
  if (bracket != std::string_view::npos && bracket < comma) return trimmed(rest.substr(0, rest.find(')') + 1));
  return trimmed(rest.substr(0, comma));
}

Result<std::vector<Relation>> read_lines(const std::string& file, const std::string& text) {
  LineReader lines(Input::from_memory(file, text));
  FUGU_TRY(lines.next());  // the header
  std::vector<Relation> relations;
  while (true) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) return relations;
    const auto fields = csv::split(*line);
    if (trimmed(fields[0]) == "-") continue;
    const std::string expected = "table, column and type";
    if (fields.size() < 3) return bad(file, lines.line(), 0, csv::count_fields(fields.size()), expected);
    const std::string table = lower(trimmed(fields[0]));
    const std::string column = lower(trimmed(fields[1]));
    if (table.empty() || column.empty()) return bad(file, lines.line(), 0, "an empty name", expected);
    const auto type = written_type(type_field(*line, fields[2]));
    if (!type)
      return bad(file, lines.line(), csv::column_of(fields[2], *line), "a type that is not on the list", expected);
    auto relation = std::ranges::find(relations, table, &Relation::name);
    if (relation == relations.end()) {
      relations.push_back({.name = table, .columns = {}, .checks = {}});
      relation = relations.end() - 1;
    }
    if (relation->column(column)) return bad(file, lines.line(), 0, "a column twice", "each column once");
    relation->columns.push_back({.name = column, .type = *type});
  }
}

/// Whether there is a word CREATE with a blank after it.
bool is_script(const std::string& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::string small = lower(text);
  for (std::size_t at = small.find("create"); at != std::string::npos; at = small.find("create", at + 1)) {
    const bool starts = at == 0 || kBlanks.find(small[at - 1]) != std::string_view::npos || small[at - 1] == ';';
    const bool ends = at + 6 < small.size() && kBlanks.find(small[at + 6]) != std::string_view::npos;
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace

std::optional<std::uint32_t> Relation::column(std::string_view column_name) const {
  const auto found = std::ranges::find(columns, column_name, &Column::name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - columns.begin());
}

std::optional<std::uint32_t> Schema::relation(std::string_view name) const {
  const auto found = std::ranges::find(relations_, name, &Relation::name);
  if (found == relations_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - relations_.begin());
}

Result<Schema> Schema::read(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  std::string text;
  std::vector<char> block(1 << 16);
  while (true) {
    FUGU_ASSIGN(const std::size_t size, input.read(block));
    if (size == 0) return from_text(path, text);
    text.append(block.data(), size);
    if (text.size() > kBytesOfFileMax) return bad(path, 0, 0, "more than 64 MiB", kExpectedTables);
  }
}

Result<Schema> Schema::from_text(const std::string& file, const std::string& text) {
  Schema schema;
  FUGU_ASSIGN(schema.relations_, is_script(text) ? read_tables(file, text) : read_lines(file, text));
  for (auto relation = schema.relations_.begin(); relation != schema.relations_.end(); ++relation) {
    if (std::ranges::find(schema.relations_.begin(), relation, relation->name, &Relation::name) != relation) {
      return bad(file, 0, 0, "a relation twice", "each relation once");
    }
  }
  if (schema.relations_.empty()) return bad(file, 0, 0, "no relation", kExpectedTables);
  return schema;
}

}  // namespace fugu::querylog
