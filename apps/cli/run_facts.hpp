// The public facts of a run that its ledger keeps, and how they are written there.
#pragma once

#include <string>

#include "fugu/accounting/ledger.hpp"
#include "fugu/filter/release_rows.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu::cli {

/// `slots`, or `time ORIGIN_S SLOT_S OFFSET_S`.
std::string clock_to_text(const Clock& clock, std::int32_t utc_offset_s);

/// Reads back as the same number: bands depend on every digit.
std::string interval_to_text(double interval);

/// A stream's clock and the offset of its first stamp.
struct RunClock {
  Clock clock;
  std::int32_t utc_offset_s = 0;
};

/// From `--start` and `--slot-length`; a clock that counts slots when `start` is empty.
Result<RunClock> clock_from(const std::string& start, const std::string& slot_length);

Result<RunClock> clock_of(const LedgerHeader& header);
Result<UnitStep> unit_step_of(const LedgerHeader& header);
/// How the run writes its releases.
Result<ReleaseFormat> release_format_of(const LedgerHeader& header);
/// The id of the distributional state that readings went through; nullptr when they did not.
const std::string* distributional_state_of(const LedgerHeader& header);

}  // namespace fugu::cli
