// What `fugu plan` knows when it has computed everything, and how it is drawn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fugu/report/svg.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"
#include "plan_parts.hpp"
#include "run_facts.hpp"

namespace fugu::cli {

/// One strategy over all slots, in every part.
struct PlannedNoise {
  std::string name;
  bool comparison_only = false;
  std::vector<PlannedPart> parts = {};
};

/// The share is that of the noise of all series.
struct BindingInPart : BindingPolicy {
  std::size_t part = 0;
};

struct PlanOutlook {
  PolicyBook book;  ///< of all parts, as stated
  UnitStep unit_step;
  std::string unit;  ///< of the values, in words; may be empty
  RunClock clock;
  OutlookOptions options;           ///< options.slots: all slots that are planned
  Interval shown;                   ///< the slots that tables and files are about
  std::vector<std::string> series;  ///< names
  std::optional<PlanRules> rules;   ///< once they are chosen
  std::vector<PlanPart> parts;
  std::vector<PlannedNoise> strategies;
  std::vector<BindingInPart> binding;

  std::size_t index(Slot slot) const { return static_cast<std::size_t>(slot - options.slots.first); }
  double in_units(double steps) const { return steps * unit_step.to_double(); }
  std::string time_text(Slot slot) const { return clock.clock.text(slot, clock.utc_offset_s); }
  /// For tables: to the minute, without the offset.
  std::string short_time_text(Slot slot) const;
  /// "0.25 kW"
  std::string with_unit(const std::string& number) const { return unit.empty() ? number : number + " " + unit; }
  /// What the meter said that the planner was told as `planned`.
  const Policy& as_stated(std::size_t part, MeterId meter, const Policy& planned) const;
  NoiseKind noise() const { return noise_for(options.delta); }
  /// "north, south"; many are counted.
  std::string names_of(const SeriesGroup& group) const;
};

/// The policies of a meter above, the scales of some strategies for the series with the most noise of its part below.
/// `slots`: what is drawn; absent for three days from the meter's policy on that binds most.
report::ChartStack draw_timeline(const PlanOutlook& outlook, std::size_t part, MeterId meter,
                                 const std::optional<Interval>& slots);

}  // namespace fugu::cli
