// A series map, and perhaps a map of households, that change while the stream runs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "fugu/base/file_version.hpp"
#include "fugu/stream/series_map.hpp"

namespace fugu {

struct SeriesMapPaths {
  std::string map;
  std::string households = {};  ///< none when empty
};

/// Reads both. With `series`, these and no others, in that order: a stream that goes on keeps its series.
Result<SeriesMap> read_series_map(const SeriesMapPaths& paths, std::span<const std::string> series = {});

/// Which state of the files is there.
struct SeriesMapVersions {
  FileVersion map;
  FileVersion households;
  friend bool operator==(const SeriesMapVersions&, const SeriesMapVersions&) = default;
};
SeriesMapVersions versions_of(const SeriesMapPaths& paths);

/// Looks whether the files have changed. A file that cannot be read as a whole, or that says what `check` does not
/// accept, changes nothing: `warn` is told, once for each state of the files, and the map stays what it was. Nor does a
/// file whose last line has no end: somebody is writing it, and half a row could be taken for a whole one. That is said
/// once, until the files are whole again.
class SeriesMapFile {
 public:
  struct Options {
    SeriesMapPaths paths;
    SeriesMapVersions read;  ///< taken before the files were read: what changed in between is then seen
    std::function<Result<void>(const SeriesMap& map)> check;
    std::function<void(const std::string& message)> warn;
  };
  explicit SeriesMapFile(Options options) : options_(std::move(options)) {}

  /// The new map, when there is one; for ReadingsOptions::new_map.
  std::optional<SeriesMap> look(const SeriesMap& now);

 private:
  void go_on_without(const Error& why);

  Options options_;
  bool said_half_ = false;
};

}  // namespace fugu
