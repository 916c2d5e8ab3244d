#include "fugu/sql/log_reader.hpp"

#include <utility>

#include "fugu/stream/json_line.hpp"

namespace fugu::querylog {

namespace {

constexpr std::string_view kExpected = R"(one JSON object, such as {"query": "SELECT …"})";

}  // namespace

Result<std::optional<LoggedQuery>> LogReader::next() {
  FUGU_ASSIGN(const auto line, lines_.next());
  if (!line) return std::optional<LoggedQuery>{};
  FUGU_ASSIGN(const json::Value object, json::parse_line(*line, lines_.at(0), kExpected));
  const json::Value* const query = object.member("query");
  if (query == nullptr) return found_but_expected(lines_.at(0), "no key 'query'", kExpected);
  if (query->kind != json::Kind::text) {
    return found_but_expected(lines_.at(0), std::string(json::describe(query->kind)).append(" as 'query'"), "SQL text");
  }
  return std::optional(LoggedQuery{lines_.line(), query->text});
}

}  // namespace fugu::querylog
