// What the sub-commands of fugu meter share.
#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "fugu/meter/periods.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu::cli {

void add_meter_collect(CLI::App& command, Outcome& outcome);
/// fugu meter card, fugu meter transform.
void add_meter_transform(CLI::App& command, Outcome& outcome);

inline Result<std::optional<std::int64_t>> slot_length_of(const std::string& text) {
  if (text.empty()) return std::optional<std::int64_t>();
  FUGU_ASSIGN(const std::int64_t slot_s, of_option("--slot-length", parse_duration(text)));
  return std::optional<std::int64_t>(slot_s);
}

inline Result<UnitStep> unit_step_of(const std::string& text) {
  return of_option("--unit-step", UnitStep::parse(text));
}

}  // namespace fugu::cli
