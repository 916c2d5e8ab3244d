// A CSV file as a table whose columns are found by name. Private to network.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu::grid::detail {

/// What columns a file has.
struct Columns {
  std::vector<std::string_view> required;
  std::vector<std::string_view> optional = {};
  std::vector<std::string_view> unused = {};  ///< known, but not about what we compute
};

/// Reads a whole file. Mistakes are collected; a row with the wrong number of fields is left out after the complaint.
class Table {
 public:
  /// An error when there is no such file, or nothing can be made of its header.
  static Result<Table> read(const std::string& path, const Columns& columns, std::vector<std::string>& mistakes);

  std::size_t rows() const { return rows_.size(); }
  /// All required columns are there. If not, there are no rows.
  bool is_complete() const { return is_complete_; }

  /// Empty when the column or the field is.
  std::string_view text(std::size_t row, std::string_view column) const;
  /// kMissing for an empty field, infinity for one that is no number, after a complaint.
  double number(std::size_t row, std::string_view column, std::vector<std::string>& mistakes) const;
  double number_or(std::size_t row, std::string_view column, double otherwise,
                   std::vector<std::string>& mistakes) const;
  std::optional<double> optional_number(std::size_t row, std::string_view column,
                                        std::vector<std::string>& mistakes) const;
  /// The place of `column`'s field among `words`; 0 for an empty field.
  std::size_t word(std::size_t row, std::string_view column, std::initializer_list<std::string_view> words,
                   std::vector<std::string>& mistakes) const;

 private:
  struct Row {
    std::uint64_t line;
    std::vector<std::string> fields;
  };

  std::optional<std::size_t> find(std::string_view column) const;
  std::string complaint(std::size_t row, std::string_view column, std::string_view found,
                        std::string_view expected) const;

  std::string file_;
  std::vector<std::string> header_;
  std::vector<Row> rows_;
  bool is_complete_ = false;
};

}  // namespace fugu::grid::detail
