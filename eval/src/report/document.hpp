// The frame of every page: head, style, content security policy. Private to report.
#pragma once

#include <string>
#include <string_view>

#include "fugu/report/html.hpp"
#include "fugu/report/markup.hpp"

namespace fugu::report::detail {

/// `style` and `script` come from our own code. The script is the only one that may run: the policy has its hash.
struct Document {
  std::string_view title;
  std::string_view subtitle = {};
  std::string_view language = "en";
  std::string_view style = {};
  std::string_view script = {};
};

/// The whole page around a body that is markup already.
std::string html_document(const Document& document, std::string_view body);

/// CSS variables of a theme, without selector: `--ink:#1f2328;…`.
std::string theme_variables(const Theme& theme);

void write_note(MarkupWriter& markup, std::string_view text, Tone tone);
void write_table(MarkupWriter& markup, const Table& table);

/// As in content security policies and data URLs.
std::string base64(std::string_view bytes);

}  // namespace fugu::report::detail
