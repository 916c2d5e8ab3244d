// Gateways, keys and loads for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fugu/meter/gateway.hpp"

namespace fugu::test {

inline std::string meter_name(std::size_t meter) { return std::string("m").append(std::to_string(meter)); }

/// The same keys every time: shifts, and with them everything else, can be repeated.
inline MeterKeyFile make_keys(std::size_t meters, unsigned salt = 0) {
  MeterKeyFile file;
  for (std::size_t i = 0; i < meters; ++i) {
    file.meters.intern(meter_name(i));
    char hex[65];
    std::snprintf(hex, sizeof hex, "%060zx%04x", i, 2 * salt);
    const auto shift = *SecretKey::parse(hex);
    std::snprintf(hex, sizeof hex, "%060zx%04x", i, 2 * salt + 1);
    file.keys.push_back({shift, *SecretKey::parse(hex)});
  }
  return file;
}

/// What the collector of these meters has.
inline CollectorKeyFile collector_keys(const MeterKeyFile& file) {
  return *CollectorKeyFile::read(Input::from_memory("collector.keys", file.collector_text()));
}

inline MeterRules published_rules(double b) { return {.scheme = *TemporalScheme::published(b)}; }
inline MeterRules lagged_rules(double epsilon = 1, double delta = 1e-4) {
  return {.scheme = *TemporalScheme::lagged({.epsilon = epsilon, .delta = delta})};
}

/// A load that differs from meter to meter and slot to slot, sometimes negative.
inline std::int64_t load_steps(std::size_t meter, Slot slot) {
  return static_cast<std::int64_t>((meter * 7919 + static_cast<std::size_t>(slot) * 104'729) % 3001) - 200;
}

/// Measures slots `from` … `to` − 1 of all meters.
inline void run_slots(Gateway& gateway, Slot from, Slot to) {
  for (Slot slot = from; slot < to; ++slot) {
    for (NameTable::Id meter = 0; meter < gateway.meters().size(); ++meter)
      gateway.measure(meter, slot, load_steps(meter, slot));
    gateway.end_slot(slot);
  }
}

/// Reports of `rules` that carry their period of that many slots.
inline MeterRules with_periods(MeterRules rules, Slot slots) {
  rules.periods = *Periods::every(slots);
  return rules;
}

inline std::int64_t load_sum(std::size_t meter, Slot from, Slot to) {
  std::int64_t sum = 0;
  for (Slot slot = from; slot < to; ++slot) sum += load_steps(meter, slot);
  return sum;
}

}  // namespace fugu::test
