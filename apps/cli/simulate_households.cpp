#include "simulate_households.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "file_options.hpp"
#include "fugu/simulate/household_statistics.hpp"
#include "fugu/simulate/use_policies.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/decimal.hpp"
#include "output_stream.hpp"
#include "policy_rows.hpp"
#include "run_facts.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kMinutesPerDay = 1440;
constexpr std::int64_t kEndOfTime_s = 7'289'654'400;  // 2201-01-01, which no reader of ours takes
constexpr std::array kRegisters = {".p", ".q"};       // of a household, active and reactive power
constexpr std::size_t kBufferBytes = 1 << 20;
constexpr double kTanPhiMax = 10;
constexpr double kHolidayEpsilon = 0.1;  // of the dominant secret in the conference paper

constexpr const char* kExamples = R"(
Each use of an appliance is logged and becomes one policy; refrigerators and freezers run by themselves and do not.
Readings and magnitudes are kW with up to three decimals: plan and publish with --unit-step 0.001.
Equal seeds give equal files, whatever the number of threads. docs/concepts/households.md has the model and its sources.

Examples
  fugu simulate households --households 50 --days 7 --readings readings.csv --series-map map.csv --policies policies.csv
  fugu simulate households --households 6 --days 2 --tan-phi 0.3 --readings readings.csv --series-map map.csv \
                           --household-map households.csv
  fugu simulate households --households 20 --days 14 --start 2026-03-02T00:00:00+01:00 --slot-length 30m --log uses.csv
  fugu simulate households --days 28 --policies wishes.csv --interval conference --epsilon 0.1..1 --dominant holiday.csv
  fugu simulate households --households 200 --days 364 --slot-length 1h --statistics
)";

struct Arguments {
  HouseholdOptions options = {.households = 100};
  std::string start;
  std::string slot_length = "15m";
  std::string parameters;
  std::uint64_t zones = 1;
  std::optional<double> tan_phi;
  std::string household_map;
  std::string readings;
  std::string totals;
  std::string series_map;
  std::string facts;
  std::string log;
  std::string policies;
  std::string dominant;
  std::int64_t holiday_week = 1;
  std::string interval = "thesis";
  std::string beyond = "clip";
  std::string epsilon = "1";
  bool statistics = false;
  std::string data;
};

std::optional<double> parse_epsilon(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !Epsilon::make(value)) return std::nullopt;
  return value;
}

/// `0.5`, or `0.1..1`.
Result<void> set_epsilon(const std::string& text, UsePolicyOptions& options) {
  const std::size_t dots = text.find("..");
  const auto from = parse_epsilon(std::string_view(text).substr(0, dots));
  const auto to = dots == std::string::npos ? from : parse_epsilon(std::string_view(text).substr(dots + 2));
  if (!from || !to || *from > *to)
    return Error{Cause::usage, "--epsilon: expected a number above 0, or two such as 0.1..1, the smaller one first"};
  options.epsilon_min = *from;
  options.epsilon_max = *to;
  return {};
}

/// Where the horizon lies. A day begins at midnight, so the first one must.
Result<RunClock> horizon_of(const Arguments& arguments, HouseholdOptions& options) {
  FUGU_ASSIGN(const RunClock time, clock_from(arguments.start, arguments.slot_length));
  if (!time.clock.has_time()) return time;
  const std::int64_t local_s = time.clock.origin_s() + time.utc_offset_s;
  const std::int64_t since_midnight_s = (local_s % kSecondsPerDay + kSecondsPerDay) % kSecondsPerDay;
  if (since_midnight_s != 0)
    return Error{Cause::usage, "--start: expected a midnight, such as 2026-03-02T00:00:00+01:00"};
  options.first_day = (local_s - since_midnight_s) / kSecondsPerDay;
  if (options.days > 0 && (options.first_day + options.days) * kSecondsPerDay > kEndOfTime_s)
    return Error{Cause::usage, "--start, --days: expected a horizon that ends before the year 2201"};
  return time;
}

Result<HouseholdParameters> parameters_of(const Arguments& arguments) {
  if (arguments.parameters.empty()) return HouseholdParameters::shipped();
  FUGU_ASSIGN(Input input, Input::open(arguments.parameters));
  return HouseholdParameters::read(std::move(input));
}

/// A file that may not be wanted.
class OptionalOutput {
 public:
  /// An empty path: not wanted.
  Result<void> open(const std::string& path) {
    if (path.empty()) return {};
    FUGU_ASSIGN(OutputStream stream, OutputStream::open(path));
    stream_.emplace(std::move(stream));
    return {};
  }
  bool is_wanted() const { return stream_.has_value(); }
  std::FILE* get() { return stream_->get(); }

  template <class... Texts>
  void append(const Texts&... texts) {
    (buffer_.append(std::string_view(texts)), ...);
  }
  /// After every line, so that the buffer stays small.
  void end_line() {
    buffer_ += '\n';
    if (buffer_.size() >= kBufferBytes) write_buffer();
  }
  Result<void> finish() {
    if (!is_wanted()) return {};
    write_buffer();
    return stream_->finish();
  }
  bool has_failed() { return is_wanted() && std::ferror(get()) != 0; }

 private:
  void write_buffer() {
    std::fwrite(buffer_.data(), 1, buffer_.size(), get());
    buffer_.clear();
  }
  std::optional<OutputStream> stream_;
  std::string buffer_;
};

std::string figure_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return std::isnan(value) ? "–" : text;
}

std::vector<report::Cell> row_of(const HouseholdSet& set) {
  std::vector<report::Cell> row = {{set.name}, {std::to_string(set.households)}};
  for (const HouseholdFigure& figure : kHouseholdFigures) row.push_back({figure_text(set.median.*figure.value)});
  return row;
}

/// From the smallest to the largest of the sets.
std::vector<report::Cell> range_row(const std::vector<HouseholdSet>& sets) {
  std::size_t households = 0;
  for (const HouseholdSet& set : sets) households += set.households;
  std::vector<report::Cell> row = {{"recorded"}, {std::to_string(households)}};
  for (const HouseholdFigure& figure : kHouseholdFigures) {
    double least = std::nan("");
    double most = std::nan("");
    for (const HouseholdSet& set : sets) {  // fmin and fmax pass over NaN
      least = std::fmin(least, set.median.*figure.value);
      most = std::fmax(most, set.median.*figure.value);
    }
    row.push_back({std::isnan(least) ? figure_text(least) : figure_text(least) + "–" + figure_text(most)});
  }
  return row;
}

void print_statistics(const HouseholdSet& simulated, const std::vector<HouseholdSet>& recorded) {
  report::Table table{.columns = {{"set"}, {"households", report::Column::Align::number}}};
  for (const HouseholdFigure& figure : kHouseholdFigures)
    table.columns.push_back({figure.name, report::Column::Align::number});
  table.rows.push_back(row_of(simulated));
  if (!recorded.empty()) table.rows.push_back(range_row(recorded));
  for (const HouseholdSet& set : recorded) table.rows.push_back(row_of(set));
  print_table(table);
}

/// One run: the neighbourhood and all files that are written while its days pass.
class Run {
 public:
  static Result<Run> make(const Arguments& arguments);
  Result<void> write_all();

 private:
  Run(Neighbourhood neighbourhood, RunClock time, const Arguments& arguments, UsePolicyOptions policy_options,
      UnitStep step);
  Result<void> open(const Arguments& arguments);

  std::uint64_t zone_of(std::size_t household) const { return household * zones_ / meters_.size(); }
  std::string zone_name(std::uint64_t zone) const { return zones_ == 1 ? "load" : "zone" + std::to_string(zone + 1); }
  /// kW, exactly.
  void append_watts(OptionalOutput& out, std::int64_t watts) const {
    char text[UnitStep::kTextMax];
    out.append(std::string_view(text, step_.format(watts, text)));
  }
  bool has_failed();

  void write_facts();
  void write_series_map();
  void write_household_map();
  void write_reading(const std::string& time, const std::string& meter, std::int64_t watts);
  void write_headers();
  void write_readings();
  void write_totals();
  void write_log();
  void write_policies();
  void write_rows(std::size_t household);
  Result<void> write_dominant();
  void add_statistics();
  HouseholdSet statistics() const;

  Neighbourhood neighbourhood_;
  RunClock time_;
  RunClock minutes_;  // the same in minutes, for the log
  UnitStep step_;
  std::uint64_t zones_;
  std::optional<double> tan_phi_;  // then each household has two registers, P and Q
  std::int64_t holiday_week_;
  std::vector<std::string> meters_;
  UsePolicyOptions policy_options_;
  std::vector<UsePolicies> wishes_;  // by household, when somebody wants them
  std::vector<UsePolicy> closed_;    // kept to save allocations
  std::uint64_t largest_w_ = 0;
  double smallest_epsilon_ = kHolidayEpsilon;
  std::vector<LoadStatistics> loads_;   // by household, when somebody wants them
  std::vector<HouseholdSet> recorded_;  // to be set beside
  OptionalOutput readings_, totals_, series_map_, household_map_, facts_, log_, policies_, dominant_;
};

Result<void> check_outputs(const Arguments& arguments) {
  int to_standard_output = arguments.statistics ? 1 : 0;
  for (const std::string* path :
       {&arguments.readings, &arguments.totals, &arguments.series_map, &arguments.household_map, &arguments.facts,
        &arguments.log, &arguments.policies, &arguments.dominant})
    to_standard_output += *path == "-" ? 1 : 0;
  if (to_standard_output > 1)
    return Error{Cause::usage, "only one file, or --statistics, can go to standard output (-)"};
  if (!arguments.data.empty() && !arguments.statistics)
    return Error{Cause::usage, "--data: expected --statistics, which sets recorded households beside simulated ones"};
  return check_different({{"--parameters", arguments.parameters},
                          {"--readings", arguments.readings},
                          {"--totals", arguments.totals},
                          {"--series-map", arguments.series_map},
                          {"--household-map", arguments.household_map},
                          {"--facts", arguments.facts},
                          {"--log", arguments.log},
                          {"--policies", arguments.policies},
                          {"--dominant", arguments.dominant}});
}

Result<Run> Run::make(const Arguments& arguments) {
  FUGU_TRY(check_outputs(arguments));
  HouseholdOptions options = arguments.options;
  FUGU_ASSIGN(const std::int64_t slot_s, of_option("--slot-length", parse_duration(arguments.slot_length)));
  options.slot_min = slot_s % 60 == 0 ? slot_s / 60 : 0;
  FUGU_ASSIGN(const RunClock time, horizon_of(arguments, options));
  UsePolicyOptions policies;
  FUGU_ASSIGN(policies.interval, of_option("--interval", parse_interval_rule(arguments.interval)));
  FUGU_ASSIGN(policies.beyond, of_option("--beyond", parse_horizon_rule(arguments.beyond)));
  FUGU_TRY(set_epsilon(arguments.epsilon, policies));
  FUGU_ASSIGN(HouseholdParameters parameters, parameters_of(arguments));
  FUGU_ASSIGN(Neighbourhood neighbourhood, Neighbourhood::make(options, std::move(parameters)));
  if (arguments.tan_phi && !(std::abs(*arguments.tan_phi) <= kTanPhiMax))
    return Error{Cause::usage, "--tan-phi: expected a number from -10 to 10, such as 0.3"};
  if (arguments.tan_phi && arguments.zones != 1)
    return Error{Cause::usage, "--tan-phi gives each register a series of its own: leave --zones out"};
  if (!arguments.tan_phi && !arguments.household_map.empty())
    return Error{Cause::usage, "--household-map says whose registers are whose: give --tan-phi as well"};
  if (arguments.zones < 1 || arguments.zones > options.households)
    return Error{Cause::usage, "--zones: expected 1 to as many as there are households"};
  if (!arguments.dominant.empty() && (arguments.holiday_week < 1 || arguments.holiday_week > options.days / 7))
    return Error{Cause::usage, "--holiday-week: expected one of the whole weeks in --days, the first one is 1"};
  policies.seed = options.seed;
  policies.slot_min = options.slot_min;
  policies.horizon_slots = options.days * static_cast<Slot>(neighbourhood.slots_per_day());
  FUGU_ASSIGN(const UnitStep step, UnitStep::parse("0.001"));
  Run run(std::move(neighbourhood), time, arguments, policies, step);
  if (!arguments.data.empty()) {
    FUGU_ASSIGN(run.recorded_, of_option("--data", read_household_sets(arguments.data)));
  }
  FUGU_TRY(run.open(arguments));
  return run;
}

Run::Run(Neighbourhood neighbourhood, RunClock time, const Arguments& arguments, UsePolicyOptions policy_options,
         UnitStep step)
    : neighbourhood_(std::move(neighbourhood)),
      time_(time),
      minutes_(time),
      step_(step),
      zones_(arguments.zones),
      tan_phi_(arguments.tan_phi),
      holiday_week_(arguments.holiday_week),
      policy_options_(policy_options) {
  if (time.clock.has_time()) minutes_.clock = Clock(time.clock.origin_s(), 60);
  const bool wants_policies = !arguments.policies.empty() || !arguments.dominant.empty();
  for (std::uint64_t i = 0; i < neighbourhood_.options().households; ++i) {
    meters_.push_back("h" + std::to_string(i));
    if (wants_policies) wishes_.emplace_back(policy_options, i);
  }
  if (arguments.statistics) loads_.resize(meters_.size());
}

Result<void> Run::open(const Arguments& arguments) {
  FUGU_TRY(totals_.open(arguments.totals));
  FUGU_TRY(series_map_.open(arguments.series_map));
  FUGU_TRY(household_map_.open(arguments.household_map));
  FUGU_TRY(facts_.open(arguments.facts));
  FUGU_TRY(log_.open(arguments.log));
  FUGU_TRY(policies_.open(arguments.policies));
  FUGU_TRY(dominant_.open(arguments.dominant));
  const bool is_only = loads_.empty() && !totals_.is_wanted() && !series_map_.is_wanted() &&
                       !household_map_.is_wanted() && !facts_.is_wanted() && !log_.is_wanted() &&
                       !policies_.is_wanted() && !dominant_.is_wanted();
  FUGU_TRY(readings_.open(arguments.readings.empty() && is_only ? "-" : arguments.readings));
  return {};
}

bool Run::has_failed() {
  return readings_.has_failed() || totals_.has_failed() || log_.has_failed() || policies_.has_failed();
}

Result<void> Run::write_all() {
  if (facts_.is_wanted()) write_facts();
  if (series_map_.is_wanted()) write_series_map();
  if (household_map_.is_wanted()) write_household_map();
  write_headers();
  while (!has_failed() && neighbourhood_.next_day()) {
    if (readings_.is_wanted()) write_readings();
    if (totals_.is_wanted()) write_totals();
    if (log_.is_wanted()) write_log();
    if (!wishes_.empty()) write_policies();
    if (!loads_.empty()) add_statistics();
  }
  for (std::size_t i = 0; i < wishes_.size(); ++i) {
    wishes_[i].finish(closed_);
    write_rows(i);
  }
  if (dominant_.is_wanted()) FUGU_TRY(write_dominant());
  for (OptionalOutput* out :
       {&readings_, &totals_, &series_map_, &household_map_, &facts_, &log_, &policies_, &dominant_})
    FUGU_TRY(out->finish());
  if (!loads_.empty()) print_statistics(statistics(), recorded_);
  return {};
}

void Run::write_headers() {
  if (readings_.is_wanted()) {
    readings_.append("time,meter,value");
    readings_.end_line();
  }
  if (totals_.is_wanted()) {
    totals_.append("time");
    for (std::uint64_t zone = 0; zone < zones_; ++zone) totals_.append(",", zone_name(zone));
    totals_.end_line();
  }
  if (log_.is_wanted()) {
    log_.append("meter,appliance,start,minutes,kw");
    log_.end_line();
  }
  if (policies_.is_wanted()) write_policy_header(policies_.get());
}

void Run::write_facts() {
  const auto& appliances = neighbourhood_.parameters().appliances;
  facts_.append("meter,people");
  for (const ApplianceModel& appliance : appliances) facts_.append(",", appliance.name);
  facts_.end_line();
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    facts_.append(meters_[i], ",", std::to_string(neighbourhood_.people(i)));
    for (std::size_t a = 0; a < appliances.size(); ++a) facts_.append(neighbourhood_.owns(i, a) ? ",1" : ",0");
    facts_.end_line();
  }
}

void Run::write_series_map() {
  series_map_.append("meter,series");
  series_map_.end_line();
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    if (!tan_phi_) {
      series_map_.append(meters_[i], ",", zone_name(zone_of(i)));
      series_map_.end_line();
      continue;
    }
    for (const char* name : kRegisters) {
      series_map_.append(meters_[i], name, ",", meters_[i], name);
      series_map_.end_line();
    }
  }
}

void Run::write_household_map() {
  household_map_.append("meter,household");
  household_map_.end_line();
  for (const std::string& household : meters_) {
    for (const char* name : kRegisters) {
      household_map_.append(household, name, ",", household);
      household_map_.end_line();
    }
  }
}

void Run::write_reading(const std::string& time, const std::string& meter, std::int64_t watts) {
  readings_.append(time, ",", meter, ",");
  append_watts(readings_, watts);
  readings_.end_line();
}

/// Slot by slot, as meters report: readers wait for late rows for a few slots only.
void Run::write_readings() {
  const std::size_t slots = neighbourhood_.slots_per_day();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::string time =
        time_.clock.text(neighbourhood_.day() * static_cast<Slot>(slots) + static_cast<Slot>(slot), time_.utc_offset_s);
    for (std::size_t i = 0; i < meters_.size(); ++i) {
      const std::int32_t watts = neighbourhood_.watts(i)[slot];
      if (!tan_phi_) {
        write_reading(time, meters_[i], watts);
        continue;
      }
      write_reading(time, meters_[i] + kRegisters[0], watts);
      write_reading(time, meters_[i] + kRegisters[1], std::llround(*tan_phi_ * watts));
    }
  }
}

void Run::write_totals() {
  const std::size_t slots = neighbourhood_.slots_per_day();
  std::vector<std::int64_t> sums(zones_ * slots);
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    const std::span<const std::int32_t> watts = neighbourhood_.watts(i);
    for (std::size_t slot = 0; slot < slots; ++slot) sums[zone_of(i) * slots + slot] += watts[slot];
  }
  for (std::size_t slot = 0; slot < slots; ++slot) {
    totals_.append(time_.clock.text(neighbourhood_.day() * static_cast<Slot>(slots) + static_cast<Slot>(slot),
                                    time_.utc_offset_s));
    for (std::uint64_t zone = 0; zone < zones_; ++zone) {
      totals_.append(",");
      append_watts(totals_, sums[zone * slots + slot]);
    }
    totals_.end_line();
  }
}

void Run::write_log() {
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    for (const ApplianceUse& use : neighbourhood_.uses(i)) {
      log_.append(meters_[i], ",", neighbourhood_.parameters().appliances[use.appliance].name, ",",
                  minutes_.clock.text(use.start_min, minutes_.utc_offset_s), ",",
                  std::to_string(use.end_min - use.start_min), ",");
      append_watts(log_, use.power_w);
      log_.end_line();
    }
  }
}

void Run::write_policies() {
  const std::int64_t midnight_min = (neighbourhood_.day() + 1) * kMinutesPerDay;
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    wishes_[i].add(neighbourhood_.uses(i), midnight_min, closed_);
    write_rows(i);
  }
}

void Run::write_rows(std::size_t household) {
  for (const UsePolicy& wish : closed_) {
    largest_w_ = std::max(largest_w_, wish.policy.magnitude_steps);
    smallest_epsilon_ = std::min(smallest_epsilon_, wish.policy.epsilon.to_double());
    if (policies_.is_wanted()) write_policy(policies_.get(), meters_[household], wish.policy, time_, step_);
  }
  closed_.clear();
}

/// The same week for everybody: whoever takes one row into the policies has its holiday.
Result<void> Run::write_dominant() {
  if (largest_w_ == 0) return Error{Cause::usage, "--dominant: no appliance was used, so there is nothing to dominate"};
  const Slot first = (holiday_week_ - 1) * 7 * static_cast<Slot>(neighbourhood_.slots_per_day());
  const Policy holiday = holiday_secret(first, policy_options_.slot_min, largest_w_, smallest_epsilon_);
  write_policy_header(dominant_.get());
  for (const std::string& meter : meters_) write_policy(dominant_.get(), meter, holiday, time_, step_);
  return {};
}

void Run::add_statistics() {
  const std::size_t slots_per_hour = neighbourhood_.slots_per_day() / kDayHours;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    std::array<double, kDayHours> hours_kw = {};
    const std::span<const std::int32_t> watts = neighbourhood_.watts(i);
    for (std::size_t slot = 0; slot < watts.size(); ++slot)
      hours_kw[slot / slots_per_hour] += watts[slot] / (1000.0 * static_cast<double>(slots_per_hour));
    loads_[i].add_day(hours_kw);
  }
}

HouseholdSet Run::statistics() const {
  std::vector<HouseholdFigures> households;
  for (const LoadStatistics& load : loads_) households.push_back(load.figures());
  return {"simulated", households.size(), median_figures(households)};
}

Outcome simulate_households(const Arguments& arguments) {
  FUGU_ASSIGN(Run run, Run::make(arguments));
  FUGU_TRY(run.write_all());
  return kDone;
}

}  // namespace

void add_households(CLI::App& simulate, Outcome& outcome) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = simulate.add_subcommand(
      "households", "Households with people, appliances and habits: readings, uses and policies");
  command->footer(kExamples);
  HouseholdOptions& options = arguments->options;
  command->add_option("--households", options.households, "How many, named h0, h1, …")->capture_default_str();
  command->add_option("--days", options.days, "Length in days")->capture_default_str();
  command->add_option("--slot-length", arguments->slot_length, "1m, 15m, 30m or 1h")->capture_default_str();
  command->add_option("--start", arguments->start,
                      "Midnight at which the first day begins; plain slot numbers from Monday, 1 January without it");
  command->add_option("--people", options.people, "In every household, 1 to 5; 0: as in the parameters")
      ->capture_default_str();
  command->add_option("--seed", options.seed, "Equal seeds give equal households")->capture_default_str();
  command->add_option("--threads", options.threads, "0: all cores; the result does not depend on it")
      ->capture_default_str();
  command->add_option("--parameters", arguments->parameters, "Table of figures, CSV; the one in data/ without it");
  command->add_option("--zones", arguments->zones, "Series into which the households are dealt, in equal blocks")
      ->capture_default_str();
  command->add_option("--tan-phi", arguments->tan_phi,
                      "Two registers for each household, h0.p in kW and h0.q in kvar, each a series of its own: the "
                      "reactive power is this times the active one");
  command->add_option("--household-map", arguments->household_map, "Whose registers they are, CSV");
  command->add_option("--readings", arguments->readings,
                      "Readings, CSV long; standard output when no file is asked for");
  command->add_option("--totals", arguments->totals, "Sums of each zone, CSV wide");
  command->add_option("--series-map", arguments->series_map, "Which household counts into which zone, CSV");
  command->add_option("--facts", arguments->facts, "People and appliances of each household, CSV");
  command->add_option("--log", arguments->log,
                      "Uses of appliances, CSV; without --start a start is a minute from the beginning");
  command->add_option("--policies", arguments->policies, "Each use as a policy, CSV");
  command
      ->add_option("--interval", arguments->interval,
                   "Where a use of T slots is hidden: thesis (4T around it) or conference (2T before to 2T after)")
      ->capture_default_str();
  command->add_option("--beyond", arguments->beyond, "Intervals that leave the horizon: clip them or drop the policy")
      ->capture_default_str();
  command->add_option("--epsilon", arguments->epsilon, "Of each policy; 0.1..1 draws it from there")
      ->capture_default_str();
  command->add_option("--dominant", arguments->dominant,
                      "Ready-made dominant secrets, CSV: for each household a week's holiday as a policy");
  command->add_option("--holiday-week", arguments->holiday_week, "Week of that holiday, from 1")->capture_default_str();
  command->add_flag("--statistics", arguments->statistics,
                    "Prints what the median household is like: level, night, persistence, spread and peak");
  command->add_option("--data", arguments->data, "Folder with recorded households, for --statistics to set beside");
  command->callback([arguments, &outcome] { outcome = simulate_households(*arguments); });
}

}  // namespace fugu::cli
