#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "output_stream.hpp"

namespace fugu::cli {

namespace {

/// Characters, not bytes: ε takes two of the latter.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

void print_table(const report::Table& table, const std::string& indent, std::FILE* to) {
  std::vector<std::size_t> widths;
  for (const report::Column& column : table.columns) widths.push_back(width_of(column.header));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i].text));
  }
  std::string line;
  const auto add_cell = [&](const std::string& text, std::size_t i) {
    const std::string padding(widths[i] - width_of(text), ' ');
    const bool right = table.columns[i].align == report::Column::Align::number;
    line += i == 0 ? indent : "  ";
    line += right ? padding + text : text + padding;
    if (i + 1 < widths.size()) return;
    line.erase(line.find_last_not_of(' ') + 1);
    std::fprintf(to, "%s\n", line.c_str());
    line.clear();
  };
  for (std::size_t i = 0; i < widths.size(); ++i) add_cell(table.columns[i].header, i);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) add_cell(row[i].text, i);
  }
}

void print_wrapped(const std::string& text, const std::string& indent, std::FILE* to) {
  constexpr std::size_t kWidth = 110;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && indent.size() + width_of(line) + 1 + width_of(word) > kWidth) {
      std::fprintf(to, "%s%s\n", indent.c_str(), line.c_str());
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  std::fprintf(to, "%s%s\n", indent.c_str(), line.c_str());
}

Result<void> write_file(const std::string& path, const std::string& text) {
  FUGU_ASSIGN(OutputStream out, OutputStream::open(path));
  std::fwrite(text.data(), 1, text.size(), out.get());
  return out.finish();
}

}  // namespace fugu::cli
