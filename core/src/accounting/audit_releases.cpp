// The audit of a released file against the ledger that paid for it.
#include <algorithm>

#include "audit_answers.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/ledger.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

using audit::in_slot;

/// Lines that end in LF and in nothing else. What LineReader forgives (blank lines, CRLF, a byte order mark) could tell
/// something, so it is part of the line here.
class StrictLines {
 public:
  explicit StrictLines(Input input) : input_(std::move(input)), block_(std::size_t{1} << 16) {}

  const std::string& file() const { return input_.name(); }
  /// The line that next() found, and its number from 1.
  const std::string& line() const { return line_; }
  std::uint64_t number() const { return number_; }
  /// False at the end.
  Result<bool> next();

 private:
  Input input_;
  std::vector<char> block_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::string line_;
  std::uint64_t number_ = 0;
};

Result<bool> StrictLines::next() {
  line_.clear();
  for (;;) {
    const auto from = block_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto to = block_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto found = std::find(from, to, '\n');
    line_.append(from, found);
    at_ = static_cast<std::size_t>(found - block_.begin());
    if (found != to) {
      ++at_;
      break;
    }
    FUGU_ASSIGN(end_, input_.read(block_));
    at_ = 0;
    if (end_ > 0) continue;
    if (line_.empty()) return false;
    break;  // the last line lacks its end
  }
  ++number_;
  return true;
}

/// What differs when a field does, by the place of its column.
std::string difference(std::size_t column, bool is_absent, bool estimated, bool filtered) {
  switch (column) {
    case 0: return "the time is not as the ledger has it";
    case 2:
      if (is_absent) return "released without an answer in the ledger, or the reverse";
      if (filtered) return "the released value is not what the filter makes of the recorded answers";
      return std::string("the released value is not the recorded ") + (estimated ? "estimate" : "answer");
    case 3: return "the stated scale is not that of the recorded answer";
    case 4: return "the stated loss rate is not that of the recorded answers";
    case 5: return "the sampled flag is not that of the ledger";
    default: return "the error band is not that of the recorded answer";
  }
}

/// Follows ledger and file side by side.
class FileComparison {
 public:
  FileComparison(Input released, ReleaseRows rows, bool pure, AuditReport& report)
      : lines_(std::move(released)),
        rows_(std::move(rows)),
        pure_(pure),
        report_(report),
        states_(rows_.format().series.size()),
        expected_(states_.size()) {}

  /// Whether the header is that of the run, so that rows can be compared.
  Result<bool> begin();
  void take(const Answer& answer);
  void take(const Estimates& estimates);
  Result<void> end_slot(const SlotEnd& end);
  void finish();

 private:
  Result<void> next_row();
  std::string_view field(std::size_t index) const;
  void expect_rows(const SlotEnd& end);
  Result<void> compare_rows(Slot slot);
  void compare(SeriesId series);

  StrictLines lines_;
  ReleaseRows rows_;
  bool pure_;
  AuditReport& report_;
  std::vector<ReleasedRow> states_;    // by series: what the ledger says up to here
  std::vector<std::string> expected_;  // the rows of the slot
  bool has_row_ = false;
  Slot slot_ = -1;  // of the file's row
};

Result<bool> FileComparison::begin() {
  const std::string wanted = rows_.header();
  FUGU_ASSIGN(const bool has_header, lines_.next());
  if (!has_header || !lines_.line().starts_with("time,series,value,"))
    return found_but_expected({lines_.file(), 1, 1}, has_header ? "another header" : "an empty file",
                              "the releases of the ledger: " + wanted);
  if (lines_.line().ends_with(",simulated"))
    return Error{Cause::refused, lines_.file() +
                                     ": simulated releases: their noise came from a seed, so that they are "
                                     "not private, and no evidence"};
  if (lines_.line() == wanted) {
    FUGU_TRY(next_row());
    return true;
  }
  const std::vector<std::string_view> known = csv::split(wanted);
  for (const std::string_view name : csv::split(lines_.line())) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      report_.add("column " + shown_name(name) + " is none that the run publishes, and was not looked at");
  }
  report_.add("the header is not that of the run, so rows were not compared; expected " + wanted);
  return false;
}

std::string_view FileComparison::field(std::size_t index) const {
  std::string_view rest = lines_.line();
  for (; index > 0; --index) rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
  return rest.substr(0, rest.find(','));
}

Result<void> FileComparison::next_row() {
  FUGU_ASSIGN(has_row_, lines_.next());
  if (!has_row_) return {};
  Tick tick;
  if (rows_.format().clock.parse(field(0), std::nullopt, tick) == TimeFault::none) {
    slot_ = tick.slot;
    return {};
  }
  report_.add("line " + std::to_string(lines_.number()) +
              ": the time is none of the stream's; rows from here on were not compared");
  has_row_ = false;
  return {};
}

void FileComparison::take(const Answer& answer) {
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    if (answer.series[i] >= states_.size()) return;  // reported with the ledger
    ReleasedRow& state = states_[answer.series[i]];
    state.loss_rate += audit::rate_of(answer, i, pure_);
    if (answer.statistic != Statistic::value || answer.is_comparison()) continue;
    state.steps = answer.values[i];
    state.noise = answer.noise;
    state.parameter = answer.parameter_of(i);
    state.known = state.sampled = true;
    state.estimated = false;
  }
}

void FileComparison::take(const Estimates& estimates) {
  for (const Estimates::Entry& entry : estimates.entries) {
    if (entry.series >= states_.size()) return;  // reported with the ledger
    ReleasedRow& state = states_[entry.series];
    state.steps = entry.steps;
    state.known = state.estimated = true;
    state.sampled = entry.sampled;
  }
}

void FileComparison::expect_rows(const SlotEnd& end) {
  char time[kStampTextMax];
  const std::string_view text(time, rows_.format().clock.format(end.slot, end.utc_offset_s, time));
  for (std::size_t series = 0; series < states_.size(); ++series) {
    expected_[series].clear();
    rows_.append(text, series, states_[series], expected_[series]);
  }
}

Result<void> FileComparison::end_slot(const SlotEnd& end) {
  expect_rows(end);  // of every slot, as filters remember
  if (!has_row_ || slot_ != end.slot) ++report_.slots_not_in_file;
  FUGU_TRY(compare_rows(end.slot));
  for (ReleasedRow& state : states_) {
    state.sampled = false;
    state.loss_rate = 0;
  }
  return {};
}

Result<void> FileComparison::compare_rows(Slot slot) {
  const std::vector<std::string>& names = rows_.format().series;
  std::size_t next = 0;
  bool all_in_order = true;
  while (has_row_ && slot_ == slot) {
    const bool in_order = next < names.size() && field(1) == names[next];
    all_in_order = all_in_order && in_order;
    if (!in_order) next = static_cast<std::size_t>(std::find(names.begin(), names.end(), field(1)) - names.begin());
    if (next == names.size()) {
      report_.add(in_slot(slot) + "a row names a series that the ledger does not have");
    } else {
      if (!in_order) report_.add(in_slot(slot) + "a row is repeated, missing or out of order");
      compare(static_cast<SeriesId>(next++));
    }
    FUGU_TRY(next_row());
  }
  if (all_in_order && next > 0 && next < names.size())
    report_.add(in_slot(slot) + "the row of series " + names[next] + " is missing");
  return {};
}

void FileComparison::compare(SeriesId series) {
  if (lines_.line() == expected_[series]) return;
  const ReleaseFormat& format = rows_.format();
  const std::string where = in_slot(slot_) + "series " + format.series[series] + ": ";
  const std::vector<std::string_view> found = csv::split(lines_.line());
  const std::vector<std::string_view> wanted = csv::split(expected_[series]);
  if (found.size() != wanted.size()) {
    report_.add(where + csv::count_fields(found.size()) + " instead of " + csv::count_fields(wanted.size()));
    return;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_absent = found[i].empty() != wanted[i].empty();
    if (found[i] != wanted[i])
      report_.add(where + difference(i, is_absent, states_[series].estimated, !format.filter.empty()));
  }
}

void FileComparison::finish() {
  if (has_row_)
    report_.add(in_slot(slot_) + "released, but not paid for in the ledger at this point, or released twice");
}

}  // namespace

Result<void> audit_releases_against_ledger(Input released, const std::string& ledger_path, const ReleaseFormat& format,
                                           AuditReport& report) {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(ledger_path));
  FUGU_ASSIGN(ReleaseRows rows, ReleaseRows::make(format));
  FileComparison comparison(std::move(released), std::move(rows), reader.header().definition.delta().value() == 0,
                            report);
  FUGU_ASSIGN(const bool comparable, comparison.begin());
  if (!comparable) return {};
  for (Slot next = 0;;) {
    const auto record = reader.next();
    if (!record || !*record) break;  // damage is reported with the ledger
    if (const auto* answer = std::get_if<Answer>(&**record)) comparison.take(*answer);
    if (const auto* estimates = std::get_if<Estimates>(&**record)) comparison.take(*estimates);
    const auto* end = std::get_if<SlotEnd>(&**record);
    if (end == nullptr) continue;
    if (end->slot != next++) break;  // so are slots out of place; nothing that comes after one is paid for
    FUGU_TRY(comparison.end_slot(*end));
  }
  comparison.finish();
  return {};
}

}  // namespace fugu
