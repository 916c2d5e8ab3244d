#include "fugu/meter/collector.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fugu/filter/kalman_state.hpp"

namespace fugu {

namespace {

constexpr Slot kSlotsMax = 10'000'000;
/// A slot's weight in the recent variance.
constexpr double kRecent = 1.0 / 16;

/// False when the sum does not fit: it is left as it was. 1,024 times the largest value fit in any case, so this is a
/// meter that nobody can bill; it must not stop the others.
bool add(std::int64_t& sum, std::int64_t term) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(sum, term, &result)) return false;
  sum = result;
  return true;
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
      book_(meters),
      meters_(meters),
      recorded_(meters * static_cast<std::size_t>(options.slots)),
      timely_(static_cast<std::size_t>(options.slots)) {}

Result<Collector> Collector::make(const TemporalScheme& scheme, std::size_t meters, const CollectorOptions& options) {
  if (options.slots < 1 || options.slots > kSlotsMax)
    return Error{Cause::usage, "the window: expected 1 to 10,000,000 slots"};
  return Collector(scheme, meters, options);
}

void Collector::estimate_with(const Report& report) {
  if (!window().has(report.stamp) || report.arrival != report.stamp + lag_slots_) return;
  Timely& timely = timely_[static_cast<std::size_t>(report.stamp - options_.first_slot)];
  if (!add(timely.sum_steps, report.value_steps)) return;
  ++timely.reports;
  timely.squares += static_cast<double>(report.value_steps) * static_cast<double>(report.value_steps);
}

Collector::Taken Collector::take(NameTable::Id id, const Report& report) {
  if (options_.ring && !report.period) return Taken::no_period;
  switch (book_.take(id, report)) {
    case ReportBook::Taken::counted: break;
    case ReportBook::Taken::closing: return Taken::closing;
    case ReportBook::Taken::duplicate: return Taken::duplicate;
    case ReportBook::Taken::too_large: return Taken::too_large;
    case ReportBook::Taken::conflict:
    case ReportBook::Taken::billed: return Taken::conflict;  // nothing is billed in this book
  }
  estimate_with(report);
  Meter& meter = meters_[id];
  const bool stamp_inside = window().has(report.stamp);
  if (!stamp_inside && !options_.ring && (!report.period || window().has(*report.period))) {
    ++meter.account.outside;
    if (!add(meter.account.outside_steps, report.value_steps)) meter.too_large = true;
  }
  if (!window().has(report.period.value_or(report.stamp))) return Taken::outside;
  ++meter.account.reports;
  if (!add(meter.account.sum_steps, report.value_steps)) meter.too_large = true;
  meter.values.push_back(report.value_steps);
  if (!stamp_inside && !options_.ring) return Taken::counted;
  const Slot slots = options_.slots;
  const Slot column = ((report.stamp - options_.first_slot) % slots + slots) % slots;
  const std::size_t row = static_cast<std::size_t>(id) * static_cast<std::size_t>(slots);
  if (!add(recorded_[row + static_cast<std::size_t>(column)], report.value_steps)) meter.too_large = true;
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

Result<std::span<const std::int64_t>> Collector::readings(NameTable::Id meter) const {
  if (options_.parts == 1) return std::span<const std::int64_t>(meters_[meter].values);
  return Error{Cause::usage, "readings are divided into " + std::to_string(options_.parts) +
                                 " parts that are moved each on their own, so nobody knows single readings; expected "
                                 "reports of whole readings"};
}

Collector::Account Collector::account(NameTable::Id id) const {
  Account account = meters_[id].account;
  account.duplicates = book_.duplicates(id);
  if (book_.periods(id).empty()) {
    account.lost = book_.gaps(id);
    return account;
  }
  for (const auto& [start, of_period] : book_.periods(id))
    if (window().has(start)) account.lost += of_period.missing().value_or(0);
  account.complete = book_.covers(id, window()) && !meters_[id].too_large;
  return account;
}

}  // namespace fugu
