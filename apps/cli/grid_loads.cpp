// fugu grid loads: made-up or recorded loads for a network.
#include "fugu/study/grid_loads.hpp"

#include <cmath>
#include <functional>

#include "fugu/measurement/own_meters.hpp"
#include "fugu/monitoring/measurement.hpp"
#include "fugu/simulate/seeded_bits.hpp"
#include "fugu/stream/decimal.hpp"
#include "grid.hpp"
#include "output_stream.hpp"
#include "run_facts.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr std::uint64_t kErrorStream = 1;  // bits apart from those of another use of the seed

constexpr const char* kExamples = R"(
The stream has CUSTOMER.p (kW) and CUSTOMER.q (kvar) of every customer, in slots from a Monday's midnight on. Times are
slot numbers, or with --start time stamps, which policies with days and times of day need. All values
have three decimals: publish them with --unit-step 0.001. Equal seeds give equal files. docs/concepts/loads.md says what
the loads are made of. The protected customers are in --readings and --stream, all others in --measured, which also has
transformer.p, .q and .v and NODE.v of the sensors.

Examples
  fugu grid loads NETWORK --days 7 --out loads.csv --bills bills.csv
  fugu grid loads NETWORK --days 7 --ev-share 0.3 --out loads.csv --measured own.csv --sensors 3 --voltage-error 0.2
  fugu grid loads NETWORK --source citylearn --data DATA --out loads.csv
  fugu grid loads NETWORK --days 7 --readings readings.csv --series-map map.csv --households households.csv \
                  --start 2026-03-02T00:00:00+01:00
)";

struct Arguments {
  NetworkOptions network;
  GridLoadOptions loads;
  std::string source = "simulated";
  std::string part = "all";
  std::string slot_length = "15m";
  std::string start;
  std::string out;
  std::string measured;
  std::string readings;
  std::string stream;
  std::string series_map;
  std::string households;
  std::string bills;
  std::string protect = "residential";
  bool p_only = false;
  std::size_t sensors = 0;
  double power_error = 0;
  double voltage_error_v = 0;
};

/// One file, row after row. Nothing happens without a path.
Result<void> write_rows(const std::string& path, const std::string& header, std::size_t rows,
                        const std::function<void(std::size_t row, std::string& text)>& append) {
  if (path.empty()) return {};
  FUGU_ASSIGN(OutputStream out, OutputStream::open(path));
  std::string text = header + "\n";
  for (std::size_t row = 0; row < rows && std::ferror(out.get()) == 0; ++row) {
    append(row, text);
    std::fwrite(text.data(), 1, text.size(), out.get());
    text.clear();
  }
  std::fwrite(text.data(), 1, text.size(), out.get());  // a header alone
  return out.finish();
}

/// Series and meters are written side by side, so one name serves for both.
struct Column {
  std::string name;
  std::function<double(std::size_t stamp)> value;  ///< not a number: missing
};

/// The files of one run.
class Files {
 public:
  Files(const Arguments& arguments, const grid::Network& network, const GridLoads& loads, UnitStep step, RunClock time)
      : arguments_(arguments), network_(network), loads_(loads), step_(step), time_(time) {}

  Result<void> write();

 private:
  bool is_protected(std::size_t customer) const {
    return arguments_.protect == "all" || network_.customers()[customer].kind == grid::CustomerKind::residential;
  }
  /// What registers say of the customers for which `is_wanted` says so.
  std::vector<Column> registers(bool p_only, const std::function<bool(std::size_t customer)>& is_wanted) const;
  Result<void> write_wide(const std::string& path, const std::vector<Column>& columns) const;
  Result<void> write_readings(const std::vector<Column>& columns) const;
  Result<void> write_maps() const;
  Result<void> write_bills() const;
  Result<void> write_measured();

  std::string time_of(std::size_t stamp) const {
    return time_.clock.text(static_cast<Slot>(stamp), time_.utc_offset_s);
  }
  void append(double value, std::string& text) const {
    if (!std::isnan(value)) text += step_.text(std::llround(value * 1000));
  }

  const Arguments& arguments_;
  const grid::Network& network_;
  const GridLoads& loads_;
  UnitStep step_;
  RunClock time_;
};

std::vector<Column> Files::registers(bool p_only, const std::function<bool(std::size_t)>& is_wanted) const {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < loads_.customers; ++i) {
    if (!is_wanted(i)) continue;
    const std::string& id = network_.customers()[i].id;
    columns.push_back({id + ".p", [this, i](std::size_t stamp) { return loads_.p_kw[stamp * loads_.customers + i]; }});
    if (p_only) continue;
    columns.push_back(
        {id + ".q", [this, i](std::size_t stamp) { return loads_.q_kvar[stamp * loads_.customers + i]; }});
  }
  return columns;
}

Result<void> Files::write_wide(const std::string& path, const std::vector<Column>& columns) const {
  std::string header = "time";
  for (const Column& column : columns) header += "," + column.name;
  return write_rows(path, header, loads_.stamps, [&](std::size_t stamp, std::string& text) {
    text += time_of(stamp);
    for (const Column& column : columns) {
      text += ',';
      append(column.value(stamp), text);
    }
    text += '\n';
  });
}

Result<void> Files::write_readings(const std::vector<Column>& columns) const {
  return write_rows(arguments_.readings, "time,meter,value", loads_.stamps, [&](std::size_t stamp, std::string& text) {
    const std::string time = time_of(stamp);
    for (const Column& column : columns) {
      text.append(time).append(",").append(column.name).append(",");
      append(column.value(stamp), text);
      text += '\n';
    }
  });
}

/// Each register is a series of its own, and both registers of a customer belong to one household: one budget.
Result<void> Files::write_maps() const {
  std::string series = "meter,series\n";
  std::string households = "meter,household\n";
  for (std::size_t i = 0; i < loads_.customers; ++i) {
    if (!is_protected(i)) continue;
    const std::string& id = network_.customers()[i].id;
    for (const char* quantity : {".p", ".q"}) {
      if (arguments_.p_only && quantity == std::string_view(".q")) continue;
      const std::string meter = id + quantity;
      series.append(meter).append(",").append(meter).append("\n");
      households.append(meter).append(",").append(id).append("\n");
    }
  }
  if (!arguments_.series_map.empty()) FUGU_TRY(write_file(arguments_.series_map, series));
  if (!arguments_.households.empty()) FUGU_TRY(write_file(arguments_.households, households));
  return {};
}

/// What a year like this would come to.
Result<void> Files::write_bills() const {
  return write_rows(arguments_.bills, "customer,yearly_kwh", loads_.customers, [&](std::size_t i, std::string& text) {
    text += network_.customers()[i].id + "," + std::to_string(std::llround(loads_.yearly_kwh[i])) + "\n";
  });
}

Result<void> Files::write_measured() {
  if (arguments_.measured.empty()) return {};
  SeededBits bits(arguments_.loads.seed, kErrorStream);
  FUGU_ASSIGN(const grid::OwnMeters meters, grid::measure(network_, loads_.batch(0, loads_.stamps),
                                                          {.sensors = grid::main_ends(network_, arguments_.sensors),
                                                           .power_sigma = arguments_.power_error,
                                                           .voltage_sigma_v = arguments_.voltage_error_v,
                                                           .threads = arguments_.loads.threads},
                                                          bits));
  std::vector<Column> columns;
  const auto add = [&](std::string name, const std::vector<double>& values) {
    columns.push_back({std::move(name), [&values](std::size_t stamp) { return values[stamp]; }});
  };
  add("transformer.p", meters.transformer_kw);
  add("transformer.q", meters.transformer_kvar);
  add("transformer.v", meters.busbar_v);
  for (std::size_t i = 0; i < meters.sensors.size(); ++i)
    add(network_.nodes()[meters.sensors[i]].id + ".v", meters.sensor_v[i]);
  std::vector<Column> others =
      registers(arguments_.p_only, [this](std::size_t customer) { return !is_protected(customer); });
  std::vector<std::vector<double>> values;
  values.reserve(others.size());
  for (const Column& column : others) {
    values.emplace_back();
    for (std::size_t stamp = 0; stamp < loads_.stamps; ++stamp) values.back().push_back(column.value(stamp));
    FUGU_TRY(grid::add_measurement_error(values.back(), bits, arguments_.power_error));
    add(column.name, values.back());
  }
  if (meters.sensors.size() < arguments_.sensors)
    warn("the mains have " + std::to_string(meters.sensors.size()) + " ends: no more sensors were placed");
  if (meters.unsolved > 0)
    warn(std::to_string(meters.unsolved) +
         " slots have more load than the network can carry: what the operator measures is empty there");
  return write_wide(arguments_.measured, columns);
}

Result<void> Files::write() {
  const bool is_only = arguments_.measured.empty() && arguments_.readings.empty() && arguments_.stream.empty() &&
                       arguments_.series_map.empty() && arguments_.households.empty() && arguments_.bills.empty();
  FUGU_TRY(write_wide(arguments_.out.empty() && is_only ? "-" : arguments_.out,
                      registers(false, [](std::size_t) { return true; })));
  const auto registers_to_protect =
      registers(arguments_.p_only, [this](std::size_t customer) { return is_protected(customer); });
  FUGU_TRY(write_readings(registers_to_protect));
  FUGU_TRY(write_wide(arguments_.stream, registers_to_protect));
  FUGU_TRY(write_maps());
  FUGU_TRY(write_bills());
  return write_measured();
}

Result<void> check(const Arguments& arguments) {
  int to_standard_output = 0;
  for (const std::string* path : {&arguments.out, &arguments.measured, &arguments.readings, &arguments.stream,
                                  &arguments.series_map, &arguments.households, &arguments.bills})
    to_standard_output += *path == "-" ? 1 : 0;
  if (to_standard_output > 1) return Error{Cause::usage, "only one file can go to standard output (-)"};
  if (arguments.protect != "residential" && arguments.protect != "all")
    return Error{Cause::usage, "--protect: expected residential or all"};
  constexpr double kVoltageErrorMax_v = 100;
  constexpr double kPowerErrorMax = 1;
  if (!(arguments.voltage_error_v >= 0 && arguments.voltage_error_v <= kVoltageErrorMax_v))
    return Error{Cause::usage, "--voltage-error: expected a number of volts, 0 to 100"};
  if (!(arguments.power_error >= 0 && arguments.power_error <= kPowerErrorMax))
    return Error{Cause::usage, "--power-error: expected a part of the value, 0 to 1, such as 0.01"};
  if (arguments.measured.empty() &&
      (arguments.sensors > 0 || arguments.power_error > 0 || arguments.voltage_error_v > 0))
    return Error{Cause::usage, "--sensors, --power-error and --voltage-error are about --measured, which is missing"};
  const std::initializer_list<FileOption> written = {
      {"--out", arguments.out},       {"--measured", arguments.measured},     {"--readings", arguments.readings},
      {"--stream", arguments.stream}, {"--series-map", arguments.series_map}, {"--households", arguments.households},
      {"--bills", arguments.bills}};
  FUGU_TRY(check_different(written));
  return check_not_of_network(arguments.network.folder, written);
}

/// Loads begin at a Monday's midnight, so times do, too.
Result<RunClock> clock_of_loads(const Arguments& arguments) {
  constexpr std::int64_t kDay_s = 24 * 3600;
  constexpr std::int64_t kMonday_s = 4 * kDay_s;  // the first one after 1970 began
  FUGU_ASSIGN(const RunClock time, clock_from(arguments.start, arguments.slot_length));
  if (!time.clock.has_time()) return time;
  const std::int64_t local_s = time.clock.origin_s() + time.utc_offset_s - kMonday_s;
  if (local_s % kDay_s != 0)
    return Error{Cause::usage, "--start: found " + shown(arguments.start) +
                                   ", which is no midnight; expected such as 2026-03-02T00:00:00+01:00"};
  if (local_s % (7 * kDay_s) != 0) note("--start is no Monday, but what customers do begins with a Monday");
  return time;
}

Outcome write_loads(const Arguments& arguments) {
  FUGU_TRY(check(arguments));
  GridLoadOptions options = arguments.loads;
  FUGU_ASSIGN(options.source, of_option("--source", parse_load_source(arguments.source)));
  FUGU_ASSIGN(options.part, of_option("--part", parse_load_part(arguments.part)));
  FUGU_ASSIGN(const std::int64_t slot_s, of_option("--slot-length", parse_duration(arguments.slot_length)));
  options.slot_min = slot_s % 60 == 0 ? slot_s / 60 : 0;
  FUGU_ASSIGN(const RunClock time, clock_of_loads(arguments));
  FUGU_ASSIGN(const grid::Network network, arguments.network.read());
  FUGU_ASSIGN(const GridLoads loads, make_grid_loads(network, options));
  FUGU_ASSIGN(const UnitStep step, UnitStep::parse("0.001"));
  FUGU_TRY(Files(arguments, network, loads, step, time).write());
  if (loads.filled > 0)
    note(std::to_string(loads.filled) + " recorded values were missing and are those of a later week");
  return kDone;
}

}  // namespace

void prepare_grid_loads(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<Arguments>();
  GridLoadOptions& loads = arguments->loads;
  command.footer(kExamples);
  arguments->network.add_to(command);
  command.add_option("--days", loads.days, "Length in days")->capture_default_str();
  command.add_option("--slot-length", arguments->slot_length, "1m, 15m, 30m or 1h")->capture_default_str();
  command.add_option("--start", arguments->start,
                     "Time stamps instead of slot numbers: the first midnight, such as 2026-03-02T00:00:00+01:00");
  command.add_option("--source", arguments->source, "Homes: simulated, citylearn, sgsc, ieee or simbench")
      ->capture_default_str();
  command.add_option("--data", loads.data_folder, "Folder with recorded homes");
  command.add_option("--part", arguments->part, "Which homes: all, or evaluated or sample, which share none")
      ->capture_default_str();
  command.add_option("--ev-share", loads.ev_share, "Share of residential customers that charge a car")
      ->capture_default_str();
  command.add_option("--ev-kw", loads.ev_kw, "Charging power")->capture_default_str();
  command.add_option("--seed", loads.seed, "Equal seeds give equal loads")->capture_default_str();
  command.add_option("--threads", loads.threads, "0: all cores; the result does not depend on it")
      ->capture_default_str();
  command.add_option("--out", arguments->out, "True loads, CSV wide; standard output when no file is asked for");
  command.add_option("--measured", arguments->measured, "What the operator measures itself, CSV wide");
  command.add_option("--sensors", arguments->sensors, "Voltage sensors at ends of mains")->capture_default_str();
  command
      .add_option("--power-error", arguments->power_error,
                  "Relative error of measured kW and kvar, such as 0.01; at most 1")
      ->capture_default_str();
  command.add_option("--voltage-error", arguments->voltage_error_v, "Error of measured voltages, V; at most 100")
      ->capture_default_str();
  command.add_option("--protect", arguments->protect, "Customers that are to be released: residential or all")
      ->capture_default_str();
  command.add_flag("--p-only", arguments->p_only, "Registers count kW alone, as many meters do; --out has kvar, too");
  command.add_option("--readings", arguments->readings, "Registers of the protected customers, CSV long");
  command.add_option("--stream", arguments->stream, "The same, CSV wide");
  command.add_option("--series-map", arguments->series_map, "Each register as a series of its own, for publish");
  command.add_option("--households", arguments->households,
                     "Both registers of a customer as one household, for publish");
  command.add_option("--bills", arguments->bills,
                     "kWh of a year like this, CSV customer,yearly_kwh: the operator knows it");
  command.callback([arguments, &outcome] { outcome = write_loads(*arguments); });
}

}  // namespace fugu::cli
