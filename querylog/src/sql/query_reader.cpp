#include "fugu/sql/query_reader.hpp"

#include <optional>
#include <utility>

#include "fugu/sql/predicate.hpp"
#include "parse_tree.hpp"
#include "resolver.hpp"

namespace fugu::querylog {

namespace {

/// A constant that its attribute cannot have is refused: nobody could say what it is equal to.
class ConstantCheck {
 public:
  ConstantCheck(const Statement& statement, const Schema& schema) : statement_(statement), schema_(schema) {}

  void look_at(const Query& query) {
    for (const auto* const queries : {&query.with, &query.sides, &query.derived}) {
      for (const Query& each : *queries) look_at(each);
    }
    for (const Output& output : query.outputs) look_at(output.expression);
    for (const Join& join : query.joins) look_at(join.condition);
    look_at(query.where);
    for (const Expression& key : query.group_by) look_at(key);
    look_at(query.having);
    for (const SortKey& key : query.order_by) look_at(key.expression);
    look_at(query.limit);
    look_at(query.offset);
  }

  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  void look_at(const std::optional<Expression>& expression) {
    if (expression) look_at(*expression);
  }
  void look_at(const Expression& expression) {
    if (const auto predicate = predicate_of(expression, statement_)) {
      const auto type = constant_type(*predicate, statement_, schema_);
      for (const Constant& constant : predicate->constants) {
        if (!type || constant.kind == Constant::Kind::null || value_of(constant, *type) || refusal_) continue;
        refusal_ = {"a constant that does not fit the type of its attribute", expression.position + 1};
      }
    }
    if (expression.query) look_at(*expression.query);
    for (const Expression& operand : expression.operands) look_at(operand);
  }

  const Statement& statement_;
  const Schema& schema_;
  std::optional<Refusal> refusal_;
};

}  // namespace

std::string Refusal::text() const {
  return position == 0 ? construct : "byte " + std::to_string(position) + ": " + construct;
}

ReadStatement read_statement(std::string_view text, const Schema& schema) {
  auto parsed = detail::parse(text);
  if (auto* const refusal = std::get_if<Refusal>(&parsed)) return std::move(*refusal);
  const auto& tree = std::get<detail::ParseTree>(parsed);
  detail::Resolver resolver(schema);
  auto statement = resolver.statement(*tree->stmts[0]->stmt);
  if (!statement) return resolver.refusal();
  ConstantCheck check(*statement, schema);
  check.look_at(statement->query);
  if (check.refusal()) return *check.refusal();
  return *std::move(statement);
}

}  // namespace fugu::querylog
