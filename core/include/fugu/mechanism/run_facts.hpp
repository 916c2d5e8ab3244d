// The public facts of a run that its ledger keeps, and how they are written there.
#pragma once

#include <string>

#include "fugu/accounting/ledger.hpp"
#include "fugu/filter/release_rows.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"

namespace fugu {

/// A stream's clock and the offset of its first stamp.
struct RunClock {
  Clock clock;
  std::int32_t utc_offset_s = 0;
};

/// `slots`, or `time ORIGIN_S SLOT_S OFFSET_S`.
std::string clock_to_text(const RunClock& clock);

Result<RunClock> clock_of(const LedgerHeader& header);
Result<UnitStep> unit_step_of(const LedgerHeader& header);
/// Reads back as the same number: bands depend on every digit.
std::string interval_to_text(double interval);
/// How the run writes its releases.
Result<ReleaseFormat> release_format_of(const LedgerHeader& header);

}  // namespace fugu
