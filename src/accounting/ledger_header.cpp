#include <charconv>
#include <cstdio>

#include "fugu/accounting/ledger.hpp"

namespace fugu {

namespace {

/// Names may hold anything; a header is lines of words. Everything but letters, digits and -_.:+ goes as %XX.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == ':' || c == '+';
    if (plain) {
      out.push_back(c);
    } else {
      char code[4];
      std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += code;
    }
  }
  return out.empty() ? "%" : out;
}

std::optional<std::string> unescape(std::string_view text) {
  if (text == "%") return std::string();
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    unsigned code = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16);
    if (error != std::errc() || end != text.data() + i + 3) return std::nullopt;
    out.push_back(static_cast<char>(code));
    i += 2;
  }
  return out;
}

std::string_view take_word(std::string_view& line) {
  const std::size_t space = line.find(' ');
  const std::string_view word = line.substr(0, space);
  line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
  return word;
}

template <class T>
bool parse(std::string_view word, T& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

std::string exact(double value) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  FUGU_CHECK(error == std::errc());
  return std::string(text, end);
}

/// What the lines of a header say, before it is checked as a whole.
struct Draft {
  std::optional<Protects> protects;
  double epsilon = 0;
  double delta = 0;
  std::uint64_t window_slots = 0;
  Exposure::Options exposure;
  std::vector<std::string> series;
  std::map<std::string, std::string> facts;
  std::string version;

  bool read_line(std::string_view line);
  bool read_series(std::string_view line);
  bool read_signature(std::string_view line);
};

bool Draft::read_series(std::string_view line) {
  const std::string_view steps = take_word(line);
  const auto name = unescape(line);
  std::uint64_t sensitivity = 0;
  if (!name || !parse(steps, sensitivity)) return false;
  series.push_back(*name);
  exposure.sensitivity_steps.push_back(sensitivity);
  return true;
}

bool Draft::read_signature(std::string_view line) {
  std::vector<SeriesId>& signature = exposure.signatures.emplace_back();
  while (!line.empty()) {
    SeriesId id = 0;
    if (!parse(take_word(line), id)) return false;
    signature.push_back(id);
  }
  return true;
}

bool Draft::read_line(std::string_view line) {
  const std::string_view key = take_word(line);
  if (key == "version") {
    version = line;
    return true;
  }
  if (key == "definition") {
    for (const Protects candidate : {Protects::event, Protects::user, Protects::w_event}) {
      if (line == name_of(candidate)) protects = candidate;
    }
    return protects.has_value();
  }
  if (key == "epsilon") return parse(line, epsilon);
  if (key == "delta") return parse(line, delta);
  if (key == "window") return parse(line, window_slots);
  if (key == "series") return read_series(line);
  if (key == "signature") return read_signature(line);
  if (key == "fact") {
    const std::string_view name = take_word(line);
    const auto value = unescape(line);
    return value && facts.emplace(name, *value).second;
  }
  return false;
}

}  // namespace

std::string LedgerHeader::to_text() const {
  std::string text = "version " + version + "\n";
  text += "definition " + std::string(name_of(definition.protects())) + "\n";
  text += "epsilon " + exact(definition.epsilon().value()) + "\n";
  text += "delta " + exact(definition.delta().value()) + "\n";
  text += "window " + std::to_string(definition.window_slots()) + "\n";
  for (std::size_t i = 0; i < series.size(); ++i) {
    text += "series " + std::to_string(exposure.sensitivity_steps(static_cast<SeriesId>(i))) + " " + escape(series[i]) +
            "\n";
  }
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    text += "signature";
    for (const SeriesId id : exposure.signature(g)) text += " " + std::to_string(id);
    text += "\n";
  }
  for (const auto& [name, value] : facts) text += "fact " + name + " " + escape(value) + "\n";
  return text;
}

Result<LedgerHeader> LedgerHeader::from_text(std::string_view text) {
  const Error damaged{Cause::bad_input, "the ledger's header is damaged"};
  Draft draft;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !draft.read_line(text.substr(0, end))) return damaged;
    text.remove_prefix(end + 1);
  }
  if (!draft.protects || draft.series.empty()) return damaged;
  const auto epsilon = Epsilon::make(draft.epsilon);
  const auto delta = Delta::make(draft.delta);
  if (!epsilon || !delta) return damaged;
  auto definition = Definition::make(
      {.protects = *draft.protects, .epsilon = *epsilon, .delta = *delta, .window_slots = draft.window_slots});
  auto exposure = Exposure::make(std::move(draft.exposure));
  if (!definition || !exposure) return damaged;
  return LedgerHeader{*definition, *std::move(exposure), std::move(draft.series), std::move(draft.facts),
                      std::move(draft.version)};
}

}  // namespace fugu
