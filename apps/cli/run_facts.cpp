#include "run_facts.hpp"

#include "command.hpp"

namespace fugu::cli {

Result<RunClock> clock_from(const std::string& start, const std::string& slot_length) {
  if (start.empty()) return RunClock{};
  Stamp stamp;
  const TimeFault fault = parse_stamp(start, std::nullopt, stamp);
  if (fault != TimeFault::none) return Error{Cause::usage, "--start: expected " + std::string(expected_stamp(fault))};
  FUGU_ASSIGN(const std::int64_t slot_s, of_option("--slot-length", parse_duration(slot_length)));
  return RunClock{Clock(stamp.instant_s, slot_s), stamp.utc_offset_s};
}

}  // namespace fugu::cli
