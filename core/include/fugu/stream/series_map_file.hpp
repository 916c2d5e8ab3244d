// A series map, and perhaps a map of households, that change while the stream runs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "fugu/base/file_version.hpp"
#include "fugu/stream/series_map.hpp"

namespace fugu {

struct SeriesMapPaths {
  std::string map;
  std::string households = {};  ///< none when empty
};

/// Reads both. With `series`, these and no others, in that order: a stream that goes on keeps its series.
Result<SeriesMap> read_series_map(const SeriesMapPaths& paths, std::span<const std::string> series = {});

/// Looks whether the files have changed. A file that cannot be read as a whole, or that says what `check` does not
/// accept, changes nothing: `warn` is told, once for each state of the files, and the map stays what it was.
class SeriesMapFile {
 public:
  struct Options {
    SeriesMapPaths paths;
    std::function<Result<void>(const SeriesMap& map)> check;
    std::function<void(const std::string& message)> warn;
  };
  /// The files have just been read.
  explicit SeriesMapFile(Options options);

  /// The new map, when there is one; for ReadingsOptions::new_map.
  std::optional<SeriesMap> look(const SeriesMap& now);

 private:
  struct Versions {
    FileVersion map;
    FileVersion households;
    friend bool operator==(const Versions&, const Versions&) = default;
  };
  Versions versions() const;

  Options options_;
  Versions seen_;
};

}  // namespace fugu
