#include "audit_moved.hpp"

#include <utility>

#include "fugu/accounting/definition_kind.hpp"

namespace fugu::audit {

MovedAudit::MovedAudit(const Definition& definition, const Way& way, std::size_t slots)
    : way_(way), exposure_(way.exposure()), promise_(definition.kind().audit(definition, exposure_, slots)) {
  promise_->begin_pass({0, 1});
}

void MovedAudit::add(const Answer& answer) {
  // A loss that counts from the slot of the answer on, whatever it reaches back to, is taken as a whole.
  if (promise_->loses_when_given() && answer.first_slot < answer.slot) return promise_->add(answer);
  way_.for_parts(answer, [this](const Answer& part) { promise_->add(part); });
}

void MovedAudit::judge(const Sessions& sessions, AuditReport& report) {
  AuditReport own;
  own.slots = report.slots;
  promise_->add(way_.parts(sessions));
  promise_->end_pass();
  promise_->judge(own);
  for (std::string& finding : own.findings) report.add("for somebody who moved, " + std::move(finding));
  if (own.worst_loss <= report.worst_loss) return;
  report.worst_loss = own.worst_loss;
  report.worst_first_slot = own.worst_first_slot;
  report.worst_last_slot = own.worst_last_slot;
  report.worst_series = own.worst_series;
}

}  // namespace fugu::audit
