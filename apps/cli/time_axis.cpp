#include "time_axis.hpp"

#include <algorithm>

namespace fugu::cli {

namespace {

constexpr std::int64_t kDay_s = 86'400;
constexpr std::int64_t kHour_s = 3'600;
constexpr std::int64_t kDatesMax = 12;  // more are not readable side by side

std::int64_t tick_hours(double days) {
  if (days <= 1.5) return 3;
  if (days <= 3.5) return 6;
  if (days <= 7.5) return 12;
  return 24 * std::max<std::int64_t>(1, static_cast<std::int64_t>(days) / kDatesMax);
}

std::vector<report::Tick> time_ticks(const RunClock& time, const Interval& slots) {
  const double days = static_cast<double>(slots.slots()) * static_cast<double>(time.clock.slot_s()) / kDay_s;
  const std::int64_t between_s = tick_hours(days) * kHour_s;
  std::vector<report::Tick> ticks;
  for (Slot slot = slots.first; slot <= slots.last + 1; ++slot) {
    const std::int64_t local_s = time.clock.start_of(slot) + time.utc_offset_s;
    if (local_s % between_s != 0) continue;
    const std::string text = time.clock.text(slot, time.utc_offset_s);  // 2026-03-29T01:45:00+01:00
    ticks.push_back({static_cast<double>(slot), local_s % kDay_s == 0 ? text.substr(5, 5) : text.substr(11, 5)});
  }
  return ticks;
}

}  // namespace

Slot slots_per_day(const Clock& clock) {
  constexpr Slot kQuarterHours = 96;
  return clock.has_time() ? std::max<Slot>(1, kDay_s / clock.slot_s()) : kQuarterHours;
}

report::Axis time_axis(const RunClock& time, const Interval& slots, bool labelled) {
  const bool has_time = time.clock.has_time();
  std::string label;
  if (labelled) label = has_time ? "time, from " + time.clock.text(slots.first, time.utc_offset_s) : "slot";
  return {.label = label,
          .lo = static_cast<double>(slots.first),
          .hi = static_cast<double>(slots.last + 1),
          .ticks = has_time ? time_ticks(time, slots) : std::vector<report::Tick>()};
}

}  // namespace fugu::cli
