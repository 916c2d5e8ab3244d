#include <algorithm>
#include <cmath>

#include "fugu/report/number.hpp"
#include "plan_outlook.hpp"
#include "time_axis.hpp"

namespace fugu::cli {

namespace {

constexpr Slot kDaysDrawn = 3;
constexpr std::int64_t kDay_s = 86'400;
constexpr std::size_t kLinesMax = 3;
/// Scales that differ by more than this are drawn on a logarithmic axis.
constexpr double kLogarithmicFrom = 20;

/// The policy of the meter that binds most, or its first.
const Policy& most_interesting(const PlanOutlook& outlook, std::size_t part, MeterId meter) {
  for (const BindingInPart& bound : outlook.binding)
    if (bound.part == part && bound.meter == meter) return bound.policy;
  return outlook.parts[part].book.of(meter).policies().front();
}

/// Some days from that in which the policy to look at begins, from midnight on where there is one.
Interval days_to_draw(const PlanOutlook& outlook, std::size_t part, MeterId meter) {
  const Slot day = slots_per_day(outlook.clock.clock);
  Slot first = most_interesting(outlook, part, meter).interval.first;
  if (outlook.clock.clock.has_time()) {
    const std::int64_t local_s = outlook.clock.clock.start_of(first) + outlook.clock.utc_offset_s;
    first -= (local_s % kDay_s + kDay_s) % kDay_s / outlook.clock.clock.slot_s();
  } else {
    first -= first % day;
  }
  return common({first, first + kDaysDrawn * day - 1}, outlook.options.slots);
}

report::Interval on_axis(const Interval& slots) {
  return {static_cast<double>(slots.first), static_cast<double>(slots.last + 1)};
}

/// Runs of slots in which no policy of any meter is relevant.
std::vector<report::Interval> idle_slots(const PlanOutlook& outlook, std::size_t part, const Interval& slots) {
  std::vector<report::Interval> parts;
  for (Slot slot = slots.first; slot <= slots.last; ++slot) {
    if (outlook.parts[part].relevant[outlook.index(slot)] != 0) continue;
    if (!parts.empty() && parts.back().hi == static_cast<double>(slot)) {
      parts.back().hi += 1;
    } else {
      parts.push_back(on_axis({slot, slot}));
    }
  }
  return parts;
}

/// Puts every policy at the lowest height at which it overlaps none before it.
class Stacking {
 public:
  report::Interval place(const Interval& slots, double height) {
    std::vector<report::Interval> taken;
    for (const Placed& other : placed_)
      if (other.slots.overlaps(slots)) taken.push_back(other.heights);
    std::sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.lo < b.lo; });
    double from = 0;
    for (const report::Interval& other : taken) {
      if (other.lo >= from + height) break;
      from = std::max(from, other.hi);
    }
    placed_.push_back({slots, {from, from + height}});
    return placed_.back().heights;
  }

 private:
  struct Placed {
    Interval slots;
    report::Interval heights;
  };
  std::vector<Placed> placed_;
};

bool binds(const PlanOutlook& outlook, std::size_t part, MeterId meter, const Policy& policy) {
  return std::any_of(outlook.binding.begin(), outlook.binding.end(), [&](const BindingInPart& bound) {
    return bound.part == part && bound.meter == meter && bound.policy == policy;
  });
}

report::Chart draw_policies(const PlanOutlook& outlook, std::size_t part, MeterId meter, const Interval& slots) {
  const PolicyBook& book = outlook.parts[part].stated;
  const std::string name(book.name(meter));
  report::Chart chart({.title = "What meter " + name + " hides, and the noise everybody gets",
                       .description = "Policies of meter " + name + " over time.",
                       .x = time_axis(outlook.clock, slots, false),
                       .y = {.label = "policies of " + name + ", as high as their magnitude", .unit = outlook.unit},
                       .height_px = 300});
  Stacking stacking;
  std::vector<report::Box> loose;
  std::vector<report::Box> binding;
  book.of(meter).for_overlapping(slots, [&](const Policy& policy) {
    const double magnitude = outlook.in_units(static_cast<double>(policy.magnitude_steps));
    report::Box box{.x = on_axis(policy.interval), .y = stacking.place(policy.interval, magnitude)};
    box.label = outlook.unit_step.text(static_cast<std::int64_t>(policy.magnitude_steps));
    box.hint = outlook.with_unit(box.label) + " for up to " + std::to_string(policy.length_slots) +
               " slots, somewhere from " + outlook.time_text(policy.interval.first) + " to " +
               outlook.time_text(policy.interval.last) +
               ", ε = " + report::format_significant(policy.epsilon.to_double());
    (binds(outlook, part, meter, outlook.rules->as_planned(policy)) ? binding : loose).push_back(std::move(box));
  });
  chart.add(report::Shades({}, idle_slots(outlook, part, slots)));
  if (!binding.empty())
    chart.add(report::Boxes({.label = "policy that binds", .colour = report::Colour::vermilion}, std::move(binding)));
  if (!loose.empty())
    chart.add(report::Boxes({.label = "policy that does not bind", .colour = report::Colour::blue}, std::move(loose)));
  return chart;
}

/// Narwhal beside what it improves on, as far as they were asked for.
std::vector<const PlannedNoise*> strategies_to_draw(const PlanOutlook& outlook) {
  std::vector<const PlannedNoise*> chosen;
  for (const char* name : {"narwhal", "unicorn-ps", "uniform"}) {
    for (const PlannedNoise& strategy : outlook.strategies)
      if (strategy.name == name) chosen.push_back(&strategy);
  }
  for (const PlannedNoise& strategy : outlook.strategies) {
    if (chosen.size() >= std::min(kLinesMax, outlook.strategies.size())) break;
    if (std::find(chosen.begin(), chosen.end(), &strategy) == chosen.end()) chosen.push_back(&strategy);
  }
  return chosen;
}

/// Of the series with the most noise, in the stream's unit.
double drawn_scale(const PlanOutlook& outlook, const PlannedNoise& strategy, std::size_t part, Slot slot) {
  return outlook.in_units(strategy.parts[part].scales[outlook.index(slot)] *
                          outlook.parts[part].groups.front().factor(outlook.noise()));
}

/// Smallest and largest positive scale that will be drawn; nothing when there is none.
std::optional<report::Interval> scales_drawn(const PlanOutlook& outlook, std::size_t part, const Interval& slots) {
  std::optional<report::Interval> range;
  for (const PlannedNoise* strategy : strategies_to_draw(outlook)) {
    for (Slot slot = slots.first; slot <= slots.last; ++slot) {
      const double scale = drawn_scale(outlook, *strategy, part, slot);
      if (!(scale > 0) || !std::isfinite(scale)) continue;
      if (!range) range = report::Interval{scale, scale};
      range = report::Interval{std::min(range->lo, scale), std::max(range->hi, scale)};
    }
  }
  return range;
}

/// 1, 2 and 5 times powers of ten around the range, or powers alone where these would be many.
std::vector<report::Tick> logarithmic_ticks(const report::Interval& range) {
  const int lowest = static_cast<int>(std::floor(std::log10(range.lo)));
  const int highest = static_cast<int>(std::ceil(std::log10(range.hi)));
  const bool few = highest - lowest <= 3;
  std::vector<double> values;
  for (int exponent = lowest; exponent <= highest; ++exponent) {
    for (const double factor : {1.0, 2.0, 5.0})
      if (few || factor == 1.0) values.push_back(factor * std::pow(10.0, exponent));
  }
  // From the last at or below the smallest value to the first at or above the largest.
  while (values.size() > 2 && values[1] <= range.lo) values.erase(values.begin());
  while (values.size() > 2 && values[values.size() - 2] >= range.hi) values.pop_back();
  std::vector<report::Tick> ticks;
  for (const double value : values) ticks.push_back({std::log10(value), report::format_significant(value, 1)});
  return ticks;
}

report::Chart draw_scales(const PlanOutlook& outlook, std::size_t part, const Interval& slots) {
  const std::optional<report::Interval> range = scales_drawn(outlook, part, slots);
  const bool logarithmic = range && range->hi > kLogarithmicFrom * range->lo;
  std::string label = "noise scale";
  if (outlook.series.size() > 1) label += " of " + outlook.names_of(outlook.parts[part].groups.front());
  if (logarithmic) label += ", logarithmic";
  report::Axis y{.label = std::move(label), .unit = outlook.unit};
  if (logarithmic) y.ticks = logarithmic_ticks(*range);
  report::Chart chart({.description = "Noise scale of each strategy over time.",
                       .x = time_axis(outlook.clock, slots, true),
                       .y = y,
                       .height_px = 380});
  chart.add(report::Shades({.label = outlook.options.floor_rate ? "no policy is relevant: the floor alone"
                                                                : "no policy is relevant: no noise is asked for"},
                           idle_slots(outlook, part, slots)));
  constexpr report::Colour kColours[] = {report::Colour::vermilion, report::Colour::blue, report::Colour::ink};
  const std::vector<const PlannedNoise*> strategies = strategies_to_draw(outlook);
  for (std::size_t i = strategies.size(); i-- > 0;) {
    std::vector<report::Point> points;
    for (Slot slot = slots.first; slot <= slots.last; ++slot) {
      double scale = drawn_scale(outlook, *strategies[i], part, slot);
      if (scale == 0) scale = std::nan("");  // shaded
      points.push_back({static_cast<double>(slot), logarithmic ? std::log10(scale) : scale});
      // The last slot of a run needs its width, too.
      points.push_back({static_cast<double>(slot + 1), points.back().y});
    }
    chart.add(report::Line({.label = strategies[i]->name,
                            .colour = kColours[i % std::size(kColours)],
                            .width_px = i == 0 ? 2.25 : 1.5,
                            .dashed = i == 2,
                            .shape = report::Shape::steps},
                           std::move(points)));
  }
  return chart;
}

}  // namespace

std::string PlanOutlook::short_time_text(Slot slot) const {
  std::string text = time_text(slot);
  if (!clock.clock.has_time()) return text;
  text.resize(16);  // 2026-03-29T01:45
  text[10] = ' ';
  return text;
}

const Policy& PlanOutlook::as_stated(std::size_t part, MeterId meter, const Policy& planned) const {
  for (const Policy& policy : parts[part].stated.of(meter).policies())
    if (policy.interval == planned.interval && rules->as_planned(policy) == planned) return policy;
  FUGU_CHECK(false);
  return planned;
}

std::string PlanOutlook::names_of(const SeriesGroup& group) const {
  constexpr std::size_t kNamedMax = 3;
  if (group.series.size() == series.size() && series.size() > kNamedMax)
    return "each of " + std::to_string(series.size()) + " series";
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamedMax, group.series.size()); ++i)
    names += (i == 0 ? "" : ", ") + series[group.series[i]];
  if (group.series.size() > kNamedMax) names += " and " + std::to_string(group.series.size() - kNamedMax) + " more";
  return names;
}

report::ChartStack draw_timeline(const PlanOutlook& outlook, std::size_t part, MeterId meter,
                                 const std::optional<Interval>& slots) {
  const Interval drawn = slots.value_or(days_to_draw(outlook, part, meter));
  std::vector<report::Chart> charts;
  charts.push_back(draw_policies(outlook, part, meter, drawn));
  charts.push_back(draw_scales(outlook, part, drawn));
  return report::ChartStack(std::move(charts));
}

}  // namespace fugu::cli
