// What commands ask about the public facts of a run, besides fugu/mechanism/run_facts.hpp.
#pragma once

#include <string>

#include "fugu/mechanism/run_facts.hpp"

namespace fugu::cli {

/// From `--start` and `--slot-length`; a clock that counts slots when `start` is empty.
Result<RunClock> clock_from(const std::string& start, const std::string& slot_length);

}  // namespace fugu::cli
