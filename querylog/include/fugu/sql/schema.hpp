// Relations, their attributes and types: what names in queries are resolved against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/sql/query.hpp"
#include "fugu/sql/type.hpp"

namespace fugu::querylog {

struct Column {
  std::string name;
  Type type;
  bool is_nullable = true;
};

struct Relation {
  std::string name;
  std::vector<Column> columns;
  std::vector<Expression> checks;  ///< CHECK constraints; occurrence 0 of their columns is this relation

  std::optional<std::uint32_t> column(std::string_view column_name) const;
};

class Schema {
 public:
  /// `CREATE TABLE` statements, or lines `table,column,type` after a header that is not looked at.
  ///
  /// Statements may define columns with types, NOT NULL, PRIMARY KEY, UNIQUE, REFERENCES, DEFAULT and CHECK, which
  /// narrows down the values; everything else is bad input. In lines, further fields are not read, lines of `-` and
  /// empty lines separate relations, and names are as unquoted ones in SQL: upper case is lower case. Attributes may
  /// then be NULL. The file is as large as memory allows.
  static Result<Schema> read(const std::string& path);
  static Result<Schema> from_text(const std::string& file, const std::string& text);

  const std::vector<Relation>& relations() const { return relations_; }
  std::optional<std::uint32_t> relation(std::string_view name) const;

  const Relation& relation_of(Attribute attribute) const { return relations_[attribute.relation]; }
  const Column& column(Attribute attribute) const { return relation_of(attribute).columns[attribute.column]; }

 private:
  std::vector<Relation> relations_;
};

}  // namespace fugu::querylog
