#include "source_options.hpp"

#include "command.hpp"
#include "fugu/distributional/state.hpp"
#include "series_clamps.hpp"

namespace fugu::cli {

void SourceOptions::add_to(CLI::App& command) {
  const std::string group = "Input";
  command
      .add_option("--stream", stream,
                  "Totals, CSV wide: time,<series>…; one row a slot; plain or gzip; - is standard input")
      ->group(group);
  command.add_option("--readings", readings, "Readings, CSV long: time,meter,value; needs --series-map and --clamp")
      ->group(group);
  command.add_option("--series-map", series_map, "CSV meter,series: what each meter counts into")->group(group);
  command
      .add_option("--households", households,
                  "CSV meter,household: whose meters are whose; a household is protected as a whole (default: each "
                  "meter is one)")
      ->group(group);
  command.add_option("--clamp", clamp, "Public bound of a reading: K for [0, K], or LO:HI")->group(group);
  command
      .add_option("--clamp-by-series", clamp_by_series,
                  "Instead of --clamp, CSV series,clamp: what readings are clamped to in each series; *.p is every "
                  "series that ends in .p")
      ->group(group);
  command
      .add_option("--clamp-schedule", clamp_schedule,
                  "Instead of --clamp, CSV time,clamp: each row holds from its time on until the next; times of day "
                  "(06:00) come again every day")
      ->group(group);
  command.add_option("--unit-step", unit_step, "Grid of all values: released values are multiples of it")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--slot-length", slot_length,
                  "Length of a slot: 15m, 1h, 30s, 1d (a stream tells it by its first two rows)")
      ->group(group);
  command.add_option("--utc-offset", utc_offset, "Offset of time stamps that carry none, for example +01:00")
      ->group(group);
  command.add_option("--time-column", time_column, "Name of the stream's first column")
      ->capture_default_str()
      ->group(group);
  command.add_option("--grace", grace_slots, "Readings may come this many slots late")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--gap-max", gap_slots_max,
                  "A row that would pass over more slots is an error: a typo, or an outage to confirm")
      ->capture_default_str()
      ->group(group);
  command.add_option("--late", late, "Readings later than that: error or drop")
      ->check(CLI::IsMember({"error", "drop"}))
      ->capture_default_str()
      ->group(group);
  command.add_flag("--strict", strict, "A reading beyond the clamp is an error instead of being clamped")->group(group);
}

void SourceOptions::add_live_to(CLI::App& command) {
  const std::string group = "Input";
  command
      .add_flag(
          "--follow", follow,
          "The input is live: release every slot as soon as it is complete; rows ahead of this machine's clock are "
          "refused")
      ->group(group);
  command
      .add_flag(
          "--close-by-clock", close_by_clock,
          "With --follow and --readings: this machine's clock closes slots (at their end plus --grace), not the rows")
      ->group(group);
}

namespace {

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

Result<std::int64_t> parse_steps(const UnitStep& unit_step, std::string_view text, std::string_view option) {
  std::int64_t steps = 0;
  const DecimalFault fault = unit_step.steps(text, steps, Rounding::away);
  if (fault != DecimalFault::none)
    return usage(std::string(option) + ": found " + std::string(describe(fault)) +
                 "; expected a number such as 10 or 2.5");
  return steps;
}

/// What both kinds of input are told about time.
struct TimeOptions {
  std::optional<std::int64_t> slot_s;
  std::optional<Stamp> origin;
  std::optional<std::int32_t> default_utc_offset_s;
};

Result<TimeOptions> time_options(const SourceOptions& options, const EarlierRuns* earlier) {
  TimeOptions time;
  if (!options.slot_length.empty()) {
    const auto parsed = parse_duration(options.slot_length);
    if (!parsed) return usage("--slot-length: " + parsed.error().message);
    time.slot_s = *parsed;
  }
  if (!options.utc_offset.empty()) {
    const auto parsed = parse_utc_offset(options.utc_offset);
    if (!parsed) return usage("--utc-offset: " + parsed.error().message);
    time.default_utc_offset_s = *parsed;
  }
  if (earlier != nullptr && earlier->clock.clock.has_time()) {
    time.slot_s = earlier->clock.clock.slot_s();
    time.origin = Stamp{earlier->clock.clock.origin_s(), earlier->utc_offset_s};
  }
  return time;
}

}  // namespace

Result<ClampRange> parse_clamp(const UnitStep& unit_step, const std::string& text) {
  const std::size_t colon = text.find(':');
  ClampRange range;
  if (colon == std::string::npos) {
    FUGU_ASSIGN(range.hi, parse_steps(unit_step, text, "--clamp"));
  } else {
    FUGU_ASSIGN(range.lo, parse_steps(unit_step, text.substr(0, colon), "--clamp"));
    FUGU_ASSIGN(range.hi, parse_steps(unit_step, text.substr(colon + 1), "--clamp"));
  }
  if (range.hi < range.lo || (range.lo == 0 && range.hi == 0))
    return usage("--clamp must be a positive bound K for [0, K], or LO:HI with LO below HI");
  return range;
}

Result<OpenSource> OpenSource::open(const SourceOptions& options, const EarlierRuns* earlier) {
  if (!options.distributional.empty() && options.readings.empty())
    return usage("--distributional changes what meters send: give --readings, not --stream");
  if (options.stream.empty() == options.readings.empty())
    return usage("say what to read: either --stream S.csv, or --readings R.csv --series-map M.csv --clamp K");
  const SourceOptions defaults;
  const bool says_clamp = !options.clamp.empty() || !options.clamp_by_series.empty() || !options.clamp_schedule.empty();
  const bool about_readings = !options.series_map.empty() || !options.households.empty() || says_clamp ||
                              options.strict || options.grace_slots != defaults.grace_slots ||
                              options.late != defaults.late;
  if (!options.stream.empty() && about_readings)
    return usage(
        "--series-map, --households, --clamp, --clamp-by-series, --clamp-schedule, --grace, --late and --strict belong "
        "to --readings: totals are taken as they are, and --sensitivity says what one meter can change");
  if (options.close_by_clock && (!options.follow || options.readings.empty()))
    return usage("--close-by-clock closes slots of live readings: give --follow and --readings as well");
  const WallClock live_clock = options.follow ? WallClock(wall_clock_s) : WallClock();
  OpenSource open;
  FUGU_ASSIGN(open.unit_step_, of_option("--unit-step", UnitStep::parse(options.unit_step)));
  FUGU_ASSIGN(const TimeOptions time, time_options(options, earlier));
  if (!options.stream.empty()) {
    FUGU_ASSIGN(Input input, Input::open(options.stream, open.progress_));
    FUGU_ASSIGN(StreamReader reader,
                StreamReader::open(std::move(input), {.unit_step = open.unit_step_,
                                                      .slot_s = time.slot_s,
                                                      .origin = time.origin,
                                                      .default_utc_offset_s = time.default_utc_offset_s,
                                                      .time_column = options.time_column,
                                                      .gap_slots_max = options.gap_slots_max,
                                                      .wall_clock_s = live_clock,
                                                      .warn = warn}));
    open.stream_ = std::make_unique<StreamReader>(std::move(reader));
    return open;
  }
  if (options.time_column != defaults.time_column)
    return usage("--time-column belongs to --stream: the columns of readings are time, meter and value");
  if (options.series_map.empty() || !says_clamp)
    return usage(
        "--readings needs --series-map M.csv and --clamp K, the public bound of one reading (or --clamp-by-series)");
  FUGU_TRY(open.read_clamp(options));
  const SeriesMapPaths maps{options.series_map, options.households};
  const SeriesMapVersions read = versions_of(maps);  // before reading: what changes meanwhile is seen
  FUGU_ASSIGN(SeriesMap map, read_series_map(maps, earlier != nullptr ? earlier->series : std::vector<std::string>()));
  if (!options.clamp_by_series.empty()) FUGU_TRY(open.read_clamp_by_series(options, map));
  if (!options.distributional.empty()) {
    FUGU_ASSIGN(DistributionalState state, DistributionalState::load(options.distributional));
    FUGU_TRY(state.check(map, open.clamp_, open.unit_step_));
    open.distributional_ = std::make_shared<DistributionalStream>(std::move(state), map);
  }
  std::function<Result<SlotSchedule<ClampRange>>(const Clock&, std::int32_t)> clamp_over_time;
  if (open.clamp_schedule_ != nullptr) {
    clamp_over_time = [file = open.clamp_schedule_, rows = open.clamps_](const Clock& clock, std::int32_t offset_s) {
      return file->schedule({clock, offset_s}, rows.ranges);
    };
  }
  FUGU_ASSIGN(Input input, Input::open(options.readings, open.progress_));
  FUGU_ASSIGN(ReadingsReader reader,
              ReadingsReader::open(
                  std::move(input), std::move(map),
                  {.unit_step = open.unit_step_,
                   .clamp = open.range_of_rows(),
                   .clamp_by_series = open.clamp_by_series_,
                   .clamp_over_time = std::move(clamp_over_time),
                   .slot_s = time.slot_s,
                   .origin = time.origin,
                   .default_utc_offset_s = time.default_utc_offset_s,
                   .grace_slots = options.grace_slots,
                   .gap_slots_max = options.gap_slots_max,
                   .wall_clock_s = live_clock,
                   .close_by_clock = options.close_by_clock,
                   .late = options.late == "drop" ? LateRule::drop : LateRule::error,
                   .beyond = options.strict ? BeyondRule::error : BeyondRule::clamp,
                   .transform = open.distributional_,
                   .value_column = std::string(open.distributional_ ? open.distributional_->value_column() : "value"),
                   .new_map = options.follow ? open.follow_maps(maps, read) : nullptr,
                   .warn = warn}));
  open.readings_ = std::make_unique<ReadingsReader>(std::move(reader));
  return open;
}

Result<void> OpenSource::read_clamp(const SourceOptions& options) {
  if (!options.clamp_by_series.empty()) {
    if (!options.clamp.empty()) return usage("--clamp-by-series says it for every series: leave --clamp out");
    if (!options.clamp_schedule.empty())
      return usage("--clamp-by-series does not go with --clamp-schedule: a clamp differs by series, or over time");
    if (!options.distributional.empty())
      return usage("--clamp-by-series does not go with --distributional: its state was prepared for one clamp");
    return {};  // once the series are known
  }
  if (options.clamp_schedule.empty()) {
    FUGU_ASSIGN(clamp_, parse_clamp(unit_step_, options.clamp));
    clamp_text_ = options.clamp;
    return {};
  }
  if (!options.clamp.empty()) return usage("--clamp-schedule says it for every slot: leave --clamp out");
  if (!options.distributional.empty())
    return usage("--clamp-schedule does not go with --distributional: its state was prepared for one clamp");
  FUGU_ASSIGN(ScheduleFile file, ScheduleFile::read(options.clamp_schedule, "clamp"));
  FUGU_ASSIGN(clamps_, ClampRows::of(file, unit_step_));
  clamp_schedule_ = std::make_shared<const ScheduleFile>(std::move(file));
  clamp_ = clamps_.widest();
  clamp_text_ = clamp_schedule_->text();
  return {};
}

Result<void> OpenSource::read_clamp_by_series(const SourceOptions& options, const SeriesMap& map) {
  FUGU_ASSIGN(SeriesClamps clamps, SeriesClamps::read(options.clamp_by_series, unit_step_, map.series()));
  clamp_by_series_ = std::move(clamps.ranges);
  change_by_series_ = largest_changes(clamp_by_series_);
  clamp_text_ = std::move(clamps.text);
  return {};
}

Result<Exposure> OpenSource::exposure_over_time(const Exposure& largest, const RunClock& clock) const {
  return cli::exposure_over_time(largest, *clamp_schedule_, clamps_.sensitivities(largest), clock);
}

ClampRange OpenSource::range_of_rows() const {
  return distributional_ && distributional_->state().at_meters() ? distributional_->range() : clamp_;
}

std::uint64_t OpenSource::change_of_one_meter() const {
  return static_cast<std::uint64_t>(distributional_ ? distributional_->change_steps() : largest_change(clamp_));
}

std::optional<Counting> OpenSource::counting() const {
  if (!readings_) return std::nullopt;
  return Counting{&readings_->series_map(), change_of_one_meter(),
                  distributional_ ? distributional_->versions() : std::span<const Digest>(), change_by_series_};
}

std::function<std::optional<SeriesMap>(const SeriesMap&)> OpenSource::follow_maps(const SeriesMapPaths& paths,
                                                                                  const SeriesMapVersions& read) const {
  if (distributional_) {
    return [paths, seen = read](const SeriesMap&) mutable -> std::optional<SeriesMap> {
      const SeriesMapVersions found = versions_of(paths);
      if (!(found == seen))
        warn(paths.map +
             ": changed, which does not count yet: the distributional state is for the meters of before. Let meters "
             "join, leave or move with fugu distributional change, then start fugu publish again");
      seen = found;
      return std::nullopt;
    };
  }
  const auto check = [judge = judge_, change = change_of_one_meter(),
                      by_series = change_by_series_](const SeriesMap& map) {
    return *judge ? (*judge)({&map, change, {}, by_series}) : Result<void>();
  };
  auto file = std::make_shared<SeriesMapFile>(SeriesMapFile::Options{paths, read, check, warn});
  return [file](const SeriesMap& now) { return file->look(now); };
}

std::string OpenSource::summary() const {
  if (!readings_) return {};
  const ReadingsCounters& counters = readings_->counters();
  std::string text = std::to_string(counters.rows) + " readings";
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text += ", " + std::to_string(count) + " " + what;
  };
  add(counters.missing, "missing");
  add(counters.clamped, "clamped");
  add(counters.duplicates, "duplicates dropped");
  add(counters.late, "late and dropped");
  add(counters.early, "ahead of the clock and dropped");
  add(counters.skipped, "already released");
  add(counters.elsewhere, "of meters that counted into no series at the time");
  return text;
}

Result<std::uint64_t> parse_magnitude(const UnitStep& unit_step, const std::string& text, std::string_view option) {
  FUGU_ASSIGN(const std::int64_t steps, parse_steps(unit_step, text, option));
  if (steps < 1) return usage(std::string(option) + " must be positive, for example 10");
  return static_cast<std::uint64_t>(steps);
}

void warn_if_rounded(const UnitStep& unit_step, const std::string& text, std::uint64_t steps, std::string_view option,
                     std::string_view finer) {
  if (unit_step.holds(text)) return;
  warn(std::string(option) + ": " + text + " is no multiple of the unit step and counts as " +
       unit_step.text(static_cast<std::int64_t>(steps)) + ": a finer " + std::string(finer) + " needs less noise");
}

}  // namespace fugu::cli
