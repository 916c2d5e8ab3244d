#include "fugu/sql/predicate.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace fugu::querylog {

namespace {

using Kind = Expression::Kind;

struct Mirrored {
  std::string_view word;
  std::string_view turned;
};
constexpr std::array<Mirrored, 8> kComparisons = {{{"=", "="},
                                                   {"<>", "<>"},
                                                   {"<", ">"},
                                                   {">", "<"},
                                                   {"<=", ">="},
                                                   {">=", "<="},
                                                   {"IS DISTINCT FROM", "IS DISTINCT FROM"},
                                                   {"IS NOT DISTINCT FROM", "IS NOT DISTINCT FROM"}}};
constexpr std::string_view kPatterns[] = {"LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE", "~", "!~", "~*", "!~*"};
constexpr std::string_view kOthers[] = {
    "IN",         "NOT IN",        "BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC", "NOT BETWEEN SYMMETRIC",
    "IS NULL",    "IS NOT NULL",   "IS TRUE", "IS NOT TRUE", "IS FALSE",          "IS NOT FALSE",
    "IS UNKNOWN", "IS NOT UNKNOWN"};

bool is_in(std::string_view word, auto& words) { return std::ranges::find(words, word) != std::end(words); }

/// The column itself or the column in a cast, with the type of the cast.
const Expression* column_in(const Expression& expression, std::optional<Type>& cast) {
  if (expression.kind == Kind::column) return &expression;
  if (expression.kind != Kind::cast || expression.operands[0].kind != Kind::column) return nullptr;
  cast = expression.type;
  return &expression.operands[0];
}

/// A constant, also with a type before or after it that does not change it.
std::optional<Constant> constant_in(const Expression& expression) {
  if (expression.kind == Kind::constant) return expression.constant;
  if (expression.kind != Kind::cast || expression.operands[0].kind != Kind::constant) return std::nullopt;
  const Constant& constant = expression.operands[0].constant;
  const auto value = value_of(constant, *expression.type);
  if (!value || expression.type->length) return std::nullopt;
  if (expression.type->places &&
      DecimalNumber::parse(constant.text)->rounded_up(*expression.type->places) != std::get<DecimalNumber>(*value)) {
    return std::nullopt;
  }
  return constant;
}

std::optional<Predicate> against_constants(const Expression& expression) {
  Predicate result{.word = expression.word};
  result.column = column_in(expression.operands[0], result.cast);
  if (result.column == nullptr) return std::nullopt;
  for (auto operand = expression.operands.begin() + 1; operand != expression.operands.end(); ++operand) {
    auto constant = constant_in(*operand);
    if (!constant) return std::nullopt;
    result.constants.push_back(*std::move(constant));
  }
  return result;
}

std::optional<Predicate> comparison(const Expression& expression, std::string_view turned, const Statement& statement) {
  const Expression& left = expression.operands[0];
  const Expression& right = expression.operands[1];
  if (left.kind == Kind::column && right.kind == Kind::column) {
    const auto order = attributes_of(left, statement) <=> attributes_of(right, statement);
    const bool keeps = order < 0 || (order == 0 && expression.word <= turned);
    return Predicate{.word = std::string(keeps ? expression.word : turned),
                     .column = keeps ? &left : &right,
                     .other = keeps ? &right : &left};
  }
  if (auto found = against_constants(expression)) return found;
  Predicate result{.word = std::string(turned)};
  result.column = column_in(right, result.cast);
  auto constant = constant_in(left);
  if (result.column == nullptr || !constant) return std::nullopt;
  result.constants.push_back(*std::move(constant));
  return result;
}

}  // namespace

std::optional<Predicate> predicate_of(const Expression& expression, const Statement& statement) {
  if (expression.kind != Kind::operation || expression.operands.empty()) return std::nullopt;
  const auto* const compared = std::ranges::find(kComparisons, std::string_view(expression.word), &Mirrored::word);
  if (compared != kComparisons.end() && expression.operands.size() == 2) {
    return comparison(expression, compared->turned, statement);
  }
  if (is_in(expression.word, kPatterns) || is_in(expression.word, kOthers)) return against_constants(expression);
  return std::nullopt;
}

std::vector<Attribute> attributes_of(const Expression& column, const Statement& statement) {
  std::vector<Attribute> result;
  for (const auto source : column.sources) result.push_back(statement.attribute(source));
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::optional<Expression::Source> plain_source(const Expression& column) {
  if (column.is_computed || column.sources.size() != 1) return std::nullopt;
  return column.sources[0];
}

std::optional<Type> constant_type(const Predicate& predicate, const Statement& statement, const Schema& schema) {
  if (is_in(predicate.word, kPatterns)) return Type{.kind = Type::Kind::text, .word = "text"};
  if (predicate.cast) return predicate.cast;
  const auto source = plain_source(*predicate.column);
  if (!source) return std::nullopt;
  return schema.column(statement.attribute(*source)).type;
}

}  // namespace fugu::querylog
