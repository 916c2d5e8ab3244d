// A log of queries: one JSON object a line, in which `query` is the SQL text.
//
//     {"query": "SELECT name FROM customer", "label": "crm"}
//
// Other keys are not read. The lines are read one by one, so a log of any length takes constant memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fugu/base/result.hpp"
#include "fugu/stream/input.hpp"
#include "fugu/stream/line_reader.hpp"

namespace fugu::querylog {

struct LoggedQuery {
  std::uint64_t line = 0;  ///< from 1: what an item is called after
  std::string text;
};

class LogReader {
 public:
  explicit LogReader(Input input) : lines_(std::move(input)) {}

  /// The next query. Nothing at the end of the log.
  Result<std::optional<LoggedQuery>> next();

  const std::string& file() const { return lines_.file(); }

 private:
  LineReader lines_;
};

}  // namespace fugu::querylog
