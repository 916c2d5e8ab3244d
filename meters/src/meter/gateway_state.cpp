// The state of a gateway as text: what it takes to go on after a restart.
//
//     fugu-meter-state,3
//     rules,…
//     meters,count,last slot that is over
//     meter,NAME,next number,last slot,mean,variance,rows     then, for each meter in order, its rows:
//     period,start,end,reports                                 not closed yet
//     queued,send,stamp,steps,order,period
//     outgoing,…                                               a row as it is sent
//     mac,…                                                    over rules, count and section, under its report key
//     end
//
// With the count in every MAC, a meter can be neither left out nor added.
#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "fugu/base/durable_file.hpp"
#include "fugu/meter/gateway.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kMagic = "fugu-meter-state,3";
constexpr std::string_view kMeters = "meters,";
constexpr std::string_view kEnd = "end";
constexpr std::string_view kOutgoing = "outgoing,";
constexpr std::string_view kNoSlot = "-";

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size();
}

bool parse_bits(std::string_view text, double& value) {
  std::uint64_t bits = 0;
  const bool good = parse(text, bits);
  value = std::bit_cast<double>(bits);
  return good;
}

std::string bits_text(double value) { return std::to_string(std::bit_cast<std::uint64_t>(value)); }

Error cut_short(const LineReader& lines) {
  // Neither an older copy nor a new state will do: both would give numbers to reports that the collector has counted.
  return found_but_expected({lines.file(), lines.line(), 0}, "the end of the file",
                            "the rest of a state file; without it, make new keys for these meters and their collector "
                            "(fugu meter keys), and begin a new state and new reports with them");
}

Error damaged(const Location& where) {
  return found_but_expected(where, "something else", "a line of a meter's state as fugu wrote it");
}

Result<std::string_view> next_line(LineReader& lines) {
  FUGU_ASSIGN(const auto line, lines.next());
  if (!line) return cut_short(lines);
  return *line;
}

/// The line of rules; `lines` is left after it.
Result<std::string> read_rules(LineReader& lines) {
  FUGU_ASSIGN(const std::string_view magic, next_line(lines));
  if (magic != kMagic) return found_but_expected(lines.at(1), "another file", "a state file of fugu meter");
  FUGU_ASSIGN(const std::string_view rules, next_line(lines));
  return std::string(rules);
}

}  // namespace

std::string Gateway::rules_text() const {
  std::string text = "rules," + agreement_text(rules_.scheme, rules_.parts, rules_.format);
  const Periods& periods = rules_.periods;
  text += " period=" + (periods.is_calendar() ? "calendar" : std::to_string(periods.every_slots()));
  text += std::string(" ring=").append(rules_.ring ? "1" : "0").append(" queue=").append(std::to_string(queue_max_));
  if (rules_.divide_below_steps) text += " divide-below=" + bits_text(*rules_.divide_below_steps);
  return text;
}

std::string Gateway::section(MeterId meter, const std::vector<const Report*>& outgoing) const {
  const State& state = states_[meter];
  const std::string_view name = keys_.meters.name(meter);
  std::string rows;
  for (const auto& [period, reports] : state.open) {
    rows.append("period,").append(std::to_string(period.start)).append(",").append(std::to_string(period.end));
    rows.append(",").append(std::to_string(reports)) += '\n';
  }
  for (const Queued& queued : state.queue) {
    rows.append("queued,").append(std::to_string(queued.send)).append(",").append(std::to_string(queued.stamp));
    rows.append(",").append(std::to_string(queued.value_steps)).append(",").append(std::to_string(queued.order));
    rows.append(",").append(std::to_string(queued.period)) += '\n';
  }
  for (const Report* report : outgoing) {
    rows += kOutgoing;
    ReportFormat{}.append(rows, name, *report);
  }
  std::string text = std::string("meter,").append(name).append(",").append(std::to_string(state.next_number));
  text.append(",").append(state.last_slot ? std::to_string(*state.last_slot) : std::string(kNoSlot));
  text.append(",").append(bits_text(state.mean)).append(",").append(bits_text(state.variance));
  return text.append(",")
      .append(std::to_string(state.open.size() + state.queue.size() + outgoing.size()))
      .append("\n")
      .append(rows);
}

std::string Gateway::state() const {
  std::string common = rules_text().append("\n").append(kMeters).append(std::to_string(states_.size()));
  common.append(",").append(over_ ? std::to_string(*over_) : std::string(kNoSlot)).append("\n");
  std::string text = std::string(kMagic).append("\n").append(common);
  std::vector<std::vector<const Report*>> outgoing(states_.size());
  for (const Outgoing& out : outbox_) outgoing[out.meter].push_back(&out.report);
  KeyedHash hash;
  for (MeterId meter = 0; meter < states_.size(); ++meter) {
    const std::string part = section(meter, outgoing[meter]);
    const KeyedHash::Digest mac = hash(keys_.keys[meter].report, std::string("Q").append(common).append(part));
    text.append(part).append("mac,").append(to_hex(mac)).append("\n");
  }
  return text.append(kEnd).append("\n");
}

Result<void> Gateway::save(const std::string& path) const { return detail::replace_durably(path, state()); }

Result<void> Gateway::load(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  return restore(std::move(input));
}

Result<void> Gateway::restore(Input input) {
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const std::string rules, read_rules(lines));
  if (rules != rules_text()) {
    return found_but_expected(lines.at(1), shown(rules),
                              "the rules this state was saved under; finish with these before you change them");
  }
  return read_sections(lines, rules, keys_, over_,
                       [&](Section section) { return restore_meter(std::move(section), lines.file()); });
}

Result<std::vector<MeterProgress>> Gateway::progress_in(Input state, const MeterKeyFile& keys) {
  LineReader lines(std::move(state));
  FUGU_ASSIGN(const std::string rules, read_rules(lines));
  std::vector<MeterProgress> progress(keys.meters.size());
  std::optional<Slot> over;
  FUGU_TRY(read_sections(lines, rules, keys, over, [&](const Section& section) -> Result<void> {
    progress[section.meter] = section.state.progress();
    return {};
  }));
  return progress;
}

// New keys draw new shifts. Readings that were sent, and are taken again from an earlier state, would be released
// twice.
Error Gateway::not_where_keys_begin(const Location& where, std::string_view meter) {
  const Error error =
      found_but_expected(where, "a state that meter " + shown_name(meter) + " did not have when its keys were replaced",
                         "the one it had then, or a later one: from another, readings that were sent would be moved "
                         "and sent again. If it is "
                         "lost, make keys for this meter under another name, and give no reading again");
  return Error{Cause::refused, error.message};
}

Result<void> Gateway::check_new(const std::string& state_name) const {
  for (MeterId meter = 0; meter < states_.size(); ++meter)
    if (keys_.keys[meter].since != MeterProgress{})
      return not_where_keys_begin({state_name, 0, 0}, keys_.meters.name(meter));
  return {};
}

Result<void> Gateway::read_sections(LineReader& lines, const std::string& rules, const MeterKeyFile& keys,
                                    std::optional<Slot>& over, const TakeSection& take) {
  FUGU_ASSIGN(const std::string_view count_line, next_line(lines));
  const auto count_fields = csv::split(count_line);
  std::uint64_t count = 0;
  const bool has_over = count_fields.size() == 3 && count_fields[2] != kNoSlot;
  if (count_fields.size() != 3 || !count_line.starts_with(kMeters) || !parse(count_fields[1], count) || count == 0 ||
      (has_over && !parse(count_fields[2], over.emplace())))
    return damaged(lines.at(1));
  const std::string common = std::string(rules).append("\n").append(count_line).append("\n");
  std::vector<bool> read(keys.meters.size());
  KeyedHash hash;
  for (; count > 0; --count) {
    FUGU_ASSIGN(Section section, read_section(lines, common, keys, hash));
    if (read[section.meter])
      return found_but_expected(lines.at(1), "a meter that an earlier part has", "the state of each meter once");
    read[section.meter] = true;
    FUGU_TRY(take(std::move(section)));
  }
  FUGU_ASSIGN(const std::string_view end, next_line(lines));
  if (end != kEnd) return damaged(lines.at(1));
  for (MeterId meter = 0; meter < keys.meters.size(); ++meter)
    if (!read[meter] && keys.keys[meter].since != MeterProgress{})
      return not_where_keys_begin({lines.file(), 0, 0}, keys.meters.name(meter));
  return {};
}

Result<std::uint64_t> Gateway::parse_head(std::string_view line, const Location& where, State& state) {
  const auto fields = csv::split(line);
  if (fields.size() != 7 || fields[0] != "meter") return damaged(where);
  std::uint64_t rows = 0;
  const bool has_slot = fields[3] != kNoSlot;
  if (!parse(fields[2], state.next_number) || (has_slot && !parse(fields[3], state.last_slot.emplace())) ||
      !parse_bits(fields[4], state.mean) || !parse_bits(fields[5], state.variance) || !parse(fields[6], rows))
    return damaged(where);
  return rows;
}

Result<Gateway::Section> Gateway::read_section(LineReader& lines, const std::string& common, const MeterKeyFile& keys,
                                               KeyedHash& hash) {
  FUGU_ASSIGN(const std::string_view head, next_line(lines));
  Section section{0, lines.line(), {}, {}};
  FUGU_ASSIGN(std::uint64_t rows, parse_head(head, lines.at(1), section.state));
  const auto meter = keys.meters.find(csv::split(head)[1]);
  if (!meter)
    return found_but_expected(lines.at(1), "the state of another meter", "a state of meters that the keys name");
  section.meter = *meter;
  std::string text = std::string("Q").append(common).append(head).append("\n");
  for (; rows > 0; --rows) {
    FUGU_ASSIGN(const std::string_view row, next_line(lines));
    text.append(row).append("\n");
    section.rows.emplace_back(row);
  }
  FUGU_ASSIGN(const std::string_view mac_line, next_line(lines));
  KeyedHash::Digest mac;
  if (!mac_line.starts_with("mac,") || !from_hex(mac_line.substr(4), mac)) return damaged(lines.at(1));
  const Location where{lines.file(), section.line, 1};
  const MeterKeys& own = keys.keys[*meter];
  if (same_secret(mac, hash(own.report, text))) return section;
  const bool is_former = std::ranges::any_of(
      own.former, [&](const MeterKeys::Set& former) { return same_secret(mac, hash(former.report, text)); });
  if (!is_former) {
    return found_but_expected(where, "a state that was changed or made with another key",
                              "the state that meter " + shown_name(keys.meters.name(*meter)) + " saved");
  }
  if (section.state.progress() != own.since) return not_where_keys_begin(where, keys.meters.name(*meter));
  return section;
}

Result<void> Gateway::restore_meter(Section section, const std::string& file) {
  State& state = section.state;
  Location where{file, section.line, 1};
  for (const std::string& row : section.rows) {
    ++where.line;
    const auto fields = csv::split(row);
    if (row.starts_with(kOutgoing)) {
      FUGU_ASSIGN(const ReportRow parsed,
                  parse_report(std::string_view(row).substr(kOutgoing.size()), where, ReportFormat{}));
      outbox_.push_back({section.meter, parsed.report});
      continue;
    }
    if (fields.size() == 4 && fields[0] == "period") {
      OpenPeriod open;
      if (!parse(fields[1], open.period.start) || !parse(fields[2], open.period.end) || !parse(fields[3], open.reports))
        return damaged(where);
      if (rules_.periods.at(open.period.start) != open.period) {
        return found_but_expected(where, "a period that the calendar does not have",
                                  "a calendar with the periods that reports were sent for; it may grow at its end");
      }
      state.open.push_back(open);
      continue;
    }
    Queued queued{};
    if (fields.size() != 6 || fields[0] != "queued" || !parse(fields[1], queued.send) ||
        !parse(fields[2], queued.stamp) || !parse(fields[3], queued.value_steps) || !parse(fields[4], queued.order) ||
        !parse(fields[5], queued.period))
      return damaged(where);
    state.queue.push_back(queued);
  }
  states_[section.meter] = std::move(state);
  return {};
}

}  // namespace fugu
