// A report as one HTML file that needs nothing from outside: no script, no network, good on screens light and dark, and
// on paper. A content security policy in the page forbids loading anything, should something slip in.
//
//     Page page({.title = "Demo"});
//     page.paragraph("Two strategies under the same promise.").figure(chart, "One week.").table(table);
//     std::string html = page.html();
//
// Everything handed over is text and is escaped; there is no way to pass markup.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/report/markup.hpp"
#include "fugu/report/svg.hpp"

namespace fugu::report {

/// Verdicts stand out by tone, but must also say it in words.
enum class Tone { plain, good, bad };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
};

struct Column {
  enum class Align { text, number };  ///< numbers are set flush right in digits of equal width
  std::string header;
  Align align = Align::text;
};

struct Table {
  std::string caption = {};
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};  ///< as many cells each as there are columns
};

class Page {
 public:
  struct Options {
    std::string title;
    std::string subtitle = {};
    std::string language = "en";
  };
  explicit Page(Options options) : options_(std::move(options)) {}

  Page& section(std::string_view heading);
  Page& subsection(std::string_view heading);
  Page& paragraph(std::string_view text);
  Page& note(std::string_view text, Tone tone = Tone::plain);  ///< a remark nobody should miss
  Page& code(std::string_view text);                           ///< commands, set as typed
  Page& table(const Table& table);
  Page& figure(const Chart& chart, std::string_view caption);
  Page& figure(const ChartStack& charts, std::string_view caption);

  /// The whole document.
  std::string html() const;

 private:
  template <class Picture>
  Page& add_figure(const Picture& picture, std::string_view caption);

  Options options_;
  MarkupWriter body_;
  std::size_t figures_ = 0;
};

}  // namespace fugu::report
