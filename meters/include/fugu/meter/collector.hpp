// What becomes of temporally perturbed reports: estimates per slot while they arrive, and what was recorded afterwards.
//
// Rules. A report counts once: one whose number was seen before is a duplicate and dropped, whenever it comes. A meter
// that uses a number for two different reports is an error: its state was rolled back. Numbers that never came are lost
// reports, counted per meter. A report counts for the estimate of its stamp when it arrives in time (at its stamp, or
// the lag after it), and for what is recorded whenever it arrives, unless more than kWindow later ones of its meter
// have come before it: then it is too late, dropped and counted.
//
// What is recorded covers a window of slots. Stamps outside are counted apart (head-cutting), or moved into the window
// as if it were a ring (ring-moving): then the sum over the window is exact, to the last step, when all readings were
// taken inside of it and nothing was lost. Guarantee: none of its own; it sees what a scheme lets out.
// Memory: 8 bytes per meter and slot, 8 per report, 2 KiB per meter to recognise duplicates.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fugu/meter/report.hpp"
#include "fugu/meter/temporal_scheme.hpp"

namespace fugu {

struct CollectorOptions {
  Slot first_slot = 0;
  Slot slots = 0;  ///< the window, at least 1
  bool ring = false;
};

/// Statistics that do not depend on the order in time, over the values of a meter's reports, in steps. Exact when
/// readings are not divided.
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
  /// Numbers back from a meter's largest within which a report is recognised.
  static constexpr std::uint64_t kWindow = 1024;

  enum class Taken : std::uint8_t { counted, outside, duplicate, too_late, conflict };

  /// Errors of Cause::usage.
  static Result<Collector> make(const TemporalScheme& scheme, std::size_t meters, const CollectorOptions& options);

  /// `conflict`: this number was used for another report.
  Taken take(NameTable::Id meter, const Report& report);

  /// One per slot of the window.
  std::vector<SlotEstimate> estimates() const;
  /// The recorded matrix: one row per meter, one value per slot of the window, in steps.
  std::span<const std::int64_t> recorded(NameTable::Id meter) const;

  struct Account {
    std::int64_t sum_steps = 0;  ///< over the window
    std::uint64_t reports = 0;   ///< counted, inside or outside the window
    std::uint64_t outside = 0;   ///< with a stamp outside the window, head-cutting
    std::int64_t outside_steps = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t too_late = 0;
    std::uint64_t lost = 0;  ///< numbers below the largest that did not come
  };
  Account account(NameTable::Id meter) const;
  /// Values of the counted reports, in the order of arrival.
  std::span<const std::int64_t> values(NameTable::Id meter) const { return meters_[meter].values; }

 private:
  struct Meter {
    std::uint64_t next_number = 0;               // one more than the largest seen
    std::array<std::uint16_t, kWindow> marks{};  // of the numbers in the window, at number modulo kWindow; 0: not seen
    Account account;
    std::vector<std::int64_t> values;
  };
  struct Timely {
    std::uint64_t reports = 0;
    std::int64_t sum_steps = 0;
    double squares = 0;
  };

  Collector(const TemporalScheme& scheme, std::size_t meters, const CollectorOptions& options);
  Taken recognise(Meter& meter, const Report& report);

  CollectorOptions options_;
  Slot lag_slots_;
  double correction_;
  double variance_share_;
  std::vector<Meter> meters_;
  std::vector<std::int64_t> recorded_;  // meters × slots
  std::vector<Timely> timely_;
};

}  // namespace fugu
