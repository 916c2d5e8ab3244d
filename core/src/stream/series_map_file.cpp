#include "fugu/stream/series_map_file.hpp"

#include <utility>

namespace fugu {

namespace {

Result<SeriesMap> with_households(Result<SeriesMap> map, const std::string& households) {
  if (!map || households.empty()) return map;
  FUGU_ASSIGN(Input input, Input::open(households));
  FUGU_TRY(map->read_households(std::move(input)));
  return map;
}

Result<SeriesMap> read_again(const SeriesMapPaths& paths, const SeriesMap& now) {
  FUGU_ASSIGN(Input input, Input::open(paths.map));
  return with_households(SeriesMap::read_again(std::move(input), now), paths.households);
}

}  // namespace

Result<SeriesMap> read_series_map(const SeriesMapPaths& paths, std::span<const std::string> series) {
  FUGU_ASSIGN(Input input, Input::open(paths.map));
  return with_households(SeriesMap::read(std::move(input), series), paths.households);
}

SeriesMapFile::SeriesMapFile(Options options) : options_(std::move(options)), seen_(versions()) {}

SeriesMapFile::Versions SeriesMapFile::versions() const {
  return {version_of(options_.paths.map), version_of(options_.paths.households)};
}

std::optional<SeriesMap> SeriesMapFile::look(const SeriesMap& now) {
  Versions found = versions();
  if (found == seen_) return std::nullopt;
  seen_ = std::move(found);
  auto map = read_again(options_.paths, now);
  Result<void> checked = map ? options_.check(*map) : Result<void>(map.error());
  if (checked) return *std::move(map);
  options_.warn(checked.error().message + "; meters go on counting as before, until the map changes again");
  return std::nullopt;
}

}  // namespace fugu
