#include <charconv>
#include <cstdio>
#include <memory>

#include "fugu/accounting/definition_kind.hpp"
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
  std::optional<double> epsilon;
  double delta = 0;
  std::optional<std::uint64_t> window_slots;
  std::optional<double> discount;
  bool exact_when_idle = false;
  std::unique_ptr<Draft> floor;
  Exposure::Options exposure;
  std::vector<std::string> series;
  std::map<std::string, std::string> facts;
  std::string version;

  bool read_line(std::string_view line);
  bool read_floor(std::string_view line);
  bool read_series(std::string_view line);
  bool read_signature(std::string_view line);
  bool read_sensitivities(std::string_view line);
};

bool Draft::read_floor(std::string_view line) {
  if (floor) return false;
  floor = std::make_unique<Draft>();
  floor->protects = protects_named(take_word(line));
  return floor->protects && parse(take_word(line), floor->epsilon.emplace()) &&
         parse(line, floor->window_slots.emplace());
}

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

bool Draft::read_sensitivities(std::string_view line) {
  auto& [from, steps] = exposure.over_time.rows.emplace_back();
  if (!parse(take_word(line), from)) return false;
  while (!line.empty()) {
    if (!parse(take_word(line), steps.emplace_back())) return false;
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
    protects = protects_named(line);
    return protects.has_value();
  }
  if (key == "epsilon") return parse(line, epsilon.emplace());
  if (key == "delta") return parse(line, delta);
  if (key == "window") return parse(line, window_slots.emplace());
  if (key == "discount") return parse(line, discount.emplace());
  if (key == "idle") return exact_when_idle = line == "exact";
  if (key == "floor") return read_floor(line);
  if (key == "series") return read_series(line);
  if (key == "signature") return read_signature(line);
  if (key == "sensitivities") return read_sensitivities(line);
  if (key == "period") return parse(line, exposure.over_time.period_slots);
  if (key == "fact") {
    const std::string_view name = take_word(line);
    const auto value = unescape(line);
    return value && facts.emplace(name, *value).second;
  }
  return false;
}

/// Everything that a definition is made of has a line of its own, so that no line depends on which one it is.
Result<Definition> definition_of(Draft& draft) {
  const Error damaged{Cause::bad_input, "the ledger's header is damaged"};
  FUGU_ASSIGN(const Delta delta, Delta::make(draft.delta));
  Definition::Options options{.protects = *draft.protects,
                              .epsilon = PromisedEpsilon::of_each_policy(),
                              .delta = delta,
                              .window_slots = draft.window_slots,
                              .discount = draft.discount,
                              .exact_when_idle = draft.exact_when_idle};
  if (draft.epsilon) {
    FUGU_ASSIGN(options.epsilon, Epsilon::make(*draft.epsilon));
  }
  if (draft.floor) {
    draft.floor->delta = draft.delta;
    FUGU_ASSIGN(Definition floor, definition_of(*draft.floor));
    options.floor = std::make_shared<const Definition>(std::move(floor));
  }
  FUGU_ASSIGN(Definition made, Definition::make(options));
  // What is written is complete: nothing is left to be filled in.
  if (made.options().window_slots != draft.window_slots) return damaged;
  return made;
}

std::string text_of(const Definition& definition) {
  const Definition::Options& options = definition.options();
  std::string text = "definition " + std::string(definition.kind().name) + "\n";
  if (options.epsilon.one()) text += "epsilon " + exact(definition.epsilon().value()) + "\n";
  text += "delta " + exact(definition.delta().value()) + "\n";
  if (options.discount) text += "discount " + exact(*options.discount) + "\n";
  if (options.window_slots) text += "window " + std::to_string(*options.window_slots) + "\n";
  if (options.exact_when_idle) text += "idle exact\n";
  if (const Definition* floor = definition.floor())
    text += "floor " + std::string(floor->kind().name) + " " + exact(floor->epsilon().value()) + " " +
            std::to_string(floor->window_slots()) + "\n";
  return text;
}

}  // namespace

std::string LedgerHeader::to_text() const {
  std::string text = "version " + version + "\n";
  text += text_of(definition);
  for (std::size_t i = 0; i < series.size(); ++i) {
    text += "series " + std::to_string(exposure.sensitivity_steps(static_cast<SeriesId>(i))) + " " + escape(series[i]) +
            "\n";
  }
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    text += "signature";
    for (const SeriesId id : exposure.signature(g)) text += " " + std::to_string(id);
    text += "\n";
  }
  for (const auto& [from, steps] : exposure.over_time().rows) {
    text += "sensitivities " + std::to_string(from);
    for (const std::uint64_t each : steps) text += " " + std::to_string(each);
    text += "\n";
  }
  if (exposure.over_time().period_slots > 0)
    text += "period " + std::to_string(exposure.over_time().period_slots) + "\n";
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
  auto definition = definition_of(draft);
  auto exposure = Exposure::make(std::move(draft.exposure));
  if (!definition || !exposure) return damaged;
  return LedgerHeader{*definition, *std::move(exposure), std::move(draft.series), std::move(draft.facts),
                      std::move(draft.version)};
}

}  // namespace fugu
