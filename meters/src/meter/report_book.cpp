#include "fugu/meter/report_book.hpp"

#include <algorithm>
#include <charconv>

#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kNone = "-";

/// Tells two reports of one number apart.
std::uint16_t mark_of(const Report& report) { return static_cast<std::uint16_t>(report.mac[0] | report.mac[1] << 8); }

template <class Number>
bool parse_number(std::string_view text, Number& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size();
}

template <class Number>
bool parse_optional(std::string_view text, std::optional<Number>& value) {
  if (text == kNone) return true;
  return parse_number(text, value.emplace());
}

template <class Number>
std::string optional_text(const std::optional<Number>& value) {
  return value ? std::to_string(*value) : std::string(kNone);
}

/// The text up to `separator`, which is taken off with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

}  // namespace

std::optional<std::uint64_t> PeriodAccount::missing() const {
  if (!expected) return std::nullopt;
  return *expected - std::min(*expected, reports);
}

bool SeenNumbers::has(std::uint64_t number) const {
  const auto after = ranges_.upper_bound(number);
  return after != ranges_.begin() && std::prev(after)->second >= number;
}

SeenNumbers::Seen SeenNumbers::look(std::uint64_t number, std::uint16_t mark) const {
  if (!has(number)) return Seen::fresh;
  const bool is_recent = ranges_.rbegin()->second - number < kRecent;
  return is_recent && marks_[number % kRecent] != mark ? Seen::conflict : Seen::duplicate;
}

void SeenNumbers::add(std::uint64_t number, std::uint16_t mark) {
  // A mark belongs to the newest number that has this place.
  if (ranges_.empty() || number > ranges_.rbegin()->second || ranges_.rbegin()->second - number < kRecent)
    marks_[number % kRecent] = mark;
  auto at = ranges_.emplace(number, number).first;
  if (at != ranges_.begin() && std::prev(at)->second + 1 == number) {
    const auto before = std::prev(at);
    before->second = number;
    ranges_.erase(at);
    at = before;
  }
  const auto after = std::next(at);
  if (after != ranges_.end() && after->first == number + 1) {
    at->second = after->second;
    ranges_.erase(after);
  }
}

std::uint64_t SeenNumbers::gaps() const {
  std::uint64_t gaps = 0;
  for (auto at = ranges_.begin(); at != ranges_.end() && std::next(at) != ranges_.end(); ++at)
    gaps += std::next(at)->first - at->second - 1;
  return gaps;
}

std::string SeenNumbers::text() const {
  std::string text;
  for (const auto& [first, last] : ranges_)
    text.append(std::to_string(first)).append("-").append(std::to_string(last)).append(" ");
  if (!text.empty()) text.back() = '/';
  if (text.empty()) return "/";
  const std::uint64_t largest = ranges_.rbegin()->second;
  for (std::uint64_t i = 0; i < std::min(largest + 1, kRecent); ++i) {
    const std::uint64_t number = largest - i;
    const std::uint16_t mark = has(number) ? marks_[number % kRecent] : 0;
    const std::array<unsigned char, 2> bytes = {static_cast<unsigned char>(mark >> 8),
                                                static_cast<unsigned char>(mark)};
    text += to_hex(bytes);
  }
  return text;
}

std::optional<SeenNumbers> SeenNumbers::parse(std::string_view text) {
  SeenNumbers seen;
  std::string_view marks = text;
  std::string_view ranges = take_until(marks, '/');
  std::optional<std::uint64_t> largest;
  while (!ranges.empty()) {
    std::string_view last = take_until(ranges, ' ');
    const std::string_view first = take_until(last, '-');
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    if (!parse_number(first, from) || !parse_number(last, to) || to < from || to >> 63 != 0) return std::nullopt;
    if (largest && from <= *largest + 1) return std::nullopt;
    seen.ranges_.emplace(from, to);
    largest = to;
  }
  const std::uint64_t count = largest ? std::min(*largest + 1, kRecent) : 0;
  if (marks.size() != count * 4) return std::nullopt;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<unsigned char, 2> bytes;
    if (!from_hex(marks.substr(i * 4, 4), bytes)) return std::nullopt;
    seen.marks_[(*largest - i) % kRecent] = static_cast<std::uint16_t>(bytes[0] << 8 | bytes[1]);
  }
  return seen;
}

ReportBook::Taken ReportBook::take(NameTable::Id id, const Report& report) {
  if (id >= meters_.size()) meters_.resize(std::size_t{id} + 1);
  Meter& meter = meters_[id];
  switch (meter.seen.look(report.number, mark_of(report))) {
    case SeenNumbers::Seen::fresh: break;
    case SeenNumbers::Seen::duplicate: ++meter.duplicates; return Taken::duplicate;
    case SeenNumbers::Seen::conflict:
      if (report.period && !meter.periods[*report.period].billed) meter.periods[*report.period].disputed = true;
      return Taken::conflict;
  }
  const Taken taken = count(meter, report);
  if (taken != Taken::counted && taken != Taken::closing) return taken;
  meter.seen.add(report.number, mark_of(report));
  return taken;
}

ReportBook::Taken ReportBook::count(Meter& meter, const Report& report) {
  if (!report.period) return Taken::counted;
  PeriodAccount& account = meter.periods[*report.period];
  if (account.billed) return Taken::billed;
  if (!report.closes_after) {
    std::int64_t sum_steps = 0;
    if (__builtin_add_overflow(account.sum_steps, report.value_steps, &sum_steps)) {
      account.disputed = true;
      return Taken::too_large;
    }
    ++account.reports;
    account.sum_steps = sum_steps;
    return Taken::counted;
  }
  if (account.expected) {
    account.disputed = true;
    return Taken::conflict;
  }
  account.expected = report.closes_after;
  account.end = report.stamp;
  return Taken::closing;
}

std::optional<Period> ReportBook::cut_by(const Window& window) const {
  std::optional<Period> cut;
  std::size_t with_periods = 0;
  std::size_t with_cut = 0;
  for (const Meter& meter : meters_) {
    with_periods += meter.periods.empty() ? 0 : 1;
    const auto found = std::ranges::find_if(meter.periods, [&](const auto& each) {
      return each.second.end && window.cuts({each.first, *each.second.end});
    });
    if (found == meter.periods.end()) continue;
    ++with_cut;
    if (!cut) cut = Period{found->first, *found->second.end};
  }
  return 2 * with_cut > with_periods ? cut : std::nullopt;
}

bool ReportBook::covers(NameTable::Id meter, const Window& window) const {
  if (meter >= meters_.size()) return false;
  Slot next = window.first_slot;
  for (const auto& [start, account] : meters_[meter].periods) {
    if (!window.has(start)) continue;
    if (start != next || !account.end || !account.complete()) return false;
    next = *account.end;
  }
  return next == window.first_slot + window.slots;
}

std::optional<Slot> ReportBook::billed_otherwise(const Window& window, const Periods& calendar) const {
  for (const Meter& meter : meters_) {
    for (const auto& [start, account] : meter.periods)
      if (account.billed && window.has(start) && account.tariff != calendar.tariff_from(start)) return start;
  }
  return std::nullopt;
}

void ReportBook::bill(const Window& window, bool incomplete, const Periods& calendar) {
  for (Meter& meter : meters_) {
    for (auto& [start, account] : meter.periods) {
      if (!window.has(start) || (account.end && window.cuts({start, *account.end}))) continue;
      if (account.billed || !(incomplete || account.complete())) continue;
      account.billed = true;
      account.tariff = calendar.tariff_from(start);
    }
  }
}

std::string ReportBook::text(const NameTable& names) const {
  std::string text = "meters," + std::to_string(meters_.size()) + "\n";
  for (NameTable::Id id = 0; id < meters_.size(); ++id) {
    const Meter& meter = meters_[id];
    text.append("meter,").append(names.name(id)).append(",").append(std::to_string(meter.periods.size()));
    text.append(",").append(meter.seen.text()) += '\n';
    for (const auto& [start, account] : meter.periods) {
      text.append("period,").append(std::to_string(start)).append(",").append(optional_text(account.end));
      text.append(",").append(std::to_string(account.reports)).append(",").append(optional_text(account.expected));
      text.append(",").append(std::to_string(account.sum_steps)).append(",").append(account.disputed ? "1" : "0");
      text.append(",").append(account.billed ? "1" : "0").append(",").append(account.tariff) += '\n';
    }
  }
  return text;
}

Result<void> ReportBook::read(LineReader& lines, NameTable& names) {
  FUGU_CHECK(meters_.empty() && names.size() == 0);
  const auto damaged = [&] {
    return found_but_expected(lines.at(1), "something else", "a line of a collector's memory as fugu wrote it");
  };
  const auto next_fields = [&]() -> Result<std::vector<std::string_view>> {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line)
      return found_but_expected({lines.file(), lines.line(), 0}, "the end of the file",
                                "the rest of a collector's memory");
    return csv::split(*line);
  };
  FUGU_ASSIGN(auto fields, next_fields());
  std::uint64_t meters = 0;
  if (fields.size() != 2 || fields[0] != "meters" || !parse_number(fields[1], meters)) return damaged();
  for (; meters > 0; --meters) {
    FUGU_ASSIGN(fields, next_fields());
    std::uint64_t periods = 0;
    if (fields.size() != 4 || fields[0] != "meter" || !parse_number(fields[2], periods)) return damaged();
    const auto seen = SeenNumbers::parse(fields[3]);
    if (!seen || names.find(fields[1])) return damaged();
    names.intern(fields[1]);
    Meter& meter = meters_.emplace_back();
    meter.seen = *seen;
    for (; periods > 0; --periods) {
      FUGU_ASSIGN(fields, next_fields());
      Slot start = 0;
      PeriodAccount account;
      if (fields.size() != 9 || fields[0] != "period" || !parse_number(fields[1], start) ||
          !parse_optional(fields[2], account.end) || !parse_number(fields[3], account.reports) ||
          !parse_optional(fields[4], account.expected) || !parse_number(fields[5], account.sum_steps))
        return damaged();
      account.disputed = fields[6] == "1";
      account.billed = fields[7] == "1";
      account.tariff = fields[8];
      meter.periods[start] = account;
    }
  }
  return {};
}

}  // namespace fugu
