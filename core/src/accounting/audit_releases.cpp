// The audit of released files: against a ledger, or on what they state themselves.
#include <algorithm>
#include <cmath>

#include "audit_answers.hpp"
#include "audit_discounted.hpp"
#include "audit_policies.hpp"
#include "audit_windows.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/ledger.hpp"
#include "policy_audit.hpp"

namespace fugu {

namespace {

using audit::in_slot;
using audit::nearly;
using audit::rate_of;
using audit::Units;

// --- Against a ledger ---------------------------------------------------------------------------------------------

/// What the ledger says about one series up to some slot.
struct SeriesState {
  bool known = false;
  bool sampled = false;
  std::int64_t steps = 0;
  std::optional<double> scale_steps = 0;  // none for an estimate
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
    state.scale_steps = answer.noise == NoiseKind::gaussian ? std::sqrt(p) : p;  // 0 for a true value
  }
}

void apply(const Estimates& estimates, std::vector<SeriesState>& states) {
  for (const Estimates::Entry& entry : estimates.entries) {
    if (entry.series >= states.size()) return;  // reported with the ledger
    SeriesState& state = states[entry.series];
    state.known = true;
    state.sampled = entry.sampled;
    state.steps = entry.steps;
    state.scale_steps.reset();
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
  const bool estimated = !state.scale_steps.has_value();
  if (row.scale.has_value() == estimated || (!estimated && !nearly(*row.scale, *state.scale_steps * how.unit_step)))
    report.add(where + "the stated scale is not that of the recorded answer");
  if (!how.filtered && !nearly(row.value, static_cast<double>(state.steps) * how.unit_step))
    report.add(where + "the released value is not the recorded " + (estimated ? "estimate" : "answer"));
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
    if (const auto* estimates = std::get_if<Estimates>(&**record)) apply(*estimates, states);
    const auto* end = std::get_if<SlotEnd>(&**record);
    if (end == nullptr) continue;
    if (!more || row.slot != end->slot) ++report.slots_not_in_file;
    for (std::size_t expected = 0; more && row.slot == end->slot; ++expected) {
      if (row.series != expected) {
        report.add(in_slot(row.slot) + "a row is repeated, missing or out of order");
        expected = row.series;
      }
      compare(row, states[row.series], header.series[row.series], how, report);
      FUGU_ASSIGN(more, rows(row));
    }
    if (more && row.slot < end->slot) break;  // out of order: what follows cannot be told apart
    for (SeriesState& state : states) {
      state.sampled = false;
      state.rate = 0;
    }
  }
  if (more) report.add(in_slot(row.slot) + "released, but not paid for in the ledger at this point, or released twice");
  return {};
}

// --- Stated rates only --------------------------------------------------------------------------------------------

namespace {

/// Rates are printed with 17 digits at most; sums of them are compared within this.
constexpr long double kStatedPrecision = 1e-9L;

/// What released rows state: rates per step, or per squared step, by series and slot. Infinite for true values.
struct StatedRates {
  std::vector<std::vector<double>> of_series;

  double at(SeriesId series, std::size_t slot) const {
    return slot < of_series[series].size() ? of_series[series][slot] : 0;
  }
};

Result<StatedRates> read_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                               double unit_step, AuditReport& report) {
  const bool pure = definition.delta().value() == 0;
  StatedRates rates{std::vector<std::vector<double>>(exposure.series_count())};
  ReleaseRecord row;
  for (;;) {
    FUGU_ASSIGN(const bool more, rows(row));
    if (!more) return rates;
    if (row.series >= exposure.series_count()) return Error{Cause::bad_input, "a released series has no sensitivity"};
    if (!(row.loss_rate >= 0)) report.add(in_slot(row.slot) + "a negative loss rate is stated, or none");
    const auto slot = static_cast<std::size_t>(row.slot);
    std::vector<double>& of_series = rates.of_series[row.series];
    of_series.resize(std::max(of_series.size(), slot + 1));
    of_series[slot] += rate_per_step(row.loss_rate, unit_step, pure);
    report.slots = std::max(report.slots, static_cast<std::uint64_t>(row.slot) + 1);
    if (row.sampled) ++report.answers;
  }
}

/// The losses of a meter with that signature that changes by its whole sensitivity, slot by slot.
std::vector<double> losses_of(const StatedRates& rates, const Exposure& exposure, std::size_t signature, bool pure) {
  std::vector<double> losses;
  for (const SeriesId series : exposure.signature(signature)) {
    const auto sensitivity = static_cast<double>(exposure.sensitivity_steps(series));
    const std::vector<double>& of_series = rates.of_series[series];
    losses.resize(std::max(losses.size(), of_series.size()));
    for (std::size_t slot = 0; slot < of_series.size(); ++slot)
      losses[slot] += of_series[slot] * (pure ? sensitivity : sensitivity * sensitivity);
  }
  return losses;
}

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

void judge_windows(const StatedRates& rates, const Definition& definition, const Exposure& exposure,
                   AuditReport& report) {
  audit::check_horizon(definition, report);
  long double worst = 0;
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    const auto [loss, first] = worst_sum(losses_of(rates, exposure, g, definition.delta().value() == 0), definition);
    if (loss <= worst) continue;
    worst = loss;
    report.worst_first_slot = first;
    report.worst_last_slot =
        std::min(first + static_cast<Slot>(definition.window_slots()), static_cast<Slot>(report.slots)) - 1;
    report.worst_series = exposure.signature(g);
  }
  audit::judge_worst_window(worst / (1 + kStatedPrecision), definition, report);
}

/// Less by what may be due to printing, then rounded up to units of 2^-bits.
Units stated_in_units(double stated, unsigned bits) {
  if (!(stated < 0x1p16)) return audit::kTooMuch;
  if (stated <= 0) return 0;
  return static_cast<Units>(
      std::ceil(std::ldexp(static_cast<long double>(stated) / (1 + kStatedPrecision), static_cast<int>(bits))));
}

void judge_discounted(const StatedRates& rates, const Definition& definition, const Exposure& exposure,
                      AuditReport& report) {
  audit::DiscountedAudit judgement(definition, exposure, static_cast<std::size_t>(report.slots));
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    judgement.begin_pass({g, 1});
    const std::vector<double> losses = losses_of(rates, exposure, g, true);
    for (std::size_t slot = 0; slot < losses.size(); ++slot)
      judgement.add(g, static_cast<Slot>(slot), stated_in_units(losses[slot], audit::kLossBits));
    judgement.end_pass();
  }
  judgement.judge(report);
}

void check_stated_true_values(const StatedRates& rates, const Definition& definition,
                              const audit::PoliciesHeld& policies, const Exposure& exposure, AuditReport& report) {
  audit::Idleness idleness(policies, exposure);
  for (std::size_t slot = 0; slot < report.slots; ++slot) {
    for (SeriesId series = 0; series < exposure.series_count(); ++series) {
      if (!std::isinf(rates.at(series, slot))) continue;
      const auto at = static_cast<Slot>(slot);
      if (!definition.exact_when_idle()) {
        report.add(in_slot(at) + "a true value is stated, which the definition does not permit");
      } else if (!idleness.is_idle(series, {at, at})) {
        report.add(in_slot(at) + "a true value is stated, where a policy is relevant");
      }
    }
  }
}

void judge_policies(const StatedRates& rates, const Definition& definition, const audit::PoliciesHeld& policies,
                    const Exposure& exposure, AuditReport& report) {
  check_stated_true_values(rates, definition, policies, exposure, report);
  audit::PolicyAudit judgement(policies, exposure, definition.delta());
  const std::vector<SeriesId> named = audit::named_series(policies, exposure);
  const auto slots = static_cast<std::size_t>(report.slots);
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    audit::LossRates of_signature(exposure, definition.delta().value() == 0, slots, {g, 1}, named);
    for (const SeriesId series : exposure.signature(g)) {
      for (std::size_t slot = 0; slot < rates.of_series[series].size(); ++slot)
        of_signature.add_stated(series, static_cast<Slot>(slot),
                                stated_in_units(rates.at(series, slot), audit::kRateBits));
    }
    of_signature.seal();
    judgement.judge(of_signature, report);
  }
  judgement.finish(report);
}

audit::PoliciesHeld held(const PolicyBook& book, const Exposure& exposure) {
  audit::PoliciesHeld held(exposure);
  for (MeterId meter = 0; meter < book.meter_count(); ++meter) {
    for (const Policy& policy : book.of(meter).policies()) held.state(book.name(meter), {}, policy);
  }
  held.close();
  return held;
}

}  // namespace

Result<AuditReport> audit_stated_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                                       double unit_step) {
  if (definition.protects() == Protects::swellfish)
    return Error{Cause::usage, "an audit of swellfish needs the policies"};
  AuditReport report;
  report.definition = definition.text();
  FUGU_ASSIGN(const StatedRates rates, read_rates(rows, definition, exposure, unit_step, report));
  definition.discount() ? judge_discounted(rates, definition, exposure, report)
                        : judge_windows(rates, definition, exposure, report);
  return report;
}

Result<AuditReport> audit_stated_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                                       const PolicyBook& policies, double unit_step) {
  if (definition.protects() != Protects::swellfish)
    return Error{Cause::usage, "policies belong to the definition swellfish"};
  AuditReport report;
  report.definition = definition.text();
  FUGU_ASSIGN(const StatedRates rates, read_rates(rows, definition, exposure, unit_step, report));
  if (definition.floor() != nullptr) judge_windows(rates, *definition.floor(), exposure, report);
  judge_policies(rates, definition, held(policies, exposure), exposure, report);
  return report;
}

}  // namespace fugu
