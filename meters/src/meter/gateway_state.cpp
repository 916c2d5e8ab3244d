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
  FUGU_ASSIGN(const std::string_view magic, next_line(lines));
  if (magic != kMagic) return found_but_expected(lines.at(1), "another file", "a state file of fugu meter");
  FUGU_ASSIGN(const std::string_view rules_view, next_line(lines));
  const std::string rules(rules_view);
  if (rules != rules_text()) {
    return found_but_expected(lines.at(1), shown(rules),
                              "the rules this state was saved under; finish with these before you change them");
  }
  FUGU_ASSIGN(const std::string_view count_line, next_line(lines));
  const auto count_fields = csv::split(count_line);
  std::uint64_t count = 0;
  Slot over = 0;
  const bool has_over = count_fields.size() == 3 && count_fields[2] != kNoSlot;
  if (count_fields.size() != 3 || !count_line.starts_with(kMeters) || !parse(count_fields[1], count) || count == 0 ||
      (has_over && !parse(count_fields[2], over)))
    return damaged(lines.at(1));
  const std::string common = std::string(rules).append("\n").append(count_line).append("\n");
  std::vector<bool> restored(states_.size());
  for (; count > 0; --count) {
    FUGU_ASSIGN(const std::string_view head, next_line(lines));
    FUGU_ASSIGN(const MeterId meter, restore_meter(lines, head, common));
    if (restored[meter])
      return found_but_expected(lines.at(1), "a meter that an earlier part has", "the state of each meter once");
    restored[meter] = true;
  }
  FUGU_ASSIGN(const std::string_view end, next_line(lines));
  if (end != kEnd) return damaged(lines.at(1));
  if (has_over) over_ = over;
  return {};
}

Result<std::optional<Gateway::MeterId>> Gateway::parse_head(std::string_view line, const Location& where, State& state,
                                                            std::uint64_t& rows) const {
  const auto fields = csv::split(line);
  if (fields.size() != 7 || fields[0] != "meter") return damaged(where);
  Slot last = 0;
  const bool has_slot = fields[3] != kNoSlot;
  if (!parse(fields[2], state.next_number) || (has_slot && !parse(fields[3], last)) ||
      !parse_bits(fields[4], state.mean) || !parse_bits(fields[5], state.variance) || !parse(fields[6], rows))
    return damaged(where);
  if (has_slot) state.last_slot = last;
  return std::optional<MeterId>(keys_.meters.find(fields[1]));
}

bool Gateway::was_saved_by(MeterId meter, std::string_view text, const KeyedHash::Digest& mac) {
  const MeterKeys& keys = keys_.keys[meter];
  if (same_secret(mac, hash_(keys.report, text))) return true;
  return std::any_of(keys.former.begin(), keys.former.end(),
                     [&](const MeterKeys::Pair& former) { return same_secret(mac, hash_(former.report, text)); });
}

Result<Gateway::MeterId> Gateway::restore_meter(LineReader& lines, std::string_view head, const std::string& common) {
  State state;
  std::uint64_t rows = 0;
  FUGU_ASSIGN(const auto meter, parse_head(head, lines.at(1), state, rows));
  if (!meter)
    return found_but_expected(lines.at(1), "the state of another meter", "a state of meters that the keys name");
  const Location begin = lines.at(1);
  const std::uint64_t begin_line = begin.line;
  std::string text = std::string("Q").append(common).append(head).append("\n");
  std::vector<Outgoing> outgoing;
  for (; rows > 0; --rows) {
    FUGU_ASSIGN(const std::string_view row, next_line(lines));
    text.append(row).append("\n");
    const auto fields = csv::split(row);
    if (row.starts_with(kOutgoing)) {
      FUGU_ASSIGN(const ReportRow parsed, parse_report(row.substr(kOutgoing.size()), lines.at(1), ReportFormat{}));
      outgoing.push_back({*meter, parsed.report});
      continue;
    }
    if (fields.size() == 4 && fields[0] == "period") {
      OpenPeriod open;
      if (!parse(fields[1], open.period.start) || !parse(fields[2], open.period.end) || !parse(fields[3], open.reports))
        return damaged(lines.at(1));
      if (rules_.periods.at(open.period.start) != open.period) {
        return found_but_expected(lines.at(1), "a period that the calendar does not have",
                                  "a calendar with the periods that reports were sent for; it may grow at its end");
      }
      state.open.push_back(open);
      continue;
    }
    Queued queued{};
    if (fields.size() != 6 || fields[0] != "queued" || !parse(fields[1], queued.send) ||
        !parse(fields[2], queued.stamp) || !parse(fields[3], queued.value_steps) || !parse(fields[4], queued.order) ||
        !parse(fields[5], queued.period))
      return damaged(lines.at(1));
    state.queue.push_back(queued);
  }
  FUGU_ASSIGN(const std::string_view mac_line, next_line(lines));
  KeyedHash::Digest mac;
  if (!mac_line.starts_with("mac,") || !from_hex(mac_line.substr(4), mac)) return damaged(lines.at(1));
  if (!was_saved_by(*meter, text, mac)) {
    return found_but_expected({lines.file(), begin_line, 1}, "a state that was changed or made with another key",
                              "the state that meter " + shown_name(keys_.meters.name(*meter)) + " saved");
  }
  states_[*meter] = std::move(state);
  outbox_.insert(outbox_.end(), outgoing.begin(), outgoing.end());
  return *meter;
}

}  // namespace fugu
