// Logs of queries, read one by one: a log of any length takes constant memory.
//
// Lines of JSON with the SQL text as `query` (other keys are not read), or what PostgreSQL writes, told apart by the
// first line:
//
//     {"query": "SELECT name FROM customer", "label": "crm"}
//     {"timestamp":…,"error_severity":"LOG","message":"statement: SELECT name FROM customer",…}    jsonlog
//     2026-03-02 10:00:00.000 UTC,"app","shop",…,LOG,00000,"statement: SELECT name FROM customer",…  csvlog
//     2026-03-02 10:00:00.000 UTC [7] LOG:  statement: SELECT name FROM customer                    stderr
//
// Of a log of PostgreSQL, messages `statement: …` and `execute NAME: …` are queries (log_statement,
// log_min_duration_statement); other messages are not returned. Parameters that the detail `parameters: $1 = '5'` of a
// message gives take their place in the query. Line ends within a query are \n, whatever they were.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fugu/base/result.hpp"
#include "fugu/stream/input.hpp"
#include "fugu/stream/line_reader.hpp"

namespace fugu::querylog {

struct LoggedQuery {
  std::uint64_t line = 0;  ///< where it starts, from 1: what an item is called after
  std::string text;
};

class LogReader {
 public:
  explicit LogReader(Input input) : lines_(std::move(input)) {}

  /// The next query. Nothing at the end of the log.
  Result<std::optional<LoggedQuery>> next();

  const std::string& file() const { return lines_.file(); }

 private:
  enum class Format : std::uint8_t { json, csv, plain };

  /// What PostgreSQL says in one record.
  struct Record {
    std::string message;
    std::string detail;
  };

  /// The query in the record that starts with `line`, if there is one.
  Result<std::optional<std::string>> query_in(std::string_view line);
  Result<std::optional<std::string>> json_query(std::string_view line) const;
  Result<Record> csv_record(std::string_view line);
  Result<Record> plain_record(std::string_view line);
  /// `first` and the lines that go on with a tab.
  Result<std::string> plain_message(std::string_view first);
  /// Adds the line that was just read, and the empty ones before it.
  void add_line(std::string& record, std::string_view line);
  static std::optional<std::string> query_of(const Record& record);

  LineReader lines_;
  std::optional<Format> format_;
  std::uint64_t last_line_ = 0;  // of the record at hand
};

}  // namespace fugu::querylog
