// The audit of a ledger record by record: is it in order, and does it add up?
#pragma once

#include <string>
#include <vector>

#include "audit_answers.hpp"
#include "audit_policies.hpp"
#include "audit_ways.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/ledger.hpp"

namespace fugu::audit {

/// Takes the records of a ledger in order and adds what is wrong with them to a report. Remembers what the audit of
/// the promise needs later: sessions, policies, how many slots there are.
class RecordAudit {
 public:
  RecordAudit(const LedgerHeader& header, AuditReport& report);

  void add(const LedgerRecord& record);
  /// After the last record.
  void finish();

  /// Slots that were closed: 0 … slots() − 1. Each took a record, so that there are no more of them than the file
  /// holds.
  std::size_t slots() const { return static_cast<std::size_t>(next_slot_); }
  /// Whether slots are missing. What comes after them has no place: stop there.
  bool is_lost() const { return lost_; }
  /// Whether the last record ended the stream.
  bool ended() const { return ended_; }
  const Sessions& sessions() const { return sessions_; }
  const PoliciesHeld& policies() const { return policies_; }
  const UnitsPlaced& units() const { return units_; }
  /// Whether a true value was given out anywhere.
  bool has_true_values() const { return has_true_values_; }
  bool has_estimates() const { return has_estimates_; }

 private:
  void check(const Answer& answer);
  void check(const Estimates& estimates);
  void check(const SlotEnd& end);
  void check(const PolicyStated& stated);
  void check(const PolicyWithdrawn& withdrawn);
  void check(const UnitPlaced& placed);
  void check(const VersionUsed& used);
  void check(const MissingSeries& missing) { missing_ = missing.series; }
  void check(const Failed& failed) { close(failed.slot); }
  void check(const Resumed&);
  void check(const Delivered&) {}
  void check(const StreamEnd&) {}
  void check(const LeftOut& left_out);
  void check(const SignedHead&) {}  // audit_heads.cpp
  void check_session(const Answer& answer);
  /// Policies are stated and withdrawn before anything is asked in the slot that begins.
  void check_place(Slot slot, const std::string& what);
  /// The first slot in which nothing was asked yet.
  Slot first_untouched_slot() const { return next_slot_ + (asked_in_slot_ ? 1 : 0); }
  void close(Slot slot);

  const LedgerHeader& header_;
  AuditReport& report_;
  bool pure_;
  Slot next_slot_ = 0;
  double rate_in_slot_ = 0;
  bool asked_in_slot_ = false;
  std::vector<SeriesId> missing_;  // in the open slot
  bool ended_ = false;
  Slot left_out_before_ = 0;  // slots up to here are not handed out
  bool lost_ = false;
  bool has_true_values_ = false;
  bool has_estimates_ = false;
  Sessions sessions_;
  PoliciesHeld policies_;
  UnitsPlaced units_;
};

/// Adds a finding when `answer` is a true value where noise was promised. Answers come in the order of their slots.
void check_true_value(const Answer& answer, const LedgerHeader& header, Idleness& idleness, AuditReport& report);

}  // namespace fugu::audit
