#include "fugu/report/markup.hpp"

#include <cstddef>
#include <cstdint>

#include "fugu/core/check.hpp"

namespace fugu::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Decoded {
  std::uint32_t code_point = 0;
  std::size_t size = 0;  // 0: not UTF-8
};

/// The UTF-8 character at the start of `text`, shortest forms only, no surrogates.
Decoded decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  std::uint32_t code_point = first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code_point = code_point << 6U | (byte(i) & 0x3FU);
  }
  const bool too_long = (size == 3 && code_point < 0x800) || (size == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (too_long || surrogate || code_point > 0x10FFFF) return {};
  return {code_point, size};
}

bool forbidden_in_xml(std::uint32_t code_point) {
  if (code_point < 0x20) return code_point != '\t' && code_point != '\n';
  return (code_point >= 0x7F && code_point < 0xA0) || code_point == 0xFFFE || code_point == 0xFFFF;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded character = decode(text);
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
