#include "fugu/meter/collector.hpp"

#include <algorithm>
#include <utility>

#include "fugu/filter/kalman_state.hpp"

namespace fugu {

namespace {

constexpr Slot kSlotsMax = 10'000'000;
/// A slot's weight in the recent variance.
constexpr double kRecent = 1.0 / 16;

/// Sums are exact or the program ends: 1,024 times the largest value fit in any case.
void add_exactly(std::int64_t& sum, std::int64_t term) { FUGU_CHECK(!__builtin_add_overflow(sum, term, &sum)); }

/// Tells two reports of one number apart; never 0, which stands for none.
std::uint16_t mark_of(const Report& report) {
  return static_cast<std::uint16_t>(report.mac[0] | report.mac[1] << 8 | 1);
}

}  // namespace

OrderFreeStatistics order_free_statistics(std::vector<std::int64_t> values) {
  FUGU_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  OrderFreeStatistics statistics{.count = values.size(), .minimum = values.front(), .maximum = values.back()};
  const std::size_t half = values.size() / 2;
  const auto upper = static_cast<double>(values[half]);
  statistics.median = values.size() % 2 == 1 ? upper : (static_cast<double>(values[half - 1]) + upper) / 2;
  const auto count = static_cast<double>(values.size());
  for (const std::int64_t value : values) statistics.mean += static_cast<double>(value) / count;
  for (const std::int64_t value : values) {
    const double distance = static_cast<double>(value) - statistics.mean;
    statistics.variance += distance * distance / count;
  }
  return statistics;
}

std::vector<std::uint64_t> histogram(std::span<const std::int64_t> values, std::int64_t lowest, std::int64_t width,
                                     std::size_t bins) {
  FUGU_CHECK(width > 0 && bins > 0);
  std::vector<std::uint64_t> counts(bins);
  for (const std::int64_t value : values) {
    const std::int64_t bin = value < lowest ? 0 : (value - lowest) / width;
    ++counts[std::min(static_cast<std::size_t>(bin), bins - 1)];
  }
  return counts;
}

Collector::Collector(const TemporalScheme& scheme, std::size_t meters, const CollectorOptions& options)
    : options_(options),
      lag_slots_(scheme.lag_slots()),
      correction_(1 / scheme.timely_share()),
      variance_share_(scheme.sampling_variance_share()),
      meters_(meters),
      recorded_(meters * static_cast<std::size_t>(options.slots)),
      timely_(static_cast<std::size_t>(options.slots)) {}

Result<Collector> Collector::make(const TemporalScheme& scheme, std::size_t meters, const CollectorOptions& options) {
  if (options.slots < 1 || options.slots > kSlotsMax)
    return Error{Cause::usage, "the window: expected 1 to 10,000,000 slots"};
  return Collector(scheme, meters, options);
}

Collector::Taken Collector::recognise(Meter& meter, const Report& report) {
  if (report.number + kWindow < meter.next_number) {
    ++meter.account.too_late;
    return Taken::too_late;
  }
  // Numbers that come into the window for the first time have not been seen.
  const std::uint64_t from = std::max(meter.next_number, report.number >= kWindow ? report.number - kWindow + 1 : 0);
  for (std::uint64_t number = from; number <= report.number; ++number) meter.marks[number % kWindow] = 0;
  meter.next_number = std::max(meter.next_number, report.number + 1);
  std::uint16_t& mark = meter.marks[report.number % kWindow];
  if (mark == 0) {
    mark = mark_of(report);
    return Taken::counted;
  }
  if (mark != mark_of(report)) return Taken::conflict;
  ++meter.account.duplicates;
  return Taken::duplicate;
}

Collector::Taken Collector::take(NameTable::Id id, const Report& report) {
  Meter& meter = meters_[id];
  const Taken taken = recognise(meter, report);
  if (taken != Taken::counted) return taken;
  ++meter.account.reports;
  meter.values.push_back(report.value_steps);
  const Slot slots = options_.slots;
  const Slot from_first = report.stamp - options_.first_slot;
  const bool inside = from_first >= 0 && from_first < slots;
  if (inside && report.arrival == report.stamp + lag_slots_) {
    Timely& timely = timely_[static_cast<std::size_t>(from_first)];
    ++timely.reports;
    add_exactly(timely.sum_steps, report.value_steps);
    timely.squares += static_cast<double>(report.value_steps) * static_cast<double>(report.value_steps);
  }
  if (!inside && !options_.ring) {
    ++meter.account.outside;
    add_exactly(meter.account.outside_steps, report.value_steps);
    return Taken::outside;
  }
  const Slot column = (from_first % slots + slots) % slots;
  const std::size_t row = static_cast<std::size_t>(id) * static_cast<std::size_t>(slots);
  add_exactly(recorded_[row + static_cast<std::size_t>(column)], report.value_steps);
  add_exactly(meter.account.sum_steps, report.value_steps);
  return Taken::counted;
}

std::vector<SlotEstimate> Collector::estimates() const {
  std::vector<SlotEstimate> estimates;
  estimates.reserve(timely_.size());
  TrackingKalman filter;
  double recent_variance = 0;
  for (const Timely& timely : timely_) {
    SlotEstimate estimate{.reports = timely.reports, .timely_steps = timely.sum_steps};
    estimate.estimate = static_cast<double>(timely.sum_steps) * correction_;
    estimate.variance = timely.squares * variance_share_ * correction_ * correction_;
    // Nobody reported: nothing is known, and a variance of 0 would have the filter believe it.
    if (timely.squares > 0) {
      // A slot that got few reports has a low estimate and a low variance: believing it for that would be a bias. So
      // the filter is told the variance of the slots before.
      if (!filter.started()) recent_variance = estimate.variance;
      filter.measure(estimate.estimate, recent_variance, 1);
      recent_variance += kRecent * (estimate.variance - recent_variance);
    }
    estimate.smoothed = filter.started() ? filter.value() : estimate.estimate;
    estimates.push_back(estimate);
  }
  return estimates;
}

std::span<const std::int64_t> Collector::recorded(NameTable::Id meter) const {
  const auto slots = static_cast<std::size_t>(options_.slots);
  return std::span(recorded_).subspan(meter * slots, slots);
}

Collector::Account Collector::account(NameTable::Id id) const {
  Account account = meters_[id].account;
  account.lost = meters_[id].next_number - account.reports;
  return account;
}

}  // namespace fugu
