// Files of zones as make_zones reads them, made up.
#pragma once

#include <cstdio>
#include <string>

namespace fugu::test {

inline std::string zone_header(std::size_t zones) {
  std::string text = "timestamp";
  for (std::size_t i = 1; i <= zones; ++i) text.append(",zone").append(std::to_string(i)).append("_kw");
  return text.append("\n");
}

/// A row per hour; `cell` makes the value of a zone.
template <class Cell>
std::string zone_hours(std::size_t count, std::size_t zones, const Cell& cell) {
  std::string text;
  for (std::size_t hour = 0; hour < count; ++hour) {
    char time[80];
    std::snprintf(time, sizeof time, "2004-01-%02zuT%02zu:00", hour / 24 + 1, hour % 24);
    text.append(time);
    for (std::size_t zone = 0; zone < zones; ++zone) text.append(",").append(cell(hour, zone));
    text.append("\n");
  }
  return text;
}

}  // namespace fugu::test
