// What becomes of temporally perturbed reports: estimates per slot while they arrive, and what was recorded afterwards.
//
// Looks at the reports of one run. Which count, and once, says the book (report_book.hpp); what a collector remembers
// from run to run is in durable_book.hpp.
//
// A report counts for the estimate of its stamp when it was sent in time (at its stamp, or the lag after it). What is
// recorded covers a window of slots. A report that carries its period belongs to the window that the period starts in,
// wherever its stamp went: sums over whole periods are exact, to the last step, when nothing was lost, and whether that
// is so is known (Account::complete). One without a period belongs where its stamp is: such sums are cut at the ends of
// the window, and not exact. In the recorded matrix, stamps outside of the window are left out and counted apart
// (head-cutting), or moved into it as if it were a ring (ring-moving), which needs reports with periods: without, a
// ring would take in everybody else's. Guarantee: none of its own; it sees what a scheme lets out.
// Memory: 8 bytes per meter and slot, 8 per report, and what the book has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fugu/meter/report_book.hpp"
#include "fugu/meter/temporal_scheme.hpp"

namespace fugu {

struct CollectorOptions {
  Slot first_slot = 0;
  Slot slots = 0;  ///< the window, at least 1
  bool ring = false;
  unsigned parts = 1;  ///< that readings are divided into
};

/// Statistics that do not depend on the order in time, over the values of a meter's reports, in steps.
struct OrderFreeStatistics {
  std::uint64_t count = 0;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  double median = 0;
  double mean = 0;
  double variance = 0;  ///< mean of the squared distance to the mean
};
/// Of at least one value.
OrderFreeStatistics order_free_statistics(std::vector<std::int64_t> values);
/// Values per bin of `width` steps, from the bin that holds `lowest` on; what lies outside counts into the end bins.
std::vector<std::uint64_t> histogram(std::span<const std::int64_t> values, std::int64_t lowest, std::int64_t width,
                                     std::size_t bins);

/// What is known of a slot when its reports have arrived.
struct SlotEstimate {
  std::uint64_t reports = 0;  ///< in time
  std::int64_t timely_steps = 0;
  double estimate = 0;  ///< timely sum times the correction factor of equation 1, in steps
  double variance = 0;  ///< of the estimate, from the chance that decides which reports are in time
  double smoothed = 0;  ///< after a Kalman filter over the estimates so far
};

class Collector {
 public:
  enum class Taken : std::uint8_t {
    counted,    ///< for the window's sum
    outside,    ///< belongs to another window
    closing,    ///< the end of a period
    no_period,  ///< a ring was asked for, and whose report this is cannot be known
    duplicate,
    conflict,   ///< this number was used for another report
    too_large,  ///< the sum of its period does not fit any more
  };

  /// Errors of Cause::usage.
  static Result<Collector> make(const TemporalScheme& scheme, std::size_t meters, const CollectorOptions& options);

  Taken take(NameTable::Id meter, const Report& report);

  /// One per slot of the window.
  std::vector<SlotEstimate> estimates() const;
  /// The recorded matrix: one row per meter, one value per slot of the window, in steps.
  std::span<const std::int64_t> recorded(NameTable::Id meter) const;

  struct Account {
    std::int64_t sum_steps = 0;      ///< over the window
    std::uint64_t reports = 0;       ///< of the window
    std::uint64_t outside = 0;       ///< with a stamp outside, head-cutting; of the window if periods are kept
    std::int64_t outside_steps = 0;  ///< part of the sum if periods are kept
    std::uint64_t duplicates = 0;
    /// With periods: reports of the window's closed periods that did not come. Without: numbers that did not come,
    /// between the smallest and the largest that did.
    std::uint64_t lost = 0;
    /// Closed periods fill the window without a gap, nothing of them is lost or disputed: the sum is exact.
    bool complete = false;
  };
  Account account(NameTable::Id meter) const;
  /// Values of the window's readings, in the order of arrival. Cause::usage where readings are divided: nobody can tell
  /// which parts belong together, and statistics of parts are not those of readings.
  Result<std::span<const std::int64_t>> readings(NameTable::Id meter) const;
  /// A period that the window cuts, if it does so with more than half of the meters: the window is wrong.
  std::optional<Period> cut_period() const { return book_.cut_by(window()); }

 private:
  struct Meter {
    Account account;
    bool too_large = false;  // a sum did not fit
    std::vector<std::int64_t> values;
  };
  struct Timely {
    std::uint64_t reports = 0;
    std::int64_t sum_steps = 0;
    double squares = 0;
  };

  Collector(const TemporalScheme& scheme, std::size_t meters, const CollectorOptions& options);
  ReportBook::Window window() const { return {options_.first_slot, options_.slots}; }
  void estimate_with(const Report& report);

  CollectorOptions options_;
  Slot lag_slots_;
  double correction_;
  double variance_share_;
  ReportBook book_;
  std::vector<Meter> meters_;
  std::vector<std::int64_t> recorded_;  // meters × slots
  std::vector<Timely> timely_;
};

}  // namespace fugu
