// fugu plan: from options and files to what is planned.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "file_options.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "fugu/strategy/planned.hpp"
#include "fugu/strategy/tenat.hpp"
#include "plan_run.hpp"
#include "source_options.hpp"

namespace fugu::cli {

namespace {

/// The longest stream that is planned: four and a half centuries of quarter hours.
constexpr Slot kSlotsMax = Slot{1} << 24;

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

}  // namespace

PolicyContext PlanRun::context() const {
  return {.unit_step = outlook_.unit_step,
          .clock = outlook_.clock.clock,
          .utc_offset_s = outlook_.clock.utc_offset_s,
          .default_utc_offset_s = outlook_.clock.utc_offset_s,
          .map = map_ ? &*map_ : nullptr,
          .series = outlook_.series};
}

Result<PlannedSeries> read_planned_series(const PlanArguments& arguments) {
  if (!arguments.series_map.empty()) {
    FUGU_ASSIGN(SeriesMap map, read_series_map({arguments.series_map, arguments.households}));
    return PlannedSeries{map.series(), std::move(map)};
  }
  std::vector<std::string> names = arguments.series;
  if (names.empty()) names = {"1"};
  const std::string& first = names.front();
  const bool counted = names.size() == 1 && first.find_first_not_of("0123456789") == std::string::npos;
  if (counted) {
    constexpr std::size_t kSeriesMax = 100'000;
    const std::size_t count = first.size() > 6 ? 0 : std::strtoull(first.c_str(), nullptr, 10);
    if (count < 1 || count > kSeriesMax)
      return usage("--series: expected names, or how many there are: 1 to " + std::to_string(kSeriesMax));
    names.clear();
    for (std::size_t i = 1; i <= count; ++i) names.push_back(std::to_string(i));
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty() || !seen.insert(name).second)
      return usage("--series: found " + (name.empty() ? "an empty name" : shown_name(name) + " twice") +
                   "; expected different names");
  }
  return PlannedSeries{std::move(names), std::nullopt};
}

Result<void> PlanRun::read_book() {
  PolicyContext about = context();
  if (!policies().floor.empty() && !map_) {
    FUGU_ASSIGN(const Exposure exposed,
                arguments_.definition.exposure_of_stream(outlook_.unit_step, outlook_.series.size()));
    about.largest_change_steps = largest_sensitivity_steps(exposed);
  }
  auto rows = policies().read_rows(about);
  if (!rows && !outlook_.clock.clock.has_time() && rows.error().message.find("slot number") != std::string::npos)
    return Error{rows.error().cause, rows.error().message + " (or, for times, --start TIME --slot-length 15m)"};
  if (!rows) return std::move(rows).error();
  // Meters are numbered in the order in which publish hears of them: where plans are equally good, that decides which
  // of them is taken.
  for (StatedPolicy stated; rows->next(stated);) {
    const MeterId meter = outlook_.book.meter(stated.meter);
    stated.withdrawn ? static_cast<void>(outlook_.book.remove(meter, stated.policy))
                     : outlook_.book.add(meter, stated.policy);
    if (stated.known > 0 || stated.withdrawn) late_.push_back(stated);
  }
  if (outlook_.book.empty()) return Error{Cause::bad_input, policies().policies + ": holds no policy to plan"};
  return {};
}

Result<Slot> slot_of_option(const RunClock& clock, const std::string& text, const char* option) {
  Tick tick;
  const TimeFault fault = clock.clock.parse(text, clock.utc_offset_s, tick);
  if (fault != TimeFault::none)
    return usage(std::string(option) + ": found '" + text + "'; expected " +
                 (fault == TimeFault::not_a_number ? "a slot number such as 0, 1, 2 (or, for times, --start as well)"
                                                   : clock.clock.expected(fault)));
  return tick.slot;
}

Result<void> PlanRun::choose_slots() {
  Slot last = 0;
  for (MeterId meter = 0; meter < outlook_.book.meter_count(); ++meter)
    for (const Policy& policy : outlook_.book.of(meter).policies()) last = std::max(last, policy.interval.last);
  if (arguments_.slots) {
    if (*arguments_.slots < 1 || *arguments_.slots > kSlotsMax)
      return usage("--slots: found " + std::to_string(*arguments_.slots) + "; expected 1 to " +
                   std::to_string(kSlotsMax));
    stream_last_ = last = *arguments_.slots - 1;
  }
  if (!policies().floor.empty()) {
    FUGU_ASSIGN(const Definition floor, parse_floor(policies().floor, outlook_.options.delta));
    if (floor.kind().has_horizon && floor.window_slots() <= static_cast<std::uint64_t>(stream_last_))
      stream_last_ = static_cast<Slot>(floor.window_slots()) - 1;
  }
  ends_at_horizon_ = last > stream_last_;
  last = std::min(last, stream_last_);
  if (last >= kSlotsMax)
    return Error{Cause::bad_input, "the policies reach to slot " + std::to_string(last) + "; expected at most " +
                                       std::to_string(kSlotsMax - 1) + ": give --slots, or a later --start"};
  outlook_.options.slots = outlook_.shown = {0, last};
  has_span_ = !arguments_.from.empty() || !arguments_.until.empty();
  if (!arguments_.from.empty()) {
    FUGU_ASSIGN(outlook_.shown.first, slot_of_option(outlook_.clock, arguments_.from, "--from"));
  }
  if (!arguments_.until.empty()) {
    FUGU_ASSIGN(outlook_.shown.last, slot_of_option(outlook_.clock, arguments_.until, "--until"));
  }
  outlook_.shown.last = std::min(outlook_.shown.last, last);
  if (outlook_.shown.first < 0 || outlook_.shown.first > outlook_.shown.last)
    return usage("--from and --until leave no slot: the plan has slots 0 to " + std::to_string(last));
  return {};
}

/// What the policies lead to is planned as publish does it, with the same options.
Result<Exposure> PlanRun::exposure() const {
  DefinitionOptions options = arguments_.definition;
  // As publish: policies without a floor say themselves what may change. Readings have a clamp, for which the most that
  // policies say stands in.
  if (options.sensitivity.empty() && (map_ || !policies().exact_when_idle))
    options.sensitivity =
        outlook_.unit_step.text(static_cast<std::int64_t>(largest_temporal_sensitivity_steps(outlook_.book)));
  return options.exposure_of_stream(outlook_.unit_step, outlook_.series.size(), map_ ? &*map_ : nullptr);
}

/// What the floor gives each slot of its window, to the last bit as publish: where plans are equally good, a bit
/// decides which of them is taken.
double PlanRun::floor_rate(const Definition& floor) const {
  const bool pure = delta() == 0;
  const Budget total =
      pure ? Budget::round_down(floor.epsilon().value()) : zcdp_rho(floor.epsilon(), outlook_.options.delta);
  return rate_of_share(total / floor.window_slots(), outlook_.rules->planner.sensitivity_steps,
                       pure ? Currency::epsilon : Currency::rho);
}

Result<void> PlanRun::choose_rules() {
  PolicyArguments stated = policies();
  if (stated.floor.empty()) stated.exact_when_idle = true;  // the policies alone
  FUGU_ASSIGN(const Definition definition, stated.definition(outlook_.options.delta));
  FUGU_ASSIGN(const Exposure exposed, exposure());
  PlannerOptions planner{.delta = outlook_.options.delta};
  planner.sensitivity_steps = largest_sensitivity_steps(exposed);
  const Currency currency = delta() == 0 ? Currency::epsilon : Currency::rho;
  outlook_.rules.emplace(PlanRules{definition, exposed, planner, {}, currency, planned_parts(exposed, currency)});
  if (floor() != nullptr) outlook_.options.floor_rate = outlook_.rules->planner.rate_max = floor_rate(*floor());
  outlook_.rules->outlook = outlook_.options;
  outlook_.parts = plan_parts(outlook_.book, late_, map_ ? &*map_ : nullptr, *outlook_.rules);
  return {};
}

Result<void> PlanRun::check() const {
  if (!policies().given())
    return usage("--policies is missing: what households want hidden (or give a --definition that discounts)");
  if (arguments_.target_error && !(*arguments_.target_error > 0 && std::isfinite(*arguments_.target_error)))
    return usage("--target-error: found " + short_number(*arguments_.target_error) +
                 "; expected a finite number above 0");
  if (arguments_.notice && *arguments_.notice < 0)
    return usage("--notice: found " + std::to_string(*arguments_.notice) + "; expected 0 slots or more");
  if (!arguments_.series_map.empty() && (!arguments_.series.empty() || arguments_.definition.budgets == "own"))
    return usage("--series-map says which series there are and who counts into them: leave --series and --budgets out");
  if (!policies().floor.empty() && policies().exact_when_idle)
    return usage("--floor and --exact-when-idle were both found and exclude each other: give one of them");
  if (!policies().floor.empty() && arguments_.definition.sensitivity.empty())
    return usage("--floor needs --sensitivity: by how much one meter can change the stream in one slot");
  if (files_on_standard_output() > 1)
    return usage("only one of --out, --plot and --html can go to standard output (-)");
  return check_different({{"--policies", policies().policies},
                          {"--series-map", arguments_.series_map},
                          {"--out", arguments_.out},
                          {"--plot", arguments_.plot},
                          {"--html", arguments_.html}});
}

Result<void> PlanRun::read() {
  FUGU_ASSIGN(outlook_.unit_step, of_option("--unit-step", UnitStep::parse(arguments_.unit_step)));
  outlook_.unit = arguments_.unit;
  FUGU_ASSIGN(outlook_.options.delta, of_option("--delta", Delta::make(delta())));
  FUGU_ASSIGN(outlook_.clock, clock_from(arguments_.start, arguments_.slot_length));
  FUGU_ASSIGN(PlannedSeries series, read_planned_series(arguments_));
  outlook_.series = std::move(series.names);
  map_ = std::move(series.map);
  FUGU_TRY(read_book());
  FUGU_TRY(choose_slots());
  FUGU_TRY(choose_rules());
  const auto meter = outlook_.book.find(arguments_.meter);
  if (!arguments_.meter.empty() && (!meter || outlook_.book.of(*meter).empty()))
    return usage("--meter: no policy of meter '" + arguments_.meter + "' in " + policies().policies);
  return {};
}

}  // namespace fugu::cli
