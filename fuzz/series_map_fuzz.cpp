// Any bytes as a series map: no crash, and what is accepted is consistent.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/stream/series_map.hpp"

using namespace fugu;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto map = SeriesMap::read(Input::from_memory("map.csv", {reinterpret_cast<const char*>(data), size}));
  if (!map) return 0;
  for (MeterId meter = 0; meter < map->meter_count(); ++meter) {
    FUGU_CHECK(map->meter(map->meter_name(meter)) == meter);
    FUGU_CHECK(!map->series_of(meter).empty());
    for (SeriesId series : map->series_of(meter)) FUGU_CHECK(series < map->series().size());
  }
  FUGU_CHECK(!map->signatures().empty());
  return 0;
}
