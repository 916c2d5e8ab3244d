// The audit of what a definition promises everybody.
#pragma once

#include "audit_answers.hpp"
#include "fugu/accounting/audit.hpp"

namespace fugu::audit {

/// Finds where any signature loses most, in as many passes over the answers as the caller likes: begin_pass(), all
/// answers below the last slot (or stated losses instead), the sessions, end_pass(); judge() after the last one.
///
/// Shares nothing with the definition's accountant.
class PromiseAudit {
 public:
  virtual ~PromiseAudit() = default;

  virtual void begin_pass(SignatureRange range) = 0;
  virtual void add(const Answer& answer) = 0;
  /// All comparisons, for what add(answer) cannot know of them one by one.
  virtual void add(const Sessions& /*sessions*/) {}
  /// A loss in units of 2^-60 of a signature within the range, as a file without a ledger states it.
  virtual void add(std::size_t signature, Slot slot, Units loss) = 0;
  virtual void end_pass() = 0;
  virtual void judge(AuditReport& report) const = 0;

  /// Whether all of an answer is lost in the slot in which it was given, whatever slots it is about.
  virtual bool loses_when_given() const { return false; }
};

/// Compares the loss of the worst window, which the report names, with the promise. ε, or ρ.
void judge_worst_window(long double worst, const Definition& definition, AuditReport& report);

}  // namespace fugu::audit
