#include "audit_records.hpp"

#include <algorithm>

#include "fugu/accounting/definition_kind.hpp"

namespace fugu::audit {

namespace {

/// Runs count sessions from 1. Numbers above this could wrap around where the audit makes further ones of them.
constexpr std::uint64_t kLargestSession = std::uint64_t{1} << 32;

bool same_question(const Answer& a, const Answer& b) {
  return a.statistic == b.statistic && a.noise == b.noise && a.series == b.series &&
         std::equal(a.parameter.begin(), a.parameter.end(), b.parameter.begin(), b.parameter.end());
}

}  // namespace

RecordAudit::RecordAudit(const LedgerHeader& header, AuditReport& report)
    : header_(header), report_(report), pure_(header.definition.delta().value() == 0), policies_(header.exposure) {}

void RecordAudit::add(const LedgerRecord& record) {
  std::visit([this](const auto& r) { check(r); }, record);
  if (std::holds_alternative<SignedHead>(record)) return;  // of the end, too
  ended_ = std::holds_alternative<StreamEnd>(record) || std::holds_alternative<Failed>(record);
}

void RecordAudit::finish() {
  if (asked_in_slot_) report_.add(in_slot(next_slot_) + "answers are recorded, but the slot is never closed");
  policies_.close();
}

void RecordAudit::check(const Answer& answer) {
  ++report_.answers;
  asked_in_slot_ = true;
  has_true_values_ = has_true_values_ || answer.noise == NoiseKind::none;
  if (answer.slot != next_slot_) {
    report_.add(in_slot(answer.slot) + "an answer is recorded out of place, while slot " + std::to_string(next_slot_) +
                " was open");
  }
  if (!has_known_loss(answer, pure_))
    report_.add(in_slot(answer.slot) + "an answer has Gaussian noise, which keeps no " +
                (pure_ ? "pure promise" : "promise about comparisons"));
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    if (answer.series[i] >= header_.series.size()) {
      report_.add(in_slot(answer.slot) + "an answer names a series that does not exist");
      return;
    }
    if (answer.statistic == Statistic::value &&
        std::find(missing_.begin(), missing_.end(), answer.series[i]) != missing_.end())
      report_.add(in_slot(answer.slot) + "a value is recorded for a series that is recorded as missing");
    rate_in_slot_ += rate_of(answer, i, pure_);
  }
  if (answer.statistic != Statistic::deviation && answer.first_slot != answer.slot)
    report_.add(in_slot(answer.slot) + "a " + std::string(name_of(answer.statistic)) +
                " answer claims to reach back, which is not paid for");
  if (answer.is_comparison()) check_session(answer);
}

void RecordAudit::check_session(const Answer& answer) {
  const auto [found, is_new] = sessions_.try_emplace(answer.session, Session{answer, answer.first_slot, answer.slot});
  Session& session = found->second;
  if (answer.session > kLargestSession)
    report_.add(in_slot(answer.slot) + "a session has a number that no run comes to");
  if (!is_new) {
    if (session.ended)
      report_.add(in_slot(answer.slot) + "session " + std::to_string(answer.session) +
                  " goes on after its threshold was exceeded or its noise lost in a restart, which is not paid for");
    if (answer.statistic == Statistic::deviation && !pure_)
      report_.add(in_slot(answer.slot) + "session " + std::to_string(answer.session) +
                  " on a deviation goes on, which with δ > 0 costs more than was charged");
    if (!same_question(session.like, answer))
      report_.add(in_slot(answer.slot) + "session " + std::to_string(answer.session) + " changes its question");
  }
  session.first = std::min(session.first, answer.first_slot);
  session.last = std::max(session.last, answer.slot);
  session.ended = session.ended || answer.values[0] != 0;
}

void RecordAudit::check(const Resumed&) {
  for (auto& [id, session] : sessions_) session.ended = true;
}

void RecordAudit::check(const Estimates& estimates) {
  has_estimates_ = true;
  if (estimates.slot != next_slot_)
    report_.add(in_slot(estimates.slot) + "estimates are recorded out of place, while slot " +
                std::to_string(next_slot_) + " was open");
  for (const Estimates::Entry& entry : estimates.entries) {
    if (entry.series < header_.series.size()) continue;
    report_.add(in_slot(estimates.slot) + "an estimate names a series that does not exist");
    return;
  }
}

void RecordAudit::check(const SlotEnd& end) {
  if (end.slot < left_out_before_ && missing_.size() != header_.series.size())
    report_.add(in_slot(end.slot) + "is left out after a loss, but not all of its series are missing");
  if (!nearly(end.loss_rate, rate_in_slot_))
    report_.add(in_slot(end.slot) + "the stated total rate is not that of the recorded answers");
  close(end.slot);
}

void RecordAudit::check(const LeftOut& left_out) {
  check_place(left_out.slot, "slots are left out");
  const Definition& definition = header_.definition;
  const Slot slots = left_out.next_slot - left_out.slot;
  // The last slot handed out came before `slot` or is lost; either way a window has to pass.
  if (!definition.kind().forgets || slots + 1 < static_cast<Slot>(definition.window_slots()))
    report_.add(in_slot(left_out.slot) + "goes on after a loss of records earlier than " + definition.text() +
                " permits");
  left_out_before_ = std::max(left_out_before_, left_out.next_slot);
  report_.slots_left_out += static_cast<std::uint64_t>(slots);
}

void RecordAudit::close(Slot slot) {
  if (slot > next_slot_) {
    report_.add(in_slot(slot) + "slots " + std::to_string(next_slot_) + " to " + std::to_string(slot - 1) +
                " are missing; what follows was not audited");
    lost_ = true;
  } else if (slot < next_slot_) {
    report_.add(in_slot(slot) + "closed twice: the slot was released again");
  } else {
    ++next_slot_;
  }
  rate_in_slot_ = 0;
  asked_in_slot_ = false;
  missing_.clear();
  report_.slots = static_cast<std::uint64_t>(next_slot_);
}

void RecordAudit::check_place(Slot slot, const std::string& what) {
  if (slot == next_slot_ && !asked_in_slot_) return;
  report_.add(in_slot(slot) + what + " out of place, while slot " + std::to_string(next_slot_) + " was open");
}

void RecordAudit::check(const PolicyStated& stated) {
  if (!header_.definition.kind().has_policies) {
    report_.add(in_slot(stated.slot) + "a policy is recorded, but the definition knows none");
    return;
  }
  check_place(stated.slot, "a policy is stated");
  const Policy& policy = stated.policy;
  const auto who = [&] { return in_slot(stated.slot) + describe(policy, stated.meter); };
  // Answers about its first slots were drawn without it. It is held to its promise all the same.
  if (policy.interval.first < std::max(stated.slot, first_untouched_slot()))
    report_.add(who() + " was stated after its interval began");
  if (std::any_of(stated.signatures.begin(), stated.signatures.end(),
                  [&](std::uint32_t g) { return g >= header_.exposure.signature_count(); }))
    report_.add(who() + " belongs to a signature that does not exist");
  if (names_unknown_series(policy, header_.exposure)) report_.add(who() + " names a series that does not exist");
  policies_.state(stated.meter, stated.signatures, policy);
}

void RecordAudit::check(const UnitPlaced& placed) {
  check_place(placed.slot, "a household or meter is placed");
  if (placed.signature && *placed.signature >= header_.exposure.signature_count()) {
    report_.add(in_slot(placed.slot) + "a household or meter is placed where no series are");
    return;
  }
  if (units_.taken_over(placed))
    report_.add(in_slot(placed.slot) +
                "a meter changes households: what it lost before is missing in its new household's account");
  if (units_.add(placed) && !policies_.move(placed.unit, placed.slot))
    report_.add(in_slot(placed.slot) + "a household or meter moves to other series while a policy of its own is kept");
  if (placed.signature && !policies_.holds_for(placed.unit, *placed.signature, placed.slot))
    report_.add(in_slot(placed.slot) + "a household or meter counts into series for which its policies were not kept");
}

void RecordAudit::check(const VersionUsed& used) {
  check_place(used.slot, "a version of the state that readings go through is used");
  report_.versions.push_back(used);
}

void RecordAudit::check(const PolicyWithdrawn& withdrawn) {
  check_place(withdrawn.slot, "a policy is withdrawn");
  const Policy& policy = withdrawn.policy;
  const auto who = [&] { return in_slot(withdrawn.slot) + describe(policy, withdrawn.meter); };
  if (policy.interval.first < std::max(withdrawn.slot, first_untouched_slot())) {
    report_.add(who() + " was withdrawn after its interval began, and holds on");
  } else if (!policies_.withdraw(withdrawn.meter, policy)) {
    report_.add(who() + " was withdrawn, but never stated");
  }
}

void check_true_value(const Answer& answer, const LedgerHeader& header, Idleness& idleness, AuditReport& report) {
  if (answer.noise != NoiseKind::none) return;
  if (!header.definition.exact_when_idle()) {
    report.add(in_slot(answer.slot) + "a true value is recorded, which the definition does not permit");
    return;
  }
  for (const SeriesId series : answer.series) {
    if (!idleness.is_idle(series, {answer.first_slot, answer.slot}))
      report.add(in_slot(answer.slot) + "a true value of series " + header.series[series] +
                 " is recorded, where a policy is relevant");
  }
}

}  // namespace fugu::audit
