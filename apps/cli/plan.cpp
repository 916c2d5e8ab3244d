// fugu plan: the noise policies lead to, before anything is released.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "command.hpp"
#include "definition_options.hpp"
#include "fugu/accounting/tenat.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "fugu/attack/attack.hpp"
#include "fugu/report/html.hpp"
#include "fugu/report/number.hpp"
#include "output_stream.hpp"
#include "plan_outlook.hpp"
#include "policy_options.hpp"
#include "same_file.hpp"
#include "source_options.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

struct PlanArguments {
  DefinitionOptions definition;  ///< of which a plan needs policies, budgets, sensitivity and δ
  std::vector<std::string> series;
  std::string series_map;
  std::vector<std::string> strategies;
  std::string unit_step = "1";
  std::string unit;
  std::optional<Slot> notice;
  std::optional<Slot> slots;
  std::string from;
  std::string until;
  std::string start;
  std::string slot_length = "15m";
  std::string meter;
  std::optional<double> target_error;
  std::size_t top = 5;
  std::string out;
  std::string plot;
  std::string html;
};

constexpr const char* kExamples = R"(
Shows, from the policies alone, how much noise each strategy would add and when, whether that keeps every policy's
promise (computed exactly), which policies hold the noise up, what everybody would gain if one of them were shorter,
smaller, later or less strict, and what an observer could still learn. No stream is read, nothing is released.

Scales and errors are in the unit of the magnitudes. The expected error is that of the noise; where a strategy repeats
an earlier release, what the stream moved since comes on top.

A stream of one series is planned. Say so when yours has more: the series that a meter may count into share its budget,
so five series with shared budgets get five times the noise. Names are needed only where policies use them.

strategies: those of fugu describe that need no data. unicorn, narwhal-adaptive, tes-bd and tes-ba look at the stream
before they decide what to spend: for them there is no plan.

Examples
  fugu simulate policies --meters 3 --days 7 --epsilon 1 --out wishes.csv
  fugu plan --policies policies.csv --unit-step 0.001 --unit kW
  fugu plan --policies policies.csv --unit-step 0.001 --floor event:1 --sensitivity 10 --strategies narwhal,uniform
  fugu plan --policies policies.csv --unit-step 0.001 --series north,south,city --budgets shared
  fugu plan --policies policies.csv --unit-step 0.001 --series-map homes.csv --sensitivity 10 --floor event:1
  fugu plan --policies policies.csv --unit-step 0.001 --target-error 0.5      the ε with which the error is 0.5
  fugu plan --policies policies.csv --unit-step 0.001 --notice 4              known an hour before they begin
  fugu plan --policies policies.csv --unit-step 0.001 --meter h0 --plot plan.svg --html plan.html --out plan.csv
)";

const std::vector<std::string> kStrategies = {"narwhal", "unicorn-ps",          "unicorn-is",  "tes-uniform",
                                              "uniform", "conference-repaired", "conference-9"};
const std::vector<std::string> kStrategiesWithDelta = {"narwhal", "unicorn-ps", "unicorn-is", "tes-uniform", "uniform"};

/// The longest stream that is planned: four and a half centuries of quarter hours.
constexpr Slot kSlotsMax = Slot{1} << 24;
constexpr double kEpsilonMax = 0x1p15;

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

std::string number(double value) { return report::format_significant(value); }

std::string percent(double share) {
  const double value = 100 * share;
  const double magnitude = std::abs(value);
  return magnitude < 0.005 ? "0 %" : report::format_fixed(value, magnitude < 1 ? 2 : magnitude < 10 ? 1 : 0) + " %";
}

struct EpsilonRange {
  double smallest = 0;
  double largest = 0;

  std::string text() const {
    return smallest == largest ? short_number(smallest) : short_number(smallest) + " … " + short_number(largest);
  }
};

std::vector<double> distinct_epsilons(const PolicyBook& book) {
  std::set<double> seen;
  for (MeterId meter = 0; meter < book.meter_count(); ++meter)
    for (const Policy& policy : book.of(meter).policies()) seen.insert(policy.epsilon.to_double());
  return {seen.begin(), seen.end()};
}

EpsilonRange epsilons_of(const PolicyBook& book) {
  const std::vector<double> all = distinct_epsilons(book);
  return {all.front(), all.back()};
}

/// One call of `fugu plan`.
class PlanRun {
 public:
  explicit PlanRun(const PlanArguments& arguments) : arguments_(arguments) {}
  Outcome run();

 private:
  const PolicyArguments& policies() const { return arguments_.definition.policies; }
  double delta() const { return arguments_.definition.delta; }
  Result<void> check() const;
  Result<void> read();
  Result<void> read_series();
  PolicyContext context(const UnitStep& unit_step) const;
  Result<void> read_book();
  void say_rounding() const;
  Result<void> choose_slots();
  Result<Slot> slot_of(const std::string& text, const char* option) const;
  Result<void> choose_rules();
  Result<Exposure> exposure() const;
  double floor_rate(const Definition& floor) const;
  const Definition* floor() const { return rules_->definition.floor(); }
  NoiseKind noise() const { return outlook_.noise(); }

  Result<PlannedNoise> plan(const std::string& name, double epsilon_factor, const std::optional<Slot>& notice) const;
  double mean_error(const PlannedNoise& planned) const;
  Result<void> weigh_parts();
  void find_binding();
  Result<void> choose_meter();

  /// A row of the table for each strategy.
  struct ShownGroup {
    std::size_t part;
    SeriesGroup group;
  };
  std::vector<ShownGroup> groups_by_noise() const;
  std::string verdict(const PlannedNoise& strategy, const PlannedPart& planned) const;
  std::string noise_caption() const;
  report::Table strategies_table() const;
  std::vector<std::string> remarks() const;
  std::string_view meter_name(const BindingInPart& bound) const;
  std::vector<BindingInPart> policies_to_explain() const;
  report::Table binding_table() const;
  struct Gains {
    report::Table table;
    bool loosening_costs = false;
  };
  Gains gains() const;
  std::vector<std::string> plain_words() const;
  struct Fact {
    std::string about;
    std::string text;
  };
  std::string series_fact() const;
  std::vector<Fact> facts() const;

  /// What --target-error found.
  struct Target {
    bool reached = false;
    std::vector<std::string> words;
  };
  Result<Target> solve_target() const;
  Result<double> mean_error_at(double factor) const;
  Result<std::optional<double>> find_factor(double error_now) const;

  Result<void> write_csv() const;
  Result<void> write_pictures(const Gains& gained, const std::optional<Target>& target) const;

  const PlanArguments& arguments_;
  PlanOutlook outlook_;
  std::optional<SeriesMap> map_;
  std::optional<PlanRules> rules_;
  std::vector<double> part_errors_;  // Σ expected error of narwhal over slots and series
  bool has_span_ = false;
};

PolicyContext PlanRun::context(const UnitStep& unit_step) const {
  return {.unit_step = unit_step,
          .clock = outlook_.clock.clock,
          .utc_offset_s = outlook_.clock.utc_offset_s,
          .default_utc_offset_s = outlook_.clock.utc_offset_s,
          .map = map_ ? &*map_ : nullptr,
          .series = outlook_.series};
}

/// Names of the stream's series: from the map, as given, or made up where only their number is.
Result<void> PlanRun::read_series() {
  if (!arguments_.series_map.empty()) {
    FUGU_ASSIGN(Input input, Input::open(arguments_.series_map));
    FUGU_ASSIGN(map_, SeriesMap::read(std::move(input)));
    outlook_.series = map_->series();
    return {};
  }
  outlook_.series = arguments_.series;
  if (outlook_.series.empty()) outlook_.series = {"1"};
  const std::string& first = outlook_.series.front();
  const bool counted = outlook_.series.size() == 1 && first.find_first_not_of("0123456789") == std::string::npos;
  if (counted) {
    constexpr std::size_t kSeriesMax = 100'000;
    const std::size_t count = first.size() > 6 ? 0 : std::strtoull(first.c_str(), nullptr, 10);
    if (count < 1 || count > kSeriesMax)
      return usage("--series: expected names, or how many there are: 1 to " + std::to_string(kSeriesMax));
    outlook_.series.clear();
    for (std::size_t i = 1; i <= count; ++i) outlook_.series.push_back(std::to_string(i));
  }
  std::set<std::string> seen;
  for (const std::string& name : outlook_.series) {
    if (name.empty() || !seen.insert(name).second)
      return usage("--series: found " + (name.empty() ? "an empty name" : shown_name(name) + " twice") +
                   "; expected different names");
  }
  return {};
}

Result<void> PlanRun::read_book() {
  auto book = policies().read(context(outlook_.unit_step));
  if (!book && !outlook_.clock.clock.has_time() && book.error().message.find("slot number") != std::string::npos)
    return Error{book.error().cause, book.error().message + " (or, for times, --start TIME --slot-length 15m)"};
  if (!book) return std::move(book).error();
  outlook_.book = *std::move(book);
  if (outlook_.book.empty()) return Error{Cause::bad_input, policies().policies + ": holds no policy to plan"};
  return {};
}

/// Says it when the grid is so coarse that policies ask for more than they say. Reads the file again, on a finer grid.
void PlanRun::say_rounding() const {
  constexpr std::uint64_t kFiner = 1000;
  const auto finer = UnitStep::parse(outlook_.unit_step.text(1) + "e-3");
  if (!finer) return;
  auto reading = policies().reading(context(*finer));
  auto input = Input::open(policies().policies);
  if (!reading || !input) return;
  reading->warn = {};  // all was said the first time
  const auto book = read_policy_book(*std::move(input), *reading);
  if (!book) return;  // a magnitude that is too large for the finer grid: rounding does not matter then
  std::size_t rounded = 0;
  std::string example;
  for (MeterId meter = 0; meter < book->meter_count(); ++meter) {
    for (const Policy& policy : book->of(meter).policies()) {
      if (policy.magnitude_steps % kFiner == 0) continue;
      if (rounded++ == 0)
        example = finer->text(static_cast<std::int64_t>(policy.magnitude_steps)) + " counts as " +
                  outlook_.unit_step.text(static_cast<std::int64_t>(policy.magnitude_steps / kFiner + 1));
    }
  }
  if (rounded > 0)
    note(std::to_string(rounded) + " of " + std::to_string(book->size()) +
         " magnitudes are not multiples of the unit step " + outlook_.unit_step.text(1) + " and were rounded up (" +
         example + "): a smaller --unit-step, as for publish, keeps them");
}

Result<Slot> PlanRun::slot_of(const std::string& text, const char* option) const {
  Tick tick;
  const Clock& clock = outlook_.clock.clock;
  const TimeFault fault = clock.parse(text, outlook_.clock.utc_offset_s, tick);
  if (fault != TimeFault::none) return usage(std::string(option) + ": expected " + clock.expected(fault));
  return tick.slot;
}

Result<void> PlanRun::choose_slots() {
  Slot last = 0;
  for (MeterId meter = 0; meter < outlook_.book.meter_count(); ++meter)
    for (const Policy& policy : outlook_.book.of(meter).policies()) last = std::max(last, policy.interval.last);
  if (arguments_.slots) {
    if (*arguments_.slots < 1) return usage("--slots: expected at least 1");
    last = *arguments_.slots - 1;
  }
  if (last >= kSlotsMax)
    return Error{Cause::bad_input, "the policies reach to slot " + std::to_string(last) + "; expected at most " +
                                       std::to_string(kSlotsMax - 1) + ": give --slots, or a later --start"};
  outlook_.options.slots = outlook_.shown = {0, last};
  has_span_ = !arguments_.from.empty() || !arguments_.until.empty();
  if (!arguments_.from.empty()) {
    FUGU_ASSIGN(outlook_.shown.first, slot_of(arguments_.from, "--from"));
  }
  if (!arguments_.until.empty()) {
    FUGU_ASSIGN(outlook_.shown.last, slot_of(arguments_.until, "--until"));
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

Result<void> PlanRun::choose_rules() {
  PolicyArguments stated = policies();
  if (stated.floor.empty()) stated.exact_when_idle = true;  // the policies alone
  FUGU_ASSIGN(const Definition definition, stated.definition(outlook_.options.delta));
  FUGU_ASSIGN(const Exposure exposed, exposure());
  PlannerOptions planner{.delta = outlook_.options.delta};
  for (SeriesId series = 0; series < exposed.series_count(); ++series)
    planner.sensitivity_steps = std::max(planner.sensitivity_steps, exposed.sensitivity_steps(series));
  rules_.emplace(PlanRules{definition, planner, {}});
  if (floor() != nullptr) outlook_.options.floor_rate = rules_->planner.rate_max = floor_rate(*floor());
  rules_->outlook = outlook_.options;
  outlook_.parts = plan_parts(outlook_.book, exposed, map_ ? &*map_ : nullptr, outlook_.options);
  return {};
}

/// What the floor gives each slot of its window.
double PlanRun::floor_rate(const Definition& floor) const {
  const auto steps = static_cast<double>(rules_->planner.sensitivity_steps);
  const auto window = static_cast<double>(floor.window_slots());
  if (delta() == 0) return floor.epsilon().value() / window / steps;
  return zcdp_rho(floor.epsilon(), outlook_.options.delta).to_double() / window / steps / steps;
}

Result<void> PlanRun::check() const {
  if (!policies().given()) return usage("--policies is missing: what households want hidden");
  if (policies().policies == "-") return usage("--policies must be a file: it is read more than once");
  if (arguments_.target_error && !(*arguments_.target_error > 0 && std::isfinite(*arguments_.target_error)))
    return usage("--target-error: expected a number above 0");
  if (arguments_.notice && *arguments_.notice < 0) return usage("--notice: expected 0 slots or more");
  if (!arguments_.series_map.empty() && (!arguments_.series.empty() || arguments_.definition.budgets == "own"))
    return usage("--series-map says which series there are and who counts into them: leave --series and --budgets out");
  if (!policies().floor.empty() && policies().exact_when_idle)
    return usage("--floor and --exact-when-idle exclude each other: what holds where no policy is relevant?");
  if (!policies().floor.empty() && arguments_.definition.sensitivity.empty())
    return usage("--floor needs --sensitivity: by how much one meter can change the stream in one slot");
  return check_different({{"--policies", policies().policies},
                          {"--series-map", arguments_.series_map},
                          {"--out", arguments_.out},
                          {"--plot", arguments_.plot},
                          {"--html", arguments_.html}});
}

Result<void> PlanRun::read() {
  FUGU_ASSIGN(outlook_.unit_step, UnitStep::parse(arguments_.unit_step));
  outlook_.unit = arguments_.unit;
  FUGU_ASSIGN(outlook_.options.delta, of_option("--delta", Delta::make(delta())));
  FUGU_ASSIGN(outlook_.clock, clock_from(arguments_.start, arguments_.slot_length));
  FUGU_TRY(read_series());
  FUGU_TRY(read_book());
  FUGU_TRY(choose_slots());
  FUGU_TRY(choose_rules());
  const auto meter = outlook_.book.find(arguments_.meter);
  if (!arguments_.meter.empty() && (!meter || outlook_.book.of(*meter).empty()))
    return usage("--meter: no policy of meter '" + arguments_.meter + "' in " + policies().policies);
  return {};
}

Result<PlannedNoise> PlanRun::plan(const std::string& name, double epsilon_factor,
                                   const std::optional<Slot>& notice) const {
  PlanRules rules = *rules_;
  if (notice) rules.outlook.notice_slots = static_cast<std::uint64_t>(*notice);
  FUGU_ASSIGN(const OutlookStrategy strategy, make_outlook_strategy(name, rules.planner));
  PlannedNoise all{.name = std::string(strategy.name), .comparison_only = strategy.comparison_only};
  const std::size_t first = outlook_.index(outlook_.shown.first);
  const auto count = static_cast<std::size_t>(outlook_.shown.slots());
  for (const PlanPart& part : outlook_.parts) {
    FUGU_ASSIGN(
        PlannedPart planned,
        plan_part(name, epsilon_factor == 1 ? part.book : with_scaled_epsilons(part.book, epsilon_factor), rules));
    planned.scales = shown_scales(planned.rates, noise());
    planned.summary = summarize_scales(std::span(planned.rates).subspan(first, count),
                                       std::span(planned.scales).subspan(first, count),
                                       std::span(part.relevant).subspan(first, count), noise());
    all.parts.push_back(std::move(planned));
  }
  return all;
}

/// Over all series and the slots in which one of their policies is relevant, in units.
double PlanRun::mean_error(const PlannedNoise& planned) const {
  double sum = 0;
  double values = 0;
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    const PlanPart& part = outlook_.parts[p];
    const ScaleSummary& summary = planned.parts[p].summary;
    const auto slots = static_cast<double>(summary.relevant_slots);
    sum += summary.mean_error * slots * part.weight(noise());
    for (const SeriesGroup& group : part.groups) values += slots * static_cast<double>(group.series.size());
  }
  return values > 0 ? outlook_.in_units(sum / values) : 0;
}

/// The groups of series that policies are about, those with the most noise first.
std::vector<PlanRun::ShownGroup> PlanRun::groups_by_noise() const {
  std::vector<ShownGroup> groups;
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    if (outlook_.parts[p].book.empty()) continue;
    for (const SeriesGroup& group : outlook_.parts[p].groups) groups.push_back({p, group});
  }
  const auto scale = [&](const ShownGroup& shown) {
    return outlook_.strategies.front().parts[shown.part].summary.mean * shown.group.factor(noise());
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const ShownGroup& a, const ShownGroup& b) { return scale(a) > scale(b); });
  return groups;
}

std::string PlanRun::verdict(const PlannedNoise& strategy, const PlannedPart& planned) const {
  if (!planned.use.worst) return "nothing to keep";
  if (planned.asked_for) return "held back, asks for " + number(*planned.asked_for) + " of 1";
  if (keeps_promise(planned.use.worst->use)) return "holds";
  FUGU_CHECK(strategy.comparison_only);
  return "BREAKS, " + number(planned.use.worst->use) + " of 1";
}

report::Table PlanRun::strategies_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = noise_caption(),
                      .columns = {{"strategy", Align::text},
                                  {"mean scale", Align::number},
                                  {"median", Align::number},
                                  {"95 %", Align::number},
                                  {"largest", Align::number},
                                  {"expected error", Align::number},
                                  {"repeated", Align::number},
                                  {delta() > 0 ? "worst use" : "worst loss/ε", Align::number},
                                  {"verdict", Align::text}}};
  std::vector<ShownGroup> groups = groups_by_noise();
  const bool differ = groups.size() > 1;
  if (differ) table.columns.insert(table.columns.begin() + 1, {"series", Align::text});
  if (groups.size() > arguments_.top) groups.resize(std::max<std::size_t>(1, arguments_.top));
  for (const PlannedNoise& strategy : outlook_.strategies) {
    for (const auto& [part, group] : groups) {
      const PlannedPart& planned = strategy.parts[part];
      const ScaleSummary& summary = planned.summary;
      const auto relevant = static_cast<double>(std::max<std::uint64_t>(1, summary.relevant_slots));
      const bool holds = !planned.use.worst || keeps_promise(planned.use.worst->use);
      const auto scale = [&](double steps) { return number(outlook_.in_units(steps * group.factor(noise()))); };
      std::vector<report::Cell> row = {{strategy.name},
                                       {scale(summary.mean)},
                                       {scale(summary.median)},
                                       {scale(summary.high)},
                                       {scale(summary.largest)},
                                       {scale(summary.mean_error)},
                                       {percent(static_cast<double>(summary.repeated_slots) / relevant)},
                                       {planned.use.worst ? number(planned.use.worst->use) : "–"},
                                       {verdict(strategy, planned), holds ? report::Tone::good : report::Tone::bad}};
      if (differ) row.insert(row.begin() + 1, {outlook_.names_of(group)});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

/// What the scales are of.
std::string PlanRun::noise_caption() const {
  return "Noise" + std::string(outlook_.series.size() > 1 ? " of each series" : "") + " over relevant slots" +
         (outlook_.unit.empty() ? "" : ", in " + outlook_.unit);
}

/// What the table cannot say by itself.
std::vector<std::string> PlanRun::remarks() const {
  std::string repeating;
  std::string held_back;
  std::string breaking;
  const auto add = [](std::string& names, const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const PlannedNoise& strategy : outlook_.strategies) {
    const auto any = [&](auto&& has) { return std::any_of(strategy.parts.begin(), strategy.parts.end(), has); };
    if (any([](const PlannedPart& part) { return 10 * part.summary.repeated_slots > part.summary.relevant_slots; }))
      add(repeating, strategy.name);
    if (any([](const PlannedPart& part) { return part.asked_for.has_value(); })) add(held_back, strategy.name);
    if (strategy.comparison_only) add(breaking, strategy.name);
  }
  std::vector<std::string> lines;
  if (!repeating.empty())
    lines.push_back("repeated (" + repeating +
                    "): an earlier release is shown again; what the stream moved since comes on top of the error.");
  if (!held_back.empty())
    lines.push_back("held back (" + held_back +
                    "): it asks for more than is promised. The accountant gives it what is left, and where nothing is "
                    "left an earlier release is repeated: the row shows what publish would then do.");
  if (!breaking.empty())
    lines.push_back("for comparison only (" + breaking + "): publish does not release with it, see fugu describe.");
  if (const std::size_t groups = groups_by_noise().size(); groups > arguments_.top)
    lines.push_back(std::to_string(groups - std::max<std::size_t>(1, arguments_.top)) +
                    " other groups of series have less noise with " + outlook_.strategies.front().name +
                    ": --top shows more, --out has all.");
  std::size_t without = 0;
  for (const PlanPart& part : outlook_.parts) {
    if (!part.book.empty()) continue;
    for (const SeriesGroup& group : part.groups) without += group.series.size();
  }
  if (without > 0) lines.push_back("No policy is about " + std::to_string(without) + " of the series.");
  return lines;
}

std::string_view PlanRun::meter_name(const BindingInPart& bound) const {
  return outlook_.parts[bound.part].book.name(bound.meter);
}

/// The policies that bind most; with --meter, those of this meter, and then also those that do not bind.
std::vector<BindingInPart> PlanRun::policies_to_explain() const {
  std::vector<BindingInPart> chosen;
  for (const BindingInPart& bound : outlook_.binding) {
    if (chosen.size() >= arguments_.top) break;
    if (arguments_.meter.empty() || meter_name(bound) == arguments_.meter) chosen.push_back(bound);
  }
  if (arguments_.meter.empty()) return chosen;
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    const PolicyBook& book = outlook_.parts[p].book;
    const auto meter = book.find(arguments_.meter);
    if (!meter) continue;
    for (const Policy& policy : book.of(*meter).policies()) {
      if (chosen.size() >= arguments_.top) break;
      const bool listed = std::any_of(chosen.begin(), chosen.end(), [&](const BindingInPart& other) {
        return other.part == p && other.policy == policy;
      });
      if (!listed && policy.interval.overlaps(outlook_.options.slots)) chosen.push_back({{*meter, policy, 0}, p});
    }
  }
  return chosen;
}

report::Table PlanRun::binding_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = "Who binds: the share of the noise that hangs on a policy, in the best plan there is",
                      .columns = {{"share", Align::number},
                                  {"meter", Align::text},
                                  {"start", Align::number},
                                  {"end", Align::number},
                                  {"length", Align::number},
                                  {"magnitude", Align::number},
                                  {"ε", Align::number}}};
  for (const BindingInPart& bound : policies_to_explain()) {
    const Policy& policy = bound.policy;
    table.rows.push_back({{percent(bound.share)},
                          {std::string(meter_name(bound))},
                          {outlook_.short_time_text(policy.interval.first)},
                          {outlook_.short_time_text(policy.interval.last)},
                          {std::to_string(policy.length_slots)},
                          {outlook_.unit_step.text(static_cast<std::int64_t>(policy.magnitude_steps))},
                          {short_number(policy.epsilon.to_double())}});
  }
  return table;
}

/// What Narwhal's expected errors add up to over the relevant slots of the whole plan and all series, everything known
/// in advance.
Result<void> PlanRun::weigh_parts() {
  FUGU_ASSIGN(const PlannedNoise narwhal, plan("narwhal", 1, std::nullopt));
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    const PlanPart& part = outlook_.parts[p];
    const PlannedPart& planned = narwhal.parts[p];
    const ScaleSummary all = summarize_scales(planned.rates, planned.scales, part.relevant, noise());
    part_errors_.push_back(all.mean_error * static_cast<double>(all.relevant_slots) * part.weight(noise()));
  }
  return {};
}

void PlanRun::find_binding() {
  const double total = std::accumulate(part_errors_.begin(), part_errors_.end(), 0.0);
  for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
    if (outlook_.parts[p].book.empty()) continue;
    for (BindingPolicy& bound : binding_policies(outlook_.parts[p].book, outlook_.options)) {
      if (total > 0) bound.share *= part_errors_[p] / total;
      outlook_.binding.push_back({std::move(bound), p});
    }
  }
  std::stable_sort(outlook_.binding.begin(), outlook_.binding.end(),
                   [](const BindingPolicy& a, const BindingPolicy& b) { return a.share > b.share; });
}

/// A change of one policy; absent when it makes no sense for it.
struct Wish {
  const char* name;
  std::function<std::optional<Policy>(Policy)> make;
};

const std::vector<Wish>& other_wishes() {
  static const std::vector<Wish> kWishes = {
      {"half as long",
       [](Policy policy) -> std::optional<Policy> {
         if (policy.length_slots < 2) return std::nullopt;
         policy.length_slots = (policy.length_slots + 1) / 2;
         policy.shape = nullptr;
         return policy;
       }},
      {"half as large",
       [](Policy policy) -> std::optional<Policy> {
         if (policy.magnitude_steps < 2) return std::nullopt;
         policy.magnitude_steps = (policy.magnitude_steps + 1) / 2;
         policy.shape = nullptr;
         return policy;
       }},
      {"one interval later",
       [](Policy policy) -> std::optional<Policy> {
         const auto later = static_cast<Slot>(policy.interval.slots());
         policy.interval = {policy.interval.first + later, policy.interval.last + later};
         return policy;
       }},
      {"ε doubled",
       [](Policy policy) -> std::optional<Policy> {
         policy.epsilon += policy.epsilon;
         return policy;
       }},
  };
  return kWishes;
}

PlanRun::Gains PlanRun::gains() const {
  Gains gains;
  using Align = report::Column::Align;
  report::Table& table = gains.table;
  table = {.caption = "What everybody would gain: change of the mean expected error if one policy were",
           .columns = {{"meter", Align::text}, {"start", Align::number}, {"end", Align::number}}};
  for (const Wish& wish : other_wishes()) table.columns.push_back({wish.name, Align::number});
  table.columns.push_back({"withdrawn", Align::number});
  const double total = std::accumulate(part_errors_.begin(), part_errors_.end(), 0.0);
  std::map<std::size_t, WhatIf> what_ifs;
  for (const BindingInPart& bound : policies_to_explain()) {
    const PlanPart& part = outlook_.parts[bound.part];
    WhatIf& what_if = what_ifs.try_emplace(bound.part, part.book, outlook_.options).first->second;
    const double weight = part.weight(noise()) / total;
    std::vector<report::Cell> row = {{std::string(meter_name(bound))},
                                     {outlook_.short_time_text(bound.policy.interval.first)},
                                     {outlook_.short_time_text(bound.policy.interval.last)}};
    for (const Wish& wish : other_wishes()) {
      const auto other = wish.make(bound.policy);
      const double change = other ? what_if.change(bound.meter, bound.policy, other) * weight : 0;
      row.push_back({other ? percent(change) : "–"});
      constexpr double kNoticeable = 0.001;
      if (other && other->interval == bound.policy.interval && change > kNoticeable) gains.loosening_costs = true;
    }
    row.push_back({percent(what_if.change(bound.meter, bound.policy, std::nullopt) * weight)});
    table.rows.push_back(std::move(row));
  }
  return gains;
}

constexpr const char* kLooseningCosts =
    "That a looser wish makes the error larger is possible: narwhal never adds more noise to a slot than unicorn-ps, "
    "and "
    "what that rule does changes with the wish.";

/// What an observer could still learn. The promises say it; nobody should have to know what ε is.
std::vector<std::string> PlanRun::plain_words() const {
  std::vector<double> shown = distinct_epsilons(outlook_.book);
  constexpr std::size_t kShownMax = 5;
  if (shown.size() > kShownMax) shown = {shown.front(), shown[shown.size() / 2], shown.back()};
  const std::string unless =
      delta() > 0 ? ", unless something happens that has a probability of at most " + short_number(delta()) : "";
  std::vector<std::string> words;
  for (const double epsilon : shown)
    words.push_back("ε = " + short_number(epsilon) +
                    ": who thinks it is 50:50 whether what the policy hides happened can get from the releases to at "
                    "most " +
                    odds_text(surest_belief(epsilon)) + unless +
                    ". Of two such secrets in intervals that do not overlap, "
                    "taken together: " +
                    odds_text(surest_belief(2 * epsilon)) + ".");
  words.push_back(
      "That holds for all a meter hides within the interval of one of its policies, taken together, whatever else is "
      "known about the household. What no policy names is not hidden by them.");
  if (floor() != nullptr)
    words.push_back("Everybody else is promised " + floor()->text() + ": from 50:50 to at most " +
                    odds_text(surest_belief(floor()->epsilon().value())) + unless + ".");
  return words;
}

/// Who shares a budget: the noise follows from it.
std::string PlanRun::series_fact() const {
  const std::string count = std::to_string(outlook_.series.size());
  if (map_) return count + ", with the meters that " + arguments_.series_map + " says";
  if (arguments_.series.empty())
    return "1; for a stream of more give --series: with shared budgets each has as many times the noise";
  if (outlook_.series.size() == 1) return "1";
  return count + (arguments_.definition.budgets == "own" ? ", each with a budget of its own: no meter counts into two"
                                                         : ", budgets shared: a meter may count into all of them");
}

std::vector<PlanRun::Fact> PlanRun::facts() const {
  const std::vector<char> shown = relevant_slots(outlook_.book, outlook_.shown);
  const auto relevant = std::count_if(shown.begin(), shown.end(), [](char one) { return one != 0; });
  std::vector<Fact> lines;
  lines.push_back(
      {"policies", std::to_string(outlook_.book.size()) + " of " + std::to_string(outlook_.book.meter_count()) +
                       (outlook_.book.meter_count() == 1 ? " meter" : " meters") + ", ε = " +
                       epsilons_of(outlook_.book).text() + (delta() > 0 ? ", δ = " + short_number(delta()) : "")});
  lines.push_back({"slots", outlook_.time_text(outlook_.shown.first) + " to " +
                                outlook_.time_text(outlook_.shown.last) + "; in " + std::to_string(relevant) + " of " +
                                std::to_string(outlook_.shown.slots()) + " a policy is relevant (" +
                                percent(static_cast<double>(relevant) / static_cast<double>(outlook_.shown.slots())) +
                                ")"});
  lines.push_back({"series", series_fact()});
  lines.push_back(
      {"otherwise", (floor() != nullptr           ? floor()->text() + ", for everybody"
                     : policies().exact_when_idle ? "the true value where no policy is relevant"
                                                  : "not said (--floor or --exact-when-idle): the policies alone")});
  lines.push_back({"known", (arguments_.notice ? std::to_string(*arguments_.notice) + " slots before a policy begins"
                                               : std::string("everything in advance"))});
  lines.push_back({"noise", delta() > 0 ? "Gaussian; its scale is σ" : "Laplace"});
  return lines;
}

Result<double> PlanRun::mean_error_at(double factor) const {
  FUGU_ASSIGN(const PlannedNoise planned, plan(outlook_.strategies.front().name, factor, arguments_.notice));
  return mean_error(planned);
}

/// By what to multiply every ε; nothing when no ε that can be chosen is enough.
Result<std::optional<double>> PlanRun::find_factor(double error_now) const {
  const double target = *arguments_.target_error;
  const double largest = kEpsilonMax / epsilons_of(outlook_.book).largest;
  if (floor() == nullptr && delta() == 0) {  // rates are proportional to ε
    const double factor = error_now / target;
    return factor <= largest ? std::optional(factor) : std::nullopt;
  }
  FUGU_ASSIGN(const double error_least, mean_error_at(largest));
  if (error_least > target) return std::optional<double>();
  double high = std::log(largest);
  double low = std::min(0.0, high);
  constexpr double kLowest = -40;
  for (; low > kLowest; low -= 2) {
    FUGU_ASSIGN(const double error, mean_error_at(std::exp(low)));
    if (error >= target) break;
    high = low;
  }
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings && high - low > 1e-5; ++i) {
    const double middle = (low + high) / 2;
    FUGU_ASSIGN(const double error, mean_error_at(std::exp(middle)));
    (error > target ? low : high) = middle;
  }
  return std::optional(std::exp(high));
}

Result<PlanRun::Target> PlanRun::solve_target() const {
  const PlannedNoise& strategy = outlook_.strategies.front();
  const double error_now = mean_error(strategy);
  const std::string wanted = outlook_.with_unit(number(*arguments_.target_error));
  const EpsilonRange now = epsilons_of(outlook_.book);
  FUGU_ASSIGN(const std::optional<double> factor, find_factor(error_now));
  Target target;
  if (!factor) {
    FUGU_ASSIGN(const double least, mean_error_at(kEpsilonMax / now.largest));
    target.words.push_back(
        floor() != nullptr
            ? "An expected error of " + wanted + " cannot be reached: the floor (" + floor()->text() +
                  ") alone leads to " + outlook_.with_unit(number(least)) + ", whatever the policies' ε"
            : "An expected error of " + wanted + " cannot be reached with ε up to " + number(kEpsilonMax));
    return target;
  }
  const EpsilonRange then{now.smallest * *factor, now.largest * *factor};
  FUGU_ASSIGN(const double error_then, mean_error_at(*factor));
  // Where a strategy changes its mind, the error jumps: then it is the first below what is wanted.
  const bool jumps = std::abs(error_then / *arguments_.target_error - 1) > 0.01;
  target.reached = true;
  target.words.push_back("With " + strategy.name + " the expected error is " + outlook_.with_unit(number(error_now)) +
                         "; it is " + (jumps ? "below " : "") + wanted + " when every ε is multiplied by " +
                         short_number(*factor) + ": ε = " + then.text() + " instead of " + now.text() + ".");
  target.words.push_back("An observer could then get from 50:50 to at most " + odds_text(surest_belief(then.largest)) +
                         " instead of " + odds_text(surest_belief(now.largest)) + ".");
  return target;
}

Result<void> PlanRun::write_csv() const {
  FUGU_ASSIGN(OutputStream out, OutputStream::open(arguments_.out));
  const bool named = map_ || !arguments_.series.empty();
  std::fprintf(out.get(), "%s,strategy,scale,expected_error,relevant%s\n",
               outlook_.clock.clock.has_time() ? "time" : "slot", named ? ",series" : "");
  for (Slot slot = outlook_.shown.first; slot <= outlook_.shown.last; ++slot) {
    const std::size_t i = outlook_.index(slot);
    const std::string time = outlook_.time_text(slot);
    for (const PlannedNoise& strategy : outlook_.strategies) {
      for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
        const PlanPart& part = outlook_.parts[p];
        for (const SeriesGroup& group : part.groups) {
          const double scale = outlook_.in_units(strategy.parts[p].scales[i] * group.factor(noise()));
          for (const SeriesId series : group.series)
            std::fprintf(out.get(), "%s,%s,%.9g,%.9g,%d%s%s\n", time.c_str(), strategy.name.c_str(), scale,
                         expected_error(scale, noise()), part.relevant[i] != 0 ? 1 : 0, named ? "," : "",
                         named ? outlook_.series[series].c_str() : "");
        }
      }
    }
  }
  return out.finish();
}

Result<void> PlanRun::write_pictures(const Gains& gained, const std::optional<Target>& target) const {
  if (arguments_.plot.empty() && arguments_.html.empty()) return {};
  const std::vector<BindingInPart> explained = policies_to_explain();
  if (explained.empty()) return {};
  const BindingInPart& drawn = explained.front();
  const report::ChartStack timeline =
      draw_timeline(outlook_, drawn.part, drawn.meter, has_span_ ? std::optional(outlook_.shown) : std::nullopt);
  if (!arguments_.plot.empty()) FUGU_TRY(write_file(arguments_.plot, timeline.standalone_svg()));
  if (arguments_.html.empty()) return {};
  report::Page page({.title = "Plan", .subtitle = "The noise these policies lead to, before anything is released"});
  report::Table known{.columns = {{"about"}, {"what is planned"}}};
  for (const auto& [about, text] : facts()) known.rows.push_back({{about}, {text}});
  page.table(known);
  page.table(strategies_table());
  for (const std::string& remark : remarks()) page.paragraph(remark);
  page.figure(timeline, "Above: what the meter hides. Below: the noise of every release" +
                            std::string(outlook_.series.size() > 1 ? " of one series" : "") +
                            ", for all meters together.");
  page.section("Who binds").table(binding_table());
  page.section("What everybody would gain").table(gained.table);
  if (gained.loosening_costs) page.paragraph(kLooseningCosts);
  page.section("What an observer could still learn");
  for (const std::string& words : plain_words()) page.paragraph(words);
  if (target) {
    page.section("The error that is wanted");
    for (const std::string& words : target->words)
      page.note(words, target->reached ? report::Tone::good : report::Tone::bad);
  }
  return write_file(arguments_.html, page.html());
}

void print_section(const std::string& heading) { std::printf("\n%s\n", heading.c_str()); }

Outcome PlanRun::run() {
  FUGU_TRY(check());
  FUGU_TRY(read());
  const bool pure = delta() == 0;
  for (const std::string& name : !arguments_.strategies.empty() ? arguments_.strategies
                                 : pure                         ? kStrategies
                                                                : kStrategiesWithDelta) {
    FUGU_ASSIGN(PlannedNoise planned, plan(name, 1, arguments_.notice));
    outlook_.strategies.push_back(std::move(planned));
  }
  say_rounding();
  FUGU_TRY(weigh_parts());
  find_binding();

  for (const auto& [about, text] : facts()) std::printf("%-11s %s\n", about.c_str(), text.c_str());
  print_section(noise_caption());
  print_table(strategies_table(), "  ");
  for (const std::string& remark : remarks()) print_wrapped(remark, "  ");
  const Gains gained = gains();
  const report::Table binding = binding_table();
  print_section(binding.caption);
  print_table(binding, "  ");
  print_section(gained.table.caption);
  print_table(gained.table, "  ");
  if (gained.loosening_costs) print_wrapped(kLooseningCosts, "  ");
  print_section("What an observer could still learn");
  for (const std::string& words : plain_words()) print_wrapped(words, "  ");
  std::optional<Target> target;
  if (arguments_.target_error) {
    FUGU_ASSIGN(target, solve_target());
    print_section("The error that is wanted");
    for (const std::string& words : target->words) print_wrapped(words, "  ");
  }
  if (!arguments_.out.empty()) FUGU_TRY(write_csv());
  FUGU_TRY(write_pictures(gained, target));
  return target && !target->reached ? kAnswerIsNo : kDone;
}

}  // namespace

void add_plan(CLI::App& app, Outcome& outcome) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command = app.add_subcommand("plan", "Show the noise that policies lead to, before anything is released");
  command->footer(kExamples);
  DefinitionOptions& definition = arguments->definition;
  definition.policies.add_to(*command);
  const std::string stream = "Stream";
  command
      ->add_option("--series", arguments->series,
                   "Names of the stream's series, separated by commas, or how many they are; one when left out")
      ->delimiter(',')
      ->group(stream);
  definition.add_budgets_to(*command, stream);
  command
      ->add_option("--series-map", arguments->series_map,
                   "CSV meter,series: what each meter counts into, as for readings")
      ->group(stream);
  command->add_option("--unit-step", arguments->unit_step, "The stream's grid: magnitudes are rounded up to it")
      ->capture_default_str()
      ->group(stream);
  command->add_option("--unit", arguments->unit, "Unit of the values, for tables and axes")->group(stream);
  command
      ->add_option("--sensitivity", definition.sensitivity,
                   "By how much one meter can change a series in a slot (readings: the width of the clamp), as for "
                   "publish; the most its policies say when left out")
      ->group(stream);
  command->add_option("--delta", definition.delta, "0 for pure promises")->capture_default_str()->group(stream);
  command->add_option("--slots", arguments->slots, "Length of the stream; until the last policy ends when left out")
      ->group(stream);
  command->add_option("--start", arguments->start, "Time of slot 0, when the policies have times")->group(stream);
  command->add_option("--slot-length", arguments->slot_length, "With --start: how long a slot is")
      ->capture_default_str()
      ->group(stream);
  const std::string question = "Question";
  command
      ->add_option("--strategies", arguments->strategies,
                   "What to compare, separated by commas; a good selection when left out")
      ->delimiter(',')
      ->group(question);
  command
      ->add_option("--notice", arguments->notice,
                   "Policies become known this many slots before they begin; all in advance when left out")
      ->group(question);
  command->add_option("--from", arguments->from, "First slot, or its time, of tables, files and pictures")
      ->group(question);
  command->add_option("--until", arguments->until, "Last slot, or its time")->group(question);
  command->add_option("--meter", arguments->meter, "Explain and draw the policies of this meter")->group(question);
  command->add_option("--top", arguments->top, "How many policies to explain, and groups of series to show")
      ->capture_default_str()
      ->group(question);
  command
      ->add_option("--target-error", arguments->target_error,
                   "Find the factor on all ε with which the first strategy's expected error is this")
      ->group(question);
  const std::string output = "Output";
  command->add_option("--out", arguments->out, "CSV slot,strategy,scale,expected_error,relevant; - is standard output")
      ->group(output);
  command->add_option("--plot", arguments->plot, "SVG: policies of a meter above, scale over time below")
      ->group(output);
  command->add_option("--html", arguments->html, "All of it on one page")->group(output);
  command->callback([arguments, &outcome] { outcome = PlanRun(*arguments).run(); });
}

}  // namespace fugu::cli
