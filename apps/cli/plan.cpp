// fugu plan: the noise policies lead to, before anything is released.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>

#include "command.hpp"
#include "fugu/accounting/tenat.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "fugu/attack/attack.hpp"
#include "fugu/report/html.hpp"
#include "fugu/report/number.hpp"
#include "output_stream.hpp"
#include "plan_outlook.hpp"
#include "policy_options.hpp"
#include "source_options.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

struct PlanArguments {
  PolicyArguments policies;
  std::vector<std::string> strategies;
  std::string unit_step = "1";
  std::string unit;
  std::string sensitivity;
  double delta = 0;
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
an earlier release, what the stream moved since comes on top. strategies: those of fugu describe that need no data.

Examples
  fugu simulate policies --meters 3 --days 7 --epsilon 1 --out wishes.csv
  fugu plan --policies policies.csv --unit-step 0.001 --unit kW
  fugu plan --policies policies.csv --unit-step 0.001 --floor event:1 --sensitivity 10 --strategies narwhal,uniform
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
  Result<void> read();
  PolicyContext context(const UnitStep& unit_step) const;
  Result<void> read_book();
  void say_rounding() const;
  Result<void> choose_slots();
  Result<Slot> slot_of(const std::string& text, const char* option) const;
  Result<void> set_floor();
  double floor_rate() const;
  NoiseKind noise() const { return noise_for(planner_.delta); }

  Result<PlannedNoise> plan(const std::string& name, const PolicyBook& book, const std::optional<Slot>& notice) const;
  Result<double> narwhal_error() const;
  Result<void> choose_meter();

  std::string verdict(const PlannedNoise& strategy) const;
  report::Table strategies_table() const;
  std::vector<std::string> remarks() const;
  std::vector<BindingPolicy> policies_to_explain() const;
  report::Table binding_table() const;
  struct Gains {
    report::Table table;
    bool loosening_costs = false;
  };
  Result<Gains> gains() const;
  std::vector<std::string> plain_words() const;
  struct Fact {
    std::string about;
    std::string text;
  };
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
  PlannerOptions planner_;
  std::optional<Definition> floor_;
  std::optional<MeterId> meter_;
  bool has_span_ = false;
};

PolicyContext PlanRun::context(const UnitStep& unit_step) const {
  return {.unit_step = unit_step,
          .clock = outlook_.clock.clock,
          .utc_offset_s = outlook_.clock.utc_offset_s,
          .default_utc_offset_s = outlook_.clock.utc_offset_s};
}

Result<void> PlanRun::read_book() {
  auto book = arguments_.policies.read(context(outlook_.unit_step));
  if (!book && !outlook_.clock.clock.has_time() && book.error().message.find("slot number") != std::string::npos)
    return Error{book.error().cause, book.error().message + " (or, for times, --start TIME --slot-length 15m)"};
  if (!book) return std::move(book).error();
  outlook_.book = *std::move(book);
  if (outlook_.book.empty()) return Error{Cause::bad_input, arguments_.policies.policies + ": holds no policy to plan"};
  return {};
}

/// Says it when the grid is so coarse that policies ask for more than they say. Reads the file again, on a finer grid.
void PlanRun::say_rounding() const {
  constexpr std::uint64_t kFiner = 1000;
  const auto finer = UnitStep::parse(outlook_.unit_step.text(1) + "e-3");
  if (!finer) return;
  auto reading = arguments_.policies.reading(context(*finer));
  auto input = Input::open(arguments_.policies.policies);
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
  outlook_.relevant = relevant_slots(outlook_.book, outlook_.options.slots);
  return {};
}

Result<void> PlanRun::set_floor() {
  if (arguments_.policies.floor.empty()) return {};
  if (arguments_.policies.exact_when_idle)
    return usage("--floor and --exact-when-idle exclude each other: what holds where no policy is relevant?");
  if (arguments_.sensitivity.empty())
    return usage("--floor needs --sensitivity: by how much one meter can change the stream in one slot");
  FUGU_ASSIGN(Definition floor, parse_floor(arguments_.policies.floor, planner_.delta));
  floor_ = std::move(floor);
  outlook_.options.floor_rate = floor_rate();
  return {};
}

/// What the floor gives each slot of its window.
double PlanRun::floor_rate() const {
  const auto steps = static_cast<double>(planner_.sensitivity_steps);
  const auto window = static_cast<double>(floor_->window_slots());
  if (planner_.delta.value() == 0) return floor_->epsilon().value() / window / steps;
  return zcdp_rho(floor_->epsilon(), planner_.delta).to_double() / window / steps / steps;
}

Result<void> PlanRun::read() {
  if (!arguments_.policies.given()) return usage("--policies is missing: what households want hidden");
  if (arguments_.policies.policies == "-") return usage("--policies must be a file: it is read more than once");
  if (arguments_.target_error && !(*arguments_.target_error > 0 && std::isfinite(*arguments_.target_error)))
    return usage("--target-error: expected a number above 0");
  if (arguments_.notice && *arguments_.notice < 0) return usage("--notice: expected 0 slots or more");
  FUGU_ASSIGN(outlook_.unit_step, UnitStep::parse(arguments_.unit_step));
  outlook_.unit = arguments_.unit;
  const auto delta = Delta::make(arguments_.delta);
  if (!delta) return usage("--delta: " + delta.error().message);
  planner_.delta = outlook_.options.delta = *delta;
  FUGU_ASSIGN(outlook_.clock, clock_from(arguments_.start, arguments_.slot_length));
  FUGU_TRY(read_book());
  planner_.sensitivity_steps = largest_temporal_sensitivity_steps(outlook_.book);
  if (!arguments_.sensitivity.empty()) {
    FUGU_ASSIGN(planner_.sensitivity_steps,
                parse_magnitude(outlook_.unit_step, arguments_.sensitivity, "--sensitivity"));
  }
  FUGU_TRY(set_floor());
  FUGU_TRY(choose_slots());
  return choose_meter();
}

Result<PlannedNoise> PlanRun::plan(const std::string& name, const PolicyBook& book,
                                   const std::optional<Slot>& notice) const {
  PlannerOptions about = planner_;
  about.rate_max = outlook_.options.floor_rate.value_or(about.rate_max);
  FUGU_ASSIGN(OutlookStrategy strategy, make_outlook_strategy(name, about));
  OutlookOptions options = outlook_.options;
  if (notice) options.notice_slots = static_cast<std::uint64_t>(*notice);
  PlannedNoise planned{.name = std::string(strategy.name),
                       .comparison_only = strategy.comparison_only,
                       .rates = planned_rates(*strategy.planner, book, options)};
  planned.scales = shown_scales(planned.rates, noise());
  const std::size_t first = outlook_.index(outlook_.shown.first);
  const auto count = static_cast<std::size_t>(outlook_.shown.slots());
  planned.summary =
      summarize_scales(std::span(planned.rates).subspan(first, count), std::span(planned.scales).subspan(first, count),
                       std::span(outlook_.relevant).subspan(first, count), noise());
  return planned;
}

Result<void> PlanRun::choose_meter() {
  if (arguments_.meter.empty()) return {};
  meter_ = outlook_.book.find(arguments_.meter);
  if (!meter_ || outlook_.book.of(*meter_).empty())
    return usage("--meter: no policy of meter '" + arguments_.meter + "' in " + arguments_.policies.policies);
  return {};
}

std::string PlanRun::verdict(const PlannedNoise& strategy) const {
  if (!strategy.use.worst) return "nothing to keep";
  if (keeps_promise(strategy.use.worst->use)) return "holds";
  const std::string over = number(strategy.use.worst->use) + " of 1";
  if (strategy.comparison_only || !arguments_.notice) return "BREAKS, " + over;
  return "asks for " + over + ", would be refused";  // the accountant repeats a release instead
}

report::Table PlanRun::strategies_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = "Noise over relevant slots" + (outlook_.unit.empty() ? "" : ", in " + outlook_.unit),
                      .columns = {{"strategy", Align::text},
                                  {"mean scale", Align::number},
                                  {"median", Align::number},
                                  {"95 %", Align::number},
                                  {"largest", Align::number},
                                  {"expected error", Align::number},
                                  {"repeated", Align::number},
                                  {"worst loss/ε", Align::number},
                                  {"verdict", Align::text}}};
  if (arguments_.delta > 0) table.columns[7].header = "worst use";
  for (const PlannedNoise& strategy : outlook_.strategies) {
    const ScaleSummary& summary = strategy.summary;
    const auto relevant = static_cast<double>(std::max<std::uint64_t>(1, summary.relevant_slots));
    const bool holds = !strategy.use.worst || keeps_promise(strategy.use.worst->use);
    table.rows.push_back({{strategy.name},
                          {number(outlook_.in_units(summary.mean))},
                          {number(outlook_.in_units(summary.median))},
                          {number(outlook_.in_units(summary.high))},
                          {number(outlook_.in_units(summary.largest))},
                          {number(outlook_.in_units(summary.mean_error))},
                          {percent(static_cast<double>(summary.repeated_slots) / relevant)},
                          {strategy.use.worst ? number(strategy.use.worst->use) : "–"},
                          {verdict(strategy), holds ? report::Tone::good : report::Tone::bad}});
  }
  return table;
}

/// What the table cannot say by itself.
std::vector<std::string> PlanRun::remarks() const {
  std::string repeating;
  std::string breaking;
  for (const PlannedNoise& strategy : outlook_.strategies) {
    if (10 * strategy.summary.repeated_slots > strategy.summary.relevant_slots)
      repeating += (repeating.empty() ? "" : ", ") + strategy.name;
    if (strategy.comparison_only) breaking += (breaking.empty() ? "" : ", ") + strategy.name;
  }
  std::vector<std::string> lines;
  if (!repeating.empty())
    lines.push_back("repeated (" + repeating +
                    "): an earlier release is shown again; what the stream moved since comes on top of the error.");
  if (!breaking.empty())
    lines.push_back("for comparison only (" + breaking + "): publish does not release with it, see fugu describe.");
  return lines;
}

/// The policies that bind most; with --meter, those of this meter, and then also those that do not bind.
std::vector<BindingPolicy> PlanRun::policies_to_explain() const {
  std::vector<BindingPolicy> chosen;
  for (const BindingPolicy& bound : outlook_.binding) {
    if (chosen.size() >= arguments_.top) break;
    if (!meter_ || bound.meter == *meter_) chosen.push_back(bound);
  }
  if (!meter_) return chosen;
  for (const Policy& policy : outlook_.book.of(*meter_).policies()) {
    if (chosen.size() >= arguments_.top) break;
    const bool listed =
        std::any_of(chosen.begin(), chosen.end(), [&](const BindingPolicy& other) { return other.policy == policy; });
    if (!listed && policy.interval.overlaps(outlook_.options.slots)) chosen.push_back({*meter_, policy, 0});
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
  for (const BindingPolicy& bound : policies_to_explain()) {
    const Policy& policy = bound.policy;
    table.rows.push_back({{percent(bound.share)},
                          {std::string(outlook_.book.name(bound.meter))},
                          {outlook_.short_time_text(policy.interval.first)},
                          {outlook_.short_time_text(policy.interval.last)},
                          {std::to_string(policy.length_slots)},
                          {outlook_.unit_step.text(static_cast<std::int64_t>(policy.magnitude_steps))},
                          {short_number(policy.epsilon.to_double())}});
  }
  return table;
}

/// What Narwhal's expected errors add up to over the relevant slots of the whole plan, everything known in advance.
Result<double> PlanRun::narwhal_error() const {
  FUGU_ASSIGN(const PlannedNoise narwhal, plan("narwhal", outlook_.book, std::nullopt));
  const ScaleSummary all = summarize_scales(narwhal.rates, narwhal.scales, outlook_.relevant, noise());
  return all.mean_error * static_cast<double>(all.relevant_slots);
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

Result<PlanRun::Gains> PlanRun::gains() const {
  Gains gains;
  using Align = report::Column::Align;
  report::Table& table = gains.table;
  table = {.caption = "What everybody would gain: change of the mean expected error if one policy were",
           .columns = {{"meter", Align::text}, {"start", Align::number}, {"end", Align::number}}};
  for (const Wish& wish : other_wishes()) table.columns.push_back({wish.name, Align::number});
  table.columns.push_back({"withdrawn", Align::number});
  FUGU_ASSIGN(const double total, narwhal_error());
  WhatIf what_if(outlook_.book, outlook_.options);
  for (const BindingPolicy& bound : policies_to_explain()) {
    std::vector<report::Cell> row = {{std::string(outlook_.book.name(bound.meter))},
                                     {outlook_.short_time_text(bound.policy.interval.first)},
                                     {outlook_.short_time_text(bound.policy.interval.last)}};
    for (const Wish& wish : other_wishes()) {
      const auto other = wish.make(bound.policy);
      const double change = other ? what_if.change(bound.meter, bound.policy, other) / total : 0;
      row.push_back({other ? percent(change) : "–"});
      constexpr double kNoticeable = 0.001;
      if (other && other->interval == bound.policy.interval && change > kNoticeable) gains.loosening_costs = true;
    }
    row.push_back({percent(what_if.change(bound.meter, bound.policy, std::nullopt) / total)});
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
  const std::string unless = arguments_.delta > 0 ? ", unless something happens that has a probability of at most " +
                                                        short_number(arguments_.delta)
                                                  : "";
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
  if (floor_)
    words.push_back("Everybody else is promised " + floor_->text() + ": from 50:50 to at most " +
                    odds_text(surest_belief(floor_->epsilon().value())) + unless + ".");
  return words;
}

std::vector<PlanRun::Fact> PlanRun::facts() const {
  const auto relevant = std::count_if(outlook_.relevant.begin() + static_cast<std::ptrdiff_t>(outlook_.shown.first),
                                      outlook_.relevant.begin() + static_cast<std::ptrdiff_t>(outlook_.shown.last + 1),
                                      [](char one) { return one != 0; });
  std::vector<Fact> lines;
  lines.push_back({"policies", std::to_string(outlook_.book.size()) + " of " +
                                   std::to_string(outlook_.book.meter_count()) +
                                   (outlook_.book.meter_count() == 1 ? " meter" : " meters") +
                                   ", ε = " + epsilons_of(outlook_.book).text() +
                                   (arguments_.delta > 0 ? ", δ = " + short_number(arguments_.delta) : "")});
  lines.push_back({"slots", outlook_.time_text(outlook_.shown.first) + " to " +
                                outlook_.time_text(outlook_.shown.last) + "; in " + std::to_string(relevant) + " of " +
                                std::to_string(outlook_.shown.slots()) + " a policy is relevant (" +
                                percent(static_cast<double>(relevant) / static_cast<double>(outlook_.shown.slots())) +
                                ")"});
  lines.push_back({"otherwise", (floor_ ? floor_->text() + ", for everybody"
                                 : arguments_.policies.exact_when_idle
                                     ? "the true value where no policy is relevant"
                                     : "not said (--floor or --exact-when-idle): the policies alone")});
  lines.push_back({"known", (arguments_.notice ? std::to_string(*arguments_.notice) + " slots before a policy begins"
                                               : std::string("everything in advance"))});
  lines.push_back({"noise", arguments_.delta > 0 ? "Gaussian; its scale is σ" : "Laplace"});
  return lines;
}

Result<double> PlanRun::mean_error_at(double factor) const {
  FUGU_ASSIGN(const PlannedNoise planned,
              plan(outlook_.strategies.front().name, with_scaled_epsilons(outlook_.book, factor), arguments_.notice));
  return outlook_.in_units(planned.summary.mean_error);
}

/// By what to multiply every ε; nothing when no ε that can be chosen is enough.
Result<std::optional<double>> PlanRun::find_factor(double error_now) const {
  const double target = *arguments_.target_error;
  const double largest = kEpsilonMax / epsilons_of(outlook_.book).largest;
  if (!floor_ && arguments_.delta == 0) {  // rates are proportional to ε
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
  const double error_now = outlook_.in_units(strategy.summary.mean_error);
  const std::string wanted = outlook_.with_unit(number(*arguments_.target_error));
  const EpsilonRange now = epsilons_of(outlook_.book);
  FUGU_ASSIGN(const std::optional<double> factor, find_factor(error_now));
  Target target;
  if (!factor) {
    FUGU_ASSIGN(const double least, mean_error_at(kEpsilonMax / now.largest));
    target.words.push_back(
        floor_ ? "An expected error of " + wanted + " cannot be reached: the floor (" + floor_->text() +
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
  std::fprintf(out.get(), "%s,strategy,scale,expected_error,relevant\n",
               outlook_.clock.clock.has_time() ? "time" : "slot");
  for (Slot slot = outlook_.shown.first; slot <= outlook_.shown.last; ++slot) {
    const std::size_t i = outlook_.index(slot);
    const std::string time = outlook_.time_text(slot);
    for (const PlannedNoise& strategy : outlook_.strategies) {
      const double scale = outlook_.in_units(strategy.scales[i]);
      std::fprintf(out.get(), "%s,%s,%.9g,%.9g,%d\n", time.c_str(), strategy.name.c_str(), scale,
                   expected_error(scale, noise()), outlook_.relevant[i] != 0 ? 1 : 0);
    }
  }
  return out.finish();
}

Result<void> PlanRun::write_pictures(const Gains& gained, const std::optional<Target>& target) const {
  if (arguments_.plot.empty() && arguments_.html.empty()) return {};
  MeterId drawn = meter_.value_or(0);
  if (!meter_ && !outlook_.binding.empty()) drawn = outlook_.binding.front().meter;
  if (outlook_.book.of(drawn).empty()) return {};
  const report::ChartStack timeline =
      draw_timeline(outlook_, drawn, has_span_ ? std::optional(outlook_.shown) : std::nullopt);
  if (!arguments_.plot.empty()) FUGU_TRY(write_file(arguments_.plot, timeline.standalone_svg()));
  if (arguments_.html.empty()) return {};
  report::Page page({.title = "Plan", .subtitle = "The noise these policies lead to, before anything is released"});
  report::Table known{.columns = {{"about"}, {"what is planned"}}};
  for (const auto& [about, text] : facts()) known.rows.push_back({{about}, {text}});
  page.table(known);
  page.table(strategies_table());
  for (const std::string& remark : remarks()) page.paragraph(remark);
  page.figure(timeline, "Above: what the meter hides. Below: the noise of every release, for all meters together.");
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
  FUGU_TRY(read());
  const bool pure = arguments_.delta == 0;
  for (const std::string& name : !arguments_.strategies.empty() ? arguments_.strategies
                                 : pure                         ? kStrategies
                                                                : kStrategiesWithDelta) {
    FUGU_ASSIGN(PlannedNoise planned, plan(name, outlook_.book, arguments_.notice));
    planned.use = check_rates(outlook_.book, outlook_.options.slots, planned.rates, planner_.delta);
    outlook_.strategies.push_back(std::move(planned));
  }
  say_rounding();
  outlook_.binding = binding_policies(outlook_.book, outlook_.options);

  for (const auto& [about, text] : facts()) std::printf("%-11s %s\n", about.c_str(), text.c_str());
  print_section("Noise over relevant slots" + (outlook_.unit.empty() ? "" : ", in " + outlook_.unit));
  print_table(strategies_table(), "  ");
  for (const std::string& remark : remarks()) print_wrapped(remark, "  ");
  FUGU_ASSIGN(const Gains gained, gains());
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
  arguments->policies.add_to(*command);
  const std::string stream = "Stream";
  command->add_option("--unit-step", arguments->unit_step, "The stream's grid: magnitudes are rounded up to it")
      ->capture_default_str()
      ->group(stream);
  command->add_option("--unit", arguments->unit, "Unit of the values, for tables and axes")->group(stream);
  command
      ->add_option("--sensitivity", arguments->sensitivity,
                   "By how much one meter can change the stream in a slot; the most its policies say when left out")
      ->group(stream);
  command->add_option("--delta", arguments->delta, "0 for pure promises")->capture_default_str()->group(stream);
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
  command->add_option("--top", arguments->top, "How many policies to explain")->capture_default_str()->group(question);
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
