// fugu meter: temporal perturbation. Keys, the meter's side, and what the lag costs. The rest is in meter_*.cpp.
#include "meter.hpp"

#include <cmath>

#include "file_options.hpp"
#include "fugu/meter/meter_readings.hpp"
#include "fugu/meter/report_log.hpp"
#include "fugu/meter/state_lock.hpp"
#include "progress.hpp"
#include "scheme_options.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
A meter reports what it measured exactly, but not when: time stamps are moved at random, and reports held back. Sums
over a day stay exact, when reports carry the day they belong to (--period); the sum over many meters in a slot can
still be estimated.

  published  (--b B)                   stamps moved by Laplace(0, B) slots. Protects stamps only: whoever sees when
                                       reports arrive has no promise
  lagged     (--epsilon E --delta D)   also arrival times are (E, D)-protected, at the price of a constant lag

Neither hides how much a meter reports, or sums over time. docs/guarantees/temporal.md says what is promised to whom.

A meter can also send other values than its readings, so that whoever adds them up does not learn what they are like:
fugu meter transform --help. docs/guarantees/distributional.md

Example
  fugu simulate households --households 20 --days 1 --slot-length 15m --readings readings.csv
  fugu meter lag --slot-length 15m
  fugu audit temporal --epsilon 1 --delta 1e-4
  fugu meter keys    --readings readings.csv --out meters.keys --collector-out collector.keys
  fugu meter report  --readings readings.csv --keys meters.keys --epsilon 1 --delta 1e-4 --unit-step 0.001 \
                     --period 96 --state gateway.state --out reports.csv --drain
  fugu meter collect --reports reports.csv --keys collector.keys --epsilon 1 --delta 1e-4 --unit-step 0.001 \
                     --from 0 --slots 96 --out estimates.csv \
                     --state collector.state --unit kW --slot-length 15m --bill bill.csv
)";

// --- fugu meter keys
// --------------------------------------------------------------------------------------------------

struct KeysArguments {
  std::string readings;
  std::vector<std::string> meters;
  std::vector<std::string> added;
  std::vector<std::string> rotated;
  std::vector<std::string> removed;
  std::string state;
  std::string out;
  std::string collector_out;

  bool replaces() const { return !rotated.empty() || !removed.empty(); }
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

Result<MeterKeyFile> read_keys(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  return MeterKeyFile::read(std::move(input));
}

Result<CollectorKeyFile> read_collector_keys(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  return CollectorKeyFile::read(std::move(input));
}

/// The collector's file is replaced: it must be one of these meters' keys, and have nobody else's.
Result<void> check_replaceable(const std::string& path, const MeterKeyFile& file) {
  FUGU_ASSIGN(const CollectorKeyFile there, read_collector_keys(path));
  for (NameTable::Id id = 0; id < there.meters.size(); ++id) {
    if (file.meters.find(there.meters.name(id))) continue;
    return found_but_expected({path, 0, 0}, "meter " + shown_name(there.meters.name(id)) + ", which has no keys here",
                              "the collector's file that was made with these keys, as it gets replaced; put files of "
                              "several gateways together afterwards");
  }
  return {};
}

/// How far meters are whose keys get replaced.
Result<std::vector<MeterProgress>> progress_of(const std::string& state, const MeterKeyFile& file) {
  FUGU_ASSIGN(Input input, Input::open(state));
  return Gateway::progress_in(std::move(input), file);
}

/// Before a lock is taken, which stays behind. Another command may be changing the files: each of them is whole.
Result<void> check_there(const KeysArguments& arguments) {
  FUGU_TRY(read_keys(arguments.out));
  FUGU_TRY(read_collector_keys(arguments.collector_out));
  if (!arguments.state.empty()) FUGU_TRY(Input::open(arguments.state));
  return {};
}

/// New keys count from the next number in the state: the gateway must not sign until they are in the file.
Result<void> replace_keys(const KeysArguments& arguments, MeterKeyFile& file) {
  FUGU_ASSIGN(const std::vector<MeterProgress> progress, progress_of(arguments.state, file));
  const auto since = [&](const std::string& meter) {
    const auto id = file.meters.find(meter);
    return id ? progress[*id] : MeterProgress{};  // one that is not known is an error below
  };
  for (const std::string& meter : arguments.rotated) FUGU_TRY(file.rotate(meter, since(meter), {"--rotate", 0, 0}));
  for (const std::string& meter : arguments.removed) FUGU_TRY(file.remove(meter, since(meter), {"--remove", 0, 0}));
  return {};
}

Outcome change_keys(const KeysArguments& arguments) {
  if (!arguments.readings.empty() || !arguments.meters.empty())
    return Error{Cause::usage, "--add, --rotate and --remove change keys, --readings and --meter make new files"};
  const bool replaces = arguments.replaces();
  if (replaces && arguments.state.empty()) {
    return Error{Cause::usage,
                 "--rotate and --remove need --state, the gateway's, which has the number from which new keys count"};
  }
  FUGU_TRY(check_there(arguments));
  FUGU_ASSIGN(const StateLock lock, StateLock::take(arguments.out));  // two changes at once would lose one
  std::optional<SigningTurn> turn;
  if (replaces) {
    FUGU_ASSIGN(turn, SigningTurn::wait(arguments.state,
                                        [] { note("a gateway is sending; waits until it waits for readings"); }));
  }
  FUGU_ASSIGN(MeterKeyFile file, read_keys(arguments.out));
  FUGU_TRY(check_replaceable(arguments.collector_out, file));
  for (const std::string& meter : arguments.added) {
    if (file.meters.find(meter)) return found_but_expected({"--add", 0, 0}, "a meter that has keys", "--rotate");
    FUGU_TRY(file.add(meter, {"--add", 0, 0}));
  }
  if (replaces) FUGU_TRY(replace_keys(arguments, file));
  FUGU_TRY(file.replace(arguments.out, arguments.collector_out));
  note(std::to_string(arguments.added.size()) + " meters added, " + std::to_string(arguments.rotated.size()) +
       " with new keys, " + std::to_string(arguments.removed.size()) + " removed; give the collector " +
       arguments.collector_out + " before their next reports arrive");
  return kDone;
}

Outcome make_keys(const KeysArguments& arguments) {
  FUGU_TRY(check_different({{"--readings", arguments.readings},
                            {"--state", arguments.state},
                            {"--out", arguments.out},
                            {"--collector-out", arguments.collector_out}}));
  if (!arguments.state.empty() && !arguments.replaces())
    return Error{Cause::usage, "--state belongs to --rotate and --remove"};
  if (!arguments.added.empty() || arguments.replaces()) return change_keys(arguments);
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
With --add, --rotate and --remove both files are there and get changed, by one command at a time; a collector's file
with meters of other gateways is refused, as it would lose them; a gateway that reads from a pipe goes on with
them from its next row. Numbers of reports go on under new keys. A removed meter's readings are passed over; what waits
is still sent, with new keys.
A key counts from the number that the gateway's state (--state) has next when it is made, and both files say so. A
collector that has the new file refuses whatever else is made with a former key, from then on. A gateway refuses a state
from before a rotation (exit code 3): new keys would move readings again that were sent. Stop a gateway that reads a
file, or wait for it; one that reads from a pipe may run.

Examples
  fugu meter keys --readings readings.csv --out meters.keys --collector-out collector.keys
  fugu meter keys --add h21 --out meters.keys --collector-out collector.keys
  fugu meter keys --rotate h3 --remove h7 --state gateway.state --out meters.keys --collector-out collector.keys
)");
  keys->add_option("--readings", arguments->readings, "Readings whose meters get keys, CSV long");
  keys->add_option("--meter", arguments->meters, "A meter that gets keys; may be given several times");
  keys->add_option("--add", arguments->added, "A meter that joins; may be given several times");
  keys->add_option("--rotate", arguments->rotated, "A meter that gets new keys; may be given several times");
  keys->add_option("--remove", arguments->removed, "A meter that leaves; may be given several times");
  keys->add_option("--state", arguments->state, "State of the gateway, to replace or remove keys");
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
  std::optional<Slot> period_slots;
  std::optional<Slot> ring_slots;
  std::string calendar;
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
  if (const auto due = gateway.next_due(); due && gateway.waits())
    text += "; some wait in " + state + ", the next for " + gateway.rules().format.time_text(*due);
  if (counters.divided > 0) text += "; " + std::to_string(counters.divided) + " readings were divided";
  if (counters.seen > 0) text += "; " + std::to_string(counters.seen) + " readings had been taken before";
  if (counters.removed > 0)
    text += "; " + std::to_string(counters.removed) + " readings of removed meters were passed over";
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

Result<Periods> periods_of(const ReportArguments& arguments, const Clock& clock) {
  const int given =
      (arguments.period_slots ? 1 : 0) + (arguments.ring_slots ? 1 : 0) + (arguments.calendar.empty() ? 0 : 1);
  if (given > 1) return Error{Cause::usage, "expected one of --period, --ring and --calendar"};
  if (arguments.period_slots) return of_option("--period", Periods::every(*arguments.period_slots));
  if (arguments.ring_slots) return of_option("--ring", Periods::every(*arguments.ring_slots));
  if (arguments.calendar.empty()) return Periods();
  FUGU_ASSIGN(Input input, Input::open(arguments.calendar));
  return Periods::read(std::move(input), clock);
}

void note_what_is_protected(const MeterRules& rules) {
  if (!rules.scheme.is_lagged())
    note("published form: stamps are protected, arrival times are not; the lagged form protects both");
  if (rules.periods.any())
    note("reports carry their period: when within a period is protected, in which period is not");
}

Outcome report(const ReportArguments& arguments) {
  FUGU_TRY(check_different({{"--readings", arguments.readings},
                            {"--keys", arguments.keys},
                            {"--calendar", arguments.calendar},
                            {"--state", arguments.state},
                            {"--out", arguments.out}}));
  FUGU_ASSIGN(TemporalScheme scheme, arguments.scheme.scheme());
  FUGU_ASSIGN(const UnitStep step, unit_step_of(arguments.unit_step));
  FUGU_ASSIGN(const auto slot_s, slot_length_of(arguments.slot_length));
  FUGU_ASSIGN(const auto divide_below, deviation_steps(arguments.divide_below, step));
  FUGU_ASSIGN(const MeterKeyFile keys_before, read_keys(arguments.keys));
  FUGU_ASSIGN(StateLock lock, StateLock::take(arguments.state));  // before the first reading is waited for
  const auto progress = std::make_shared<ReadProgress>();
  FUGU_ASSIGN(Input input, Input::open(arguments.readings, progress));
  FUGU_ASSIGN(MeterReadings readings, MeterReadings::open(std::move(input), keys_before.meters, {step, slot_s, warn}));
  FUGU_ASSIGN(Periods periods, periods_of(arguments, readings.format().clock));
  FUGU_ASSIGN(SigningTurn turn, SigningTurn::wait(arguments.state));
  FUGU_ASSIGN(MeterKeyFile keys, read_keys(arguments.keys));  // they may be others since
  FUGU_ASSIGN(Gateway fresh, Gateway::make({.scheme = std::move(scheme),
                                            .parts = arguments.scheme.parts,
                                            .divide_below_steps = divide_below,
                                            .periods = std::move(periods),
                                            .ring = arguments.ring_slots.has_value(),
                                            .queue_max = arguments.queue_max,
                                            .format = readings.format()},
                                           std::move(keys)));
  FUGU_ASSIGN(ReportLog log, ReportLog::open(arguments.out));
  if (readings.empty()) {  // and so no word on how times are written, without which there are no rules to go on with
    note("no readings: nothing is sent, and the state stays as it is; what waits in it goes out with later readings");
    return kDone;
  }
  FUGU_ASSIGN(DurableGateway gateway, DurableGateway::open(std::move(fresh), std::move(lock), std::move(turn),
                                                           std::make_unique<ReportLog>(std::move(log))));
  note_what_is_protected(gateway.gateway().rules());
  {
    Progress taken("readings taken");
    FUGU_TRY(gateway.run(readings, arguments.keys, arguments.drain,
                         [&] { taken.update(gateway.gateway().counters().readings, *progress); }));
  }  // its line is gone before the last words
  note(summary_of(gateway, arguments.state));
  return kDone;
}

void add_report_command(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* report_command = command.add_subcommand("report", "The meter's side: move readings in time and send them");
  report_command->footer(R"(
Reads CSV `time,meter,value`, ordered by time, and appends reports
`arrival,meter,number,period,slot,value,reports,mac`. The state file
is made durable before anything is sent: killed at any point, give the same command again; nothing is lost, and what is
sent twice the collector recognises. A missing reading is not reported.
One gateway at a time: a second one with the same state is refused (STATE.lock). Without its state, a gateway does not
go on with reports that are there: numbers would be used twice. Readings without a row change nothing.
With --period, --ring or --calendar reports carry the period that their reading was taken in, so that sums over it are
exact, and a row at its end says how many there were; moves from one period into another are not protected then. A
calendar is CSV `start,tariff`, one row per period, the last without a tariff; it may grow while the gateway is down.
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
  report_command->add_option("--period", arguments->period_slots,
                             "Reports carry their period of that many slots, counted from slot 0; with time stamps "
                             "from 1970 in UTC, so these are not of local days: for those give a --calendar");
  report_command->add_option("--calendar", arguments->calendar, "Reports carry their period of this calendar, CSV");
  report_command->add_option("--ring", arguments->ring_slots, "As --period, and stamps stay within the period, too");
  report_command->add_option("--queue", arguments->queue_max,
                             "Reports held back per meter at most; as many as can be due without it");
  report_command->add_option("--state", arguments->state, "What is needed to go on after a restart")->required();
  report_command->add_option("--out", arguments->out, "Reports; - is standard output")->capture_default_str();
  report_command->add_flag("--drain", arguments->drain, "At the end of the input, let time go on until all is sent");
  report_command->callback([arguments, &outcome] { outcome = report(*arguments); });
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
  CLI::App* command =
      app.add_subcommand("meter", "What runs at meters: hide when they measured, or what their readings are like");
  command->footer(kExamples);
  command->require_subcommand(1);
  add_keys(*command, outcome);
  add_report_command(*command, outcome);
  add_meter_collect(*command, outcome);
  add_lag(*command, outcome);
  add_meter_transform(*command, outcome);
}

}  // namespace fugu::cli
