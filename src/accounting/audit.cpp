#include "fugu/accounting/audit.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "audit_arithmetic.hpp"
#include "fugu/accounting/ledger.hpp"

namespace fugu {

void AuditReport::add(std::string finding) {
  ++findings_total;
  if (findings.size() < kFindingsMax) findings.push_back(std::move(finding));
}

namespace {

using audit::Fraction;
using audit::kTooMuch;
using audit::Units;

/// Slots times signatures that are held in memory at once; more signatures take more passes over the ledger.
constexpr std::size_t kCellsPerPass = std::size_t{1} << 24;

/// How strongly an answer reacts to one step: the audit's own table.
std::uint64_t reaction(Statistic statistic) { return statistic == Statistic::deviation ? 2 : 1; }

std::uint64_t slots_touched(const Answer& answer) {
  return static_cast<std::uint64_t>(answer.slot - answer.first_slot) + 1;
}

std::string in_slot(Slot slot) { return "slot " + std::to_string(slot) + ": "; }

/// An infinity is near itself only, and nothing is near what is not a number.
bool nearly(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// What the answer loses when `slots` of the slots it touches change by `change` steps each: ε, or ρ.
Units loss_of(const Answer& answer, Rational p, bool pure, std::uint64_t change, std::uint64_t slots) {
  if (answer.noise == NoiseKind::gaussian && !answer.is_comparison())
    return pure ? kTooMuch : Fraction({slots, slots, change, change, p.den}, {2, p.num}).up();
  Fraction loss({change, p.den}, {p.num});
  if (answer.is_comparison()) loss += Fraction({2, change, answer.parameter[1].den}, {answer.parameter[1].num});
  return (pure ? loss.times(slots) : loss.half_square(slots)).up();
}

/// The rate the kernel should have stated for one series of the answer: ε per step or ρ per squared step.
double rate_of(const Answer& answer, std::size_t index, bool pure) {
  const auto g = static_cast<double>(reaction(answer.statistic));
  const auto n = static_cast<double>(slots_touched(answer));
  if (answer.noise == NoiseKind::gaussian && !answer.is_comparison())
    return g * g * n / (2 * answer.parameter_of(index).to_double());
  const double e = answer.is_comparison()
                       ? g / answer.parameter[0].to_double() + 2 * g / answer.parameter[1].to_double()
                       : g / answer.parameter_of(index).to_double();
  return pure ? e : e * e * n / 2;
}

/// Compares the worst loss (ε, or ρ) with the promise.
void judge(long double worst, const Definition& definition, AuditReport& report) {
  const double epsilon = definition.epsilon().value();
  bool kept = false;
  if (definition.delta().value() == 0) {
    report.measure = "ε";
    report.worst_loss = static_cast<double>(worst);
    report.promised = epsilon;
    kept = worst <= static_cast<long double>(epsilon);
  } else {
    const double log_delta = audit::log_delta(worst, epsilon);
    report.measure = "δ";
    report.worst_loss = std::exp(log_delta);
    report.promised = definition.delta().value();
    kept = log_delta <= std::log(report.promised);
  }
  if (!kept)
    report.add("the promise is broken: slots " + std::to_string(report.worst_first_slot) + " to " +
               std::to_string(report.worst_last_slot) + " lose more than was promised");
}

// --- Losses by slot and by window ---------------------------------------------------------------------------------

struct WorstWindow {
  Units loss = 0;
  Slot first_slot = 0;
};

/// Losses of one signature. Everything lies in slots 0 … slots − 1; a window is named by its first slot.
class LossTable {
 public:
  LossTable(std::size_t slots, std::uint64_t window) : window_(window), per_slot_(slots), change_(slots + 1) {}

  void add_to_slots(Slot first, Slot last, Units loss) {
    for (Slot slot = first; slot <= last; ++slot) per_slot_[index(slot)] += loss;
  }
  /// Every window that holds `slot`, but does not begin before `from`, pays `loss`.
  void add_to_windows_with(Slot slot, Slot from, Units loss) {
    add_to_windows(std::max(slot - width() + 1, from), slot, loss);
  }
  /// A window that holds m slots of [first, last] pays loss(m).
  template <class Loss>
  void add_by_overlap(Slot first, Slot last, const Loss& loss) {
    const Slot w = width();
    for (Slot start = std::max<Slot>(0, first - w + 1); start <= last;) {
      const Slot m = std::min(last, start + w - 1) - std::max(first, start) + 1;
      // m stays the same while the window holds the whole interval, or the interval the whole window.
      Slot until = start;
      if (start <= first && start + w - 1 >= last) until = first;
      if (start >= first && start + w - 1 <= last) until = last - w + 1;
      add_to_windows(start, until, loss(static_cast<std::uint64_t>(m)));
      start = until + 1;
    }
  }

  WorstWindow worst() const;

 private:
  static std::size_t index(Slot slot) { return static_cast<std::size_t>(slot); }
  Slot width() const { return static_cast<Slot>(std::min<std::uint64_t>(window_, per_slot_.size())); }
  void add_to_windows(Slot first_start, Slot last_start, Units loss) {
    change_[index(std::max<Slot>(0, first_start))] += static_cast<int128>(loss);
    change_[index(last_start) + 1] -= static_cast<int128>(loss);
  }

  std::uint64_t window_;
  std::vector<Units> per_slot_;
  std::vector<int128> change_;  // of the windows' own losses, from one start to the next
};

WorstWindow LossTable::worst() const {
  WorstWindow worst;
  Units in_slots = 0;
  int128 in_window = 0;
  const std::size_t width_slots = index(width());
  for (std::size_t slot = 0; slot < std::min(width_slots, per_slot_.size()); ++slot) in_slots += per_slot_[slot];
  for (std::size_t start = 0; start < per_slot_.size(); ++start) {
    in_window += change_[start];
    const Units total = in_slots + static_cast<Units>(in_window);
    if (total > worst.loss) worst = {total, static_cast<Slot>(start)};
    in_slots -= per_slot_[start];
    if (start + width_slots < per_slot_.size()) in_slots += per_slot_[start + width_slots];
  }
  return worst;
}

// --- Comparison sessions ------------------------------------------------------------------------------------------

/// All comparisons of one session: what they have in common and the slots they touched.
struct Session {
  Answer like;
  Slot first;
  Slot last;
  bool ended = false;
};

using Sessions = std::map<std::uint64_t, Session>;

bool same_question(const Answer& a, const Answer& b) {
  return a.statistic == b.statistic && a.series == b.series &&
         std::equal(a.parameter.begin(), a.parameter.end(), b.parameter.begin(), b.parameter.end());
}

// --- The audit of a ledger ----------------------------------------------------------------------------------------

class LedgerAudit {
 public:
  LedgerAudit(std::string path, const AuditOptions& options) : path_(std::move(path)), options_(options) {}
  Result<AuditReport> run();

 private:
  bool pure() const { return header_->definition.delta().value() == 0; }
  Result<void> check_records();
  void check(const Answer& answer);
  void check(const SlotEnd& end);
  void close(Slot slot);
  void check_session(const Answer& answer);
  void lose_sessions();
  Result<void> find_worst();
  Result<void> weigh(std::size_t first_signature, std::vector<LossTable>& tables);
  void weigh_answer(const Answer& answer, std::size_t first_signature, std::vector<LossTable>& tables);
  /// A session whose comparisons reach over several slots: each window pays for as many of them as it holds.
  void weigh_session(const Session& session, std::size_t first_signature, std::vector<LossTable>& tables);
  /// One comparison of a single slot: windows that hold comparisons of the session pay for one.
  using Asked = std::map<std::uint64_t, Slot>;  // session, last slot it was asked in
  void weigh_comparison(const Answer& answer, Asked& asked, std::size_t first_signature,
                        std::vector<LossTable>& tables);
  /// Steps the answer can change by when the meter of each signature changes fully, for the signatures of this pass.
  std::map<std::size_t, std::uint64_t> changes(const Answer& answer, std::size_t first, std::size_t count) const;
  Units weigh_value(std::uint64_t change, Rational p, const Answer& answer);

  std::string path_;
  AuditOptions options_;
  std::optional<LedgerHeader> header_;
  AuditReport report_;
  Slot next_slot_ = 0;
  double rate_in_slot_ = 0;
  std::vector<SeriesId> missing_;  // in the open slot
  bool ended_ = false;
  bool torn_ = false;
  Sessions sessions_;

  // The last weighed value: streams repeat themselves.
  std::uint64_t cached_change_ = 0;
  Rational cached_parameter_;
  NoiseKind cached_noise_ = NoiseKind::laplace;
  Units cached_loss_ = 0;
};

Result<AuditReport> LedgerAudit::run() {
  FUGU_TRY(check_records());
  FUGU_TRY(find_worst());
  return report_;
}

Result<void> LedgerAudit::check_records() {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(path_));
  header_ = reader.header();
  report_.definition = header_->definition.text();
  for (;;) {
    auto record = reader.next();
    if (!record) {
      if (record.error().cause != Cause::bad_input) return std::move(record).error();
      report_.add(record.error().message);
      return {};
    }
    if (!*record) break;
    if (const auto* answer = std::get_if<Answer>(&**record)) check(*answer);
    if (const auto* end = std::get_if<SlotEnd>(&**record)) check(*end);
    if (std::holds_alternative<Resumed>(**record)) lose_sessions();
    if (const auto* failed = std::get_if<Failed>(&**record)) close(failed->slot);
    if (const auto* missing = std::get_if<MissingSeries>(&**record)) missing_ = missing->series;
    ended_ = std::holds_alternative<StreamEnd>(**record) || std::holds_alternative<Failed>(**record);
  }
  torn_ = reader.torn();
  if (rate_in_slot_ > 0) report_.add(in_slot(next_slot_) + "answers are recorded, but the slot is never closed");
  if (torn_ && !options_.open_ended)
    report_.add("the file ends within a record after byte " + std::to_string(reader.intact_bytes()) +
                ": it was truncated, or a run was killed; resume the run, or audit with --open");
  if (!torn_ && !ended_ && !options_.open_ended)
    report_.add(
        "the ledger has no end record: it was truncated, or the run is not finished; use --open for a live run");
  return {};
}

void LedgerAudit::check(const Answer& answer) {
  ++report_.answers;
  if (answer.slot != next_slot_) {
    report_.add(in_slot(answer.slot) + "an answer is recorded out of place, while slot " + std::to_string(next_slot_) +
                " was open");
  }
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    if (answer.series[i] >= header_->series.size()) {
      report_.add(in_slot(answer.slot) + "an answer names a series that does not exist");
      return;
    }
    if (answer.statistic == Statistic::value &&
        std::find(missing_.begin(), missing_.end(), answer.series[i]) != missing_.end())
      report_.add(in_slot(answer.slot) + "a value is recorded for a series that is recorded as missing");
    rate_in_slot_ += rate_of(answer, i, pure());
  }
  if (answer.statistic != Statistic::deviation && answer.first_slot != answer.slot)
    report_.add(in_slot(answer.slot) + "a " + std::string(name_of(answer.statistic)) +
                " answer claims to reach back, which is not paid for");
  if (answer.is_comparison()) check_session(answer);
}

void LedgerAudit::check_session(const Answer& answer) {
  const auto [found, is_new] = sessions_.try_emplace(answer.session, Session{answer, answer.first_slot, answer.slot});
  Session& session = found->second;
  if (!is_new) {
    if (session.ended)
      report_.add(in_slot(answer.slot) + "session " + std::to_string(answer.session) +
                  " goes on after its threshold was exceeded or its noise lost in a restart, which is not paid for");
    if (!same_question(session.like, answer))
      report_.add(in_slot(answer.slot) + "session " + std::to_string(answer.session) + " changes its question");
  }
  session.first = std::min(session.first, answer.first_slot);
  session.last = std::max(session.last, answer.slot);
  session.ended = session.ended || answer.values[0] != 0;
}

void LedgerAudit::lose_sessions() {
  for (auto& [id, session] : sessions_) session.ended = true;
}

void LedgerAudit::check(const SlotEnd& end) {
  if (end.slot < next_slot_) {
    report_.add(in_slot(end.slot) + "closed twice: the slot was released again");
  } else if (end.slot > next_slot_) {
    report_.add(in_slot(end.slot) + "slots " + std::to_string(next_slot_) + " to " + std::to_string(end.slot - 1) +
                " are missing");
  }
  if (!nearly(end.loss_rate, rate_in_slot_))
    report_.add(in_slot(end.slot) + "the stated total rate is not that of the recorded answers");
  close(end.slot);
}

void LedgerAudit::close(Slot slot) {
  next_slot_ = std::max(next_slot_, slot + 1);
  rate_in_slot_ = 0;
  missing_.clear();
  report_.slots = static_cast<std::uint64_t>(next_slot_);
}

std::map<std::size_t, std::uint64_t> LedgerAudit::changes(const Answer& answer, std::size_t first,
                                                          std::size_t count) const {
  std::map<std::size_t, std::uint64_t> change;
  for (const SeriesId series : answer.series) {
    for (const std::uint32_t g : header_->exposure.signatures_of(series)) {
      if (g >= first && g < first + count)
        change[g] += reaction(answer.statistic) * header_->exposure.sensitivity_steps(series);
    }
  }
  return change;
}

Units LedgerAudit::weigh_value(std::uint64_t change, Rational p, const Answer& answer) {
  const bool known = cached_change_ == change && cached_noise_ == answer.noise && cached_parameter_.num == p.num &&
                     cached_parameter_.den == p.den;
  if (!known) {
    cached_change_ = change;
    cached_parameter_ = p;
    cached_noise_ = answer.noise;
    cached_loss_ = loss_of(answer, p, pure(), change, 1);
  }
  return cached_loss_;
}

void LedgerAudit::weigh_answer(const Answer& answer, std::size_t first_signature, std::vector<LossTable>& tables) {
  if (answer.statistic == Statistic::value) {
    for (std::size_t i = 0; i < answer.series.size(); ++i) {
      const SeriesId series = answer.series[i];
      const Units loss = weigh_value(header_->exposure.sensitivity_steps(series), answer.parameter_of(i), answer);
      for (const std::uint32_t g : header_->exposure.signatures_of(series)) {
        if (g >= first_signature && g < first_signature + tables.size())
          tables[g - first_signature].add_to_slots(answer.slot, answer.slot, loss);
      }
    }
    return;
  }
  for (const auto& [g, change] : changes(answer, first_signature, tables.size())) {
    LossTable& table = tables[g - first_signature];
    const std::uint64_t steps = change;
    if (pure()) {
      table.add_to_slots(answer.first_slot, answer.slot, loss_of(answer, answer.parameter[0], true, steps, 1));
    } else {
      table.add_by_overlap(answer.first_slot, answer.slot,
                           [&](std::uint64_t m) { return loss_of(answer, answer.parameter[0], false, steps, m); });
    }
  }
}

void LedgerAudit::weigh_session(const Session& session, std::size_t first_signature, std::vector<LossTable>& tables) {
  const Answer& answer = session.like;
  for (const auto& [g, change] : changes(answer, first_signature, tables.size())) {
    const std::uint64_t steps = change;
    tables[g - first_signature].add_by_overlap(session.first, session.last, [&](std::uint64_t m) {
      return loss_of(answer, answer.parameter[0], pure(), steps, m);
    });
  }
}

void LedgerAudit::weigh_comparison(const Answer& answer, Asked& asked, std::size_t first_signature,
                                   std::vector<LossTable>& tables) {
  // Windows that hold an earlier comparison of the session have paid for it.
  const auto [found, is_new] = asked.try_emplace(answer.session, answer.slot);
  const Slot from = is_new ? 0 : found->second + 1;
  if (!is_new && answer.slot < from) return;
  found->second = answer.slot;
  for (const auto& [g, change] : changes(answer, first_signature, tables.size()))
    tables[g - first_signature].add_to_windows_with(answer.slot, from,
                                                    loss_of(answer, answer.parameter[0], pure(), change, 1));
}

Result<void> LedgerAudit::weigh(std::size_t first_signature, std::vector<LossTable>& tables) {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(path_));
  Asked asked;
  for (;;) {
    auto record = reader.next();
    if (!record || !*record) break;  // damage was reported by check_records()
    const auto* answer = std::get_if<Answer>(&**record);
    if (answer == nullptr || answer->slot >= next_slot_) continue;
    if (std::any_of(answer->series.begin(), answer->series.end(),
                    [&](SeriesId series) { return series >= header_->series.size(); }))
      continue;
    if (!answer->is_comparison()) {
      weigh_answer(*answer, first_signature, tables);
    } else if (answer->statistic != Statistic::deviation) {
      weigh_comparison(*answer, asked, first_signature, tables);
    }
  }
  for (const auto& [id, session] : sessions_) {
    if (session.like.statistic == Statistic::deviation && session.last < next_slot_)
      weigh_session(session, first_signature, tables);
  }
  return {};
}

Result<void> LedgerAudit::find_worst() {
  const auto slots = static_cast<std::size_t>(next_slot_);
  const std::size_t signatures = header_->exposure.signature_count();
  const std::size_t per_pass = std::max<std::size_t>(1, kCellsPerPass / std::max<std::size_t>(1, slots));
  const bool user = header_->definition.protects() == Protects::user;
  const std::uint64_t window = user ? std::max<std::size_t>(1, slots) : header_->definition.window_slots();
  if (user && slots > header_->definition.window_slots())
    report_.add("more slots were released than the horizon of " + std::to_string(header_->definition.window_slots()));
  WorstWindow worst;
  for (std::size_t first = 0; first < signatures && slots > 0; first += per_pass) {
    std::vector<LossTable> tables(std::min(per_pass, signatures - first), LossTable(slots, window));
    FUGU_TRY(weigh(first, tables));
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const WorstWindow candidate = tables[i].worst();
      if (candidate.loss <= worst.loss) continue;
      worst = candidate;
      report_.worst_series = header_->exposure.signature(first + i);
    }
  }
  report_.worst_first_slot = worst.first_slot;
  report_.worst_last_slot = worst.first_slot + static_cast<Slot>(std::min<std::uint64_t>(window, slots)) - 1;
  report_.worst_last_slot = std::min(report_.worst_last_slot, std::max<Slot>(0, next_slot_ - 1));
  judge(audit::up_to_long_double(worst.loss), header_->definition, report_);
  return {};
}

}  // namespace

Result<AuditReport> audit_ledger(const std::string& path, const AuditOptions& options) {
  return LedgerAudit(path, options).run();
}

// --- Releases -----------------------------------------------------------------------------------------------------

namespace {

/// What the ledger says about one series up to some slot.
struct SeriesState {
  bool known = false;
  bool sampled = false;
  std::int64_t steps = 0;
  double scale_steps = 0;
  double rate = 0;
};

void apply(const Answer& answer, bool pure, std::vector<SeriesState>& states) {
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    SeriesState& state = states[answer.series[i]];
    state.rate += rate_of(answer, i, pure);
    if (answer.statistic != Statistic::value || answer.is_comparison()) continue;
    const double p = answer.parameter_of(i).to_double();
    state.known = state.sampled = true;
    state.steps = answer.values[i];
    state.scale_steps = answer.noise == NoiseKind::gaussian ? std::sqrt(p) : p;
  }
}

/// Rates in files are per unit; those of answers per step.
double rate_per_step(double stated, double unit_step, bool pure) {
  return stated * (pure ? unit_step : unit_step * unit_step);
}

/// What the comparison of rows with answers needs to know about the stream.
struct Conventions {
  bool pure;
  bool filtered;
  double unit_step;
};

void compare(const ReleaseRecord& row, const SeriesState& state, const std::string& name, const Conventions& how,
             AuditReport& report) {
  const std::string where = in_slot(row.slot) + "series " + name + ": ";
  if (row.sampled != state.sampled) report.add(where + "the sampled flag is not that of the ledger");
  if (!nearly(rate_per_step(row.loss_rate, how.unit_step, how.pure), state.rate))
    report.add(where + "the stated loss rate is not that of the recorded answers");
  if (row.known != state.known) report.add(where + "released without an answer in the ledger, or the reverse");
  if (!row.known || !state.known) return;
  if (!nearly(row.scale, state.scale_steps * how.unit_step))
    report.add(where + "the stated scale is not that of the recorded answer");
  if (!how.filtered && !nearly(row.value, static_cast<double>(state.steps) * how.unit_step))
    report.add(where + "the released value is not the recorded answer");
}

}  // namespace

Result<void> audit_releases_against_ledger(const ReleasedRows& rows, const std::string& ledger_path, double unit_step,
                                           AuditReport& report) {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(ledger_path));
  const LedgerHeader& header = reader.header();
  const auto filter = header.facts.find("filter");
  const Conventions how{.pure = header.definition.delta().value() == 0,
                        .filtered = filter != header.facts.end() && !filter->second.empty(),
                        .unit_step = unit_step};
  std::vector<SeriesState> states(header.series.size());
  ReleaseRecord row;
  FUGU_ASSIGN(bool more, rows(row));
  for (;;) {
    auto record = reader.next();
    if (!record || !*record) break;
    if (const auto* answer = std::get_if<Answer>(&**record)) apply(*answer, how.pure, states);
    const auto* end = std::get_if<SlotEnd>(&**record);
    if (end == nullptr) continue;
    for (std::size_t expected = 0; more && row.slot == end->slot; ++expected) {
      if (row.series != expected) {
        report.add(in_slot(row.slot) + "a row is repeated, missing or out of order");
        expected = row.series;
      }
      compare(row, states[row.series], header.series[row.series], how, report);
      FUGU_ASSIGN(more, rows(row));
    }
    if (more && row.slot < end->slot) break;
    for (SeriesState& state : states) {
      state.sampled = false;
      state.rate = 0;
    }
  }
  if (more) report.add(in_slot(row.slot) + "released, but not paid for in the ledger at this point, or released twice");
  return {};
}

namespace {

/// Rates are printed with 17 digits at most; sums of them are compared within this.
constexpr long double kStatedPrecision = 1e-9L;

/// The largest sum over a window, and where it begins.
std::pair<long double, Slot> worst_sum(const std::vector<double>& per_slot, const Definition& definition) {
  const auto width = static_cast<std::size_t>(std::min<std::uint64_t>(definition.window_slots(), per_slot.size()));
  std::pair<long double, Slot> worst{0, 0};
  long double sum = 0;
  for (std::size_t last = 0; last < per_slot.size(); ++last) {
    if (std::isinf(per_slot[last])) return {per_slot[last], static_cast<Slot>(last)};  // a true value
    sum += per_slot[last];
    if (last >= width) sum -= per_slot[last - width];
    if (sum > worst.first) worst = {sum, static_cast<Slot>(last + 1 - std::min(last + 1, width))};
  }
  return worst;
}

}  // namespace

Result<AuditReport> audit_stated_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                                       double unit_step) {
  AuditReport report;
  report.definition = definition.text();
  const bool pure = definition.delta().value() == 0;
  std::vector<std::vector<double>> per_slot(exposure.signature_count());
  ReleaseRecord row;
  for (;;) {
    FUGU_ASSIGN(const bool more, rows(row));
    if (!more) break;
    if (row.series >= exposure.series_count()) return Error{Cause::bad_input, "a released series has no sensitivity"};
    if (row.loss_rate < 0) report.add(in_slot(row.slot) + "a negative loss rate is stated");
    const auto sensitivity = static_cast<double>(exposure.sensitivity_steps(row.series));
    for (const std::uint32_t g : exposure.signatures_of(row.series)) {
      per_slot[g].resize(std::max(per_slot[g].size(), static_cast<std::size_t>(row.slot) + 1));
      per_slot[g][static_cast<std::size_t>(row.slot)] +=
          rate_per_step(row.loss_rate, unit_step, pure) * (pure ? sensitivity : sensitivity * sensitivity);
    }
    report.slots = std::max(report.slots, static_cast<std::uint64_t>(row.slot) + 1);
    if (row.sampled) ++report.answers;
  }
  if (definition.protects() == Protects::user && report.slots > definition.window_slots())
    report.add("more slots were released than the horizon of " + std::to_string(definition.window_slots()));
  long double worst = 0;
  for (std::size_t g = 0; g < per_slot.size(); ++g) {
    const auto [loss, first] = worst_sum(per_slot[g], definition);
    if (loss <= worst) continue;
    worst = loss;
    report.worst_first_slot = first;
    report.worst_last_slot =
        std::min(first + static_cast<Slot>(definition.window_slots()), static_cast<Slot>(report.slots)) - 1;
    report.worst_series = exposure.signature(g);
  }
  judge(worst / (1 + kStatedPrecision), definition, report);
  return report;
}

}  // namespace fugu
