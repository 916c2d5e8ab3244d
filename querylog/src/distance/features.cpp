#include <string>
#include <utility>

#include "fugu/distance/characteristic.hpp"
#include "walk.hpp"

namespace fugu::querylog {

namespace {

using detail::word;
using Kind = Expression::Kind;

class Features {
 public:
  Features(const Statement& statement, const Schema& schema) : statement_(statement), schema_(schema) {}

  void add(const Query& query) {
    for (const Query& each : query.with) add(each);
    if (!query.set_word.empty()) elements_.add({word(query.set_word)});
    for (const Query& side : query.sides) add(side);
    if (query.set_word.empty()) add_block(query);
    for (const SortKey& key : query.order_by) add("ORDER BY", key.expression);
  }

  Characteristic take() && { return std::move(elements_).take(); }

 private:
  void add_block(const Query& query) {
    for (const Output& output : query.outputs) add("SELECT", output.expression);
    for (const std::uint32_t occurrence : query.relations) {
      elements_.add({word("FROM"), relation(statement_.occurrences[occurrence].relation)});
    }
    for (const Query& each : query.derived) add(each);
    for (const Join& join : query.joins) {
      if (join.condition) add("WHERE", *join.condition);
    }
    if (query.where) add("WHERE", *query.where);
    for (const Expression& key : query.group_by) add("GROUP BY", key);
    if (query.having) add("HAVING", *query.having);
  }

  void add(const char* clause, const Expression& expression) {
    if (const auto predicate = predicate_of(expression, statement_)) add(clause, *predicate);
    if (expression.kind == Kind::column) {
      for (const Attribute attribute : attributes_of(expression, statement_)) {
        std::vector<Part> parts{word(clause)};
        add_name(attribute, parts);
        elements_.add(std::move(parts));
      }
    }
    if (expression.kind == Kind::aggregate) {
      std::vector<Part> parts{word(clause), word(expression.word)};
      add_names(expression, parts);
      elements_.add(std::move(parts));
    }
    if (expression.kind == Kind::subquery) add_subquery(expression);
    for (const Expression& operand : expression.operands) add(clause, operand);
  }

  void add(const char* clause, const Predicate& predicate) {
    std::vector<Part> parts{word(clause)};
    add_names(*predicate.column, parts);
    parts.push_back(word(predicate.word));
    if (predicate.other != nullptr) add_names(*predicate.other, parts);
    elements_.add(std::move(parts));
  }

  /// With an operator before it, a subquery is one feature: all of its own features.
  void add_subquery(const Expression& expression) {
    if (expression.word.empty()) return add(*expression.query);
    Features inner(statement_, schema_);
    inner.add(*expression.query);
    std::vector<Part> parts{word("subquery"), word(expression.word)};
    for (Element& element : std::move(inner).take()) {
      parts.push_back(word("("));
      std::ranges::move(element.parts, std::back_inserter(parts));
      parts.push_back(word(")"));
    }
    elements_.add(std::move(parts));
  }

  Part relation(std::uint32_t number) const { return {Part::Kind::relation, schema_.relations()[number].name}; }
  void add_name(Attribute attribute, std::vector<Part>& parts) const {
    parts.push_back(relation(attribute.relation));
    parts.push_back({Part::Kind::attribute, schema_.column(attribute).name});
  }
  /// Of all attributes in an expression, in order.
  void add_names(const Expression& expression, std::vector<Part>& parts) const {
    if (expression.kind == Kind::star) parts.push_back(word("*"));
    for (const Attribute attribute : attributes_of(expression, statement_)) add_name(attribute, parts);
    for (const Expression& operand : expression.operands) add_names(operand, parts);
  }

  const Statement& statement_;
  const Schema& schema_;
  detail::Elements elements_;
};

}  // namespace

Characteristic features(const Statement& statement, const Schema& schema) {
  Features result(statement, schema);
  result.add(statement.query);
  return std::move(result).take();
}

}  // namespace fugu::querylog
