#include "fugu/mechanism/run_facts.hpp"

#include <charconv>
#include <sstream>

namespace fugu {

std::string clock_to_text(const RunClock& clock) {
  if (!clock.clock.has_time()) return "slots";
  return "time " + std::to_string(clock.clock.origin_s()) + " " + std::to_string(clock.clock.slot_s()) + " " +
         std::to_string(clock.utc_offset_s);
}

Result<RunClock> clock_of(const LedgerHeader& header) {
  const auto fact = header.facts.find("clock");
  std::stringstream text(fact == header.facts.end() ? "" : fact->second);
  std::string kind;
  text >> kind;
  if (kind == "slots") return RunClock{};
  std::int64_t origin_s = 0;
  std::int64_t slot_s = 0;
  std::int32_t utc_offset_s = 0;
  if (kind != "time" || !(text >> origin_s >> slot_s >> utc_offset_s) || slot_s <= 0)
    return Error{Cause::bad_input, "the ledger does not say how its slots map to time"};
  return RunClock{Clock(origin_s, slot_s), utc_offset_s};
}

Result<UnitStep> unit_step_of(const LedgerHeader& header) {
  const auto fact = header.facts.find("unit-step");
  if (fact == header.facts.end()) return Error{Cause::bad_input, "the ledger does not name its unit step"};
  return UnitStep::parse(fact->second);
}

std::string interval_to_text(double interval) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, interval).ptr};
}

Result<ReleaseFormat> release_format_of(const LedgerHeader& header) {
  FUGU_ASSIGN(const RunClock clock, clock_of(header));
  FUGU_ASSIGN(const UnitStep unit_step, unit_step_of(header));
  ReleaseFormat format;
  format.clock = clock.clock;
  format.unit_step = unit_step;
  format.series = header.series;
  format.currency = header.definition.delta().value() > 0 ? Currency::rho : Currency::epsilon;
  if (const auto filter = header.facts.find("filter"); filter != header.facts.end()) format.filter = filter->second;
  if (const auto interval = header.facts.find("interval"); interval != header.facts.end()) {
    const std::string& text = interval->second;
    double level = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
    if (error != std::errc() || end != text.data() + text.size())
      return Error{Cause::bad_input, "the ledger does not say which interval its error bands are"};
    format.interval = level;
  }
  return format;
}

}  // namespace fugu
