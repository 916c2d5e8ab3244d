#include "time_axis.hpp"

#include <string>
#include <utility>

namespace fugu::cli {

namespace {

constexpr std::int64_t kDay_s = 86'400;
constexpr std::int64_t kTicksMax = 14;  // more are not readable side by side

/// Between ticks: the shortest round time of which not too many fit.
std::int64_t between_ticks_s(std::int64_t span_s) {
  for (const std::int64_t minutes : {1, 5, 15, 60, 180, 360, 720}) {
    if (span_s <= kTicksMax * minutes * 60) return minutes * 60;
  }
  return kDay_s * ((span_s + kTicksMax * kDay_s - 1) / (kTicksMax * kDay_s));
}

std::vector<report::Tick> time_ticks(const RunClock& time, const Interval& slots) {
  const std::int64_t between_s = between_ticks_s(static_cast<std::int64_t>(slots.slots()) * time.clock.slot_s());
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
  std::vector<report::Tick> ticks;
  if (time.clock.has_time()) ticks = time_ticks(time, slots);
  std::string label;  // slots that never begin at a round time are numbered
  if (labelled) label = ticks.empty() ? "slot" : "time, from " + time.clock.text(slots.first, time.utc_offset_s);
  return {.label = label,
          .lo = static_cast<double>(slots.first),
          .hi = static_cast<double>(slots.last + 1),
          .ticks = std::move(ticks)};
}

}  // namespace fugu::cli
