#include "fugu/study/suite.hpp"

#include <algorithm>

#include "fugu/stream/input.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

constexpr std::array<std::string_view, kMeasures> kMeasureNames = {"season",  "level",    "amplitude", "peak",
                                                                   "changes", "forecast", "anomalies"};

constexpr std::size_t kSuiteBytesMax = 1 << 20;

Result<std::string> read_text(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  std::string text;
  std::array<char, 1 << 16> block;
  for (;;) {
    FUGU_ASSIGN(const std::size_t got, input.read(block));
    if (got == 0) return text;
    text.append(block.data(), got);
    if (text.size() > kSuiteBytesMax) return found_but_expected({path}, "more than 1 MiB", "a suite, in TOML");
  }
}

}  // namespace

std::string_view name_of(Measure measure) { return kMeasureNames[static_cast<std::size_t>(measure)]; }

bool Suite::wants_any_measure() const {
  return std::ranges::any_of(measures, [](bool wanted) { return wanted; });
}

Result<Suite> find_suite(const std::string& name_or_file) {
  std::string known;
  for (const ShippedSuite& suite : shipped_suites()) {
    if (suite.name == name_or_file) return parse_suite(std::string(suite.name) + ".toml", std::string(suite.text));
    known.append(known.empty() ? "" : ", ").append(suite.name);
  }
  const bool is_path = name_or_file.find_first_of("/.") != std::string::npos;
  if (!is_path)
    return Error{Cause::usage, "there is no suite " + shown(name_or_file) + "; known are " + known +
                                   ", or give a file such as ./" + name_or_file + ".toml"};
  FUGU_ASSIGN(std::string text, read_text(name_or_file));
  return parse_suite(name_or_file, std::move(text));
}

}  // namespace fugu
