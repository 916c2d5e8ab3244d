// fugu meter collect: estimates, sums and statistics of the reports of one run, and bills that are remembered.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "file_options.hpp"
#include "fugu/base/durable_file.hpp"
#include "fugu/meter/append_file.hpp"
#include "fugu/meter/collector.hpp"
#include "fugu/meter/durable_book.hpp"
#include "fugu/meter/energy.hpp"
#include "meter.hpp"
#include "progress.hpp"
#include "scheme_options.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

struct CollectArguments {
  SchemeOptions scheme;
  std::string reports = "-";
  std::string keys;
  std::string unit_step = "1";
  std::string slot_length;
  std::string from = "0";
  Slot slots = 0;
  bool ring = false;
  std::string calendar;
  std::string set_aside;
  std::string state;
  std::string bill;
  bool bill_incomplete = false;
  std::string unit;
  std::string out = "-";
  std::string accumulated;
  std::string recorded;
  std::string statistics;
  std::string histogram;
  std::string bin_width;
};

/// How sums become kWh.
struct Energy {
  ReadingUnit unit;
  std::int64_t slot_s;  // 0 where the unit is energy
};

Result<std::optional<Energy>> energy_of(const CollectArguments& arguments) {
  if (arguments.unit.empty()) {
    if (!arguments.bill.empty()) return Error{Cause::usage, "--bill needs --unit: bills are in kWh"};
    return std::optional<Energy>();
  }
  const auto unit = parse_reading_unit(arguments.unit);
  if (!unit) return Error{Cause::usage, "--unit: expected W, kW, Wh or kWh"};
  FUGU_ASSIGN(const auto slot_s, slot_length_of(arguments.slot_length));
  if (is_power(*unit) && !slot_s)
    return Error{Cause::usage, "--unit: power becomes energy over time; state the --slot-length, for example 15m"};
  return std::optional<Energy>({*unit, slot_s.value_or(0)});
}

/// What of it decides the kWh of a sum; one line of the memory.
std::string energy_text(const CollectArguments& arguments, const Energy& energy) {
  if (!is_power(energy.unit)) return arguments.unit;
  return arguments.unit + " in slots of " + std::to_string(energy.slot_s) + " s";
}

struct Collected {
  const CollectorKeyFile& keys;
  const Collector& collector;
  const ReportFormat& format;
  Slot first_slot;
  Slot slots;
  std::optional<Energy> energy;

  std::string value(std::int64_t steps) const { return format.unit_step.text(steps); }
  std::string number(double steps) const { return short_number(steps * format.unit_step.to_double()); }
  /// Empty without a unit, and where it does not fit: one meter's nonsense must not stop the others.
  std::string kwh(std::int64_t steps) const {
    return energy ? kwh_text(steps, format.unit_step, energy->unit, energy->slot_s).value_or("") : "";
  }
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
  std::string text = "meter,value,reports,outside,outside_value,duplicates,lost,complete";
  text += all.energy ? ",kwh\n" : "\n";
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter) {
    const Collector::Account account = all.collector.account(meter);
    text.append(all.keys.meters.name(meter)).append(",").append(all.value(account.sum_steps));
    text.append(",").append(std::to_string(account.reports)).append(",").append(std::to_string(account.outside));
    text.append(",").append(all.value(account.outside_steps)).append(",").append(std::to_string(account.duplicates));
    text.append(",").append(std::to_string(account.lost)).append(account.complete ? ",yes" : ",no");
    if (all.energy) text.append(",").append(all.kwh(account.sum_steps));
    text += '\n';
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

Result<std::string> statistics_text(const Collected& all) {
  std::string text = "meter,count,minimum,maximum,median,mean,variance\n";
  const double unit = all.format.unit_step.to_double();
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter) {
    FUGU_ASSIGN(const auto values, all.collector.readings(meter));
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
    FUGU_ASSIGN(const auto values, all.collector.readings(meter));
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
  if (const auto slot = parse_slot_number(arguments.from)) return *slot;
  if (!slot_s) return Error{Cause::usage, "--from: expected a slot number, or a time stamp and --slot-length"};
  Stamp stamp;
  const TimeFault fault = parse_stamp(arguments.from, std::nullopt, stamp);
  if (fault != TimeFault::none)
    return Error{Cause::usage, std::string("--from: expected ").append(expected_stamp(fault))};
  const std::int64_t phase_s = (stamp.instant_s % *slot_s + *slot_s) % *slot_s;
  format.clock = Clock(phase_s, *slot_s);
  format.utc_offset_s = stamp.utc_offset_s;
  return *format.clock.slot_at(stamp.instant_s);
}

Result<Periods> calendar_of(const CollectArguments& arguments, const Clock& clock) {
  if (arguments.calendar.empty()) return Periods();
  FUGU_ASSIGN(Input input, Input::open(arguments.calendar));
  return Periods::read(std::move(input), clock);
}

Error cut_error(const Period& cut, const ReportFormat& format) {
  return Error{Cause::usage, "--from and --slots: the window begins or ends within the period from " +
                                 format.time_text(cut.start) + " to " + format.time_text(cut.end) +
                                 "; expected whole periods"};
}

/// What is said about a report that cannot count.
Error error_of(RowsAside::Reason reason, const Location& where) {
  using Reason = RowsAside::Reason;
  switch (reason) {
    case Reason::unknown_period:
      return found_but_expected(where, "a report for a period that the calendar does not have",
                                "the calendar that the meters were given");
    case Reason::no_period:
      return found_but_expected(where, "a report without its period",
                                "reports that carry it: without, a ring would take in readings of other days; let the "
                                "meters report with --period, or leave out --ring");
    case Reason::too_large:
      return found_but_expected(where, "a report with which the sum of its period does not fit",
                                "readings that a meter can have measured");
    case Reason::billed:
      return found_but_expected(where, "a report for a period that was billed without it",
                                "it to be put aside, with --set-aside");
    default:
      return found_but_expected(where, "a number that this meter used for another report",
                                "each number once; its state file may be an old copy");
  }
}

/// The parts that take reports.
struct Takers {
  ReportReader& reader;
  Collector& collector;
  DurableBook* memory;  // may be none
  const Periods& calendar;
  bool ring;
};

/// Why a report is of no use, if so.
std::optional<RowsAside::Reason> take(Takers& takers, const ReportReader::Row& row, std::string_view meter) {
  using Reason = RowsAside::Reason;
  const auto& period = row.report.period;
  if (takers.ring && !period) return Reason::no_period;
  if (takers.calendar.any() && period) {
    const auto known = takers.calendar.at(*period);
    if (!known || known->start != *period) return Reason::unknown_period;
    if (row.report.closes_after && row.report.stamp != known->end) return Reason::unknown_period;
  }
  if (takers.memory != nullptr) {
    switch (takers.memory->take(meter, row.report)) {
      case ReportBook::Taken::conflict: return Reason::conflict;
      case ReportBook::Taken::billed: return Reason::billed;
      case ReportBook::Taken::too_large: return Reason::too_large;
      default: break;
    }
  }
  switch (takers.collector.take(row.meter, row.report)) {
    case Collector::Taken::conflict: return Reason::conflict;
    case Collector::Taken::too_large: return Reason::too_large;
    default: return std::nullopt;
  }
}

Result<void> take_all(Takers takers, const CollectorKeyFile& keys, const ReadProgress& read) {
  Progress progress("reports collected");
  ReportReader::Row row;
  for (std::uint64_t count = 0;; ++count) {
    FUGU_ASSIGN(const bool more, takers.reader.next(row));
    if (!more) return takers.reader.check_trust();
    if (const auto reason = take(takers, row, keys.meters.name(row.meter)))
      FUGU_TRY(takers.reader.put_aside(*reason, error_of(*reason, takers.reader.here())));
    progress.update(count, read);
  }
}

std::string_view state_of(const PeriodAccount& account) {
  if (account.disputed) return "disputed";
  if (!account.expected) return "open";
  return account.complete() ? "complete" : "incomplete";
}

/// Bills as they are remembered.
std::string bill_text(const Collected& all, const NameTable& meters, const std::vector<Bill>& bills) {
  std::string text = "meter,from,to,tariff,kwh,value,reports,missing,state\n";
  for (const auto& [meter, from, account] : bills) {
    text.append(meters.name(meter)).append(",").append(all.format.time_text(from)).append(",");
    text.append(account.end ? all.format.time_text(*account.end) : "").append(",");
    text.append(account.tariff).append(",").append(all.kwh(account.sum_steps));
    text.append(",").append(all.value(account.sum_steps));
    text.append(",").append(std::to_string(account.reports)).append(",");
    text.append(account.missing() ? std::to_string(*account.missing()) : "").append(",");
    text.append(state_of(account)) += '\n';
  }
  return text;
}

/// Periods of the window that are not billed, and why, in one line; and meters that owe some.
std::string unbilled_text(const DurableBook& memory, const ReportBook::Window& window, const NameTable& known) {
  std::uint64_t uncovered = 0;
  for (NameTable::Id id = 0; id < known.size(); ++id) {
    const auto meter = memory.meters().find(known.name(id));
    uncovered += meter && memory.book().covers(*meter, window) ? 0 : 1;
  }
  std::uint64_t open = 0;
  std::uint64_t incomplete = 0;
  std::uint64_t disputed = 0;
  for (NameTable::Id meter = 0; meter < memory.book().meters(); ++meter) {
    for (const auto& [start, account] : memory.book().periods(meter)) {
      if (account.billed || !window.has(start)) continue;
      ++(account.disputed ? disputed : account.expected ? incomplete : open);
    }
  }
  if (open + incomplete + disputed + uncovered == 0) return "";
  return "not billed: " + std::to_string(open) + " periods of meters that are not closed yet, " +
         std::to_string(incomplete) + " with reports missing, " + std::to_string(disputed) +
         " with a number used twice or a sum that does not fit; " + std::to_string(uncovered) +
         " meters whose periods do not fill the window; collect again when more has come, or bill what there is with "
         "--bill-incomplete";
}

std::string summary_of(const Collected& all, const RowsAside& aside) {
  Collector::Account sum;
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter) {
    const Collector::Account account = all.collector.account(meter);
    sum.reports += account.reports;
    sum.outside += account.outside;
    sum.duplicates += account.duplicates;
    sum.lost += account.lost;
  }
  std::string text = std::to_string(sum.reports) + " reports";
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text.append(", ").append(std::to_string(count)).append(" ").append(what);
  };
  add(sum.outside, "with a stamp outside the window");
  add(sum.duplicates, "duplicates dropped");
  add(sum.lost, "lost");
  add(aside.count(), "rows set aside");
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

/// Told only when somebody's sum may be wrong.
void warn_of_sums(const Collected& all, bool wanted) {
  if (!wanted) return;
  std::uint64_t incomplete = 0;
  for (NameTable::Id meter = 0; meter < all.keys.meters.size(); ++meter)
    incomplete += all.collector.account(meter).complete ? 0 : 1;
  if (incomplete == 0) return;
  warn("sums of " + std::to_string(incomplete) +
       " meters are not known to be exact (complete: no): reports without a period are cut at the ends of the window; "
       "with periods, closed ones of which all reports came must fill the window");
}

Result<void> check_options(const CollectArguments& arguments) {
  FUGU_TRY(check_different({{"--reports", arguments.reports},
                            {"--keys", arguments.keys},
                            {"--calendar", arguments.calendar},
                            {"--state", arguments.state},
                            {"--out", arguments.out},
                            {"--set-aside", arguments.set_aside},
                            {"--bill", arguments.bill},
                            {"--accumulated", arguments.accumulated},
                            {"--recorded", arguments.recorded},
                            {"--statistics", arguments.statistics},
                            {"--histogram", arguments.histogram}}));
  if (!arguments.bill.empty() && arguments.state.empty())
    return Error{Cause::usage, "--bill needs --state, the memory of what was counted and billed before"};
  if (arguments.bill_incomplete && arguments.bill.empty())
    return Error{Cause::usage, "--bill-incomplete belongs to --bill"};
  return {};
}

/// What is written besides bills.
struct Files {
  std::string estimates, accumulated, recorded, statistics, histogram;
};

Result<Files> files_of(const CollectArguments& arguments, const Collected& all,
                       const std::optional<std::int64_t>& bin_width) {
  Files files;
  files.estimates = estimates_text(all);
  if (!arguments.accumulated.empty()) files.accumulated = accumulated_text(all);
  if (!arguments.recorded.empty()) files.recorded = recorded_text(all);
  if (!arguments.statistics.empty()) {
    FUGU_ASSIGN(files.statistics, of_option("--statistics", statistics_text(all)));
  }
  if (bin_width) {
    FUGU_ASSIGN(files.histogram, of_option("--histogram", histogram_text(all, *bin_width)));
  }
  return files;
}

Result<void> write(const CollectArguments& arguments, const Files& files) {
  FUGU_TRY(write_file(arguments.out, files.estimates));
  const std::pair<const std::string&, const std::string&> others[] = {{arguments.accumulated, files.accumulated},
                                                                      {arguments.recorded, files.recorded},
                                                                      {arguments.statistics, files.statistics},
                                                                      {arguments.histogram, files.histogram}};
  for (const auto& [path, text] : others)
    if (!path.empty()) FUGU_TRY(write_file(path, text));
  return {};
}

Result<std::optional<DurableBook>> memory_of(const CollectArguments& arguments, const TemporalScheme& scheme,
                                             const ReportFormat& format) {
  if (arguments.state.empty()) return std::optional<DurableBook>();
  const auto is_there = [](const std::string& path) { return !path.empty() && std::filesystem::exists(path); };
  if (is_there(arguments.bill) && !is_there(arguments.state)) {
    return found_but_expected({arguments.bill, 0, 0}, "bills, and no memory " + arguments.state,
                              "the memory that they were made with, without which they could change; to begin anew, "
                              "give another file for bills");
  }
  FUGU_ASSIGN(StateLock lock, StateLock::take(arguments.state));
  FUGU_ASSIGN(DurableBook memory,
              DurableBook::open(std::move(lock), agreement_text(scheme, arguments.scheme.parts, format)));
  return std::optional<DurableBook>(std::move(memory));
}

/// Remembers, then hands out.
Result<void> remember(DurableBook& memory, const CollectArguments& arguments, const Collected& all,
                      const Periods& calendar) {
  if (arguments.bill.empty()) return memory.save();
  const ReportBook::Window window{all.first_slot, all.slots};
  FUGU_ASSIGN(const std::vector<Bill> bills,
              memory.bill(window, {energy_text(arguments, *all.energy), calendar, arguments.bill_incomplete}));
  FUGU_TRY(write_file(arguments.bill, bill_text(all, memory.meters(), bills)));
  if (const std::string unbilled = unbilled_text(memory, window, all.keys.meters); !unbilled.empty()) note(unbilled);
  return {};
}

/// After those of earlier runs, which may have read other logs.
Result<void> append_aside(const std::string& path, const RowsAside& aside) {
  FUGU_ASSIGN(AppendFile file, AppendFile::open(path, RowsAside::kHeader, "another fugu meter writes to this file",
                                                AppendFile::Readers::owner));
  return file.append(aside.text());
}

/// The calendar knows the periods that no meter closed yet, too.
Result<void> check_window(const Periods& calendar, Slot first_slot, Slot slots, const ReportFormat& format) {
  const ReportBook::Window window{first_slot, slots};
  for (const Slot end : {first_slot, first_slot + slots - 1}) {
    const auto period = calendar.any() ? calendar.at(end) : std::nullopt;
    if (period && window.cuts(*period)) return cut_error(*period, format);
  }
  return {};
}

Outcome collect(const CollectArguments& arguments) {
  FUGU_TRY(check_options(arguments));
  FUGU_ASSIGN(const TemporalScheme scheme, arguments.scheme.scheme());
  ReportFormat format;
  FUGU_ASSIGN(format.unit_step, unit_step_of(arguments.unit_step));
  FUGU_ASSIGN(const auto bin_width, bin_width_of(arguments, format.unit_step));
  FUGU_ASSIGN(const auto energy, energy_of(arguments));
  FUGU_ASSIGN(const Slot first_slot, parse_from(arguments, format));
  FUGU_ASSIGN(const Periods calendar, calendar_of(arguments, format.clock));
  FUGU_ASSIGN(Input key_input, Input::open(arguments.keys));
  FUGU_ASSIGN(const CollectorKeyFile keys, CollectorKeyFile::read(std::move(key_input)));
  FUGU_ASSIGN(Collector collector, Collector::make(scheme, keys.keys.size(),
                                                   {.first_slot = first_slot,
                                                    .slots = arguments.slots,
                                                    .ring = arguments.ring,
                                                    .parts = arguments.scheme.parts}));
  FUGU_TRY(check_window(calendar, first_slot, arguments.slots, format));
  FUGU_ASSIGN(auto memory, memory_of(arguments, scheme, format));
  RowsAside aside;
  const auto progress = std::make_shared<ReadProgress>();
  FUGU_ASSIGN(Input input, Input::open(arguments.reports, progress));
  FUGU_ASSIGN(ReportReader reader, ReportReader::open(std::move(input), keys,
                                                      {.scheme = scheme,
                                                       .parts = arguments.scheme.parts,
                                                       .format = format,
                                                       .aside = arguments.set_aside.empty() ? nullptr : &aside}));
  FUGU_TRY(take_all({reader, collector, memory ? &*memory : nullptr, calendar, arguments.ring}, keys, *progress));
  if (const auto cut = collector.cut_period()) return cut_error(*cut, format);
  const Collected all{keys, collector, format, first_slot, arguments.slots, energy};
  FUGU_ASSIGN(const Files files, files_of(arguments, all, bin_width));  // before anything is billed or written
  if (memory) FUGU_TRY(remember(*memory, arguments, all, calendar));
  FUGU_TRY(write(arguments, files));
  if (!arguments.set_aside.empty()) FUGU_TRY(append_aside(arguments.set_aside, aside));
  note(summary_of(all, aside));
  warn_of_sums(all, !arguments.accumulated.empty());
  if (none_timely(all)) warn("no report was in time, so all estimates are 0: --from and --slots may be another window");
  return kDone;
}

}  // namespace

void add_meter_collect(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<CollectArguments>();
  CLI::App* collect_command =
      command.add_subcommand("collect", "The collector's side: estimates, sums, statistics, bills");
  collect_command->footer(R"(
Give the options of the scheme the meters use; reports of another scheme, b, unit step or slot length are refused, as
their MAC covers them (the slot length where times are stamps). A report counts once, by its number, whenever it comes.

A report that carries its period (report --period, --ring or --calendar) belongs to the window that its period starts
in: sums over whole periods are exact, and `complete` says whether closed periods with all of their reports fill the
window. Without periods, sums are cut where
stamps leave the window, and lost reports at the end go unnoticed. --ring moves stamps back into the window in
--recorded.

Bills need a memory (--state), which is made durable before a bill is written. A period is billed once for each meter,
when its meter has closed it and all of its reports came; a bill never changes. Give the same command again, with the
same reports or with more: nothing counts twice, and all bills of the window are written again.

A row that counts for nobody is an error: malformed, of an unknown meter or period, forged, a number used twice, made
with a replaced key, too late for a bill, or too large for a sum. With --set-aside such rows are appended to a file, with
line and reason, and everybody else gets their bill; whose number was used twice does not. When nothing was made by a
known meter, or nothing of more than half of them, options or keys are wrong: nothing is remembered or written.

Examples
  fugu meter collect --reports reports.csv --keys collector.keys --b 1 --from 0 --slots 1440 --out estimates.csv
  fugu meter collect --reports reports.csv --keys collector.keys --b 1 --from 0 --slots 1440 --ring \
                     --accumulated sums.csv --statistics statistics.csv --histogram bins.csv --bin-width 50
  fugu meter collect --reports reports.csv --keys collector.keys --b 1 --from 0 --slots 96 --unit kW --slot-length 15m \
                     --state collector.state --bill bill.csv --set-aside aside.csv --out estimates.csv
)");
  arguments->scheme.add_to(*collect_command);
  collect_command->add_option("--reports", arguments->reports, "Reports; - is standard input")->capture_default_str();
  collect_command->add_option("--keys", arguments->keys, "Report keys of the meters")->required();
  collect_command->add_option("--unit-step", arguments->unit_step, "Grid of the values")->capture_default_str();
  collect_command->add_option("--slot-length", arguments->slot_length,
                              "Length of a slot: 15m; needed when times are stamps, and for power in kWh");
  collect_command->add_option("--from", arguments->from, "First slot of the window, or its time")
      ->capture_default_str();
  collect_command->add_option("--slots", arguments->slots, "Length of the window")->required();
  collect_command->add_flag("--ring", arguments->ring, "Ring-moving instead of head-cutting");
  collect_command->add_option("--calendar", arguments->calendar, "Periods with their tariffs, CSV, as the meters have");
  collect_command->add_option("--set-aside", arguments->set_aside, "Rows that count for nobody go here, CSV");
  collect_command->add_option("--state", arguments->state, "Memory of what was counted and billed");
  collect_command->add_option("--bill", arguments->bill, "Bills of the window per meter and period, in kWh");
  collect_command->add_flag("--bill-incomplete", arguments->bill_incomplete,
                            "Bill what came, also where something is missing; what comes later is set aside");
  collect_command->add_option("--unit", arguments->unit, "What readings are in: W, kW, Wh or kWh");
  collect_command->add_option("--out", arguments->out, "Estimates per slot; - is standard output")
      ->capture_default_str();
  collect_command->add_option("--accumulated", arguments->accumulated, "Sums per meter over the window");
  collect_command->add_option("--recorded", arguments->recorded, "What is recorded per slot and meter, CSV wide");
  collect_command->add_option("--statistics", arguments->statistics, "Per meter what does not depend on time");
  collect_command->add_option("--histogram", arguments->histogram, "Values per meter in bins, CSV");
  collect_command->add_option("--bin-width", arguments->bin_width, "Width of a bin");
  collect_command->callback([arguments, &outcome] { outcome = collect(*arguments); });
}

}  // namespace fugu::cli
