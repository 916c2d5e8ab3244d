// The audit of one unit that moved, under a definition that holds for everybody.
#pragma once

#include <memory>

#include "audit_promise.hpp"
#include "audit_ways.hpp"

namespace fugu::audit {

/// All answers, then judge(). Takes the unit's part of each answer and audits it as if there were nobody else.
class MovedAudit {
 public:
  /// `definition`, which promises everybody something, and `way` must outlive it.
  MovedAudit(const Definition& definition, const Way& way, std::size_t slots);

  void add(const Answer& answer);
  /// Adds to the report what is broken, and names the worst window when it is worse than what the report has.
  void judge(const Sessions& sessions, AuditReport& report);

 private:
  const Way& way_;
  Exposure exposure_;
  std::unique_ptr<PromiseAudit> promise_;
};

}  // namespace fugu::audit
