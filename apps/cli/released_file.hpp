// What a file of releases says about itself, without a ledger.
#pragma once

#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "run_facts.hpp"

namespace fugu::cli {

/// Names of the series, by first appearance. Cause::bad_input when there is no release.
Result<std::vector<std::string>> series_in(const std::string& released);

/// The clock that its times imply: the longest slot of which all steps between them are multiples.
Result<RunClock> clock_in(const std::string& released);

}  // namespace fugu::cli
