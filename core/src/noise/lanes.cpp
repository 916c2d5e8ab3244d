#include "lanes.hpp"

namespace fugu::detail {

constexpr LaneTables make_tables() {
  LaneTables tables{};
  for (unsigned i = 0; i < tables.top.size(); ++i) tables.top[i] = row_of(128 + i, kTopGroup);
  tables.middle = {row_of(128, kMiddleGroup), row_of(256, kMiddleGroup)};
  tables.bottom = {row_of(128, kLowestLane), row_of(256, kLowestLane)};
  return tables;
}

constinit const LaneTables kLaneTables = make_tables();

}  // namespace fugu::detail
