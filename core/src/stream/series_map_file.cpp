#include "fugu/stream/series_map_file.hpp"

#include <algorithm>
#include <array>

#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

Result<SeriesMap> with_households(Result<SeriesMap> map, const std::string& households) {
  if (!map || households.empty()) return map;
  FUGU_ASSIGN(Input input, Input::open(households));
  FUGU_TRY(map->read_households(std::move(input)));
  return map;
}

struct Text {
  std::string name;
  std::string bytes;

  bool is_half() const { return !bytes.empty() && bytes.back() != '\n'; }
  Input input() const { return Input::from_memory(name, bytes); }
};

Result<Text> read_text(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  Text text{path, {}};
  std::array<char, 1 << 16> block;
  for (;;) {
    FUGU_ASSIGN(const std::size_t bytes, input.read(block));
    if (bytes == 0) return text;
    text.bytes.append(block.data(), bytes);
  }
}

Error no_line_end(const Text& text) {
  const auto lines = static_cast<std::uint64_t>(std::count(text.bytes.begin(), text.bytes.end(), '\n'));
  return found_but_expected({text.name, lines + 1, 0}, "a last line without an end",
                            "a line end after every row: half a row could be taken for a whole one");
}

/// The texts of the files, looked at once each: what is checked is what is read.
struct Texts {
  Text map;
  std::optional<Text> households;

  const Text* half() const {
    if (map.is_half()) return &map;
    return households && households->is_half() ? &*households : nullptr;
  }
};

Result<Texts> read_texts(const SeriesMapPaths& paths) {
  Texts texts;
  FUGU_ASSIGN(texts.map, read_text(paths.map));
  if (paths.households.empty()) return texts;
  FUGU_ASSIGN(texts.households, read_text(paths.households));
  return texts;
}

Result<SeriesMap> parse(const Texts& texts, const SeriesMap& now) {
  FUGU_ASSIGN(SeriesMap map, SeriesMap::read_again(texts.map.input(), now));
  if (texts.households) FUGU_TRY(map.read_households(texts.households->input()));
  return map;
}

}  // namespace

Result<SeriesMap> read_series_map(const SeriesMapPaths& paths, std::span<const std::string> series) {
  FUGU_ASSIGN(Input input, Input::open(paths.map));
  return with_households(SeriesMap::read(std::move(input), series), paths.households);
}

SeriesMapVersions versions_of(const SeriesMapPaths& paths) {
  return {version_of(paths.map), version_of(paths.households)};
}

void SeriesMapFile::go_on_without(const Error& why) {
  options_.warn(why.message + "; meters go on counting as before, until the map changes again");
}

std::optional<SeriesMap> SeriesMapFile::look(const SeriesMap& now) {
  const SeriesMapVersions found = versions_of(options_.paths);
  if (found == options_.read) return std::nullopt;
  options_.read = found;
  const auto texts = read_texts(options_.paths);
  const Text* const half = texts ? texts->half() : nullptr;
  if (half != nullptr) {
    if (!said_half_) go_on_without(no_line_end(*half));
    said_half_ = true;
    return std::nullopt;
  }
  said_half_ = false;
  auto map = texts ? parse(*texts, now) : Result<SeriesMap>(texts.error());
  const Result<void> checked = map ? options_.check(*map) : Result<void>(map.error());
  if (checked) return *std::move(map);
  go_on_without(checked.error());
  return std::nullopt;
}

}  // namespace fugu
