#include "words.hpp"

#include <algorithm>

namespace fugu::querylog::detail {

namespace {

constexpr std::string_view kAggregates[] = {
    "array_agg", "avg",     "bit_and",  "bit_or",   "bool_and",   "bool_or",        "corr",        "count",
    "covar_pop", "every",   "max",      "min",      "stddev",     "stddev_pop",     "stddev_samp", "string_agg",
    "sum",       "var_pop", "var_samp", "variance", "regr_slope", "regr_intercept", "regr_r2",
};
constexpr std::string_view kFunctions[] = {
    "abs",         "age",        "ascii",          "btrim",        "ceil",      "ceiling",
    "char_length", "chr",        "concat",         "concat_ws",    "cos",       "date",
    "date_part",   "date_trunc", "degrees",        "div",          "exp",       "extract",
    "floor",       "format",     "initcap",        "left",         "length",    "ln",
    "log",         "lower",      "lpad",           "ltrim",        "make_date", "md5",
    "mod",         "now",        "octet_length",   "overlay",      "pi",        "position",
    "power",       "radians",    "regexp_replace", "repeat",       "replace",   "reverse",
    "right",       "round",      "rpad",           "rtrim",        "sign",      "sin",
    "split_part",  "sqrt",       "strpos",         "substr",       "substring", "tan",
    "to_char",     "to_date",    "to_number",      "to_timestamp", "translate", "trim",
    "trunc",       "upper",      "isfinite",
};

constexpr std::string_view kWindowFunctions[] = {
    "cume_dist", "dense_rank", "first_value",  "lag",  "last_value", "lead",
    "nth_value", "ntile",      "percent_rank", "rank", "row_number",
};

struct Operator {
  std::string_view name;
  std::string_view word;
};
constexpr Operator kOperators[] = {
    {"=", "="},
    {"<>", "<>"},
    {"<", "<"},
    {"<=", "<="},
    {">", ">"},
    {">=", ">="},
    {"+", "+"},
    {"-", "-"},
    {"*", "*"},
    {"/", "/"},
    {"%", "%"},
    {"^", "^"},
    {"||", "||"},
    {"~~", "LIKE"},
    {"!~~", "NOT LIKE"},
    {"~~*", "ILIKE"},
    {"!~~*", "NOT ILIKE"},
    {"~", "~"},
    {"!~", "!~"},
    {"~*", "~*"},
    {"!~*", "!~*"},
    {"&", "&"},
    {"|", "|"},
    {"#", "#"},
};

}  // namespace

FunctionKind function_kind(std::string_view name) {
  if (std::ranges::find(kAggregates, name) != std::end(kAggregates)) return FunctionKind::aggregate;
  if (std::ranges::find(kFunctions, name) != std::end(kFunctions)) return FunctionKind::plain;
  if (std::ranges::find(kWindowFunctions, name) != std::end(kWindowFunctions)) return FunctionKind::window;
  return FunctionKind::unknown;
}

std::string_view operator_word(std::string_view name) {
  const auto* const found = std::ranges::find(kOperators, name, &Operator::name);
  return found == std::end(kOperators) ? std::string_view{} : found->word;
}

}  // namespace fugu::querylog::detail
