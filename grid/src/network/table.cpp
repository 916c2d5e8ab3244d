#include "table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "fugu/network/network.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu::grid::detail {
namespace {

bool holds(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string list_of(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

/// Complains about columns that are not known, there twice, or not there. False when a required one is not there.
bool check_header(const std::vector<std::string>& header, const Columns& columns, const std::string& file,
                  std::vector<std::string>& mistakes) {
  const auto complain = [&](const std::string& found) {
    const std::string also = columns.optional.empty() ? "" : " and perhaps " + list_of(columns.optional);
    mistakes.push_back(found_but_expected({file, 1, 0}, found, "columns " + list_of(columns.required) + also).message);
  };
  bool is_complete = true;
  for (auto name = header.begin(); name != header.end(); ++name) {
    const bool is_known =
        holds(columns.required, *name) || holds(columns.optional, *name) || holds(columns.unused, *name);
    if (!is_known)
      complain("an unknown column " + shown(*name));
    else if (std::find(header.begin(), name, *name) != name)
      complain("column " + shown(*name) + " twice");
  }
  for (const std::string_view name : columns.required) {
    if (std::find(header.begin(), header.end(), name) != header.end()) continue;
    complain("no column " + shown(name));
    is_complete = false;
  }
  return is_complete;
}

std::optional<double> parse(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = fault == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace

Result<Table> Table::read(const std::string& path, const Columns& columns, std::vector<std::string>& mistakes) {
  FUGU_ASSIGN(Input input, Input::open(path));
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, "columns " + list_of(columns.required)));
  Table table;
  table.file_ = path;
  for (const std::string_view name : csv::split(header)) table.header_.emplace_back(name);
  table.is_complete_ = check_header(table.header_, columns, path, mistakes);
  if (!table.is_complete_) return table;
  for (;;) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) return table;
    const auto fields = csv::split(*line);
    if (fields.size() == table.header_.size()) {
      table.rows_.push_back({lines.line(), {fields.begin(), fields.end()}});
    } else {
      mistakes.push_back(found_but_expected(lines.at(0), csv::count_fields(fields.size()),
                                            csv::count_fields(table.header_.size()) + ", as in the header")
                             .message);
    }
  }
}

std::optional<std::size_t> Table::find(std::string_view column) const {
  const auto at = std::find(header_.begin(), header_.end(), column);
  return at == header_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - header_.begin()));
}

std::string_view Table::text(std::size_t row, std::string_view column) const {
  const auto at = find(column);
  return at ? std::string_view(rows_[row].fields[*at]) : std::string_view();
}

double Table::number(std::size_t row, std::string_view column, std::vector<std::string>& mistakes) const {
  const std::string_view field = text(row, column);
  if (field.empty()) return kMissing;
  if (const auto value = parse(field)) return *value;
  mistakes.push_back(complaint(row, column, shown(field), "a number"));
  return std::numeric_limits<double>::infinity();
}

double Table::number_or(std::size_t row, std::string_view column, double otherwise,
                        std::vector<std::string>& mistakes) const {
  return text(row, column).empty() ? otherwise : number(row, column, mistakes);
}

std::optional<double> Table::optional_number(std::size_t row, std::string_view column,
                                             std::vector<std::string>& mistakes) const {
  if (text(row, column).empty()) return std::nullopt;
  return number(row, column, mistakes);
}

std::size_t Table::word(std::size_t row, std::string_view column, std::initializer_list<std::string_view> words,
                        std::vector<std::string>& mistakes) const {
  const std::string_view field = text(row, column);
  const auto at = std::find(words.begin(), words.end(), field);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  if (!field.empty()) mistakes.push_back(complaint(row, column, shown(field), "one of " + list_of(words)));
  return 0;
}

std::string Table::complaint(std::size_t row, std::string_view column, std::string_view found,
                             std::string_view expected) const {
  return found_but_expected({file_, rows_[row].line, 0}, std::string(found).append(" in column ").append(column),
                            expected)
      .message;
}

}  // namespace fugu::grid::detail
