#include "fugu/accounting/audit.hpp"

#include <algorithm>

#include "audit_moved.hpp"
#include "audit_promise.hpp"
#include "audit_records.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "fugu/accounting/ledger.hpp"
#include "policy_audit.hpp"

namespace fugu {

void AuditReport::add(std::string finding) {
  ++findings_total;
  if (findings.size() < kFindingsMax) findings.push_back(std::move(finding));
}

namespace {

using audit::SignatureRange;

/// Slots times signatures that are held in memory at once; more signatures take more passes over the ledger.
constexpr std::size_t kCellsPerPass = std::size_t{1} << 24;

class LedgerAudit {
 public:
  LedgerAudit(std::string path, const AuditOptions& options) : path_(std::move(path)), options_(options) {}
  Result<AuditReport> run();

 private:
  Result<void> check_records();
  /// A stream that was promised for so many slots ends with the last of them, whatever else there is to read.
  bool is_at_horizon() const {
    const Definition* definition = &header_->definition;
    if (definition->floor() != nullptr) definition = definition->floor();
    return definition->kind().has_horizon && records_->slots() == definition->window_slots();
  }
  Result<void> check_promise();
  /// Calls visit(answer) for each answer of a slot that was closed. Damage was reported by check_records().
  template <class Visit>
  Result<void> for_answers(Visit&& visit) const;
  Result<void> check_true_values();
  /// Those who counted into other series at other times: each way of moving is audited on its own.
  Result<void> check_moved();

  std::string path_;
  AuditOptions options_;
  std::optional<LedgerHeader> header_;
  AuditReport report_;
  std::optional<audit::RecordAudit> records_;
};

Result<AuditReport> LedgerAudit::run() {
  FUGU_TRY(check_records());
  FUGU_TRY(check_promise());
  report_.not_checked.emplace_back(
      "that noise was drawn as recorded, and that meters and readings are what they were said to be: no record shows "
      "it");
  if (records_->has_estimates())
    report_.not_checked.emplace_back("that recorded estimates follow from the answers: resuming a run recomputes them");
  return report_;
}

Result<void> LedgerAudit::check_records() {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(path_));
  header_ = reader.header();
  report_.definition = header_->definition.text();
  records_.emplace(*header_, report_);
  for (;;) {
    auto record = reader.next();
    if (!record) {
      if (record.error().cause != Cause::bad_input) return std::move(record).error();
      report_.add(record.error().message);
      records_->finish();
      return {};
    }
    if (!*record) break;
    records_->add(**record);
    if (!records_->is_lost()) continue;
    records_->finish();
    return {};
  }
  records_->finish();
  if (options_.open_ended) return {};
  if (reader.torn())
    report_.add("the file ends within a record after byte " + std::to_string(reader.intact_bytes()) +
                ": it was truncated, or a run was killed; resume the run, or audit it as open");
  else if (!records_->ended() && !is_at_horizon())
    report_.add("the ledger has no end record: it was truncated, or the run is not finished; audit a live run as open");
  return {};
}

template <class Visit>
Result<void> LedgerAudit::for_answers(Visit&& visit) const {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(path_));
  for (;;) {
    const auto record = reader.next();
    if (!record || !*record) return {};
    const auto* answer = std::get_if<Answer>(&**record);
    if (answer == nullptr || answer->slot >= static_cast<Slot>(records_->slots())) continue;
    if (audit::names_known_series(*answer, header_->exposure)) visit(*answer);
  }
}

Result<void> LedgerAudit::check_true_values() {
  if (!records_->has_true_values()) return {};
  audit::Idleness idleness(records_->policies(), header_->exposure);
  return for_answers([&](const Answer& answer) { audit::check_true_value(answer, *header_, idleness, report_); });
}

Result<void> LedgerAudit::check_promise() {
  FUGU_TRY(check_true_values());
  const Definition& definition = header_->definition;
  const Exposure& exposure = header_->exposure;
  const bool has_policies = definition.kind().has_policies;
  const std::size_t slots = records_->slots();
  const std::unique_ptr<audit::PromiseAudit> promise = definition.kind().audit(definition, exposure, slots);
  audit::PolicyAudit policies(records_->policies(), exposure, definition.delta());
  const std::vector<SeriesId> named = audit::named_series(records_->policies(), exposure);

  const std::size_t per_pass = std::max<std::size_t>(1, kCellsPerPass / std::max<std::size_t>(1, slots));
  for (std::size_t first = 0; first < exposure.signature_count(); first += per_pass) {
    const SignatureRange range{first, std::min(per_pass, exposure.signature_count() - first)};
    std::optional<audit::LossRates> rates;
    if (has_policies) rates.emplace(exposure, definition.delta().value() == 0, slots, range, named);
    if (promise) promise->begin_pass(range);
    FUGU_TRY(for_answers([&](const Answer& answer) {
      if (promise) promise->add(answer);
      if (rates) rates->add(answer);
    }));
    if (promise) {
      promise->add(records_->sessions());
      promise->end_pass();
    }
    if (rates) {
      rates->add(records_->sessions());
      rates->seal();
      policies.judge(*rates, report_);
    }
  }
  if (promise) promise->judge(report_);
  if (has_policies) policies.finish(report_);
  return check_moved();
}

Result<void> LedgerAudit::check_moved() {
  const Definition& definition = header_->definition;
  const std::size_t slots = records_->slots();
  const std::vector<audit::Way> ways = records_->units().ways(header_->exposure);
  const Definition* for_everybody = definition.kind().has_policies ? definition.floor() : &definition;
  if (for_everybody == nullptr) return {};
  const std::size_t per_pass = std::max<std::size_t>(1, kCellsPerPass / std::max<std::size_t>(1, slots));
  for (std::size_t first = 0; first < ways.size(); first += per_pass) {
    std::vector<std::unique_ptr<audit::MovedAudit>> audits;
    for (std::size_t i = first; i < std::min(first + per_pass, ways.size()); ++i)
      audits.push_back(std::make_unique<audit::MovedAudit>(*for_everybody, ways[i], slots));
    FUGU_TRY(for_answers([&](const Answer& answer) {
      for (const auto& each : audits) each->add(answer);
    }));
    for (const auto& each : audits) each->judge(records_->sessions(), report_);
  }
  return {};
}

}  // namespace

Result<AuditReport> audit_ledger(const std::string& path, const AuditOptions& options) {
  return LedgerAudit(path, options).run();
}

}  // namespace fugu
