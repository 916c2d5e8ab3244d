// Slots along the horizontal axis of a chart, as times where the stream has them.
#pragma once

#include "fugu/policy/policy.hpp"
#include "fugu/report/svg.hpp"
#include "run_facts.hpp"

namespace fugu::cli {

/// At least 1; 96 where no clock says how long a day is.
Slot slots_per_day(const Clock& clock);

/// Midnights with their date, and hours between them where there is room.
report::Axis time_axis(const RunClock& time, const Interval& slots, bool labelled);

}  // namespace fugu::cli
