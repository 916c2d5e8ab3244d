// fugu meter: temporal perturbation. Keys, the meter's side, the collector's side, and what the lag costs.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "file_options.hpp"
#include "fugu/meter/collector.hpp"
#include "fugu/meter/meter_readings.hpp"
#include "fugu/meter/report_log.hpp"
#include "progress.hpp"
#include "scheme_options.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
A meter reports what it measured exactly, but not when: time stamps are moved at random, and reports held back. Sums
over a day stay exact; the sum over many meters in a slot can still be estimated.

  published  (--b B)                   stamps moved by Laplace(0, B) slots. Protects stamps only: whoever sees when
                                       reports arrive has no promise
  lagged     (--epsilon E --delta D)   also arrival times are (E, D)-protected, at the price of a constant lag

Neither hides how much a meter reports, or sums over time. docs/guarantees/temporal.md says what is promised to whom.

Example
  fugu simulate households --households 20 --days 1 --slot-length 15m --readings readings.csv
  fugu meter lag --slot-length 15m
  fugu audit temporal --epsilon 1 --delta 1e-4
  fugu meter keys    --readings readings.csv --out meters.keys --collector-out collector.keys
  fugu meter report  --readings readings.csv --keys meters.keys --epsilon 1 --delta 1e-4 --unit-step 0.001 \
                     --state gateway.state --out reports.csv --drain
  fugu meter collect --reports reports.csv --keys collector.keys --epsilon 1 --delta 1e-4 --unit-step 0.001 \
                     --from 0 --slots 96 --out estimates.csv --accumulated sums.csv
)";

/// `--option: message`, for what the library says about an option.
Error about(const char* option, const Error& error) {
  return {error.cause, std::string(option).append(": ").append(error.message)};
}

Result<std::optional<std::int64_t>> slot_length_of(const std::string& text) {
  if (text.empty()) return std::optional<std::int64_t>();
  auto slot_s = parse_duration(text);
  if (!slot_s) return about("--slot-length", slot_s.error());
  return std::optional<std::int64_t>(*slot_s);
}

Result<UnitStep> unit_step_of(const std::string& text) {
  auto step = UnitStep::parse(text);
  if (!step) return about("--unit-step", step.error());
  return *step;
}

// --- fugu meter keys
// --------------------------------------------------------------------------------------------------

struct KeysArguments {
  std::string readings;
  std::vector<std::string> meters;
  std::string out;
  std::string collector_out;
};

/// Names in the order of the file.
Result<void> add_meters_of(const std::string& path, MeterKeyFile& file) {
  FUGU_ASSIGN(Input input, Input::open(path));
  LineReader lines(std::move(input));
  std::optional<std::size_t> column;
  while (true) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    std::string_view rest = *line;
    for (std::size_t i = 0;; ++i) {
      const std::size_t comma = rest.find(',');
      const std::string_view field = rest.substr(0, comma);
      if (column == i && !field.empty())
        FUGU_TRY(file.add(field, lines.at(static_cast<std::size_t>(field.data() - line->data()) + 1)));
      if (lines.line() == 1 && field == "meter") column = i;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    if (!column) return found_but_expected(lines.at(1), "no column `meter`", "a header `time,meter,value`");
  }
  return {};
}

Outcome make_keys(const KeysArguments& arguments) {
  FUGU_TRY(check_different(
      {{"--readings", arguments.readings}, {"--out", arguments.out}, {"--collector-out", arguments.collector_out}}));
  MeterKeyFile file;
  if (!arguments.readings.empty()) FUGU_TRY(add_meters_of(arguments.readings, file));
  for (const std::string& meter : arguments.meters) FUGU_TRY(file.add(meter, {"--meter", 0, 0}));
  if (file.meters.size() == 0) return Error{Cause::usage, "no meters: give --readings or --meter"};
  FUGU_TRY(file.create(arguments.out, arguments.collector_out));
  note("keys of " + std::to_string(file.meters.size()) + " meters: " + arguments.out + " stays with the meters, " +
       arguments.collector_out + " is for the collector");
  return kDone;
}

void add_keys(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<KeysArguments>();
  CLI::App* keys = command.add_subcommand("keys", "Make keys for meters and for their collector");
  keys->footer(R"(
Each meter gets two keys: the shift key decides how far readings are moved, the report key authenticates reports. The
collector gets the report keys only; with shift keys it could undo the shifts, and refuses to read them.

Example
  fugu meter keys --readings readings.csv --out meters.keys --collector-out collector.keys
)");
  keys->add_option("--readings", arguments->readings, "Readings whose meters get keys, CSV long");
  keys->add_option("--meter", arguments->meters, "A meter that gets keys; may be given several times");
  keys->add_option("--out", arguments->out, "Keys for the meters' side")->required();
  keys->add_option("--collector-out", arguments->collector_out, "Keys for the collector")->required();
  keys->callback([arguments, &outcome] { outcome = make_keys(*arguments); });
}

// --- fugu meter report
// ------------------------------------------------------------------------------------------------

struct ReportArguments {
  SchemeOptions scheme;
  std::string readings = "-";
  std::string keys;
  std::string unit_step = "1";
  std::string slot_length;
  std::string divide_below;
  Slot ring_slots = 0;
  std::size_t queue_max = 0;
  std::string state;
  std::string out = "-";
  bool drain = false;
};

std::string summary_of(const DurableGateway& durable, const std::string& state) {
  const Gateway& gateway = durable.gateway();
  const Gateway::Counters& counters = gateway.counters();
  std::string text =
      std::to_string(counters.readings) + " readings, " + std::to_string(durable.sent()) + " reports sent";
  if (const auto due = gateway.next_due())
    text += "; some wait in " + state + ", the next for " + gateway.rules().format.time_text(*due);
  if (counters.divided > 0) text += "; " + std::to_string(counters.divided) + " readings were divided";
  if (counters.seen > 0) text += "; " + std::to_string(counters.seen) + " readings had been taken before";
  if (counters.early > 0)
    text += "; the queue was full and " + std::to_string(counters.early) + " reports went out before they were due";
  return text;
}

/// A number of the stream's unit as steps, without rounding.
Result<std::optional<double>> deviation_steps(const std::string& text, const UnitStep& step) {
  if (text.empty()) return std::optional<double>();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !(value > 0) || !std::isfinite(value))
    return Error{Cause::usage, "--divide-below: expected a number above 0"};
  return std::optional<double>(value / step.to_double());
}

Outcome report(const ReportArguments& arguments) {
  FUGU_TRY(check_different({{"--readings", arguments.readings},
                            {"--keys", arguments.keys},
                            {"--state", arguments.state},
                            {"--out", arguments.out}}));
  FUGU_ASSIGN(TemporalScheme scheme, arguments.scheme.scheme());
  FUGU_ASSIGN(const UnitStep step, unit_step_of(arguments.unit_step));
  FUGU_ASSIGN(const auto slot_s, slot_length_of(arguments.slot_length));
  FUGU_ASSIGN(const auto divide_below, deviation_steps(arguments.divide_below, step));
  FUGU_ASSIGN(Input key_input, Input::open(arguments.keys));
  FUGU_ASSIGN(MeterKeyFile keys, MeterKeyFile::read(std::move(key_input)));
  FUGU_ASSIGN(StateLock lock, StateLock::take(arguments.state));  // before the first reading is waited for
  const auto progress = std::make_shared<ReadProgress>();
  FUGU_ASSIGN(Input input, Input::open(arguments.readings, progress));
  const NameTable meters = keys.meters;
  FUGU_ASSIGN(MeterReadings readings, MeterReadings::open(std::move(input), meters, {step, slot_s, warn}));
  FUGU_ASSIGN(Gateway fresh, Gateway::make({.scheme = std::move(scheme),
                                            .parts = arguments.scheme.parts,
                                            .divide_below_steps = divide_below,
                                            .ring_slots = arguments.ring_slots,
                                            .queue_max = arguments.queue_max,
                                            .format = readings.format()},
                                           std::move(keys)));
  FUGU_ASSIGN(ReportLog log, ReportLog::open(arguments.out));
  if (readings.empty()) {  // and so no word on how times are written, without which there are no rules to go on with
    note("no readings: nothing is sent, and the state stays as it is; what waits in it goes out with later readings");
    return kDone;
  }
  FUGU_ASSIGN(DurableGateway gateway,
              DurableGateway::open(std::move(fresh), std::move(lock), std::make_unique<ReportLog>(std::move(log))));
  if (!gateway.gateway().rules().scheme.is_lagged())
    note("published form: stamps are protected, arrival times are not; the lagged form protects both");
  {
    Progress taken("readings taken");
    FUGU_TRY(gateway.run(readings, arguments.drain,
                         [&] { taken.update(gateway.gateway().counters().readings, *progress); }));
  }  // its line is gone before the last words
  note(summary_of(gateway, arguments.state));
  return kDone;
}

void add_report_command(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* report_command = command.add_subcommand("report", "The meter's side: move readings in time and send them");
  report_command->footer(R"(
Reads CSV `time,meter,value`, ordered by time, and appends reports `arrival,meter,number,slot,value,mac`. The state file
is made durable before anything is sent: killed at any point, give the same command again; nothing is lost, and what is
sent twice the collector recognises. A missing reading is not reported.
One gateway at a time: a second one with the same state is refused (STATE.lock). Without its state, a gateway does not
go on with reports that are there: numbers would be used twice. Readings without a row change nothing.
A queue that is full sends what is due first at once, and says so; the lagged form refuses a queue that could get full.
Through a pipe, reports leave when the next slot's first row comes: the lagged form needs a row for every slot there, if
only one with an empty value. From a file, all leave at once, and only the column `arrival` is protected.

Examples
  fugu meter report --readings day.csv --keys meters.keys --b 1 --state gateway.state --out reports.csv
  fugu meter report --readings day.csv --keys meters.keys --b 2 --parts 2 --divide-below 50 --ring 1440 \
                    --state gateway.state --out reports.csv --drain
  tail -n +1 -f live.csv | fugu meter report --keys meters.keys --epsilon 1 --delta 1e-6 --state g.state \
                                             --out reports.csv
)");
  arguments->scheme.add_to(*report_command);
  report_command
      ->add_option("--readings", arguments->readings, "Readings, CSV long, ordered by time; - is standard input")
      ->capture_default_str();
  report_command->add_option("--keys", arguments->keys, "Keys of the meters")->required();
  report_command->add_option("--unit-step", arguments->unit_step, "Grid of the values")->capture_default_str();
  report_command->add_option("--slot-length", arguments->slot_length, "Length of a slot when times are stamps: 15m");
  report_command->add_option("--divide-below", arguments->divide_below,
                             "Divide only while the recent deviation is below this, in the unit of the readings");
  report_command->add_option("--ring", arguments->ring_slots, "Keep stamps within periods of that many slots");
  report_command->add_option("--queue", arguments->queue_max,
                             "Reports held back per meter at most; as many as can be due without it");
  report_command->add_option("--state", arguments->state, "What is needed to go on after a restart")->required();
  report_command->add_option("--out", arguments->out, "Reports; - is standard output")->capture_default_str();
  report_command->add_flag("--drain", arguments->drain, "At the end of the input, let time go on until all is sent");
  report_command->callback([arguments, &outcome] { outcome = report(*arguments); });
}

// --- fugu meter collect
// -----------------------------------------------------------------------------------------------

struct CollectArguments {
  SchemeOptions scheme;
  std::string reports = "-";
  std::string keys;
  std::string unit_step = "1";
  std::string slot_length;
  std::string from = "0";
  Slot slots = 0;
  bool ring = false;
  bool skip_forged = false;
  std::string out = "-";
  std::string accumulated;
  std::string recorded;
  std::string statistics;
  std::string histogram;
  std::string bin_width;
};

struct Collected {
  const CollectorKeyFile& keys;
  const Collector& collector;
  const ReportFormat& format;
  Slot first_slot;
  Slot slots;

  std::string value(std::int64_t steps) const { return format.unit_step.text(steps); }
  std::string number(double steps) const { return short_number(steps * format.unit_step.to_double()); }
};

std::string estimates_text(const Collected& all) {
  std::string text = "time,reports,timely,estimate,deviation,smoothed\n";
  Slot slot = all.first_slot;
  for (const SlotEstimate& estimate : all.collector.estimates()) {
    text.append(all.format.time_text(slot++)).append(",").append(std::to_string(estimate.reports)).append(",");
    text.append(all.value(estimate.timely_steps)).append(",").append(all.number(estimate.estimate)).append(",");
    text.append(all.number(std::sqrt(estimate.variance))).append(",").append(all.number(estimate.smoothed)) += '\n';
  }
  return text;
}

std::string accumulated_text(const Collected& all) {
  std::string text = "meter,value,reports,outside,outside_value,duplicates,too_late,lost\n";
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter) {
    const Collector::Account account = all.collector.account(meter);
    text.append(all.keys.meters.name(meter)).append(",").append(all.value(account.sum_steps));
    text.append(",").append(std::to_string(account.reports)).append(",").append(std::to_string(account.outside));
    text.append(",").append(all.value(account.outside_steps)).append(",").append(std::to_string(account.duplicates));
    text.append(",").append(std::to_string(account.too_late)).append(",").append(std::to_string(account.lost)) += '\n';
  }
  return text;
}

std::string recorded_text(const Collected& all) {
  std::string text = "time";
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter)
    text.append(",").append(all.keys.meters.name(meter));
  text += '\n';
  for (Slot slot = 0; slot < all.slots; ++slot) {
    text += all.format.time_text(all.first_slot + slot);
    for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter)
      text.append(",").append(all.value(all.collector.recorded(meter)[static_cast<std::size_t>(slot)]));
    text += '\n';
  }
  return text;
}

std::string statistics_text(const Collected& all) {
  std::string text = "meter,count,minimum,maximum,median,mean,variance\n";
  const double unit = all.format.unit_step.to_double();
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter) {
    const auto values = all.collector.values(meter);
    text += all.keys.meters.name(meter);
    if (values.empty()) {
      text += ",0,,,,,\n";
      continue;
    }
    const OrderFreeStatistics statistics = order_free_statistics({values.begin(), values.end()});
    text.append(",").append(std::to_string(statistics.count)).append(",").append(all.value(statistics.minimum));
    text.append(",").append(all.value(statistics.maximum)).append(",").append(all.number(statistics.median));
    text.append(",").append(all.number(statistics.mean)).append(",").append(all.number(statistics.variance * unit)) +=
        '\n';
  }
  return text;
}

/// In steps; nothing when no histogram is wanted.
Result<std::optional<std::int64_t>> bin_width_of(const CollectArguments& arguments, const UnitStep& unit_step) {
  if (arguments.histogram.empty() && arguments.bin_width.empty()) return std::optional<std::int64_t>();
  if (arguments.histogram.empty()) return Error{Cause::usage, "--bin-width belongs to --histogram"};
  std::int64_t width = 0;
  if (unit_step.steps(arguments.bin_width, width) != DecimalFault::none || width < 1)
    return Error{Cause::usage, "--bin-width: expected a number above 0 for --histogram, at least one unit step"};
  return std::optional<std::int64_t>(width);
}

Result<std::string> histogram_text(const Collected& all, std::int64_t width) {
  constexpr std::int64_t kBinsMax = 100'000;
  std::string text = "meter,from,count\n";
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter) {
    const auto values = all.collector.values(meter);
    if (values.empty()) continue;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::int64_t lowest = (*low >= 0 ? *low / width : -((-*low + width - 1) / width)) * width;
    if ((*high - lowest) / width >= kBinsMax)
      return Error{Cause::usage, "--bin-width: expected a number that needs at most 100,000 bins"};
    const auto counts = histogram(values, lowest, width, static_cast<std::size_t>((*high - lowest) / width + 1));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      text.append(all.keys.meters.name(meter)).append(",");
      text.append(all.value(lowest + static_cast<std::int64_t>(i) * width)).append(",");
      text.append(std::to_string(counts[i])) += '\n';
    }
  }
  return text;
}

/// A slot number, or a time stamp: then slots lie as it does.
Result<Slot> parse_from(const CollectArguments& arguments, ReportFormat& format) {
  FUGU_ASSIGN(const auto slot_s, slot_length_of(arguments.slot_length));
  if (!slot_s) {
    const auto slot = parse_slot_number(arguments.from);
    if (!slot) return Error{Cause::usage, "--from: expected a slot number, or a time stamp and --slot-length"};
    return *slot;
  }
  Stamp stamp;
  const TimeFault fault = parse_stamp(arguments.from, std::nullopt, stamp);
  if (fault != TimeFault::none)
    return Error{Cause::usage, std::string("--from: expected ").append(expected_stamp(fault))};
  const std::int64_t phase_s = (stamp.instant_s % *slot_s + *slot_s) % *slot_s;
  format.clock = Clock(phase_s, *slot_s);
  format.utc_offset_s = stamp.utc_offset_s;
  return *format.clock.slot_at(stamp.instant_s);
}

Result<void> take_all(ReportReader& reader, Collector& collector, const ReadProgress& read) {
  Progress progress("reports collected");
  ReportReader::Row row;
  for (std::uint64_t count = 0;; ++count) {
    FUGU_ASSIGN(const bool more, reader.next(row));
    if (!more) return {};
    if (collector.take(row.meter, row.report) == Collector::Taken::conflict) {
      return found_but_expected(reader.here(), "a number that this meter used for another report",
                                "each number once; its state file may be an old copy");
    }
    progress.update(count, read);
  }
}

std::string summary_of(const Collected& all, std::uint64_t forged) {
  Collector::Account sum;
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter) {
    const Collector::Account account = all.collector.account(meter);
    sum.reports += account.reports;
    sum.outside += account.outside;
    sum.duplicates += account.duplicates;
    sum.too_late += account.too_late;
    sum.lost += account.lost;
  }
  std::string text = std::to_string(sum.reports) + " reports";
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text.append(", ").append(std::to_string(count)).append(" ").append(what);
  };
  add(sum.outside, "outside the window");
  add(sum.duplicates, "duplicates dropped");
  add(sum.too_late, "too late and dropped");
  add(sum.lost, "lost");
  add(forged, "forged and skipped");
  return text;
}

/// Reports came for the window, and not one of them when the scheme says.
bool none_timely(const Collected& all) {
  std::uint64_t came = 0;
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter) came += all.collector.account(meter).reports;
  const auto& estimates = all.collector.estimates();
  return came > 0 &&
         std::all_of(estimates.begin(), estimates.end(), [](const auto& each) { return each.reports == 0; });
}

Outcome collect(const CollectArguments& arguments) {
  FUGU_TRY(check_different({{"--reports", arguments.reports},
                            {"--keys", arguments.keys},
                            {"--out", arguments.out},
                            {"--accumulated", arguments.accumulated},
                            {"--recorded", arguments.recorded},
                            {"--statistics", arguments.statistics},
                            {"--histogram", arguments.histogram}}));
  FUGU_ASSIGN(const TemporalScheme scheme, arguments.scheme.scheme());
  ReportFormat format;
  FUGU_ASSIGN(format.unit_step, unit_step_of(arguments.unit_step));
  FUGU_ASSIGN(const auto bin_width, bin_width_of(arguments, format.unit_step));
  FUGU_ASSIGN(const Slot first_slot, parse_from(arguments, format));
  FUGU_ASSIGN(Input key_input, Input::open(arguments.keys));
  FUGU_ASSIGN(const CollectorKeyFile keys, CollectorKeyFile::read(std::move(key_input)));
  FUGU_ASSIGN(Collector collector,
              Collector::make(scheme, keys.keys.size(), {first_slot, arguments.slots, arguments.ring}));
  const auto progress = std::make_shared<ReadProgress>();
  FUGU_ASSIGN(Input input, Input::open(arguments.reports, progress));
  using Forged = ReportReader::Forged;
  FUGU_ASSIGN(ReportReader reader, ReportReader::open(std::move(input), keys.meters, keys.keys, format,
                                                      arguments.skip_forged ? Forged::skip : Forged::error));
  FUGU_TRY(take_all(reader, collector, *progress));
  const Collected all{keys, collector, format, first_slot, arguments.slots};
  std::string bins;
  if (bin_width) {
    FUGU_ASSIGN(bins, histogram_text(all, *bin_width));
  }
  FUGU_TRY(write_file(arguments.out, estimates_text(all)));
  if (!arguments.accumulated.empty()) FUGU_TRY(write_file(arguments.accumulated, accumulated_text(all)));
  if (!arguments.recorded.empty()) FUGU_TRY(write_file(arguments.recorded, recorded_text(all)));
  if (!arguments.statistics.empty()) FUGU_TRY(write_file(arguments.statistics, statistics_text(all)));
  if (bin_width) FUGU_TRY(write_file(arguments.histogram, bins));
  note(summary_of(all, reader.forged()));
  if (none_timely(all))
    warn(
        "no report was in time, so all estimates are 0: give the --b, or the --epsilon, --delta, --move and --parts, "
        "that the meters were given, and their window");
  return kDone;
}

void add_collect(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<CollectArguments>();
  CLI::App* collect_command = command.add_subcommand("collect", "The collector's side: estimates, sums, statistics");
  collect_command->footer(R"(
Give the options of the scheme the meters use: the published form needs its b for the correction factor, the lagged one
its lag. Rules: a report counts once, by its number; one that comes more than 1,024 reports late is dropped; numbers
that never came are counted as lost; a wrong MAC is an error, or skipped with --skip-forged. Stamps outside of the window
are counted apart (head-cutting), or moved into it as into a ring (--ring): then sums are exact when all readings were
taken inside of it.

Examples
  fugu meter collect --reports reports.csv --keys collector.keys --b 1 --from 0 --slots 1440 --out estimates.csv
  fugu meter collect --reports reports.csv --keys collector.keys --b 1 --from 0 --slots 1440 --ring \
                     --accumulated sums.csv --statistics statistics.csv --histogram bins.csv --bin-width 50
)");
  arguments->scheme.add_to(*collect_command);
  collect_command->add_option("--reports", arguments->reports, "Reports; - is standard input")->capture_default_str();
  collect_command->add_option("--keys", arguments->keys, "Report keys of the meters")->required();
  collect_command->add_option("--unit-step", arguments->unit_step, "Grid of the values")->capture_default_str();
  collect_command->add_option("--slot-length", arguments->slot_length, "Length of a slot when times are stamps: 15m");
  collect_command->add_option("--from", arguments->from, "First slot of the window, or its time")
      ->capture_default_str();
  collect_command->add_option("--slots", arguments->slots, "Length of the window")->required();
  collect_command->add_flag("--ring", arguments->ring, "Ring-moving instead of head-cutting");
  collect_command->add_flag("--skip-forged", arguments->skip_forged, "Skip and count reports with a wrong MAC");
  collect_command->add_option("--out", arguments->out, "Estimates per slot; - is standard output")
      ->capture_default_str();
  collect_command->add_option("--accumulated", arguments->accumulated, "Sums per meter over the window");
  collect_command->add_option("--recorded", arguments->recorded, "What is recorded per slot and meter, CSV wide");
  collect_command->add_option("--statistics", arguments->statistics, "Per meter what does not depend on time");
  collect_command->add_option("--histogram", arguments->histogram, "Values per meter in bins, CSV");
  collect_command->add_option("--bin-width", arguments->bin_width, "Width of a bin");
  collect_command->callback([arguments, &outcome] { outcome = collect(*arguments); });
}

// --- fugu meter lag
// ---------------------------------------------------------------------------------------------------

std::string in_time(Slot slots, const std::optional<std::int64_t>& slot_s) {
  std::string text = std::to_string(slots) + (slots == 1 ? " slot" : " slots");
  if (slot_s) text += " (" + short_number(static_cast<double>(slots * *slot_s) / 60) + " min)";
  return text;
}

struct LagArguments {
  Slot move_slots = 1;
  unsigned parts = 1;
  std::string slot_length;
};

Outcome print_lags(const LagArguments& arguments) {
  constexpr double kEpsilons[] = {0.1, 0.25, 0.5, 1, 2, 4};
  constexpr double kDeltas[] = {1e-3, 1e-6, 1e-9};
  FUGU_ASSIGN(const auto slot_s, slot_length_of(arguments.slot_length));
  report::Table table{.columns = {{"ε", report::Column::Align::number}, {"b", report::Column::Align::number}}};
  for (const double delta : kDeltas) table.columns.push_back({"lag for δ = " + short_number(delta)});
  for (const double epsilon : kEpsilons) {
    std::vector<report::Cell> row = {{short_number(epsilon)}};
    for (const double delta : kDeltas) {
      FUGU_ASSIGN(const TemporalScheme scheme,
                  TemporalScheme::lagged({epsilon, delta, arguments.move_slots, arguments.parts}));
      if (row.size() == 1) row.push_back({short_number(scheme.b())});
      row.push_back({in_time(scheme.lag_slots(), slot_s)});
    }
    table.rows.push_back(std::move(row));
  }
  print_table(table);
  return kDone;
}

void add_lag(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<LagArguments>();
  CLI::App* lag = command.add_subcommand("lag", "What the lagged form costs: the lag for ε and δ");
  lag->add_option("--move", arguments->move_slots, "By how many slots a reading may be moved")->capture_default_str();
  lag->add_option("--parts", arguments->parts, "Parts a reading is divided into")->capture_default_str();
  lag->add_option("--slot-length", arguments->slot_length, "Prints minutes, too: 15m");
  lag->callback([arguments, &outcome] { outcome = print_lags(*arguments); });
}

}  // namespace

void add_meter(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("meter", "Hide when a meter measured, keep how much");
  command->footer(kExamples);
  command->require_subcommand(1);
  add_keys(*command, outcome);
  add_report_command(*command, outcome);
  add_collect(*command, outcome);
  add_lag(*command, outcome);
}

}  // namespace fugu::cli
