#include "fugu/meter/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "fugu/base/durable_file.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kMeterHeader = "meter,shift_key,report_key";
constexpr std::string_view kCollectorHeader = "meter,report_key";

void append_word(std::string& bytes, std::uint64_t word) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(word >> (8 * i));
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A time of a report: unlike a reading's it may lie before slot 0.
Result<Slot> parse_time(std::string_view text, const Location& where, const ReportFormat& format) {
  if (format.clock.has_time()) {
    Tick tick;
    const TimeFault fault = format.clock.parse(text, std::nullopt, tick);
    if (fault == TimeFault::none) return tick.slot;
    return found_but_expected(where, "time " + shown_time(text), format.clock.expected(fault));
  }
  const auto slot = whole_number<Slot>(text);
  if (slot && *slot >= -kSlotMax && *slot <= kSlotMax) return *slot;
  return found_but_expected(where, "time " + shown_time(text), "a slot number such as 17 or -2");
}

/// A field that is a key, as `what`.
Result<SecretKey> parse_key(std::string_view field, const Location& where) {
  const auto key = SecretKey::parse(field);
  if (key) return *key;
  return found_but_expected(where, "something else", "a key of 64 hexadecimal digits, lower case");
}

/// Rows of a file of keys: the meter's name is interned, the other fields are handed to `take`.
template <class Take>
Result<void> read_key_rows(LineReader& lines, NameTable& meters, std::size_t fields_wanted, Take&& take) {
  while (true) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    const auto fields = csv::split(*line);
    if (fields.size() != fields_wanted)
      return found_but_expected(lines.at(1), csv::count_fields(fields.size()), csv::count_fields(fields_wanted));
    FUGU_TRY(csv::check_name(fields[0], lines.at(1), "a meter id"));
    if (meters.find(fields[0])) return found_but_expected(lines.at(1), "a meter that an earlier row has", "each once");
    meters.intern(fields[0]);
    FUGU_TRY(take(*line, fields));
  }
  if (meters.size() == 0)
    return found_but_expected({lines.file(), 0, 0}, "no rows", "a meter and its keys in each row");
  return {};
}

/// A new file, durable, that its owner alone can read.
Result<void> create_secret(const std::string& path, std::string_view text) {
  FUGU_ASSIGN(const bool created, detail::create_durably(path, text));
  if (created) return {};
  return Error{Cause::usage,
               path + ": is there already, and what was made with its keys needs them; choose another name"};
}

}  // namespace

ReportMac report_mac(KeyedHash& hash, const SecretKey& report_key, std::string_view meter, const Report& report) {
  std::string message = "R";
  append_word(message, report.number);
  append_word(message, static_cast<std::uint64_t>(report.stamp));
  append_word(message, static_cast<std::uint64_t>(report.value_steps));
  message += meter;  // last: all before it has a fixed length
  const KeyedHash::Digest digest = hash(report_key, message);
  ReportMac mac;
  std::copy_n(digest.begin(), mac.size(), mac.begin());
  return mac;
}

void ReportFormat::append(std::string& text, std::string_view meter, const Report& report) const {
  text.append(time_text(report.arrival)).append(",").append(meter).append(",").append(std::to_string(report.number));
  text.append(",").append(time_text(report.stamp)).append(",").append(unit_step.text(report.value_steps));
  text.append(",").append(to_hex(report.mac)).append("\n");
}

Result<ReportRow> parse_report(std::string_view row, const Location& where, const ReportFormat& format) {
  const auto fields = csv::split(row);
  const auto at = [&](std::size_t field) {
    return Location{where.file, where.line, csv::column_of(fields[field], row)};
  };
  if (fields.size() != 6)
    return found_but_expected(where, csv::count_fields(fields.size()), "6 fields, as in the header");
  ReportRow parsed;
  Report& report = parsed.report;
  FUGU_ASSIGN(report.arrival, parse_time(fields[0], at(0), format));
  const auto number = whole_number<std::uint64_t>(fields[2]);
  if (!number || *number >> 63 != 0)
    return found_but_expected(at(2), "no whole number", "the number of the report, from 0");
  report.number = *number;
  FUGU_ASSIGN(report.stamp, parse_time(fields[3], at(3), format));
  const DecimalFault fault = format.unit_step.steps(fields[4], report.value_steps);
  if (fault != DecimalFault::none)
    return found_but_expected(at(4), std::string(describe(fault)), "a number such as 0.25");
  if (!from_hex(fields[5], report.mac))
    return found_but_expected(at(5), "something else", "a MAC of 32 hexadecimal digits, lower case");
  // The meter comes last: a value in its place is noticed before it could be shown.
  FUGU_TRY(csv::check_name(fields[1], at(1), "a meter id"));
  parsed.meter = fields[1];
  return parsed;
}

ReportReader::ReportReader(LineReader lines, const NameTable& meters, const std::vector<SecretKey>& keys,
                           ReportFormat format, Forged forged)
    : lines_(std::move(lines)), meters_(&meters), keys_(&keys), format_(std::move(format)), forged_(forged) {}

Result<ReportReader> ReportReader::open(Input input, const NameTable& meters, const std::vector<SecretKey>& keys,
                                        ReportFormat format, Forged forged) {
  LineReader lines(std::move(input));
  const std::string expected = std::string("a header `").append(kReportHeader).append("`");
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, expected));
  if (header != kReportHeader) return found_but_expected(lines.at(1), "other columns", expected);
  return ReportReader(std::move(lines), meters, keys, std::move(format), forged);
}

Result<bool> ReportReader::next(Row& row) {
  while (true) {
    FUGU_ASSIGN(const auto line, lines_.next());
    if (!line) return false;
    FUGU_ASSIGN(const ReportRow parsed, parse_report(*line, lines_.at(1), format_));
    const auto meter = meters_->find(parsed.meter);
    if (!meter) {
      return found_but_expected(lines_.at(csv::column_of(parsed.meter, *line)), "meter " + shown_name(parsed.meter),
                                "a meter of the collector's keys");
    }
    const ReportMac mac = report_mac(hash_, (*keys_)[*meter], parsed.meter, parsed.report);
    if (same_secret(mac, parsed.report.mac)) {
      row = {*meter, parsed.report};
      return true;
    }
    if (forged_ == Forged::error) {
      return found_but_expected(lines_.at(1), "a report that meter " + shown_name(parsed.meter) + " did not make",
                                "a MAC that fits its fields and the meter's report key, with the unit step and "
                                "slot length that the meter was given");
    }
    ++forged_count_;
  }
}

Result<MeterKeyFile> MeterKeyFile::read(Input input) {
  LineReader lines(std::move(input));
  const std::string expected = std::string("a header `").append(kMeterHeader).append("`");
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, expected));
  if (header != kMeterHeader) return found_but_expected(lines.at(1), "other columns", expected);
  MeterKeyFile file;
  const auto take = [&](std::string_view line, const std::vector<std::string_view>& fields) -> Result<void> {
    FUGU_ASSIGN(const SecretKey shift, parse_key(fields[1], lines.at(csv::column_of(fields[1], line))));
    FUGU_ASSIGN(const SecretKey report, parse_key(fields[2], lines.at(csv::column_of(fields[2], line))));
    if (fields[1] == fields[2]) {
      return Error{Cause::refused, lines.file() + ":" + std::to_string(lines.line()) +
                                       ": the collector knows the report key; with the same shift key it could undo "
                                       "the shifts. Make two: fugu meter keys"};
    }
    file.keys.push_back({shift, report});
    return {};
  };
  FUGU_TRY(read_key_rows(lines, file.meters, 3, take));
  return file;
}

Result<void> MeterKeyFile::add(std::string_view meter, const Location& where) {
  if (meter.find(',') != std::string_view::npos)
    return found_but_expected(where, "a comma", "a meter id without commas");
  FUGU_TRY(csv::check_name(meter, where, "a meter id"));
  if (meters.find(meter)) return {};
  meters.intern(meter);
  keys.push_back({SecretKey::make(), SecretKey::make()});
  return {};
}

std::string MeterKeyFile::text() const {
  std::string text = std::string(kMeterHeader).append("\n");
  for (NameTable::Id id = 0; id < meters.size(); ++id)
    text.append(meters.name(id)).append(",").append(keys[id].shift.hex()).append(",").append(keys[id].report.hex()) +=
        '\n';
  return text;
}

std::string MeterKeyFile::collector_text() const {
  std::string text = std::string(kCollectorHeader).append("\n");
  for (NameTable::Id id = 0; id < meters.size(); ++id)
    text.append(meters.name(id)).append(",").append(keys[id].report.hex()) += '\n';
  return text;
}

Result<void> MeterKeyFile::create(const std::string& path, const std::string& collector_path) const {
  FUGU_TRY(create_secret(path, text()));
  auto collector = create_secret(collector_path, collector_text());
  if (!collector) ::unlink(path.c_str());  // nothing was made with these keys: the same command may be given again
  return collector;
}

Result<CollectorKeyFile> CollectorKeyFile::read(Input input) {
  LineReader lines(std::move(input));
  const std::string expected = std::string("a header `").append(kCollectorHeader).append("`");
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, expected));
  if (header == kMeterHeader) {
    return Error{Cause::refused, lines.file() +
                                     ": holds the meters' shift keys, with which the shifts can be undone; a collector "
                                     "gets report keys only, from the file made beside them"};
  }
  if (header != kCollectorHeader) return found_but_expected(lines.at(1), "other columns", expected);
  CollectorKeyFile file;
  const auto take = [&](std::string_view line, const std::vector<std::string_view>& fields) -> Result<void> {
    FUGU_ASSIGN(const SecretKey key, parse_key(fields[1], lines.at(csv::column_of(fields[1], line))));
    file.keys.push_back(key);
    return {};
  };
  FUGU_TRY(read_key_rows(lines, file.meters, 2, take));
  return file;
}

}  // namespace fugu
