#include "fugu/report/markup.hpp"

#include <cstdint>

#include "fugu/base/check.hpp"
#include "fugu/base/utf8.hpp"

namespace fugu::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool forbidden_in_xml(std::uint32_t code_point) {
  if (code_point < 0x20) return code_point != '\t' && code_point != '\n';
  return (code_point >= 0x7F && code_point < 0xA0) || code_point == 0xFFFE || code_point == 0xFFFF;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = decode_utf8(text);
    if (character.size == 0 || forbidden_in_xml(character.code_point)) {
      out += kReplacement;
    } else if (character.code_point == '&') {
      out += "&amp;";
    } else if (character.code_point == '<') {
      out += "&lt;";
    } else if (character.code_point == '>') {
      out += "&gt;";
    } else if (character.code_point == '"') {
      out += "&quot;";
    } else if (character.code_point == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, character.size);
    }
    text.remove_prefix(character.size == 0 ? 1 : character.size);
  }
  return out;
}

void MarkupWriter::start(std::string_view tag, const std::vector<Attribute>& attributes, std::string_view end) {
  out_ += '<';
  out_ += tag;
  for (const auto& [name, value] : attributes) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    out_ += escape(value);
    out_ += '"';
  }
  out_ += end;
}

void MarkupWriter::open(std::string_view tag, const std::vector<Attribute>& attributes) {
  start(tag, attributes, ">");
  open_.emplace_back(tag);
}

void MarkupWriter::close() {
  FUGU_CHECK(!open_.empty());
  out_ += "</";
  out_ += open_.back();
  out_ += ">\n";
  open_.pop_back();
}

void MarkupWriter::empty(std::string_view tag, const std::vector<Attribute>& attributes) {
  start(tag, attributes, "/>\n");
}

void MarkupWriter::text(std::string_view text) { out_ += escape(text); }

void MarkupWriter::element(std::string_view tag, const std::vector<Attribute>& attributes, std::string_view content) {
  open(tag, attributes);
  text(content);
  close();
}

std::string MarkupWriter::finish() && {
  FUGU_CHECK(open_.empty());
  return std::move(out_);
}

}  // namespace fugu::report
