// Writes policies as CSV that the reader of policies takes.
#pragma once

#include <cstdio>
#include <string>

#include "command.hpp"
#include "fugu/policy/policy.hpp"
#include "fugu/stream/decimal.hpp"
#include "run_facts.hpp"

namespace fugu::cli {

inline void write_policy_header(std::FILE* out) { std::fprintf(out, "meter,start,end,length,magnitude,epsilon\n"); }

inline void write_policy(std::FILE* out, const std::string& meter, const Policy& policy, const RunClock& time,
                         const UnitStep& step) {
  const auto text = [&](Slot slot) { return time.clock.text(slot, time.utc_offset_s); };
  std::fprintf(out, "%s,%s,%s,%llu,%s,%s\n", meter.c_str(), text(policy.interval.first).c_str(),
               text(policy.interval.last).c_str(), static_cast<unsigned long long>(policy.length_slots),
               step.text(static_cast<std::int64_t>(policy.magnitude_steps)).c_str(),
               short_number(policy.epsilon.to_double()).c_str());
}

}  // namespace fugu::cli
