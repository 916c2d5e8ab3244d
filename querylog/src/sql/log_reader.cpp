#include "fugu/sql/log_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "fugu/sql/query_reader.hpp"
#include "fugu/stream/json_line.hpp"
#include "parse_tree.hpp"

namespace fugu::querylog {

namespace {

constexpr std::size_t kRecordMax = 1 << 20;
constexpr std::string_view kExpectedJson = R"(one JSON object, such as {"query": "SELECT …"})";
constexpr std::string_view kExpectedCsv = "a record of PostgreSQL's csvlog";
constexpr std::string_view kExpectedPlain = "a message of PostgreSQL, as … LOG:  statement: …";

/// Fields of csvlog from version 9.0 to 12, and since 14. What a message is and how bad stand at the same place in all.
constexpr std::size_t kCsvFieldsMin = 23;
constexpr std::size_t kCsvFieldsMax = 26;
constexpr std::size_t kSeverityField = 11;
constexpr std::size_t kMessageField = 13;
constexpr std::size_t kDetailField = 14;

constexpr std::string_view kSeverities[] = {"LOG",   "ERROR",  "FATAL",   "PANIC",     "WARNING", "NOTICE", "INFO",
                                            "DEBUG", "DEBUG1", "DEBUG2",  "DEBUG3",    "DEBUG4",  "DEBUG5", "DETAIL",
                                            "HINT",  "QUERY",  "CONTEXT", "STATEMENT", "LOCATION"};

bool is_severity(std::string_view word) { return std::ranges::find(kSeverities, word) != std::end(kSeverities); }

bool is_digits(std::string_view text, std::string_view pattern) {
  return text.size() >= pattern.size() &&
         std::ranges::equal(pattern, text.substr(0, pattern.size()),
                            [](char p, char c) { return p == '0' ? c >= '0' && c <= '9' : p == c; });
}

/// A time stamp up to the first comma; in lines that are no CSV, more stands before it.
bool starts_csv(std::string_view line) {
  const std::string_view field = line.substr(0, line.find(','));
  return field.size() < line.size() && field.size() <= 40 && is_digits(field, "0000-00-00 00:00:00.000 ") &&
         field.find_first_of("[\":") == field.find(':');
}

/// The SQL text in `duration: 0.3 ms  statement: SELECT …`, `statement: SELECT …`, `execute NAME: SELECT …`.
std::optional<std::string> statement_in(std::string_view message) {
  constexpr std::string_view kDuration = "duration: ";
  constexpr std::string_view kUnit = " ms  ";
  if (message.starts_with(kDuration)) {
    const std::size_t end = message.find(kUnit);
    if (end == std::string_view::npos) return std::nullopt;
    message.remove_prefix(end + kUnit.size());
  }
  constexpr std::string_view kStatement = "statement: ";
  if (message.starts_with(kStatement)) return std::string(message.substr(kStatement.size()));
  constexpr std::string_view kEndOfName = ": ";
  const std::size_t end = message.find(kEndOfName);
  if (!message.starts_with("execute ") || end == std::string_view::npos) return std::nullopt;
  return std::string(message.substr(end + kEndOfName.size()));
}

/// The constants in `$1 = '5', $2 = NULL`, as SQL has them. Empty when the text is anything else.
std::vector<std::string> parameters_in(std::string_view text) {
  std::vector<std::string> values;
  while (true) {
    const std::string name = "$" + std::to_string(values.size() + 1) + " = ";
    if (!text.starts_with(name)) return {};
    text.remove_prefix(name.size());
    std::size_t size = 4;
    if (text.starts_with('\'')) {
      size = 1;
      while (size < text.size() && (text[size] != '\'' || text.substr(size, 2) == "''"))
        size += text[size] == '\'' ? 2 : 1;
      ++size;
    } else if (!text.starts_with("NULL")) {
      return {};
    }
    if (size > text.size()) return {};
    values.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
    if (text.empty()) return values;
    if (!text.starts_with(", ")) return {};
    text.remove_prefix(2);
  }
}

/// With each parameter replaced by its constant. The text as it is when one of them has none, or when it gets too long.
std::string with_parameters(const std::string& text, const std::vector<std::string>& values) {
  std::string result;
  std::size_t copied = 0;
  for (const detail::Piece piece : detail::parameters_of(text)) {
    std::size_t number = 0;
    const char* const end = text.data() + piece.begin + piece.size;
    std::from_chars(text.data() + piece.begin + 1, end, number);
    if (number == 0 || number > values.size() || result.size() > kBytesMax) return text;
    result.append(text, copied, piece.begin - copied).append(values[number - 1]);
    copied = piece.begin + piece.size;
  }
  return result.append(text, copied);
}

/// The fields of a record of csvlog, quotes removed.
std::vector<std::string> csv_fields(std::string_view record) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    const bool is_double = quoted && record.substr(i, 2) == "\"\"";
    if (is_double) {
      fields.back() += '"';
      ++i;
    } else if (record[i] == '"') {
      quoted = !quoted;
    } else if (record[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += record[i];
    }
  }
  return fields;
}

/// What follows `LOG:  ` or another severity, the first in the line; nothing when there is none.
std::optional<std::string_view> message_after_severity(std::string_view line, std::string_view& severity) {
  constexpr std::string_view kEnd = ":  ";
  for (std::size_t end = line.find(kEnd); end != std::string_view::npos; end = line.find(kEnd, end + 1)) {
    const std::size_t blank = line.rfind(' ', end);
    const std::size_t start = blank == std::string_view::npos ? 0 : blank + 1;
    severity = line.substr(start, end - start);
    if (is_severity(severity)) return line.substr(end + kEnd.size());
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<LoggedQuery>> LogReader::next() {
  while (true) {
    FUGU_ASSIGN(const auto line, lines_.next());
    if (!line) return std::optional<LoggedQuery>{};
    const std::uint64_t start = lines_.line();
    last_line_ = start;
    FUGU_ASSIGN(auto query, query_in(*line));
    if (query) return std::optional(LoggedQuery{start, *std::move(query)});
  }
}

Result<std::optional<std::string>> LogReader::query_in(std::string_view line) {
  std::string_view severity;
  if (!format_) {
    const bool is_plain = !line.starts_with('{') && message_after_severity(line, severity);
    format_ = starts_csv(line) ? Format::csv : is_plain ? Format::plain : Format::json;
  }
  if (*format_ == Format::json) return json_query(line);
  FUGU_ASSIGN(const Record record, *format_ == Format::csv ? csv_record(line) : plain_record(line));
  return query_of(record);
}

std::optional<std::string> LogReader::query_of(const Record& record) {
  auto statement = statement_in(record.message);
  constexpr std::string_view kParameters = "arameters: ";  // large from version 16 on
  std::string_view detail = record.detail;
  if (!statement || detail.empty() || !detail.substr(1).starts_with(kParameters)) return statement;
  detail.remove_prefix(1 + kParameters.size());
  return with_parameters(*statement, parameters_in(detail));
}

Result<std::optional<std::string>> LogReader::json_query(std::string_view line) const {
  FUGU_ASSIGN(const json::Value object, json::parse_line(line, lines_.at(0), kExpectedJson));
  const json::Value* const query = object.member("query");
  const json::Value* const message = object.member("message");
  if (query == nullptr && message != nullptr && object.member("error_severity") != nullptr) {
    const json::Value* const detail = object.member("detail");
    return query_of({message->text, detail == nullptr ? std::string() : detail->text});
  }
  if (query == nullptr) return found_but_expected(lines_.at(0), "no key 'query'", kExpectedJson);
  if (query->kind != json::Kind::text) {
    return found_but_expected(lines_.at(0), std::string(json::describe(query->kind)).append(" as 'query'"), "SQL text");
  }
  return std::optional(query->text);
}

Result<LogReader::Record> LogReader::csv_record(std::string_view line) {
  std::string record(line);
  const Location start = lines_.at(0);
  while (std::ranges::count(record, '"') % 2 != 0) {
    FUGU_ASSIGN(const auto more, lines_.next());
    if (!more) return found_but_expected(start, "a quote that is not closed", kExpectedCsv);
    add_line(record, *more);
    if (record.size() > kRecordMax) return found_but_expected(start, "a record of more than 1 MiB", kExpectedCsv);
  }
  std::vector<std::string> fields = csv_fields(record);
  if (fields.size() < kCsvFieldsMin || fields.size() > kCsvFieldsMax || !is_severity(fields[kSeverityField])) {
    return found_but_expected(start, "another record", kExpectedCsv);
  }
  if (fields[kSeverityField] != "LOG") return Record{};
  return Record{std::move(fields[kMessageField]), std::move(fields[kDetailField])};
}

Result<LogReader::Record> LogReader::plain_record(std::string_view line) {
  std::string_view severity;
  const auto first = message_after_severity(line, severity);
  if (!first) return found_but_expected(lines_.at(0), "another line", kExpectedPlain);
  const bool is_log = severity == "LOG";
  FUGU_ASSIGN(std::string message, plain_message(*first));
  if (!is_log) return Record{};
  FUGU_ASSIGN(const auto ahead, lines_.peek());
  if (!ahead || !message_after_severity(*ahead, severity) || severity != "DETAIL")
    return Record{std::move(message), {}};
  FUGU_ASSIGN(const auto next, lines_.next());
  FUGU_ASSIGN(std::string detail, plain_message(*message_after_severity(*next, severity)));
  return Record{std::move(message), std::move(detail)};
}

Result<std::string> LogReader::plain_message(std::string_view first) {
  std::string message(first);
  last_line_ = lines_.line();
  while (true) {
    FUGU_ASSIGN(const auto ahead, lines_.peek());
    if (!ahead || !ahead->starts_with('\t')) return message;
    FUGU_ASSIGN(const auto line, lines_.next());
    add_line(message, line->substr(1));
    if (message.size() > kRecordMax) {
      return found_but_expected(lines_.at(0), "a message of more than 1 MiB", kExpectedPlain);
    }
  }
}

void LogReader::add_line(std::string& record, std::string_view line) {
  record.append(lines_.line() - last_line_, '\n');
  record += line;
  last_line_ = lines_.line();
}

}  // namespace fugu::querylog
