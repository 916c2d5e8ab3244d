#include <string>
#include <utility>

#include "fugu/distance/characteristic.hpp"
#include "walk.hpp"

namespace fugu::querylog {

namespace {

using detail::word;
using Kind = Expression::Kind;

class Tokens {
 public:
  Tokens(const Statement& statement, const Schema& schema) : statement_(statement), schema_(schema) {}

  void add(const Query& query) {
    if (!query.with.empty()) add_word("WITH");
    for (const Query& each : query.with) add(each);
    if (query.set_word.empty()) {
      add_block(query);
    } else {
      add_word(query.set_word);
      for (const Query& side : query.sides) add(side);
    }
    if (!query.order_by.empty()) add_word("ORDER BY");
    for (const SortKey& key : query.order_by) {
      if (key.word != "ASC") add_word(key.word);
      add(key.expression);
    }
    if (query.limit) add_clause("LIMIT", *query.limit);
    if (query.offset) add_clause("OFFSET", *query.offset);
  }

  Characteristic take() && { return std::move(elements_).take(); }

 private:
  void add_block(const Query& query) {
    add_word("SELECT");
    if (query.is_distinct) add_word("DISTINCT");
    if (query.has_star) add_word("*");
    for (const Output& output : query.outputs) {
      if (!output.from_star) add(output.expression);
    }
    if (query.has_from) add_word("FROM");
    for (const std::uint32_t occurrence : query.relations) {
      elements_.add({{Part::Kind::relation, schema_.relations()[statement_.occurrences[occurrence].relation].name}});
    }
    for (const Query& each : query.derived) add(each);
    for (const Join& join : query.joins) {
      add_word(join.word);
      if (join.condition) add_clause("ON", *join.condition);
    }
    if (query.where) add_clause("WHERE", *query.where);
    if (!query.group_by.empty()) add_word("GROUP BY");
    for (const Expression& key : query.group_by) add(key);
    if (query.having) add_clause("HAVING", *query.having);
  }

  void add_word(std::string text) { elements_.add({word(std::move(text))}); }
  void add_clause(const char* clause, const Expression& expression) {
    add_word(clause);
    add(expression);
  }

  void add(const Expression& expression) {
    if (const auto predicate = predicate_of(expression, statement_)) return add(*predicate);
    switch (expression.kind) {
      case Kind::column:
        for (const Part& name : names(expression)) elements_.add({name});
        break;
      case Kind::constant: elements_.add({written(expression.constant)}); break;
      case Kind::star: add_word("*"); break;
      case Kind::cast: elements_.add({word("CAST"), word(expression.word)}); break;
      case Kind::function:
      case Kind::aggregate: elements_.add({word("function"), word(expression.word)}); break;
      case Kind::subquery:
        if (!expression.word.empty()) add_word(expression.word);
        add(*expression.query);
        break;
      default: add_word(expression.word);
    }
    for (const Expression& operand : expression.operands) add(operand);
  }

  void add(const Predicate& predicate) {
    std::vector<Part> parts = names(*predicate.column);
    if (predicate.cast) parts.push_back(word("CAST " + predicate.cast->word));
    parts.push_back(word(predicate.word));
    if (predicate.other != nullptr) {
      for (Part& name : names(*predicate.other)) parts.push_back(std::move(name));
    }
    const auto type = constant_type(predicate, statement_, schema_);
    std::vector<Part> constants;
    for (const Constant& constant : predicate.constants) {
      constants.push_back(type ? read(constant, *type) : written(constant));
    }
    if (predicate.word == "IN" || predicate.word == "NOT IN") {  // a set
      std::ranges::sort(constants);
      constants.erase(std::unique(constants.begin(), constants.end()), constants.end());
    }
    parts.insert(parts.end(), constants.begin(), constants.end());
    elements_.add(std::move(parts));
  }

  std::vector<Part> names(const Expression& column) const {
    std::vector<Part> result;
    for (const Attribute attribute : attributes_of(column, statement_)) {
      result.push_back({Part::Kind::attribute, schema_.column(attribute).name});
    }
    return result;
  }

  static Part written(const Constant& constant) {
    switch (constant.kind) {
      case Constant::Kind::null: return word("NULL");
      case Constant::Kind::text: return {Part::Kind::constant, "'" + constant.text};
      default: return {Part::Kind::constant, constant.text};
    }
  }
  /// The same part for the same value, however it is written.
  static Part read(const Constant& constant, const Type& type) {
    const auto value = value_of(constant, type);
    if (!value) return written(constant);
    if (const auto* const number = std::get_if<DecimalNumber>(&*value)) return {Part::Kind::constant, number->text()};
    return {Part::Kind::constant, "'" + std::get<std::string>(*value)};
  }

  const Statement& statement_;
  const Schema& schema_;
  detail::Elements elements_;
};

}  // namespace

Characteristic tokens(const Statement& statement, const Schema& schema) {
  Tokens result(statement, schema);
  result.add(statement.query);
  return std::move(result).take();
}

}  // namespace fugu::querylog
