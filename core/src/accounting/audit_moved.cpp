#include "audit_moved.hpp"

#include <utility>

namespace fugu::audit {

MovedAudit::MovedAudit(const Definition& definition, const Way& way, std::size_t slots)
    : way_(way), exposure_(way.exposure()) {
  if (definition.discount()) {
    discounted_.emplace(definition, exposure_, slots);
    discounted_->begin_pass({0, 1});
  } else {
    windows_.emplace(definition, exposure_, slots);
    windows_->begin_pass({0, 1});
  }
}

void MovedAudit::add(const Answer& answer) {
  // A discounted loss counts from the slot of the answer on, whatever it reaches back to: then it is taken as a whole.
  if (discounted_ && answer.first_slot < answer.slot) return discounted_->add(answer);
  way_.for_parts(answer, [this](const Answer& part) { windows_ ? windows_->add(part) : discounted_->add(part); });
}

void MovedAudit::judge(const Sessions& sessions, AuditReport& report) {
  AuditReport own;
  own.slots = report.slots;
  if (windows_) {
    windows_->add(way_.parts(sessions));
    windows_->end_pass();
    windows_->judge(own);
  } else {
    discounted_->end_pass();
    discounted_->judge(own);
  }
  for (std::string& finding : own.findings) report.add("for somebody who moved, " + std::move(finding));
  if (own.worst_loss <= report.worst_loss) return;
  report.worst_loss = own.worst_loss;
  report.worst_first_slot = own.worst_first_slot;
  report.worst_last_slot = own.worst_last_slot;
  report.worst_series = own.worst_series;
}

}  // namespace fugu::audit
