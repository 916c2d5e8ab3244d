// A tiny check of well-formedness: every tag closed in order, attributes quoted, no stray markup characters.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace fugu::test {

inline bool known_entity(std::string_view text) {
  for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
    if (text.starts_with(entity)) return true;
  return false;
}

/// Empty when `document` is well-formed, otherwise what is wrong and where. Accepts a leading doctype.
inline std::string imbalance(std::string_view document) {
  const auto wrong = [&](std::string_view what, std::size_t at) {
    return std::string(what).append(" near: ").append(document.substr(at, 60));
  };
  std::vector<std::string> open;
  std::size_t at = document.starts_with("<!DOCTYPE html>") ? 15 : 0;
  bool root_seen = false;
  while (at < document.size()) {
    const char here = document[at];
    if (here == '>') return wrong("stray >", at);
    if (here == '&' && !known_entity(document.substr(at))) return wrong("stray &", at);
    if (here != '<') {
      if (open.empty() && std::isspace(static_cast<unsigned char>(here)) == 0)
        return wrong("text outside the root", at);
      ++at;
      continue;
    }
    const std::size_t tag_at = at++;
    const bool closing = at < document.size() && document[at] == '/';
    if (closing) ++at;
    std::string name;
    while (at < document.size() && (std::isalnum(static_cast<unsigned char>(document[at])) != 0))
      name += document[at++];
    if (name.empty()) return wrong("tag without a name", tag_at);
    char quote = 0;
    for (; at < document.size() && (quote != 0 || document[at] != '>'); ++at) {
      const char c = document[at];
      if (quote != 0 && c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        if (document[at - 1] != '=') return wrong("quote outside an attribute", tag_at);
        quote = c;
      } else if (c == '<') {
        return wrong("< inside a tag", tag_at);
      } else if (c == '&' && !known_entity(document.substr(at))) {
        return wrong("stray & in an attribute", tag_at);
      }
    }
    if (at == document.size()) return wrong("tag that does not end", tag_at);
    const bool empty = document[at - 1] == '/';
    ++at;
    if (closing) {
      if (open.empty() || open.back() != name) return wrong("closes what is not open", tag_at);
      open.pop_back();
    } else if (!empty) {
      if (open.empty() && root_seen) return wrong("second root", tag_at);
      root_seen = true;
      open.push_back(name);
    }
  }
  if (!open.empty()) return std::string("never closed: ").append(open.back());
  return root_seen ? "" : "no element";
}

inline std::size_t count(std::string_view text, std::string_view needle) {
  std::size_t found = 0;
  for (auto at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + needle.size())) ++found;
  return found;
}

}  // namespace fugu::test
