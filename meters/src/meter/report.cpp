#include "fugu/meter/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "fugu/base/durable_file.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kMeterHeader = "meter,shift_key,report_key,first_number,after_slot";
constexpr std::string_view kCollectorHeader = "meter,report_key,first_number";

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

/// A field that is a key.
Result<SecretKey> parse_key(std::string_view field, const Location& where) {
  const auto key = SecretKey::parse(field);
  if (key) return *key;
  return found_but_expected(where, "something else", "a key of 64 hexadecimal digits, lower case");
}

constexpr std::string_view kNone = "-";

/// The number of the first report that a key is for; not below that of the meter's key before.
Result<std::uint64_t> parse_first_number(std::string_view field, std::uint64_t least, const Location& where) {
  const auto number = whole_number<std::uint64_t>(field);
  if (number && *number >> 63 == 0 && *number >= least) return *number;
  return found_but_expected(where, "something else",
                            "the number of the first report made with this key, and a meter's oldest key first");
}

Result<MeterProgress> parse_since(std::string_view number, std::string_view slot, std::uint64_t least,
                                  const Location& where) {
  MeterProgress since;
  FUGU_ASSIGN(since.next_number, parse_first_number(number, least, where));
  if (slot == kNone) return since;
  since.last_slot = whole_number<Slot>(slot);
  if (since.last_slot) return since;
  return found_but_expected(where, "something else", "the last slot measured with the former key, or -");
}

/// Rows of a file of keys: the meter's name is interned, its id and the fields are handed to `take`.
template <class Take>
Result<void> read_key_rows(LineReader& lines, NameTable& meters, std::size_t fields_wanted, Take&& take) {
  while (true) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    const auto fields = csv::split(*line);
    if (fields.size() != fields_wanted)
      return found_but_expected(lines.at(1), csv::count_fields(fields.size()), csv::count_fields(fields_wanted));
    FUGU_TRY(csv::check_name(fields[0], lines.at(1), "a meter id"));
    FUGU_TRY(take(meters.intern(fields[0]), *line, fields));
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

std::string agreement_text(const TemporalScheme& scheme, unsigned parts, const ReportFormat& format) {
  std::string text = scheme.text() + " parts=" + std::to_string(parts);
  text += " clock=" + std::to_string(format.clock.origin_s()) + "/" + std::to_string(format.clock.slot_s());
  return text + " unit-step=" + format.unit_step.text(1);
}

ReportMac report_mac(KeyedHash& hash, const SecretKey& report_key, const Digest& agreement, std::string_view meter,
                     const Report& report) {
  std::string message = "R";
  message += as_text(agreement);
  append_word(message, report.number);
  append_word(message, static_cast<std::uint64_t>(report.arrival));
  append_word(message, static_cast<std::uint64_t>(report.stamp));
  append_word(message, static_cast<std::uint64_t>(report.value_steps));
  message += report.period ? 'P' : '-';
  append_word(message, static_cast<std::uint64_t>(report.period.value_or(0)));
  message += report.closes_after ? 'C' : '-';
  append_word(message, report.closes_after.value_or(0));
  message += meter;  // last: all before it has a fixed length
  const KeyedHash::Digest digest = hash(report_key, message);
  ReportMac mac;
  std::copy_n(digest.begin(), mac.size(), mac.begin());
  return mac;
}

void ReportFormat::append(std::string& text, std::string_view meter, const Report& report) const {
  text.append(time_text(report.arrival)).append(",").append(meter).append(",").append(std::to_string(report.number));
  text.append(",").append(report.period ? time_text(*report.period) : "").append(",").append(time_text(report.stamp));
  if (report.closes_after) {
    text.append(",,").append(std::to_string(*report.closes_after));
  } else {
    text.append(",").append(unit_step.text(report.value_steps)).append(",");
  }
  text.append(",").append(to_hex(report.mac)).append("\n");
}

Result<ReportRow> parse_report(std::string_view row, const Location& where, const ReportFormat& format) {
  const auto fields = csv::split(row);
  const auto at = [&](std::size_t field) {
    return Location{where.file, where.line, csv::column_of(fields[field], row)};
  };
  if (fields.size() != 8)
    return found_but_expected(where, csv::count_fields(fields.size()), "8 fields, as in the header");
  ReportRow parsed;
  Report& report = parsed.report;
  FUGU_ASSIGN(report.arrival, parse_time(fields[0], at(0), format));
  const auto number = whole_number<std::uint64_t>(fields[2]);
  if (!number || *number >> 63 != 0)
    return found_but_expected(at(2), "no whole number", "the number of the report, from 0");
  report.number = *number;
  if (!fields[3].empty()) {
    FUGU_ASSIGN(report.period, parse_time(fields[3], at(3), format));
  }
  FUGU_ASSIGN(report.stamp, parse_time(fields[4], at(4), format));
  if (fields[6].empty()) {
    const DecimalFault fault = format.unit_step.steps(fields[5], report.value_steps);
    if (fault != DecimalFault::none)
      return found_but_expected(at(5), std::string(describe(fault)), "a number such as 0.25");
  } else {
    report.closes_after = whole_number<std::uint64_t>(fields[6]);
    if (!report.closes_after || !report.period || !fields[5].empty()) {
      return found_but_expected(at(6), "something else",
                                "nothing, or for the end of a period its number of reports, and no value");
    }
  }
  if (!from_hex(fields[7], report.mac))
    return found_but_expected(at(7), "something else", "a MAC of 32 hexadecimal digits, lower case");
  // The meter comes last: a value in its place is noticed before it could be shown.
  FUGU_TRY(csv::check_name(fields[1], at(1), "a meter id"));
  parsed.meter = fields[1];
  return parsed;
}

std::string_view RowsAside::name(Reason reason) {
  switch (reason) {
    case Reason::malformed: return "malformed";
    case Reason::unknown_meter: return "unknown meter";
    case Reason::unknown_period: return "unknown period";
    case Reason::no_period: return "no period";
    case Reason::forged: return "forged";
    case Reason::conflict: return "conflict";
    case Reason::replaced_key: return "replaced key";
    case Reason::billed: return "billed";
    case Reason::too_large: return "too large";
  }
  return "";
}

void RowsAside::add(std::uint64_t line, Reason reason, std::string_view row) {
  ++count_;
  text_.append(std::to_string(line)).append(",").append(name(reason)).append(",").append(row) += '\n';
}

ReportReader::ReportReader(LineReader lines, const CollectorKeyFile& keys, Options options)
    : lines_(std::move(lines)),
      keys_(&keys),
      format_(options.format),
      aside_(options.aside),
      agreement_(sha256({agreement_text(options.scheme, options.parts, options.format)})),
      named_(keys.keys.size()),
      verified_(keys.keys.size()) {}

Result<ReportReader> ReportReader::open(Input input, const CollectorKeyFile& keys, Options options) {
  LineReader lines(std::move(input));
  const std::string expected = std::string("a header `").append(kReportHeader).append("`");
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, expected));
  if (header != kReportHeader) return found_but_expected(lines.at(1), "other columns", expected);
  return ReportReader(std::move(lines), keys, std::move(options));
}

bool ReportReader::is_made_with(const CollectorKeyFile::Key& key, std::string_view meter, const Report& report) {
  return same_secret(report_mac(hash_, key.key, agreement_, meter, report), report.mac);
}

std::optional<RowsAside::Reason> ReportReader::fault_of(NameTable::Id meter, std::string_view name,
                                                        const Report& report) {
  const std::vector<CollectorKeyFile::Key>& keys = keys_->keys[meter];
  const auto after = std::ranges::upper_bound(keys, report.number, {}, &CollectorKeyFile::Key::first_number);
  if (after != keys.begin() && is_made_with(*std::prev(after), name, report)) return std::nullopt;
  const bool is_of_another =
      std::ranges::any_of(keys, [&](const auto& key) { return is_made_with(key, name, report); });
  return is_of_another ? RowsAside::Reason::replaced_key : RowsAside::Reason::forged;
}

Result<bool> ReportReader::next(Row& row) {
  using Reason = RowsAside::Reason;
  while (true) {
    FUGU_ASSIGN(const auto line, lines_.next());
    if (!line) return false;
    line_ = *line;
    any_row_ = true;
    const auto parsed = parse_report(line_, lines_.at(1), format_);
    if (!parsed) {
      FUGU_TRY(put_aside(Reason::malformed, parsed.error()));
      continue;
    }
    const auto meter = keys_->meters.find(parsed->meter);
    if (!meter) {
      FUGU_TRY(put_aside(Reason::unknown_meter,
                         found_but_expected(lines_.at(csv::column_of(parsed->meter, line_)),
                                            "meter " + shown_name(parsed->meter), "a meter of the collector's keys")));
      continue;
    }
    named_[*meter] = true;
    const auto fault = fault_of(*meter, parsed->meter, parsed->report);
    if (!fault) {
      verified_[*meter] = true;
      row = {*meter, parsed->report};
      return true;
    }
    if (*fault == Reason::replaced_key) {
      FUGU_TRY(put_aside(*fault, found_but_expected(lines_.at(1), "a report made with a key that was replaced",
                                                    "the meter's key for this number, as somebody else may have the "
                                                    "other one")));
      continue;
    }
    FUGU_TRY(put_aside(
        *fault,
        found_but_expected(lines_.at(1), "a report that meter " + shown_name(parsed->meter) + " did not make",
                           "a MAC that fits its fields and the meter's report key, with the scheme, parts, unit step "
                           "and slot length that the meter was given")));
  }
}

Result<void> ReportReader::check_trust() const {
  const auto named = std::ranges::count(named_, true);
  const auto verified = std::ranges::count(verified_, true);
  if (!any_row_ || (verified > 0 && 2 * verified >= named)) return {};
  return found_but_expected({lines_.file(), 0, 0},
                            "reports that " + std::to_string(verified) + " of " + std::to_string(named) +
                                " meters made as these keys and options say",
                            "the collector's keys of these meters, and the scheme, parts, unit step and slot length "
                            "that they were given");
}

Result<void> ReportReader::put_aside(RowsAside::Reason reason, const Error& error) {
  if (aside_ == nullptr) return error;
  aside_->add(lines_.line(), reason, line_);
  return {};
}

Result<MeterKeyFile> MeterKeyFile::read(Input input) {
  LineReader lines(std::move(input));
  const std::string expected = std::string("a header `").append(kMeterHeader).append("`");
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, expected));
  if (header != kMeterHeader) return found_but_expected(lines.at(1), "other columns", expected);
  MeterKeyFile file;
  const auto take = [&](NameTable::Id meter, std::string_view line,
                        const std::vector<std::string_view>& fields) -> Result<void> {
    const bool is_new = meter == file.keys.size();
    if (std::all_of(fields.begin() + 1, fields.end(), [](std::string_view field) { return field == kNone; })) {
      if (is_new || file.keys[meter].removed)
        return found_but_expected(lines.at(1), "no keys", "keys that this row could remove, in a row above");
      file.keys[meter].removed = true;
      return {};
    }
    FUGU_ASSIGN(const SecretKey shift, parse_key(fields[1], lines.at(csv::column_of(fields[1], line))));
    FUGU_ASSIGN(const SecretKey report, parse_key(fields[2], lines.at(csv::column_of(fields[2], line))));
    if (fields[1] == fields[2]) {
      return Error{Cause::refused, lines.file() + ":" + std::to_string(lines.line()) +
                                       ": the collector knows the report key; with the same shift key it could undo "
                                       "the shifts. Make two: fugu meter keys"};
    }
    const std::uint64_t least = is_new ? 0 : file.keys[meter].since.next_number;
    FUGU_ASSIGN(const MeterProgress since,
                parse_since(fields[3], fields[4], least, lines.at(csv::column_of(fields[3], line))));
    if (is_new) {
      file.keys.push_back({shift, report, since});
    } else {
      file.keys[meter].replace({shift, report, since});
    }
    return {};
  };
  FUGU_TRY(read_key_rows(lines, file.meters, 5, take));
  return file;
}

void MeterKeys::replace(const Set& with) {
  former.push_back({shift, report, since});
  shift = with.shift;
  report = with.report;
  since = with.since;
  removed = false;
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

Result<NameTable::Id> MeterKeyFile::known(std::string_view meter, const Location& where) const {
  const auto id = meters.find(meter);
  if (id) return *id;
  return found_but_expected(where, "meter " + shown_name(meter), "a meter of the keys");
}

Result<void> MeterKeyFile::rotate(std::string_view meter, const MeterProgress& since, const Location& where) {
  FUGU_ASSIGN(const NameTable::Id id, known(meter, where));
  keys[id].replace({SecretKey::make(), SecretKey::make(), since});
  return {};
}

Result<void> MeterKeyFile::remove(std::string_view meter, const MeterProgress& since, const Location& where) {
  FUGU_TRY(rotate(meter, since, where));
  keys[*meters.find(meter)].removed = true;
  return {};
}

std::string MeterKeyFile::text() const {
  std::string text = std::string(kMeterHeader).append("\n");
  const auto add_row = [&](NameTable::Id meter, const SecretKey& shift, const SecretKey& report,
                           const MeterProgress& since) {
    text.append(meters.name(meter)).append(",").append(shift.hex()).append(",").append(report.hex());
    text.append(",").append(std::to_string(since.next_number)).append(",");
    text.append(since.last_slot ? std::to_string(*since.last_slot) : std::string(kNone)) += '\n';
  };
  for (NameTable::Id id = 0; id < meters.size(); ++id) {
    for (const auto& [shift, report, since] : keys[id].former) add_row(id, shift, report, since);
    add_row(id, keys[id].shift, keys[id].report, keys[id].since);
    if (keys[id].removed) text.append(meters.name(id)).append(",-,-,-,-\n");
  }
  return text;
}

std::string MeterKeyFile::collector_text() const {
  std::string text = std::string(kCollectorHeader).append("\n");
  const auto add_row = [&](NameTable::Id meter, const SecretKey& report, const MeterProgress& since) {
    text.append(meters.name(meter)).append(",").append(report.hex());
    text.append(",").append(std::to_string(since.next_number)) += '\n';
  };
  for (NameTable::Id id = 0; id < meters.size(); ++id) {
    for (const auto& [shift, report, since] : keys[id].former) add_row(id, report, since);
    add_row(id, keys[id].report, keys[id].since);
  }
  return text;
}

Result<void> MeterKeyFile::create(const std::string& path, const std::string& collector_path) const {
  FUGU_TRY(create_secret(path, text()));
  auto collector = create_secret(collector_path, collector_text());
  if (!collector) ::unlink(path.c_str());  // nothing was made with these keys: the same command may be given again
  return collector;
}

Result<void> MeterKeyFile::replace(const std::string& path, const std::string& collector_path) const {
  FUGU_TRY(detail::replace_durably(collector_path, collector_text()));
  return detail::replace_durably(path, text());
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
  const auto take = [&](NameTable::Id meter, std::string_view line,
                        const std::vector<std::string_view>& fields) -> Result<void> {
    FUGU_ASSIGN(const SecretKey key, parse_key(fields[1], lines.at(csv::column_of(fields[1], line))));
    if (meter == file.keys.size()) file.keys.emplace_back();
    std::vector<Key>& keys = file.keys[meter];
    FUGU_ASSIGN(const std::uint64_t first_number,
                parse_first_number(fields[2], keys.empty() ? 0 : keys.back().first_number,
                                   lines.at(csv::column_of(fields[2], line))));
    keys.push_back({key, first_number});
    return {};
  };
  FUGU_TRY(read_key_rows(lines, file.meters, 3, take));
  return file;
}

}  // namespace fugu
