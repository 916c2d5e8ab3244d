// The audit of released files without a ledger: on what they state themselves.
#include <algorithm>
#include <cmath>

#include "audit_answers.hpp"
#include "audit_policies.hpp"
#include "audit_promise.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "policy_audit.hpp"

namespace fugu {

namespace {

using audit::in_slot;
using audit::Units;

/// Rates are printed with 17 digits at most; sums of them are compared within this.
constexpr long double kStatedPrecision = 1e-9L;

/// What released rows state: rates per step, or per squared step, by series and slot. Infinite for true values.
struct StatedRates {
  std::vector<std::vector<double>> of_series;

  double at(SeriesId series, std::size_t slot) const {
    return slot < of_series[series].size() ? of_series[series][slot] : 0;
  }
};

/// A file may leave slots out, but a few rows must not fill the memory: cells of the table, and more for each row.
constexpr std::size_t kCellsMax = std::size_t{1} << 26;
constexpr std::size_t kCellsPerRow = 64;

/// Rates in files are per unit; those of answers per step.
double rate_per_step(double stated, double unit_step, bool pure) {
  return stated * (pure ? unit_step : unit_step * unit_step);
}

/// What the noise that a row states costs at least, in the file's own units.
double least_rate(const ReleaseRecord& row, bool pure) {
  if (!row.known || !row.sampled || !row.scale) return 0;
  return pure ? 1 / *row.scale : 0.5 / (*row.scale * *row.scale);
}

/// Whether rows can be evidence for a promise in this currency at all.
Result<void> check_currency(const ReleaseRecord& row, Currency promised) {
  if (row.simulated)
    return Error{Cause::refused, "the releases were simulated: their noise came from a seed, so they are not private"};
  if (row.currency == promised) return {};
  return promised == Currency::epsilon
             ? Error{Cause::usage,
                     "the file states its losses in ρ (column loss_rate_rho), the promise is in ε: give its δ"}
             : Error{Cause::usage,
                     "the file states its losses in ε (column loss_rate), a promise with δ > 0 counts ρ: leave δ out"};
}

void check_row(const ReleaseRecord& row, bool pure, AuditReport& report) {
  if (!(row.loss_rate >= 0)) {
    report.add(in_slot(row.slot) + "a negative loss rate is stated, or none");
  } else if (row.loss_rate < least_rate(row, pure) * (1 - static_cast<double>(kStatedPrecision))) {
    report.add(in_slot(row.slot) + "the stated loss rate is below what the stated scale costs");
  }
}

Result<StatedRates> read_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                               double unit_step, AuditReport& report) {
  const bool pure = definition.delta().value() == 0;
  StatedRates rates{std::vector<std::vector<double>>(exposure.series_count())};
  std::size_t cells_left = kCellsMax;
  ReleaseRecord row;
  for (;;) {
    FUGU_ASSIGN(const bool more, rows(row));
    if (!more) break;
    FUGU_TRY(check_currency(row, pure ? Currency::epsilon : Currency::rho));
    if (row.series >= exposure.series_count()) return Error{Cause::bad_input, "a released series has no sensitivity"};
    check_row(row, pure, report);
    const auto slot = static_cast<std::size_t>(row.slot);
    std::vector<double>& of_series = rates.of_series[row.series];
    cells_left += kCellsPerRow;
    if (slot >= of_series.size()) {
      const std::size_t more_cells = slot + 1 - of_series.size();
      if (more_cells > cells_left)
        return Error{Cause::bad_input, in_slot(row.slot) + "lies too far from the rows before: audit the parts apart"};
      cells_left -= more_cells;
      of_series.resize(slot + 1);
    }
    of_series[slot] += rate_per_step(row.loss_rate, unit_step, pure);
    report.slots = std::max(report.slots, static_cast<std::uint64_t>(row.slot) + 1);
    if (row.sampled) ++report.answers;
  }
  report.not_checked.emplace_back("values, error bands, and whether the stated rates are true: that takes the ledger");
  return rates;
}

/// The losses of a meter with that signature that changes by its whole sensitivity, slot by slot.
std::vector<double> losses_of(const StatedRates& rates, const Exposure& exposure, std::size_t signature, bool pure) {
  std::vector<double> losses;
  for (const SeriesId series : exposure.signature(signature)) {
    const std::vector<double>& of_series = rates.of_series[series];
    losses.resize(std::max(losses.size(), of_series.size()));
    for (std::size_t slot = 0; slot < of_series.size(); ++slot) {
      const auto sensitivity = static_cast<double>(exposure.sensitivity_steps(series, static_cast<Slot>(slot)));
      losses[slot] += of_series[slot] * (pure ? sensitivity : sensitivity * sensitivity);
    }
  }
  return losses;
}

/// Less by what may be due to printing, then rounded up to units of 2^-bits.
Units stated_in_units(double stated, unsigned bits) {
  if (!(stated < 0x1p16)) return audit::kTooMuch;
  if (stated <= 0) return 0;
  return static_cast<Units>(
      std::ceil(std::ldexp(static_cast<long double>(stated) / (1 + kStatedPrecision), static_cast<int>(bits))));
}

/// What is promised to everybody, if anything is.
void judge_promise(const StatedRates& rates, const Definition& definition, const Exposure& exposure,
                   AuditReport& report) {
  const auto promise = definition.kind().audit(definition, exposure, static_cast<std::size_t>(report.slots));
  if (promise == nullptr) return;
  for (std::size_t g = 0; g < exposure.signature_count(); ++g) {
    promise->begin_pass({g, 1});
    const std::vector<double> losses = losses_of(rates, exposure, g, definition.delta().value() == 0);
    for (std::size_t slot = 0; slot < losses.size(); ++slot)
      promise->add(g, static_cast<Slot>(slot), stated_in_units(losses[slot], audit::kLossBits));
    promise->end_pass();
  }
  promise->judge(report);
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
  if (definition.kind().has_policies) return Error{Cause::usage, "an audit of swellfish needs the policies"};
  AuditReport report;
  report.definition = definition.text();
  FUGU_ASSIGN(const StatedRates rates, read_rates(rows, definition, exposure, unit_step, report));
  judge_promise(rates, definition, exposure, report);
  return report;
}

Result<AuditReport> audit_stated_rates(const ReleasedRows& rows, const Definition& definition, const Exposure& exposure,
                                       const PolicyBook& policies, double unit_step) {
  if (!definition.kind().has_policies) return Error{Cause::usage, "policies belong to the definition swellfish"};
  AuditReport report;
  report.definition = definition.text();
  FUGU_ASSIGN(const StatedRates rates, read_rates(rows, definition, exposure, unit_step, report));
  judge_promise(rates, definition, exposure, report);
  judge_policies(rates, definition, held(policies, exposure), exposure, report);
  return report;
}

}  // namespace fugu
