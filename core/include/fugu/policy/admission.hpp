// Who may add which policy, and until when.
//
// Adding a policy whose interval lies in the future only shrinks what may still be spent, so it is always safe; but one
// household could freeze the stream of a whole city. So the administrator says what is too much. What has begun is
// settled: its budget is partly spent, and what it lets through is published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fugu/policy/book.hpp"

namespace fugu {

/// What the administrator allows. Whatever is absent is not limited.
struct AdmissionRule {
  Slot notice_slots = 0;  ///< from now to the begin of the interval, at least
  std::optional<std::uint64_t> largest_magnitude_steps = {};
  std::optional<Budget> smallest_epsilon = {};
  std::optional<std::size_t> most_overlapping = {};  ///< policies of one meter that are relevant in one slot
};

/// Whether `policy` may be added to its meter's collection in slot `now`, the next that will be released. Refused with
/// the reason when it has begun, comes at too short notice, is beyond a limit, or is there already.
Result<void> admit(const AdmissionRule& rule, const Collection& collection, const Policy& policy, Slot now);

/// Whether `policy` may be taken back in slot `now`. Refused when it is not there or has begun. Taking back needs no
/// notice: it leaves more to spend.
Result<void> admit_withdrawal(const Collection& collection, const Policy& policy, Slot now);

/// The limits that concern a policy alone: magnitude and ε.
Result<void> check_limits(const AdmissionRule& rule, const Policy& policy);

/// A slot, and how many policies are relevant in it.
struct BusySlot {
  std::size_t policies = 0;
  Slot slot = 0;
};
/// The slot of `interval` in which most policies of the collection are relevant, the first of them.
BusySlot busiest_slot(const Collection& collection, const Interval& interval);

}  // namespace fugu
